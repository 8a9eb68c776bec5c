"""What the user forbids and demands, sentence by sentence, in ten languages; and rules of the project's own files.

Rule: verbatim and by pattern; a sentence too many costs a few tokens, a lost one costs the user's trust, so doubt
keeps. What is beyond the patterns, and every other language, is kept as the user's messages themselves. A rule of the
project is kept as its whole bullet. Which texts are the user's is decided in `said`, which of their sentences are
looked at in `demand_units`; whether a constraint was kept to is not judged.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from msgspec.structs import replace

from secateur.compaction.ledger.entries import Constraint, Scope
from secateur.compaction.ledger.said import (
    STOP,
    get_agent_text,
    get_rejection,
    get_user_text,
    is_quoted,
    split_sentences,
    strip_emphasis,
)
from secateur.compaction.ledger.user.choices import find_numbered
from secateur.compaction.ledger.user.demand_units import MAX_CHARS, clip_sentences, split_demands
from secateur.compaction.ledger.user.demands import is_demand, is_standing
from secateur.compaction.ledger.user.force_words import is_leaving
from secateur.compaction.ledger.user.instructions import mark_instructions
from secateur.compaction.ledger.user.retractions import mark_replaced
from secateur.compaction.ledger.user.rule_units import split_rules
from secateur.compaction.ledger.user.rules import (
    SYSTEM_PROMPT,
    is_care,
    is_procedure,
    is_prompt,
    list_refusals,
    name_rule_source,
    name_rules,
    strip_numbers,
)
from secateur.compaction.ledger.user.typed_commands import find_expansions
from secateur.model import Message
from secateur.redact import redact
from secateur.text.host_texts import find_project_rules
from secateur.toolcalls.actions import Action, clip_text, collapse_whitespace

QUOTED_CHARS, QUOTED_MESSAGES = 40, 6  # of a sentence that is quoted, and messages before in which the agent said it
TAKEN_UP_CHARS = 160  # of the agent's sentence that a demand takes up
PROMPT_CHARS = 1_500  # of a system prompt: a longer one describes a host and its tools
MOST_PER_MESSAGE = 40  # a message with more is a document that was pasted: its first ones
SEARCHED_CHARS = 24_000  # of one message, from its beginning


def extract_constraints(messages: Sequence[Message], done: Iterable[Action] = ()) -> tuple[Constraint, ...]:
    """Return every demand and prohibition in these messages, each once, and the rules that these calls printed."""
    found: dict[str, Constraint] = {}
    expansions = find_expansions(messages)
    said = (at for at in range(len(messages)) if at not in expansions)
    own = (_extract_own(messages[at], messages[max(0, at - QUOTED_MESSAGES) : at], found) for at in said)
    done = tuple(done)
    for some in chain(own, map(_extract_printed, done), (list_refusals(messages),)):
        for one in some:
            name = normalize_demand(one.text)
            known = found.pop(name, one)  # said again is said last: nothing before it takes it back
            found[name] = known if known.scope != "project" else one
    return mark_replaced(found.values())


def _extract_own(message: Message, before: Sequence[Message], known: Mapping[str, Constraint]) -> Iterator[Constraint]:
    """Yield the demands of a message, those that say nothing without the agent's words with what they take up."""
    reply = get_user_text(message)
    told = next((text for one in reversed(before) if (text := get_agent_text(one))), "") if reply else ""
    for one in _without_quotes(_extract_from_message(message), before, known):
        about = _find_taken_up(one.text, reply, told) if told and one.scope != "project" else ""
        yield replace(one, answers=about) if about else one


def _find_taken_up(demand: str, reply: str, told: str) -> str:
    """Return the numbered point of the agent's that a demand answers, or its first sentence if all is to stay so."""
    if point := find_numbered(demand, reply, told):
        return point
    first = next((one for one in split_sentences(told) if len(one) >= QUOTED_CHARS), "") if is_leaving(demand) else ""
    return redact(clip_text(collapse_whitespace(first), TAKEN_UP_CHARS))


