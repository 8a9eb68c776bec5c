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

from secateur.cli.names import COUNTER, DOCUMENT, FORMAT, HANDLE, POLICY, SESSION
from secateur.cli.number_types import DecimalType, DurationType, NumberType
from secateur.cli.output.terminal import allow_raw
from secateur.defaults import POLICY as DEFAULT

Parameter = Callable[[str], Callable[[Any], Any]]  # from a field's name to what adds the parameter to a function


class Options(Struct, frozen=True, kw_only=True):
    """The command line as values: one field for each argument or option."""

    listed_last: ClassVar[bool] = False  # whether help shows the options that this class adds after those of others


Stated = TypeVar("Stated", bound=Options)


def make_option(*flags: str, **settings: Any) -> Parameter:
    """Make an option for annotating a field."""
    return partial(click.option, *flags, **settings)


def make_argument(**settings: Any) -> Parameter:
    """Make an argument for annotating a field."""
    return partial(click.argument, **settings)


def make_command(
    name: str, options: type[Stated], epilog: str
) -> Callable[[Callable[[Stated], int | None]], click.Command]:
    """Make a command from a function of its options. Its docstring is the help."""

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


def _add_raw_option(_: str) -> Callable[[Any], Any]:
    """Add `--raw`, which comes with `--json` in every command whose report shows content of a session."""
    return click.option(
        "--raw",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=allow_raw,
        help="Show credentials too; default: each is shown as [redacted KIND].",
    )


def make_limit(default: int, text: str) -> Parameter:
    """The option that bounds how many rows are shown."""
    return make_option("--limit", type=NumberType(min=1), default=default, show_default=True, metavar="N", help=text)


def build_upstream(api: str) -> Parameter:
    """The option that names where requests of an API are sent."""
    return make_option(
        f"--upstream-{api}",
        default="",
        metavar="URL",
        help="Where requests of this API are sent; default: its provider.",
    )


def build_cloud_upstream(api: str) -> Parameter:
    """The option that names where requests of a cloud's API are sent: its address holds the region."""
    return make_option(
        f"--upstream-{api}", default="", metavar="URL", help="Where requests of this API are sent; it has no default."
    )


Input = Annotated[str, make_argument(default="-", type=DOCUMENT, metavar="[INPUT]")]
Session = Annotated[str, make_argument(type=SESSION)]
MaybeSession = Annotated[str | None, make_argument(required=False, type=SESSION)]
Handle = Annotated[str, make_argument(type=HANDLE)]

PolicyName = Annotated[
    str,
    make_option(
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
    make_option(
        "--policy",
        type=POLICY,
        multiple=True,
        metavar="P",
        help="Only this policy. Repeatable.  [default: all presets]",
    ),
]
Model = Annotated[
    str, make_option("--model", default="", metavar="M", help="The model of the next request; default: the document's.")
]
Window = Annotated[
    int | None,
    make_option(
        "--window", type=NumberType(min=1), metavar="N", help="The context window in tokens; default: the model's."
    ),
]
TargetTokens = Annotated[
    int | None,
    make_option(
        "--target-tokens",
        type=NumberType(min=1),
        metavar="N",
        help="Keep the view under N tokens, as cheaply as possible; default: the policy's.",
    ),
]
FormatName = Annotated[
    str | None, make_option("--format", type=FORMAT, metavar="F", help="The document's format; default: detected.")
]
CacheTtl = Annotated[
    str | None,
    make_option(
        "--cache-ttl",
        type=click.Choice(["5m", "1h"]),
        help="The lifetime that the client buys in the prompt cache.  [default: as recorded]",
    ),
]
Idle = Annotated[
    float | None,
    make_option(
        "--idle",
        type=DurationType(),
        metavar="TIME",
        help="Time since the last request: seconds, `5m` or `2h`; default: since the document's last timestamp.",
    ),
]
Protect = Annotated[
    tuple[str, ...],
    make_option(
        "--protect", multiple=True, metavar="GLOB", help="Never prune results of these tools (`mcp_*`). Repeatable."
    ),
]
FixedTokens = Annotated[
    int,
    make_option(
        "--fixed-tokens",
        type=NumberType(min=0),
        default=0,
        metavar="N",
        help="Tokens of the system prompt and the tools, for logs without them.",
    ),
]
Counter = Annotated[
    str,
    make_option(
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
    make_option(
        "-o",
        "--output",
        type=click.Path(),
        metavar="OUT",
        help="Where to write; - is standard output. A name ending in .gz is compressed.",
    ),
]
PlainOutput = Annotated[
    str | None,
    make_option("-o", "--output", type=click.Path(), metavar="OUT", help="Where to write; - is standard output."),
]
InPlace = Annotated[
    bool, make_option("--in-place", is_flag=True, help="Write to INPUT itself and keep INPUT.bak (then .bak1, ...).")
]
DryRun = Annotated[
    bool, make_option("--dry-run", is_flag=True, help="Write no document; --plan-out still writes the plan.")
]
PlanOut = Annotated[
    str | None,
    make_option("--plan-out", type=click.Path(), metavar="FILE", help="Write the plan (all decisions), for --apply."),
]
Apply = Annotated[
    str | None,
    make_option(
        "--apply",
        type=click.Path(),
        metavar="FILE",
        help="Carry out this plan and nothing else. Give the policy that made it.",
    ),
]
Summarizers = Annotated[
    tuple[str, ...],
    make_option(
        "--summarizer",
        multiple=True,
        metavar="S",
        help="What writes the summary: anthropic:MODEL, http://HOST:PORT/v1#MODEL, or extractive (no model). "
        "Repeatable: tried in order.",
    ),
]
LocalOnly = Annotated[bool, make_option("--local-only", is_flag=True, help="Reject a summarizer on another machine.")]
Deadline = Annotated[
    float,
    make_option(
        "--deadline",
        type=DecimalType(min=0, min_open=True),
        default=120.0,
        show_default=True,
        metavar="SECONDS",
        help="Time limit for all summarizers together; then the summary is made without a model.",
    ),
]
StoreUrl = Annotated[
    str,
    make_option(
        "--store",
        default="",
        metavar="URL",
        help="The store of sessions; default: SECATEUR_STORE, else a file in the user's data folder.",
    ),
]
Tenant = Annotated[
    str, make_option("--tenant", default="", metavar="T", help="The tenant, in a store that several tenants share.")
]
AsJson = Annotated[
    bool, make_option("--json", is_flag=True, help="Print one JSON object instead of text."), _add_raw_option
]
