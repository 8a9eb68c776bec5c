"""A long request, by the sentences that say what is to be done.

Rule: whole sentences and lines of the text in their order, with a mark where some are left out; none is cut and none is
made up. Sentences that open a quoted document or its summary go early, versions and response formats not at all.
First come those that give the task, its reason and what is expected of it, then the beginning and the end.
What a line announces by its number ("two issues here:") is kept by the first sentence of each, and a numbered list of
steps by the beginning of each of them.
Logs, tags, long code and addresses alone are left out before anything else, and orders with force go late, since they
are listed as constraints. A sentence that has no room at all is cut between words.
"""

import re
from collections.abc import Sequence

from secateur.compaction.ledger.pasted import ADDED
from secateur.compaction.ledger.said import keep_ends
from secateur.compaction.ledger.user.brief_units import (
    CODE_RANK,
    GAP,
    NUMBER,
    BriefUnit,
    is_heading,
    is_log_line,
    is_opening,
    rank_recipes,
    rank_repeated,
    split_units,
)
from secateur.compaction.ledger.user.brief_words import (
    ANNOUNCES,
    CAPS,
    FINISHES,
    FRAME,
    GIVES_TASK,
    HANDS_IN,
    INSTRUCTS,
    NUMBERS,
    STEPS,
    SUMMARIZES,
)
from secateur.memoizing import memoize_texts
from secateur.toolcalls.actions import clip_text

SEARCHED_CHARS = 40_000  # of one request; of a longer one its ends
_FEWEST_STEPS, _LEAST_STEP = 4, 40  # points of such a list, and characters that are left of one
_HINT = re.compile(r"(?s)[ \t]*<!--(?:(?!<!--).){0,2000}?-->[ \t]*\n?")
_MUCH_CHARS = 80  # of lines that say nothing: so much is marked where it is left out
_LINE_ENDS = re.compile(r"(?<=\S)[ \t]{3,}$", re.M)  # of a screen that was copied; two are a line break in Markdown
_STEP = re.compile(r"[ \t]{0,4}(\d{1,2})[.)][ \t]+\S")
_STEP_ENDS = re.compile(r"(?<=[^\d\s][.!?;:])(?=\s)|(?<=[。；])")
OTHERS_SHARE = 0.6  # of the room: beyond it only what says what is to be done


@memoize_texts(1_024)
def condense_request(text: str, max_chars: int) -> str:
    """Shorten a request to what says most of what is to be done; a shorter one is returned as it is."""
    text = _shorten_steps(_LINE_ENDS.sub("", drop_hints(text)), max_chars) if len(text) > max_chars else text
    if len(text) <= max_chars:
        return text
    units = list(rank_repeated(split_units(keep_ends(text, SEARCHED_CHARS).replace("\r\n", "\n"))))
    units = _rank_sections(_rank_added(units))
    units = _rank_ends(_rank_harness(_rank_questions(_rank_items(_rank_steps(rank_recipes(units))))))
    if cut := _cut_best(units, max_chars - len(GAP) - 1):
        return f"{cut}\n{GAP}"
    chosen = _choose(units, max_chars)
    return _join(units, chosen) if chosen else keep_ends(text, max_chars)


def drop_hints(text: str) -> str:
    """Return a text without HTML comments: of a form that was filled in they are what it asks to be filled in."""
    return _HINT.sub("", text) if "<!--" in text else text


def _shorten_steps(text: str, max_chars: int) -> str:
    """Shorten each long point of a numbered list to its beginning, if all of them have room then; else return the text.

    Whoever is to follow steps has to know of each of them.
    """
    lines = text[:SEARCHED_CHARS].split("\n")
    steps = [(at, int(hit[1])) for at, line in enumerate(lines) if (hit := _STEP.match(line))]
    is_list = len(steps) >= _FEWEST_STEPS and [number for _, number in steps] == [*range(1, len(steps) + 1)]
    sizes = sorted(len(lines[at]) + len(GAP) + 2 for at, _ in steps)
    room = _compute_room(sizes, max_chars - (len(text) - sum(sizes) + len(sizes) * (len(GAP) + 2)))
    if not is_list or room < _LEAST_STEP or len(text) > SEARCHED_CHARS:
        return text
    for at, _ in steps:
        if len(lines[at]) > room:
            ends = [hit.end() for hit in _STEP_ENDS.finditer(lines[at][:room]) if hit.end() > _LEAST_STEP]
            lines[at] = f"{lines[at][: ends[-1]] if ends else clip_text(lines[at], room)} {GAP}"
    return "\n".join(lines)


def _compute_room(sizes: Sequence[int], room: int) -> int:
    """Return how much each of these may have, the smallest first, if what a small one leaves goes to the others."""
    for at, size in enumerate(sizes):
        if size > room // (len(sizes) - at):
            return room // (len(sizes) - at) - len(GAP) - 2
        room -= size
    return sizes[-1] if sizes else 0


