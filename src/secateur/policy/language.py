"""The words of a policy: one Struct whose fields are all that a policy can say.

Rule: values only. `load` (in the package) makes and checks them; nothing here reads files or looks at a conversation.
Which strategies and schedules a policy may name is not closed: `build_policy_type` adds those of plugins that one
names.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Literal, Union

from msgspec import Struct, defstruct

from secateur.compaction.settings import Compaction, Continuation
from secateur.pricing.stated import Stated
from secateur.protect import Count, Protection
from secateur.registry import Registry
from secateur.schedule import SCHEDULES, EveryRequest, Schedule
from secateur.strategies import STRATEGIES, Excerpt, ReduceOutput, Strategy

TAGS = ("type",)  # the field that says which strategy or schedule a table is


class Policy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """How one system prunes, compacts and continues."""

    name: str
    description: str = ""  # one sentence: what it does
    suits: str = ""  # in one line: whom it suits
    counter: str = "estimate"  # counts for the policy's own gates (SEEDS S.4); reports use another
    window: Count | None = None  # tokens; beats the registry, and is beaten by what the caller states
    context_tokens: Count | None = None  # a ceiling on the window, wherever that comes from (SEEDS 3.4)
    target_tokens: Count | None = None  # the view is kept under so many, as cheaply as possible: less than the window
    binds: Literal["any", "stated", "never"] = "stated"  # the windows that a view may not exceed: others are a warning
    windows: dict[str, int] = {}  # windows of single models, by name, as a host's configuration states them
    sticky: bool = True  # edits hold; False: each view is made afresh (SEEDS 3.1), if no reasoning is bound to it (A55)
    record_cleared_at: bool = False  # the time of clearing is recorded where the host has a place for it (SEEDS 0.4)
    allow_in_place: Literal["always", "bodies", "never"] = "always"  # which files may be rewritten (SEEDS 2.7, 3.1)
    results_only: bool = False  # strategies may change tool results only (SEEDS S.2)
    host_settings: dict[str, str] = {}  # settings of the host that are reported and not acted on (SEEDS 3.7)
    protect: Protection = Protection()
    on_arrival: Excerpt | ReduceOutput | None = None  # stage 0: results are shortened when they are new (SEEDS S.7)
    prune: tuple[Strategy, ...] = ()  # in order; each sees what those before it proposed
    schedule: Schedule = EveryRequest()
    pricing: tuple[Stated, ...] = ()  # prices and cache rules where the tables' are not the ones that hold
    compaction: Compaction | None = None  # when pruning is not enough; None: this policy does not compact
    continuation: Continuation = Continuation()  # what the agent receives after a compaction

    def __repr__(self) -> str:
        return f"<Policy {self.name}>"


def build_policy_type(data: dict[str, Any]) -> type[Policy]:
    """`Policy` as it decodes this data: with built-in strategies and schedules and the plugins it names.

    Raises ConfigError if a plugin that it names cannot be used.
    """
    prune = data.get("prune")
    strategies = prune if isinstance(prune, list | tuple) else ()
    return _define_policy_type(
        _collect_types(STRATEGIES, map(_tag, strategies)), _collect_types(SCHEDULES, [_tag(data.get("schedule"))])
    )


def _tag(data: Any) -> str:
    """The name by which a strategy or schedule is asked for; "" where none is."""
    tag = next((data[name] for name in TAGS if name in data), "") if isinstance(data, dict) else ""
    return tag if isinstance(tag, str) else ""


def _collect_types(registry: Registry[Any], wanted: Iterable[str]) -> tuple[type[Struct], ...]:
    """Built-in types and the plugins with these names; all plugins if a name is unknown, for the error."""
    built_in = {name: registry.get(name) for name in registry.built_in}
    named = {name: registry.get(name) for name in wanted if name and name not in built_in}
    added = registry.load_plugins() if None in named.values() else named
    return tuple((built_in | added).values())


@lru_cache
def _define_policy_type(strategies: tuple[type[Struct], ...], schedules: tuple[type[Struct], ...]) -> type[Policy]:
    strategy: Any = Union[strategies]  # noqa: UP007 - the members are known at run time only
    schedule: Any = Union[schedules]  # noqa: UP007
    fields = [("prune", tuple[strategy, ...], ()), ("schedule", schedule, EveryRequest())]
    decoded: Any = defstruct("Policy", fields, bases=(Policy,), frozen=True, kw_only=True)
    return decoded  # type: ignore[no-any-return]
