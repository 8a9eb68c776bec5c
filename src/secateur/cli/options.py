"""The options that commands share, each written once: its flag, its type and its help.

Rule: an option means the same in every command that has it. The options of a command are the fields of a struct: the
annotation of a field is the option, and its name is the parameter's.
"""

from collections.abc import Callable
from functools import partial, wraps
from inspect import get_annotations
from typing import Annotated, Any, ClassVar, TypeVar, get_type_hints

import click
from msgspec import Struct

from secateur.cli.names import COUNTER, FORMAT, HANDLE, POLICY, SESSION
from secateur.cli.output.terminal import allow_raw
from secateur.defaults import POLICY as DEFAULT

Parameter = Callable[[str], Callable[[Any], Any]]  # from a field's name to what adds the parameter to a function


class Options(Struct, frozen=True, kw_only=True):
    """What a command line states: one field for each argument or option."""

    listed_last: ClassVar[bool] = False  # whether help shows the options that this class adds after those of others


Stated = TypeVar("Stated", bound=Options)


def option(*flags: str, **settings: Any) -> Parameter:
    """An option, to annotate a field with."""
    return partial(click.option, *flags, **settings)


def argument(**settings: Any) -> Parameter:
    """An argument, to annotate a field with."""
    return partial(click.argument, **settings)


def command(name: str, options: type[Stated], epilog: str) -> Callable[[Callable[[Stated], int | None]], click.Command]:
    """Make a command of a function of its options. Its docstring is the help."""

    def wrap(run: Callable[[Stated], int | None]) -> click.Command:
        @wraps(run)
        def call(**stated: Any) -> int | None:
            return run(options(**stated))

        for parameter in reversed(_list_parameters(options)):
            parameter(call)
        return click.command(name, epilog=epilog)(call)

    return wrap


def _list_parameters(options: type[Options]) -> list[Callable[[Any], Any]]:
    """The parameters in the order in which help shows them: as declared, those of a base class first."""
    classes = [each for each in reversed(options.__mro__) if issubclass(each, Options)]
    classes.sort(key=lambda each: bool(each.__dict__.get("listed_last")))
    types = get_type_hints(options, include_extras=True)
    names = [name for each in classes for name in get_annotations(each) if name in options.__struct_fields__]
    return [parameter(name) for name in names for parameter in types[name].__metadata__]


def _raw(_: str) -> Callable[[Any], Any]:
    """`--raw` comes with `--json` in every command that reports what a session says."""
    return click.option(
        "--raw",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=allow_raw,
        help="Show text as it is, credentials too; else each is shown as [redacted KIND].",
    )


Input = Annotated[str, argument(default="-", type=click.Path(), metavar="[INPUT]")]
Session = Annotated[str, argument(type=SESSION)]
MaybeSession = Annotated[str | None, argument(required=False, type=SESSION)]
Handle = Annotated[str, argument(type=HANDLE)]

PolicyName = Annotated[
    str,
    option(
        "--policy",
        type=POLICY,
        metavar="P",
        default=DEFAULT,
        show_default=True,
        help="A preset (see `secateur policies`) or a policy file: TOML, or OpenClaw's own configuration.",
    ),
]
Policies = Annotated[
    tuple[str, ...],
    option("--policy", type=POLICY, multiple=True, metavar="P", help="Only these.  [default: all presets]"),
]
Model = Annotated[
    str, option("--model", default="", metavar="M", help="The model of the next request; else the document's own.")
]
Window = Annotated[
    int | None,
    option(
        "--window",
        type=click.IntRange(min=1),
        metavar="N",
        help="The context window in tokens; else looked up by the model.",
    ),
]
FormatName = Annotated[
    str | None, option("--format", type=FORMAT, metavar="F", help="The document's format; else detected.")
]
Hour = Annotated[
    bool | None,
    option(
        "--hour/--no-hour",
        default=None,
        help="The client buys the cache's longer lifetime, or not.  [default: as recorded]",
    ),
]
Idle = Annotated[
    float | None,
    option(
        "--idle",
        type=click.FloatRange(min=0),
        metavar="SECONDS",
        help="Time since the last request; else now minus the document's last timestamp, else unknown.",
    ),
]
Protect = Annotated[
    tuple[str, ...],
    option(
        "--protect",
        multiple=True,
        metavar="GLOB",
        help="Never prune these tools (`mcp_*`). May be given more than once.",
    ),
]
FixedTokens = Annotated[
    int,
    option(
        "--fixed-tokens",
        type=click.IntRange(min=0),
        default=0,
        metavar="N",
        help="Tokens of the system prompt and tools, for logs that lack them.",
    ),
]
Counter = Annotated[
    str,
    option(
        "--counter",
        type=COUNTER,
        metavar="C",
        default="estimate",
        show_default=True,
        help="What counts the tokens of the report: estimate, or o200k, which is exact and needs secateur[tokens].",
    ),
]
Output = Annotated[
    str | None,
    option(
        "-o",
        "--output",
        type=click.Path(),
        metavar="OUT",
        help="Where to write; - is standard output. NAME.gz is packed.",
    ),
]
PlainOutput = Annotated[
    str | None,
    option("-o", "--output", type=click.Path(), metavar="OUT", help="Where to write; - is standard output."),
]
InPlace = Annotated[
    bool, option("--in-place", is_flag=True, help="Write to INPUT itself, and keep INPUT.bak (then .bak1, ...).")
]
DryRun = Annotated[
    bool, option("--dry-run", is_flag=True, help="Write no document; --plan-out keeps what would be done.")
]
PlanOut = Annotated[
    str | None,
    option(
        "--plan-out",
        type=click.Path(),
        metavar="FILE",
        help="Write the plan: what was decided, to be carried out by --apply.",
    ),
]
Apply = Annotated[
    str | None,
    option(
        "--apply",
        type=click.Path(),
        metavar="FILE",
        help="Carry out this plan, and nothing else. Give the policy it was made by.",
    ),
]
Summarizers = Annotated[
    tuple[str, ...],
    option(
        "--summarizer",
        multiple=True,
        metavar="S",
        help="Who writes the summary: anthropic:MODEL, http://HOST:PORT/v1#MODEL, extractive (no model). In order.",
    ),
]
LocalOnly = Annotated[bool, option("--local-only", is_flag=True, help="Refuse a summariser on another machine.")]
Deadline = Annotated[
    float,
    option(
        "--deadline",
        type=click.FloatRange(min=0, min_open=True),
        default=120.0,
        show_default=True,
        metavar="SECONDS",
        help="For all summarisers together; then the summary is made without a model.",
    ),
]
StoreUrl = Annotated[
    str,
    option(
        "--store",
        default="",
        metavar="URL",
        help="Where sessions are kept; else SECATEUR_STORE, else a file in the user's data folder.",
    ),
]
Tenant = Annotated[
    str, option("--tenant", default="", metavar="T", help="Whose sessions, where a store keeps several tenants'.")
]
AsJson = Annotated[bool, option("--json", is_flag=True, help="One JSON object on standard output, nothing else."), _raw]
