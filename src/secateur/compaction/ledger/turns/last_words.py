"""The agent's words at the end of a turn, as a summary quotes them: whole where they have room, else what tells most.

Rule: whole lines and sentences in their order, with a mark where some are left out; none is cut and none is made up.
Of many lines, short lists are joined to the line that leads to them, a table of few rows stays or goes as a whole, and
a line that leads to nothing is left out, as is an opening that only says that the agent will now tell what it found.
What the agent says is open, blocked or not done stays longest, then each finding of a review, what the agent asks, how
checks ended and what was committed or pushed, the beginning and the end. Short blocks of code, which mostly hold
results, are kept.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from secateur.compaction.ledger.entries import Quote
from secateur.compaction.ledger.said import STOP, strip_opening
from secateur.compaction.ledger.turns.findings import FINDING_RANK, QuoteUnit, rank_findings
from secateur.compaction.ledger.turns.heads import LISTED, OPENS, drop_bare_heads, is_bare, keep_heads
from secateur.compaction.ledger.user.brief_units import GAP
from secateur.toolcalls.actions import clip_text

MOST_CHARS, REPORT_CHARS = 2_400, 1_200  # of the last words, and of the report of work before them
DELIVERY_CHARS = 1_200  # of last words behind changes for the newest request, which the course and the files tell too
WORKING_CHARS = 1_000  # of words before calls, which think aloud more than they report
THOUGHT_CHARS = 600  # of reasoning, where there are no words
LEAST_CHARS = 700  # where other entries have little room
_SEARCHED = 20_000  # characters of a text; of a longer one its ends


def condense_quote(quote: Quote | None, max_chars: int) -> Quote | None:
    """Return a quote of at most so many characters."""
    if quote is None:
        return None
    text = condense_words(strip_opening(quote.text), max_chars)
    return quote if text == quote.text else replace(quote, text=text)


def condense_words(text: str, max_chars: int) -> str:
    """Return what tells most of a text, in its order."""
    if len(text) <= max_chars and _count_lines(text) <= MOST_LINES + FEW_LINES:
        return text
    text = _limit_listings(_join_items(text))
    if len(text) <= max_chars and _count_lines(text) <= MOST_LINES + FEW_LINES:
        return text
    if len(text) > _SEARCHED:
        text = f"{text[: _SEARCHED // 2]}\n{GAP}\n{text[-_SEARCHED // 2 :]}"
    units = _rank_ends(rank_findings(_raise_openings(list(_split_units(text)))))
    kept = _choose(units, max_chars)
    return _join(units, kept) if kept else clip_text(text, max_chars)


def _count_lines(text: str) -> int:
    return sum(map(bool, map(str.strip, text.split("\n"))))


def _join_items(text: str) -> str:
    """Return a text whose short lists stand in the line that leads to them."""
    made: list[str] = []
    lines = text[:_SEARCHED].split("\n")
    at = 0
    while at < len(lines):
        end = next((n for n in range(at + 1, len(lines)) if not _is_short_item(lines[n])), len(lines))
        items = [_MARKER.sub("", line).strip().rstrip(".;,") for line in lines[at + 1 : end] if line.strip()]
        joined = f"{lines[at].rstrip()} {'; '.join(items)}"
        is_list = lines[at].rstrip().endswith((":", "：")) and len(items) > 1 and len(joined) <= LIST_CHARS
        if is_list and not (end < len(lines) and LISTED.match(lines[end])):
            made += [joined, ""]
            at = end
        else:
            made.append(lines[at])
            at += 1
    return "\n".join(made) + text[_SEARCHED:]


def _is_short_item(line: str) -> bool:
    is_listed = LISTED.match(line) is not None and not line.lstrip().startswith("|")
    return not line.strip() or (is_listed and len(line) <= ITEM_CHARS)


def _limit_listings(text: str) -> str:
    """Return a text that mostly lists things with the first of its items, and those that tell most."""
    lines = text[:_SEARCHED].split("\n")
    tables = {at for start, end in _find_tables(lines) for at in range(start, end)}
    listed = [at for at, line in enumerate(lines) if at not in tables and LISTED.match(line)]
    plain = [at for at in listed if _rank(lines[at]) <= _PLAIN_RANK]
    if len(listed) <= MOST_LISTED or len(plain) <= MOST_LISTED or len(text) > _SEARCHED:
        return text
    dropped = {*plain[MOST_LISTED:]}
    kept: list[str] = []
    for at, line in enumerate(lines):
        if at in dropped or _is_lead_of(lines, at, dropped):
            if kept[-1:] != [GAP]:
                kept.append(GAP)
        elif line.strip() or kept[-1:] != [GAP]:
            kept.append(line)
    return "\n".join(kept).strip("\n")


def _is_lead_of(lines: Sequence[str], at: int, dropped: set[int]) -> bool:
    """Whether a heading has none of the items left that stood below it."""
    if not OPENS.search(lines[at]):
        return False
    behind = next((number for number in range(at + 1, len(lines)) if lines[number].strip()), -1)
    return behind in dropped and is_bare([GAP if n in dropped else line for n, line in enumerate(lines)], at)


def _find_tables(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield where each table of few rows begins and ends."""
    at = 0
    while at < len(lines):
        end = next((n for n in range(at, len(lines)) if not lines[n].lstrip().startswith("|")), len(lines))
        if 1 < end - at <= MOST_ROWS:
            yield at, end
        at = end + 1


