"""What each API rejects, and how it is repaired: one package per API, rules beside the repairs that serve them.

    check("anthropic", body["messages"], body)   ->  [] or Violations in the order of the history

Rule: a rule only reports; it changes nothing and never raises on any JSON value. What a body alone cannot show (an
edit of signed bytes, an expired file) is listed in `unverifiable`, with the reason. Packages of APIs do not know each
other's rules. Repairs are in `repair`, which is loaded only by those who use it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from secateur import formats
from secateur.api.registry import RULES, TRANSCRIPT, check_name, get_rules, get_walker, list_plugin_rules, select
from secateur.api.rule import Findings, Rule, Violation
from secateur.api.walker import CheckInput
from secateur.jsontext import convert_recursion_error

__all__ = ["FAMILIES", "PROFILES", "Rule", "Violation", "check", "get_family", "list_rules"]

FAMILIES = tuple(RULES)

# Servers that speak an API but accept less of it, and models that ask for more.
PROFILES = {
    "strict": "chat templates that require user and assistant to alternate and content to be a string",
    "mistral": "as strict, and call ids of nine letters or digits",
    "deepseek": "`reasoning_content` of calls is sent back",
    "moonshot": "`reasoning_content` of calls is sent back",
    "gemini": "Gemini behind Chat Completions: calls keep their thought signature",
    "vertex": "Gemini on Vertex AI: no text is empty",
}


@convert_recursion_error()
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
    """Everything in a history that an API would reject, in the order of the history; [] if it would reject nothing.

    `messages` is the provider's own array (`messages`, `input` items, `contents`); for "transcript", the messages of a
    `Transcript`. `request` holds the other fields of the body, or is the body itself. Without it, rules on fields of
    the request are skipped, as are those on headers without `headers`. `whole=False` checks a part that starts and ends
    at a round: rules that need the first or the last message, or totals, are skipped. With `tail` that part reaches
    the end of the history, and rules that need only its last message apply. Paths are those of the body and begin with
    the name of the array. Raises ConfigError for an unknown family or profile.
    """
    walker = get_walker(check_name("family", family, RULES))
    profile = check_name("profile", profile, PROFILES) if profile else None
    history = walker(CheckInput(messages, request, profile, whole, headers or {}, whole or tail))
    findings = Findings(select(family, list_plugin_rules(family), profile, whole, whole or tail), history)
    history.walk(findings.check_block)
    return findings.finish()


def list_rules(family: str) -> tuple[Rule, ...]:
    """Return the rules of a family by ID, then those of plugins. Several rules may share an ID."""
    return (*get_rules(check_name("family", family, RULES)), *list_plugin_rules(family))


def get_family(format_name: str) -> str:
    """Return the rule family of a format: that of its API; "transcript" for session files and all others."""
    found = formats.get(format_name)
    return TRANSCRIPT if found is None else found.family
