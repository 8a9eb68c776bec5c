"""What the agent says that it will carry out, where only the result before its words lists it ("let me fix all three").

Rule: the words say that all items of a list are to be carried out, and hold no list of their own; the results that came
right before them do. Quoted is how each item begins. Where the words count the items, the list must have as many.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from secateur.compaction.ledger.entries import Quote
from secateur.compaction.ledger.said import FENCED, STOP, get_user_text, split_sentences
from secateur.compaction.ledger.turns.findings import FINDING_RANK, QuoteUnit, rank_findings
from secateur.model import Message
from secateur.redact import redact
from secateur.text.lossless.lines import strip_escapes
from secateur.toolcalls.actions import Action, clip_text, collapse_whitespace

MOST_ITEMS, ITEM_CHARS = 8, 140
_REACH = 6  # messages before the words
_SEARCHED = 20_000  # characters of a result
_FEWEST = 2  # items of a list


def list_announced(messages: Sequence[Message], done: Sequence[Action], words: Quote | None) -> Iterator[str]:
    """Yield in one line the items that the agent's last words say it will carry out; nothing where they list them."""
    if words is None or words.is_answered:
        return
    counts = [number for one in split_sentences(words.text) if (number := _count_announced(one)) is not None]
    if not counts or len(_LISTED.findall(words.text)) >= _FEWEST:
        return
    at = next((number for number, message in enumerate(messages) if message.key == words.key), 0)
    results = {action.result.key: action for action in done if action.result}
    items = list(dict.fromkeys(_list_newest_items(messages[max(0, at - _REACH) : at], results)))
    if len(items) >= _FEWEST and counts[-1] in (0, len(items)):
        more = [f"{len(items) - MOST_ITEMS} more"] if len(items) > MOST_ITEMS else []
        yield " · ".join([*items[:MOST_ITEMS], *more])


def _count_announced(sentence: str) -> int | None:
    """Return how many items a sentence says will be carried out; 0 if it does not count them, None if it does not."""
    hit = _CARRIES.search(sentence) if _WILL.search(sentence) else None
    if hit is None:
        return None
    number = _NUMBER.search(hit["rest"])
    is_bare = not _WORD.search(hit["rest"][number.end() :] if number else hit["rest"])
    if not _NAMED.search(hit["rest"]) and not (is_bare and (number or hit["all"].lower() == "both")):
        return None
    return _read_number(number[0]) if number else 2 if hit["all"].lower() == "both" else 0


def _list_newest_items(messages: Sequence[Message], results: Mapping[str, Action]) -> Iterator[str]:
    """Yield the items of the newest results that hold a list: those that came together."""
    for message in reversed(messages):
        if get_user_text(message):
            return
        shown = [results[part.key] for part in message.parts if part.kind == "tool_result" and part.key in results]
        items = [item for action in shown if action.kind not in ("read", "edit") for item in list_items(action)]
        yield from items
        if items and not _is_one_of_many(message, messages):
            return


def _is_one_of_many(message: Message, messages: Sequence[Message]) -> bool:
    """Whether the message before one with results holds results as well, of calls that were made together."""
    at = messages.index(message)
    return at > 0 and any(part.kind == "tool_result" for part in messages[at - 1].parts)


def list_items(action: Action) -> list[str]:
    """Return how each finding of a result begins: the errors of a check, comments at places, or points of a review."""
    text = strip_escapes(action.said[-_SEARCHED:])
    lines = FENCED.sub("\n", text).split("\n")
    if action.kind == "run":
        comments = [f"{hit[1]}: {_clean(hit[2])}" for hit in _COMMENT.finditer(text)]
        bodies = [_clean(_read_json(hit[1])) for hit in _BODY.finditer(text)] if '"path"' in text else []
        return comments or bodies or [_clean(line) for line in lines if _PLACED.match(line)]
    ranked = rank_findings([QuoteUnit(line, at, 1) for at, line in enumerate(lines) if line.strip()])
    found = [one.text for one in ranked if one.rank == FINDING_RANK and _TOP.match(one.text)]
    return [_clean(one) for one in found] if len(found) >= _FEWEST else []


def _read_json(text: str) -> str:
    """Return the beginning of a text of a JSON document on one line."""
    return _ESCAPED.sub(" ", text[:_JSON_CHARS])


def _clean(line: str) -> str:
    said = collapse_whitespace(redact(_MARKER.sub("", line))).replace("**", "").replace(" · ", " - ")
    first = next((one for one in STOP.split(said) if len(one) >= _FEWEST_CHARS), said)
    clipped = clip_text(first.strip(), ITEM_CHARS)
    return clipped if clipped == first.strip() else f"{clipped} …"


def _read_number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS.index(word.lower()) + 2


_FEWEST_CHARS = 12  # of an item's first sentence
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBER = re.compile(rf"(?i)(?<![\w-])(?:{'|'.join(_NUMBERS)}|\d{{1,2}})(?![\w-])")
_WORD = re.compile(r"\w")
_WILL = re.compile(r"(?i)\b(?:let me|let['’]s|i['’]ll|i will|i['’]m|i am|now|next|applying|fixing|addressing)\b")
_CARRIES = re.compile(
    r"(?i)\b(?:fix|apply|address|implement|handle|tackle|resolve|incorporate|correct|act(?:ing)? on"
    r"|work(?:ing)? through|go(?:ing)? through|clean(?:ing)? up)(?:ing)?"
    r"\s+(?P<all>both|all|these|those|the|each|every)\b(?P<rest>[^.!?:;,\n]{0,60})"
)
_NAMED = re.compile(
    r"(?i)\b(?:findings?|issues|suggestions?|fixes|points|items|comments|problems|improvements|bugs|recommendations?"
    r"|nits|gaps|errors|failures|warnings)\b"
)
_JSON_CHARS = 600  # of a comment
_ESCAPED = re.compile(r"(?:\\[nrt])+|\\(?=.)")
_BODY = re.compile(r"\"body\": ?\"((?:\\.|[^\"\\\n]){12,20000})\"")
_COMMENT = re.compile(  # of a review, below the place that it is about
    r"(?m)^(?:\[[^\]\n]{1,60}\] |[-*#>@ ]{0,4})?\*{0,2}`?(\S{1,200}\.\w{1,5}:\d{1,6})`?\*{0,2}:?[ \t]{0,4}"
    r"\n{1,3}([^\s`|\d{<\[][^\n]{19,})"
)
_LISTED = re.compile(r"(?m)^\s*(?:[-*•]|\d{1,2}[.)])\s+\S")
_TOP = re.compile(r" {0,3}\S")
_MARKER = re.compile(r"^\s*(?:#{1,6}\s+)?(?:[-*•]\s+|(?:\*\*)?#?\d{1,2}[.):]\s*)?")
_PLACED = re.compile(  # an error of a compiler or a linter, with its place, or a test that failed
    r"\s*\S{1,300}\.\w{1,5}(?::\d{1,6}){1,2}:? (?!note|info)\S|\s*\S{1,300}\(\d{1,6},\d{1,6}\): error |--- FAIL: \S"
    r"|FAILED \S"
)
