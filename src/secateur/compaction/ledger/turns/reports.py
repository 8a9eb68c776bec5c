"""What the agent reports as done: the items of the report with which it ended its newest turn of work.

Rule: an item is a heading, a bullet or a numbered point that begins with a deed, or that a lead-in such as "What
changed:" opens; of each the first sentence, quoted. Items under a lead-in that speaks of what is left, skipped or
proposed are not deeds, and the details under an item are left out. One item alone is no report. A report that the
user's next words contradict or take back does not count.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from secateur.compaction.ledger.entries import Ledger, Quote
from secateur.compaction.ledger.files.own_words import cut_sentence
from secateur.compaction.ledger.files.rewrites import list_replaced
from secateur.compaction.ledger.said import CONTRADICTS, FENCED, STOP, get_agent_text, get_user_text
from secateur.compaction.ledger.turns.heads import is_bare
from secateur.compaction.ledger.turns.last_words import UNFINISHED
from secateur.compaction.ledger.user.brief_units import GAP
from secateur.model import Message, Part
from secateur.redact import redact
from secateur.tool_kinds import detect_tool_kind
from secateur.toolcalls.actions import Action, build_action, collapse_whitespace
from secateur.toolcalls.file_effects import list_file_effects

MOST_REPORTED = 4  # items
ITEM_CHARS = 300
_FEWEST = 2  # items of a report
_SEARCHED = 20_000  # characters of a text


def list_reported(messages: Sequence[Message]) -> tuple[Quote, ...]:
    """Return the items of the newest report, unless the user contradicted it or went on behind a commit of its work."""
    found: tuple[Quote, ...] = ()
    has_worked = has_committed = False
    for at, message in enumerate(messages):
        if get_user_text(message):
            has_worked = False
            found = () if has_committed else found  # its subject tells of the work
        if calls := [part for part in message.parts if part.kind == "tool_call"]:
            has_worked = has_worked or any(map(_is_work, calls))
            has_committed = bool(found) and (has_committed or any(_COMMITTING.search(one.text) for one in calls))
        elif has_worked and (text := get_agent_text(message)):
            items = tuple(dict.fromkeys(find_items(text)))
            found = tuple(Quote(one, message.key) for one in items[:MOST_REPORTED]) if len(items) >= _FEWEST else found
        elif found and at and messages[at - 1].key == found[0].key and CONTRADICTS.match(get_user_text(message)):
            found = ()
    return found


def _is_work(call: Part) -> bool:
    """Whether a call changes files, or commits or sends what was changed."""
    kind = detect_tool_kind(call.tool, call.text)
    if kind != "run":
        return kind == "edit"
    return _DELIVERS.search(call.text) is not None or bool(list_file_effects(build_action(call, None)))


def without_rewritten(
    items: tuple[Quote, ...], done: Sequence[Action], messages: Sequence[Message]
) -> tuple[Quote, ...]:
    """Return the items but those of whose quoted names later edits took out half or more."""
    named = [frozenset(_QUOTED.findall(one.text)) for one in items]
    if not any(named):
        return items
    places = {part.key: at for at, message in enumerate(messages) for part in message.parts}
    told = next((at for at, message in enumerate(messages) if message.key == items[0].key), len(messages))
    later = [one for one in done if one.ok and places.get(one.call.key, -1) > told]
    edits = [edit for action in later for edit in list_replaced(action)]
    kept = []
    for one, names in zip(items, named, strict=True):
        gone = {name for name in names if any(name in edit.old and name not in edit.new for edit in edits)}
        back = {name for name in gone if any(name in edit.new and name not in edit.old for edit in edits)}
        if not names or 2 * len(gone - back) < len(names):
            kept.append(one)
    return tuple(kept)


def find_items(text: str) -> Iterator[str]:
    """Yield the first sentence of each item of a text that tells of a deed."""
    is_open = is_left_out = False  # under a lead-in of deeds; under an item, or a lead-in of anything else
    lines = FENCED.sub("\n", text[:_SEARCHED]).split("\n")
    for at, line in enumerate(lines):
        if not (hit := _ITEM.match(line)):
            if line.strip() and _is_lead_in(line):
                is_open, is_left_out = _OPENS.search(line) is not None, _LEFT.search(line) is not None
            continue
        item = _complete(_clean(line[hit.end() :]), lines[at + 1 : at + 1 + _MOST_DETAILS])
        is_heading = hit["heading"] is not None
        is_deed = _DEED.match(item) is not None and not item.endswith("?")
        if is_heading:
            is_left_out = is_deed or _LEFT.search(item) is not None
            is_open = not is_left_out and _OPENS.search(item) is not None
        is_told = is_deed and (is_heading or not is_left_out)
        if item and (is_told or (is_open and not is_heading)) and not _UNDONE.search(item):
            yield item


def _complete(item: str, behind: Sequence[str]) -> str:
    """Return an item that leads to details with these, as far as they say more than names; "" if it is a mere label.

    An item that only says which file was changed leads to what is below it, and tells nothing without it.
    """
    is_file = _OF_FILE.fullmatch(item) is not None
    if not item.endswith((":", "：")) and not is_file:
        return item
    details: list[str] = []
    for line in behind:
        hit = _DETAIL.match(line)
        if hit is None:
            break
        detail = _clean(line[hit.end() :])
        if len(item) + len(" · ".join([*details, detail])) > ITEM_CHARS:
            break
        if len(_WORD.findall(_CODE.sub(" ", detail))) >= _FEWEST_WORDS:
            details.append(detail)
    if details:
        return f"{item.rstrip('.') + ':' if is_file else item} {' · '.join(details)}"
    if is_file:
        return ""
    return item.rstrip(":： ") if len(_WORD.findall(item)) >= _LEAD_WORDS else ""


def is_committed(item: str, commits: Iterable[str]) -> bool:
    """Whether a reported item only names a commit that is listed."""
    names = _HASH.findall(item)
    return (
        bool(names)
        and any(name in commit for name in names for commit in commits if " " in commit)
        and _COMMITS.search(item) is not None
    )


def list_unquoted(ledger: Ledger) -> tuple[Quote, ...]:
    """Return the reported items that the quotes under what is next do not hold."""
    quotes = [collapse_whitespace(one.text) for one in (ledger.last_words, ledger.report) if one]
    return tuple(one for one in ledger.reported if not any(_is_held(one.text, quote) for quote in quotes))


def _is_held(item: str, quote: str) -> bool:
    """Whether a quote holds an item, or its lead and each detail behind it."""
    lead, _, details = item.partition(": ")
    return item in quote or (lead in quote and all(part in quote for part in details.split(" · ")))


def strip_reported(text: str, reported: Sequence[Quote], commits: Sequence[str]) -> str:
    """Return quoted words without items that are listed as reported or as commits, with a mark where some were."""
    items = [one.text for one in reported]
    details = {part for item in items for part in item.partition(": ")[2].split(" · ")}
    kept: list[str] = []
    for line in text.split("\n"):
        said = _clean_line(line)
        is_listed = any(said.startswith(item) and len(said) - len(item) <= _MORE_CHARS for item in items)
        is_listed = is_listed or any(item.startswith(f"{said} ") for item in items if said.endswith((":", "：")))
        is_listed = is_listed or (_DETAIL.match(line) is not None and said in details)
        is_listed = is_listed or (_ITEM.match(line.strip()) is not None and is_committed(said, commits))
        kept.append(GAP if is_listed else line)
    return _drop_gaps(
        [
            line
            for at, line in enumerate(kept)
            if not (at and line.rstrip().endswith((":", "：")) and kept[at + 1 : at + 2] == [GAP] and is_bare(kept, at))
        ]
    )


def _drop_gaps(lines: Sequence[str]) -> str:
    """Join lines with one mark where several are left out."""
    return "\n".join(line for at, line in enumerate(lines) if not (line == GAP and at and lines[at - 1] == GAP))


def drop_deeds(text: str, most: int = 0) -> str:
    """Return a report without the items that only tell what was done, but the first `most`, and without their details.

    These are items that begin with a deed or with a name in code, and all under a lead-in of deeds; of tables, those
    whose rows begin with names in code.
    """
    kept: list[str] = []
    is_open = False
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if line.lstrip().startswith("|"):
            kept.append(GAP if is_open and _is_of_names(lines, at) and not KEEPS.search(line) else line)
            continue
        is_item = _LISTED.match(line) is not None
        if line.strip() not in ("", GAP) and not is_item:
            is_open = _is_deed_lead(line)
        said = _MARKED.sub("", line).strip()
        is_deed = is_item and (is_open or _DEED.match(said) is not None or _CODE_FIRST.match(said) is not None)
        if is_deed and not KEEPS.search(line):
            is_whole = most > 0 and not _NESTED.match(line)
            most -= is_whole
            kept.append(line if is_whole else GAP)
        else:
            kept.append(line)
    return _drop_leads(kept) if GAP in kept else text


def _is_of_names(lines: Sequence[str], at: int) -> bool:
    """Whether the rows of the table that this line stands in begin with names in code."""
    start = next((n for n in range(at, -1, -1) if not lines[n].lstrip().startswith("|")), -1) + 1
    end = next((n for n in range(at, len(lines)) if not lines[n].lstrip().startswith("|")), len(lines))
    return all(_CODE_FIRST.match(row.strip("| ")) for row in lines[start + _HEAD_ROWS : end])


def _is_deed_lead(line: str) -> bool:
    """Whether a line leads to items that tell what was done."""
    if not _is_heading(line) or _LEFT.search(line):
        return False
    said = _MARKED.sub("", line).strip("* ")
    return any(one.search(said) for one in (_TELLS_DEEDS, _CODE_FIRST)) or _DEED.match(said) is not None


def _drop_leads(lines: Sequence[str]) -> str:
    """Join lines, without headings and lead-ins of which nothing but a mark is left, and with one mark for many."""
    made: list[str] = []
    for at, line in enumerate(lines):
        behind = next((one for one in lines[at + 1 :] if one.strip()), GAP)
        is_left = _is_heading(line) and (is_bare(lines, at) or _is_heading(behind)) and not KEEPS.search(line)
        if is_left and made:
            line = GAP
        elif is_left and behind == GAP:
            line = line[: line.rfind(". ") + 1] or line  # the sentence that leads to nothing goes
        while line == GAP and made and not made[-1].strip():
            made.pop()
        is_void = made[-1:] == [GAP] and (line == GAP or not line.strip())
        made += [] if is_void else [line]
    return "\n".join(made).strip("\n")


def _is_heading(line: str) -> bool:
    return _is_lead_in(line) or _HEAD.match(line) is not None


def _clean_line(line: str) -> str:
    hit = _ITEM.match(line.strip())
    return collapse_whitespace(line.strip()[hit.end() :] if hit else line)


def _is_lead_in(line: str) -> bool:
    return line.rstrip().rstrip("*_").endswith((":", "：")) or _BOLD.fullmatch(line.strip()) is not None


def _clean(item: str) -> str:
    return cut_sentence(collapse_whitespace(redact(STOP.split(item.strip())[0])).strip(), ITEM_CHARS)


_MOST_DETAILS = 6  # of one item
_FEWEST_WORDS = 2  # of a detail, beside names in code
_CODE = re.compile(r"`[^`]*`|[\w.-]*[/\\][\w./\\-]*")
_DETAIL = re.compile(r"\s+(?:[-*•+]|\d{1,2}[.)])\s+")
_LEAD_WORDS = 4  # of an item that leads to details, and tells something without them
_WORD = re.compile(r"(?<![\w./-])[^\W\d_]{2,}")
_QUOTED = re.compile(r"`([^`\n]{3,80})`")
_ITEM = re.compile(r"(?P<heading>#{1,5}\s+(?:\d{1,2}[.)]\s+)?)|[-*•+]\s+(?:\[x\]\s+)?|\d{1,2}[.)]\s+|[✅✓✔]\s*")
_COMMITTING = re.compile(r"\bgit [^\n;&|]{0,60}\bcommit\b")
_DELIVERS = re.compile(r"\b(?:git|gh) [^\n;&|]{0,60}\b(?:commit|push|merge|create)\b")
_OF_FILE = re.compile(  # "Updated `src/app.ts`", "`src/app.ts`"
    r"[\W_]*`[^`\s]+`[\W_]*|[\W_]*(?:[A-Za-z]+ed|[Rr]ewrote|[Nn]ew)(?: (?:the )?(?:files?|tests?|docs?)(?: in)?)?:?"
    r" [`*_]*[\w./\\-]*\w\.\w{1,5}[`*_]*\.?"
)
_BOLD = re.compile(r"\*\*[^*]{1,80}\*\*")
_DEED = re.compile(
    r"(?i)[\W_]*(?:(?:i|we)(?:['’]ve| have)?\s+)?(?:(?:successfully|now|also|just)\s+)*(?:added|fixed|updated|removed"
    r"|renamed|moved|replaced|created|implemented|changed|refactored|extracted|introduced|extended|modified|simplified"
    r"|improved|deleted|dropped|merged|split|wired|converted|consolidated|deduplicated|documented|committed|pushed"
    r"|resolved|corrected|rewrote|migrated|cleaned up|made|switched|enabled|disabled|restored|reverted)\b"
)
_OPENS = re.compile(
    r"(?i)\bwhat (?:got |was |i |we )?(?:\w+ )?(?:fixed|changed|done|added|did|landed)\b"
    r"|\bwhat['’]s (?:done|new|changed)\b"
    r"|^\W*(?:summary of )?(?:the )?(?:changes?|fixes|completed|done|fixed|added|accomplished)(?: made)?\W*$"
)
_LEFT = re.compile(
    r"(?i)\b(?:not|n['’]t|left|remain\w*|skip\w*|next|to-?do|open|pending|propos\w*|options?|could|would|should|plan\w*"
    r"|later|follow-?ups?|limitations?|known|before|deferred|out of scope|suggest\w*|questions?|tests? plan|if)\b"
)
_LISTED = re.compile(r"\s*(?:[-*•+]|\d{1,2}[.)]|[✅✓✔])\s|\s{4,}\S")
_HEAD_ROWS = 2  # of a table: its names and the rule below them
_MARKED = re.compile(r"^\s*(?:#{1,6}\s+)?(?:[-*•+]|\d{1,2}[.)]|[✅✓✔])?\s*")
_HEAD = re.compile(r"\s*#{1,6}\s")
_NESTED = re.compile(r"\s{2,}\S|\s*\|")
_TELLS_DEEDS = re.compile(
    r"(?i)\b(?:changes?|changed|fix(?:es|ed)?|done|did|added|updated|implement\w*|created|modified|refactor\w*|renam\w*"
    r"|removed|cleaned|summary|files?|tests? (?:added|updated)|highlights|includes?|includ(?:ed|ing))\b"
)
_CODE_FIRST = re.compile(r"[*_]{0,2}`[^`\n]+`|[*_]{0,2}[\w./-]*[\w-]+\.(?:\w{1,4})\b[*_]{0,2}\s*(?:[-–—:(]|$)")
KEEPS = re.compile(  # it says more than a deed: what is left or failed, and what to know of it
    rf"{UNFINISHED.pattern}"
    r"|(?i:\b(?:was|were|is|are|has|have|been|did|do|does|could|can)(?: not|n['’]t)(?: yet| been){0,2}"
    r" (?:run|tested|test|verified|verify|pushed|push|committed|commit|done|fixed|fix|started|covered|included|merged"
    r"|deployed|touch\w*|change|be)\b|\b(?:unable|caveats?|limitations?|known issues?|remain(?:s|ing)|skipped|todo"
    r"|blocked|follow-?ups?|unrelated|untouched|pre-existing|deferred|you(?:['’]ll)? (?:need|have to|must))\b)|[?？]"
)
_MORE_CHARS = 40  # of a line behind the item that is listed
_HASH = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b")
_COMMITS = re.compile(r"(?i)\bcommit(?:ted|s)?\b")
_UNDONE = re.compile(
    r"(?i)\b(?:not (?:yet|done|started|fixed)|n['’]t (?:yet|done)|todo|should|would|could"
    r"|still (?:to|needs?|open|fails?))\b|\?$"
)
