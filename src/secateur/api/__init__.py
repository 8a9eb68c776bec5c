"""Rules: what each API refuses, one small function a rule, read in one pass over a native history.

    check("anthropic", body["messages"], body)   ->  [] or Violations in the order of the history

Rule of the room: a rule looks and tells, it never mends and never raises on any JSON value. What a body alone cannot
show (an edit of signed bytes, an expired file) stands in `unseen`, with the reason. Families know nothing of each
other; a family is a package with a `History` that walks, and `RULES` that say what the walk means.
"""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import Any

from secateur import formats
from secateur.api.added_rules import rules_added_to
from secateur.api.findings import Chosen, Findings, chosen
from secateur.api.rule import Rule, Violation
from secateur.api.walker import Asked
from secateur.errors import ConfigError
from secateur.nesting import told_if_too_deep

__all__ = ["FAMILIES", "PROFILES", "Rule", "Violation", "check", "family_of", "rules"]

FAMILIES = ("anthropic", "openai_chat", "openai_responses", "gemini", "bedrock", "transcript")

# Servers that speak an API but take less of it (wire-rules: compatible servers, and models that ask for more).
PROFILES = {
    "strict": "chat templates that want user and assistant to alternate and content to be a string",
    "mistral": "as strict, and call ids of nine letters or digits",
    "deepseek": "`reasoning_content` of calls comes back",
    "moonshot": "`reasoning_content` of calls comes back",
    "gemini": "Gemini behind Chat Completions: calls keep their thought signature",
    "vertex": "Gemini on Vertex AI: no text is empty",
}


@told_if_too_deep()
def check(
    family: str,
    messages: Sequence[Any],
    request: Mapping[str, Any] | None = None,
    *,
    profile: str | None = None,
    whole: bool = True,
    tail: bool = False,
    headers: Mapping[str, str] | None = None,
) -> list[Violation]:
    """What an API would refuse of a history, in the order of the history; [] where it refuses nothing.

    `messages` is the native array (`messages`, `input` items, `contents`), for "transcript" the messages of a
    `Transcript`. `request` holds the other body fields (the body itself will do); without it, rules on fields of the
    request stay silent, as those on headers do without `headers`. `whole=False`: a window that starts and ends at a
    round; rules that need the first or the last message, or counts over all, stay silent, but with `tail` the window
    reaches the end of the history, and those that need no more than its last message speak. Paths count from the body:
    they begin with the array's name. Raises ConfigError for a family or profile that is none.
    """
    history = _room(family).History(Asked(messages, request, profile, whole, headers or {}, whole or tail))
    rules_ = _chosen(family, rules_added_to(family), profile, whole, whole or tail)
    findings = Findings(rules_, history)
    history.walk(findings.look)
    return findings.finished()


def rules(family: str) -> tuple[Rule, ...]:
    """The rules of a family, in the order of their ids, then those of plugins. One id may have several, each on
    something of its own."""
    return (*_room(family).RULES, *rules_added_to(family))


def family_of(format_name: str) -> str:
    """The family whose rules hold for a format: that of its API, "transcript" for session files and all others."""
    found = formats.get(format_name)
    return "transcript" if found is None else found.family


@cache
def _chosen(family: str, added: tuple[Rule, ...], profile: str | None, whole: bool, ends: bool) -> Chosen:
    every = (*_room(family).RULES, *added)
    return chosen(every, _known("profile", profile, PROFILES) if profile else None, whole, ends)


@cache
def _room(family: str) -> Any:
    return import_module(f"secateur.api.{_known('family', family, FAMILIES)}")


def _known(what: str, name: str, names: Any) -> str:
    if name in names:
        return name
    near = get_close_matches(name, list(names), 1)
    raise ConfigError(f"there is no {what} {name!r}: {f'did you mean {near[0]}' if near else ', '.join(names)}")