def _split_units(text: str) -> Iterator[QuoteUnit]:
    lines = text.split("\n")
    tables = dict(_find_tables(lines))
    within = {at for start, end in tables.items() for at in range(start, end)}
    for number, line in enumerate(lines):
        if number in tables:
            rows = lines[number : tables[number]]
            yield QuoteUnit("\n".join(map(str.rstrip, rows)), number, max(map(_rank, rows)))
        elif number not in within and line.strip() and not _RULER.fullmatch(line):
            pieces = _join_numbers(line) if len(line) > _LONG_LINE else [line.rstrip()]
            yield from (QuoteUnit(one, number, _rank(one)) for one in pieces if one.strip())


def _join_numbers(line: str) -> Iterator[str]:
    """Yield the sentences of a line, those that a number leads to together with it."""
    said = ""
    for piece in filter(None, map(str.rstrip, STOP.split(line))):
        said = f"{said} {piece}" if said else piece
        if not _NUMBERED.search(said):
            yield said
            said = ""
    if said:
        yield said


def _rank(text: str) -> float:
    if text.strip() == GAP:
        return -1
    if UNFINISHED.search(text) or _BLOCKED.search(text):
        return _LEFT_RANK
    if text.rstrip(" *_)\"'”").endswith(("?", "？")):
        return 5
    if _VERIFIES.search(text) or _DELIVERS.search(text):
        return 4
    return 2 if _SAYS.search(text) else 1


def _raise_openings(units: Sequence[QuoteUnit]) -> list[QuoteUnit]:
    """Rank a heading, or a line that ends with a colon, by what follows it, and what follows a telling one by it."""
    made = list(units)
    for at in range(len(made) - 2, -1, -1):
        if OPENS.search(made[at].text):
            made[at] = replace(made[at], rank=max(made[at].rank, made[at + 1].rank - 0.1))
    under, start = 0.0, 0
    for at, one in enumerate(made):
        if OPENS.search(one.text):
            under = OPEN_RANK if _OPEN_HEAD.search(one.text) else 3.5 if _TELLING_HEAD.search(one.text) else 0.0
            start = at
        elif at > start + 1 and one.line > made[at - 1].line + 1 and not _BULLET.match(one.text.strip()):
            under = 0.0
        made[at] = replace(one, rank=max(one.rank, under)) if one.rank >= 0 else one
    return made


def _rank_ends(units: Sequence[QuoteUnit]) -> list[QuoteUnit]:
    """Rank the first line and the last two above what is between them."""
    ends = {0: 5.5, len(units) - 1: 5.2, len(units) - 2: 3.2}
    return [
        replace(one, rank=max(one.rank, ends.get(at, 0.0))) if one.rank >= 0 else one for at, one in enumerate(units)
    ]


def _choose(units: Sequence[QuoteUnit], max_chars: int) -> list[int]:
    """Choose what has room, by rank, and among equals what stands later."""
    kept: set[int] = set()
    lines: set[int] = set()
    for at in sorted(range(len(units)), key=lambda at: (-units[at].rank, at if _is_plain_item(units[at]) else -at)):
        size = len(units[at].text) + 1 + (0 if {at - 1, at + 1} & kept else len(GAP) + 1)
        has_line = len(lines) < MOST_LINES or units[at].line in lines
        if units[at].rank >= 0 and size <= max_chars and has_line:
            max_chars -= size
            kept.add(at)
            lines.add(units[at].line)
    return _drop_leaning(units, keep_heads(units, drop_bare_heads(units, kept), max_chars))


def _drop_leaning(units: Sequence[QuoteUnit], kept: Sequence[int]) -> list[int]:
    """Drop sentences that speak of the one before them ("This ...") where that is left out."""
    left: list[int] = []
    for at in kept:
        is_leaning = at > 0 and units[at].rank < _LEFT_RANK and _LEANS.match(units[at].text) is not None
        if not is_leaning or left[-1:] == [at - 1]:
            left.append(at)
    return left


def _is_plain_item(one: QuoteUnit) -> bool:
    """Whether a unit stands in a list whose first items tell most."""
    return one.rank == FINDING_RANK or (one.rank <= _PLAIN_RANK and LISTED.match(one.text) is not None)


