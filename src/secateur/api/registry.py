"""The table of all rules and repair passes: which modules define them, per API and per format; and those of plugins.

A module is listed once, by its name below `secateur.api`. Each `Rule` and each `RepairPass` that it defines is found in
it, so a new rule with its repair is one file and one line here. Rules are sorted by id. Passes run in the order of the
modules, and in each module in the order of their definitions: first what is inside messages, then ids, then the
pairing of calls with results, and last the two ends, because a pass may create work for those after it and never for
those before it.

Plugins extend this table with entry points in the group `secateur.rules`. A plugin's rule is one object with its
repair, applied after the built-in ones. No request fails because of it: a rule that raises finds nothing and causes a
warning. A repair that raises is an error, because it may have stopped halfway.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, wraps
from importlib import import_module
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.api.repair_run import RepairPass
from secateur.api.rule import Found, Rule, RuleSelection, select_rules
from secateur.api.walker import Walker
from secateur.errors import ConfigError
from secateur.registry import SWITCH, Registry, warn
from secateur.text.suggestions import suggest_names

_OURS = re.compile(r"[A-Z]\d+")

TRANSCRIPT = "transcript"  # what any API would reject, read from the transcript of a session file
LOGS = "logs"  # session files that are lines of JSON, of any format


class ApiRules(Struct, frozen=True):
    """The rules of an API: the class that walks its histories, and the modules that hold the rules."""

    walker: str
    modules: tuple[str, ...]


class FormatRepairs(Struct, frozen=True):
    """The repairs of a format: the API whose rules apply, where its messages are, and the modules with the passes."""

    api: str
    array: str  # the member of the body that holds the messages
    blocks: str  # the member of a message that holds its blocks; "" where messages are repaired as a whole
    modules: tuple[str, ...]


RULES = {
    "anthropic": ApiRules(
        "anthropic.walk:MessagesWalker",
        (
            "anthropic.rules_messages",
            "anthropic.rules_calls",
            "anthropic.rules_request",
            "json_checks",
        ),
    ),
    "openai_chat": ApiRules(
        "openai_chat.walk:ChatWalker",
        ("openai_chat.rules_messages", "openai_chat.rules_servers", "json_checks"),
    ),
    "openai_responses": ApiRules(
        "openai_responses.walk:ResponsesWalker",
        ("openai_responses.rules_items", "json_checks"),
    ),
    "gemini": ApiRules(
        "gemini.walk:ContentsWalker",
        ("gemini.rules_contents", "json_checks"),
    ),
    "bedrock": ApiRules(
        "bedrock.walk:ConverseWalker",
        ("bedrock.rules_messages", "json_checks"),
    ),
    TRANSCRIPT: ApiRules("transcript.rules:TranscriptWalker", ("transcript.rules",)),
}

REPAIRS = {
    "anthropic_messages": FormatRepairs(
        "anthropic",
        "messages",
        "content",
        (
            "anthropic.repairs_content",
            "anthropic.repairs_calls",
            "anthropic.repairs_messages",
        ),
    ),
    "openai_chat": FormatRepairs(
        "openai_chat",
        "messages",
        "",
        ("openai_chat.repairs_messages", "openai_chat.repairs_servers"),
    ),
    "openai_responses": FormatRepairs("openai_responses", "input", "", ("openai_responses.repairs_items",)),
    "gemini": FormatRepairs(
        "gemini",
        "contents",
        "parts",
        ("gemini.repairs_contents", "gemini.repairs_calls"),
    ),
    "bedrock_converse": FormatRepairs(
        "bedrock",
        "messages",
        "content",
        ("bedrock.repairs_messages", "bedrock.repairs_blocks"),
    ),
    "opencode": FormatRepairs(TRANSCRIPT, "messages", "parts", ("transcript.repairs_opencode",)),
    LOGS: FormatRepairs(TRANSCRIPT, "", "", ("transcript.repairs_logs",)),
}


@cache
def get_rules(api: str) -> tuple[Rule, ...]:
    """Return an API's built-in rules by ID. Several may share an ID, each for its own part."""
    found = _find_definitions(map(_load, RULES[api].modules), Rule)
    return tuple(sorted(found, key=lambda one: int(one.id[1:])))


@cache
def select(api: str, added: tuple[Rule, ...], profile: str | None, whole: bool, ends: bool) -> RuleSelection:
    """The rules of an API, with those `added`, that apply to a profile and to a part of a history: `select_rules`."""
    return select_rules((*get_rules(api), *added), profile, whole, ends)


@cache
def get_passes(format_name: str) -> tuple[RepairPass, ...]:
    """Return the repair passes of a format in the order in which they run."""
    repairs = REPAIRS[format_name]
    return tuple(_find_definitions(map(_load, (*repairs.modules, *RULES[repairs.api].modules)), RepairPass))


@cache
def get_walker(api: str) -> type[Walker]:
    """Return the class that walks the histories of an API."""
    module, _, name = RULES[api].walker.partition(":")
    found: type[Walker] = getattr(_load(module), name)
    return found


def check_name(what: str, name: str, names: Iterable[str]) -> str:
    """The name, if there is something of that name. Raises ConfigError that suggests the nearest name otherwise."""
    if name in names:
        return name
    names = list(names)
    near = suggest_names(name, names)
    raise ConfigError(f"there is no {what} {name!r}: {f'did you mean {near}' if near else ', '.join(names)}")


def _load(module: str) -> Any:
    return import_module(f"secateur.api.{module}")


def _find_definitions(modules: Iterable[Any], kind: type) -> Iterator[Any]:
    """Yield the attributes of these modules that are of this type."""
    for module in modules:
        for value in vars(module).values():
            if isinstance(value, kind):
                yield value


def list_plugin_rules(family: str) -> tuple[Rule, ...]:
    """Return the plugin rules for an API."""
    return tuple(rule for rule in ADDED.load_plugins().values() if rule.family == family)


def _wrap_plugin_rule(name: str, loaded: Any) -> Rule:
    if not isinstance(loaded, Rule):
        raise ConfigError(f"{loaded!r:.80} is not a rule: make one with secateur.plugins.rule")
    if loaded.id != name:
        raise ConfigError(f"its id is {loaded.id!r}, and its entry point is called {name!r}")
    if _OURS.fullmatch(name):
        raise ConfigError("ids of one letter and a number are those of built-in rules: choose another, as in ACME-1")
    if loaded.family not in RULES:
        raise ConfigError(f"it is for the API {loaded.family!r}: set family to one of {', '.join(RULES)}")
    repair = _guard_repair(loaded.repair, name) if loaded.repair else None
    return replace(loaded, check=_guard_check(loaded.check, name), repair=repair)


def _guard_check(check: Callable[..., Found], name: str) -> Callable[..., Found]:
    @wraps(check)
    def guarded(*args: Any) -> Found:
        try:
            return tuple(check(*args) or ())
        except Exception as error:
            warn(f"the rule {name!r} of a plugin failed and was skipped: {type(error).__name__}: {error}")
            return ()

    return guarded


def _guard_repair(repair: Callable[..., None], name: str) -> Callable[..., None]:
    @wraps(repair)
    def guarded(run: Any) -> None:
        try:
            repair(run)
        except Exception as error:
            raise ConfigError(
                f"the repair of the plugin's rule {name!r} failed: {type(error).__name__}: {error}. Set {SWITCH}=off"
            ) from error

    return guarded


ADDED: Registry[Rule] = Registry("rules", {}, _wrap_plugin_rule)