def _without_quotes(
    demands: Iterable[Constraint], before: Sequence[Message], known: Mapping[str, Constraint]
) -> Iterator[Constraint]:
    """Yield demands without those that the user quotes from what the agent just said, unless they hold from now on."""
    told: str | None = None
    for one in demands:
        if one.scope == "request" and len(one.text) >= QUOTED_CHARS and normalize_demand(one.text) not in known:
            if told is None:
                told = strip_emphasis("\n".join(map(get_agent_text, before)))
            if is_quoted(strip_emphasis(_BULLET.sub("", one.text)), told, QUOTED_CHARS):
                continue
        yield one


def _extract_from_message(message: Message) -> Iterator[Constraint]:
    for text in _list_texts(message):
        found = tuple(find_project_rules(text))
        for rules in found:
            source = name_rules(rules)
            yield from extract_rules(rules, message.key, source)
            if is_prompt(source):
                yield from _extract_procedure(rules, message.key, source)
        if message.role == "system" and not found and len(text) <= PROMPT_CHARS and not text.lstrip().startswith("<"):
            yield from extract_rules(text, message.key, SYSTEM_PROMPT)
    if text := get_user_text(message) or get_rejection(message):
        yield from _extract_demands(redact(_ISSUE.sub("\n", text[:SEARCHED_CHARS])), message.key)


_ISSUE = re.compile(r"<(pr|issue)_description>.*?</\1_description>", re.S)  # a harness quotes it, nobody orders it


def _extract_printed(action: Action) -> Iterator[Constraint]:
    if source := name_rule_source(action):
        yield from extract_rules(strip_numbers(_REMINDER.sub("", action.said)), action.key, source)


def extract_rules(text: str, key: str, source: str) -> Iterator[Constraint]:
    """Yield the demands of a text of the project, each with the name of the file that it stands in."""
    for one in _extract_demands(redact(text[:SEARCHED_CHARS]), key, "project"):
        yield replace(one, source=source)


def _extract_procedure(text: str, key: str, source: str) -> Iterator[Constraint]:
    """Yield how a host's prompt wants work to go: which task is taken, how it is committed, and when to end."""
    for line in redact(text[:SEARCHED_CHARS]).split("\n"):
        kept = clip_sentences(_BULLET.sub("", STOP.split(line.strip())[0]), MAX_CHARS)
        is_step = is_procedure(kept) or (is_care(kept) and not is_demand(line))
        if kept and is_step and not is_demand(kept):
            yield Constraint(kept, "project", key, source=source)


def _list_texts(message: Message) -> Iterator[str]:
    """Yield the texts of a message in the user's name, whoever wrote them, and those of a prompt."""
    if message.role == "system":
        yield from (part.text for part in message.parts if part.kind == "text")
    if message.role == "user" and message.origin in ("user", "harness"):
        yield from (part.text for part in message.parts if part.kind == "text" and not part.container_key)


def normalize_demand(text: str) -> str:
    """Normalize a text so that case, spacing and end marks do not matter."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(" .!。！*-")


def _extract_demands(text: str, key: str, of: Scope | None = None) -> Iterator[Constraint]:
    left = MOST_PER_MESSAGE
    said = mark_instructions(split_rules(text)) if of == "project" else ((one, False) for one in split_demands(text))
    for sentence, is_ordered in said:
        if (is_ordered or (left and is_demand(sentence))) and (kept := clip_sentences(sentence, MAX_CHARS)):
            left -= not is_ordered
            yield Constraint(kept, of or ("standing" if is_standing(sentence) else "request"), key)


_BULLET = re.compile(r"\A\s*(?:[-*•]|\d{1,2}[.)])\s+")
_REMINDER = re.compile(r"<(system-?reminder)>.*?(?:</\1>|\Z)", re.S)  # what a host adds to what a tool printed