def _join(units: Sequence[QuoteUnit], kept: Sequence[int]) -> str:
    parts: list[str] = []
    before = -1
    for at in kept:
        if at != before + 1:
            parts += ["\n" if parts else "", GAP, "\n"]
        elif parts:
            parts.append(" " if units[at].line == units[before].line else "\n")
        parts.append(units[at].text)
        before = at
    if before < len(units) - 1:
        parts += ["\n", GAP]
    return "".join(parts).strip("\n")


_LEFT_RANK = 6.0  # of what is open, blocked or not done
_LEANS = re.compile(r"(?i)[^\w\n]*(?:this|that|these|those|it|they|such|however|but|so|therefore)\b")
_LONG_LINE = 300
_NUMBERED = re.compile(r"(?:^|[\s#`*(])\d{1,3}[.)]$")
LIST_CHARS, ITEM_CHARS = 400, 110  # of a list that stands in the line that leads to it, and of each of its items
_MARKER = re.compile(r"^\s*(?:[-*•+]|\d{1,2}[.)])\s+(?:\[x\]\s+)?")
_RULER = re.compile(r"\s*(?:-{3,}|={3,}|\*{3,}|_{3,})\s*")
MOST_LINES, FEW_LINES = 14, 2  # of quoted words that are shortened; more by so few are not
MOST_ROWS = 14  # of a table that stays or goes as a whole, with its heading
OPEN_RANK = 5.8  # of what stands under a heading on what is left to do
MOST_LISTED = 16  # items and lines of code of a text that tell no more than others
_PLAIN_RANK = 2


_BULLET = re.compile(r"^(?:[-*•+]|\d{1,2}[.)]|#{1,5}|[✅✓✔])\s+(?:\[x\]\s+)?")

_OPEN_HEAD = re.compile(
    r"(?i)\b(?:still open|open (?:items?|issues?|points?|work)|remaining|left|blocke[dr]s?|next steps?|follow-?ups?"
    r"|todo|what(?:['’]s| is) (?:left|next|open|missing)|(?:genuinely|still) (?:open|missing|to do)"
    r"|not (?:done|included|yet)"
    r"|skipped|deferred|limitations?|known issues?)\b"
)
_TELLING_HEAD = re.compile(
    r"(?i)\b(?:verif\w*|validat\w*|tests?|checks?|results?|status|open|remaining|left|blocke[dr]s?|next|follow-?ups?"
    r"|todo|questions?|answers?|not (?:done|included)|limitations?|known|caveats?|risks?|commits?|pushed)\b"
)
_BLOCKED = re.compile(
    r"(?i)\b(?:blocke[dr]s?|timed out|could ?n[o'’]t|can(?:not|['’]t)|was(?: not|n['’]t) able|unable to"
    r"|did(?: not|n['’]t)|fail(?:s|ed|ing|ures?)?|remain(?:s|ing)?|left to|skipped|deferred|out of scope|todo"
    r"|follow-?ups?|next steps?|needs? (?:to|you)|you(?:['’]ll| will)? need|waiting (?:for|on))\b"
)
_VERIFIES = re.compile(
    r"(?i)\b(?:tests?|specs?|checks?|build|lint(?:er)?|typecheck|suite|ci|verified|validated|confirmed|reproduc\w+"
    r"|pass(?:es|ed|ing)?|green|clean|works?|exit (?:code|status)|\d+/\d+)\b"
)
_DELIVERS = re.compile(
    r"(?i)\b(?:commit(?:s|ted)?|push(?:ed)?|merged?|branch|pr|pull request|tag(?:ged)?|releas\w+|deploy\w*|ticket|issue"
    r"|[0-9a-f]{7,40})\b"
)
_SAYS = re.compile(
    r"(?i)\b(?:because|since|so|means|instead|only|still|now|but|however|root cause|fix(?:ed)?|answer)\b"
)
UNFINISHED = re.compile(  # the agent speaks of something that is left
    r"(?i)\b(?:did\s+not\s+(?:complete|finish|succeed|push|commit|start|spawn|run)"
    r"|(?:not|n['’]t)\s+(?:yet\s+)?(?:been\s+)?(?:pushed|committed|merged|done|finished|complete"
    r"|started|begun|deployed|fixed)"
    r"|uncommitted|unpushed|not\s+before|(?:after|once|when)\s+(?:this|it|that)\s+(?:lands|is\s+merged|merges)"
    r"|ready\s+to\s+(?:push|commit|merge|submit|review)|is\s+blocked|still\s+(?:to\s+do|open|fails?|needs?|has\s+to)"
    r"|remains?\s+to\s+be|left\s+to\s+do|noch\s+nicht|pas\s+encore|todavía\s+no|ainda\s+não|ещё\s+не)\b|还没|尚未|まだ"
)