def _cut_best(units: Sequence[BriefUnit], room: int) -> str:
    """Return the first words of the sentence that tells most if it has no room as a whole; "" if it has."""
    best = max(units, key=lambda unit: unit.rank, default=None)
    if best is None or best.rank < _TELLING_RANK or len(best.text) <= room:
        return ""
    cut = clip_text(best.text, room)
    return cut if len(cut) >= _LEAST_CHARS else ""


def find_decisive_sentence(text: str) -> str:
    """Return the sentence of a request that gives the task, whole; "" if none has room, or a long text names none.

    A sentence that would fit any task, such as "Now solve this issue on your own", gives none.
    """
    brief = " ".join(text.split())
    lines = "\n".join(text.splitlines())  # as a summary writes them
    units = [unit for unit in split_units(lines) if GAP not in unit.text and not is_heading(unit.text)]
    if len(brief) <= _DECISIVE_CHARS and len(units) <= 1:
        return brief
    sentences = [
        unit
        for unit in units
        if not _is_frame(unit.text)
        and unit.rank != CODE_RANK
        and len(unit.text) <= _DECISIVE_CHARS
        and not unit.text.endswith((":", "："))
    ]
    best = next((unit for unit in sentences if GIVES_TASK.search(unit.text)), None)
    if best is None and len(brief) <= 2 * _DECISIVE_CHARS:
        best = max(sentences, key=lambda unit: (unit.rank, -unit.line), default=None)
    if best is not None and (best.rank >= _TELLING_RANK or GIVES_TASK.search(best.text)):
        return " ".join(best.text.split())
    return brief if len(brief) <= _DECISIVE_CHARS and "```" not in text else ""


def _is_frame(sentence: str) -> bool:
    """Whether a sentence has no word that tells one task from another."""
    return all(FRAME.fullmatch(word) for word in _LETTERS.findall(sentence))


def _choose(units: Sequence[BriefUnit], max_chars: int) -> set[int]:
    """Choose what has room, by rank; what only goes with the task has no more than a share of the room."""
    kept: set[int] = set()
    used = 0
    for at in sorted(range(len(units)), key=lambda at: (-units[at].rank, at)):
        size = len(units[at].text) + 1 + (0 if at - 1 in kept else len(GAP) + 2)
        room = max_chars if units[at].rank >= _TELLING_RANK else max_chars * OTHERS_SHARE
        if units[at].rank > 0 and used + size <= room:
            used += size
            kept.add(at)
    return kept


def _join(units: Sequence[BriefUnit], chosen: set[int]) -> str:
    """Join what was chosen, without headings whose text is left out, unless numbered, and pieces that say nothing."""
    kept = [
        at
        for at in sorted(chosen)
        if (at + 1 in chosen or not is_heading(units[at].text) or NUMBER.match(units[at].text))
        and not _is_fragment(units, at, chosen)
    ]
    parts: list[str] = []
    before = -1
    for at in kept or sorted(chosen):
        left = units[before + 1 : at]
        is_much = bool(parts) and sum(len(unit.text) for unit in left) >= _MUCH_CHARS
        if is_much or any(unit.rank > (0 if parts else _LEAD_RANK) for unit in left):
            parts.append(f"\n{GAP}\n")
        elif parts:
            parts.append(" " if units[at].line == units[before].line else "\n")
        parts.append(units[at].text)
        before = at
    return "".join(parts).strip() + (f"\n{GAP}" if any(unit.rank > 0 for unit in units[before + 1 :]) else "")


def _is_fragment(units: Sequence[BriefUnit], at: int, chosen: set[int]) -> bool:
    """Whether a unit goes on what is left out before it, or only opens what is left out behind it."""
    text = units[at].text
    before = units[at - 1] if at and at - 1 not in chosen else None
    if before and text[:1].islower() and before.rank > 0 and not _ENDS.search(before.text) and "\n" not in before.text:
        return True
    is_last = at + 1 == len(units)
    if at + 1 in chosen or (is_last and not text.endswith((":", "："))):
        return False
    opens = text.endswith((":", "：")) and not _LISTED.match(text) and not GIVES_TASK.search(text)
    return opens or (len(text) <= _FRAGMENT_CHARS and text[:1].islower() and not _ENDS.search(text))


def _rank_ends(units: list[BriefUnit]) -> list[BriefUnit]:
    """Rank the beginning and the end of the text above what is between them."""
    telling = [at for at, unit in enumerate(units) if unit.rank >= 0.5 and not is_heading(unit.text)]
    ends = {at: 1.0 for at in [at for at in telling if units[at].rank >= 1][-1:]} | {at: 2.5 for at in telling[:2]}
    return [
        BriefUnit(unit.text, unit.line, unit.rank + ends.get(at, 0) - 0.3 * at / len(units)) if unit.rank > 0 else unit
        for at, unit in enumerate(units)
    ]


def _rank_added(units: list[BriefUnit]) -> list[BriefUnit]:
    """Rank the last line of a log that was pasted as the user's words where such stand in it."""
    last = units[-1] if units else None
    if last is None or last.rank or not is_log_line(last.text) or not ADDED.search(last.text):
        return units
    return [*units[:-1], BriefUnit(last.text, last.line, _ASKING_RANK)]


def _rank_sections(units: list[BriefUnit]) -> list[BriefUnit]:
    """Rank what opens a quoted document or its summary above the rest, and settings and how to work below it."""
    made: list[BriefUnit] = []
    most, lifted = CODE_RANK + _ITEM_RANK, 0  # the rank that units may have here, and how many are raised
    for unit in units:
        rank = unit.rank if GIVES_TASK.search(unit.text) else min(unit.rank, most)
        if is_opening(unit.text):
            most = next((cap for pattern, cap in CAPS if pattern.search(unit.text)), CODE_RANK + _ITEM_RANK)
            lifted = _LIFTED if SUMMARIZES.search(unit.text) else 0
            rank = min(unit.rank, most)
        elif lifted and rank >= 0.5 and unit.rank != CODE_RANK:
            rank, lifted = max(rank, _SUMMARY_RANK), lifted - 1
        made.append(BriefUnit(unit.text, unit.line, rank))
    return made


def _rank_items(units: list[BriefUnit]) -> list[BriefUnit]:
    """Rank the first sentence of each thing that a line announces by their number ("two issues here:")."""
    raised: set[int] = set()
    for at, unit in enumerate(units):
        if found := ANNOUNCES.search(unit.text):
            starts = [n for n in range(at + 1, len(units)) if units[n].line != units[n - 1].line and units[n].rank > 0]
            raised |= {at, *starts[: NUMBERS[found[1].lower()]]}
    return [
        BriefUnit(unit.text, unit.line, max(unit.rank, _ITEM_RANK)) if at in raised else unit
        for at, unit in enumerate(units)
    ]


def _rank_steps(units: list[BriefUnit]) -> list[BriefUnit]:
    """Rank the numbered steps that the reader is to follow above what only describes; not those that reproduce."""
    raised: set[int] = set()
    for at, unit in enumerate(units):
        if not (STEPS.search(unit.text) and is_opening(unit.text)):
            continue
        number, line = 0, unit.line
        for n in range(at + 1, len(units)):
            opening = NUMBER.match(units[n].text) if units[n].line != line else None
            line = units[n].line
            if opening and int(opening[0].strip(" \t#*_.)")) == number + 1:
                number += 1
                raised |= {at, n}
            elif opening or (number == 0 and units[n].rank > 0):
                break
    return [
        BriefUnit(unit.text, unit.line, max(unit.rank, _STEP_RANK))
        if at in raised and unit.rank > 0 and len(unit.text) <= _DECISIVE_CHARS
        else unit
        for at, unit in enumerate(units)
    ]


def _rank_questions(units: list[BriefUnit]) -> list[BriefUnit]:
    """Rank what the user asks, in no list, above what only describes."""
    listed = {unit.line for unit in units if _LISTED.match(unit.text)}
    return [
        BriefUnit(unit.text, unit.line, max(unit.rank, _ASKING_RANK))
        if unit.rank >= 1 and unit.line not in listed and unit.text.endswith(("?", "？"))
        else unit
        for unit in units
    ]


def _rank_harness(units: list[BriefUnit]) -> list[BriefUnit]:
    """Leave out what a harness says behind the issue that it quotes, but the task and how work is handed in."""
    start = next((at for at, unit in enumerate(units) if at and INSTRUCTS.match(unit.text)), len(units))
    if not any(FINISHES.search(unit.text) for unit in units[start:]):
        return units
    return [
        unit
        if at < start or (unit.rank >= _PLAIN_RANK and HANDS_IN.search(unit.text))
        else BriefUnit(unit.text, unit.line, 0)
        for at, unit in enumerate(units)
    ]


_ASKING_RANK = 2.6
_PLAIN_RANK = 0.7  # orders with force, which are constraints, have less
_TELLING_RANK = 1.5
_LEAD_RANK = 1.8  # a heading: of no more than such lines before the first that is kept, no mark is left
_SUMMARY_RANK = 2.6
_LIFTED = 2  # sentences that open a document
_ENDS = re.compile(r"[.!?…:;。！？：；][\s*_)\"'”’`\]]*$")
_LISTED = re.compile(r"\s*(?:[-*•#]|\d{1,2}[.)])")
_LEAST_CHARS = 40  # of the first words of a sentence that has no room
_FRAGMENT_CHARS = 20  # of a word or two that only lead to what follows
_LETTERS = re.compile(r"[^\W\d_]+")
_DECISIVE_CHARS = 300  # of the sentence that says what the user waits for
_ITEM_RANK = 3.2
_STEP_RANK = 3.1
