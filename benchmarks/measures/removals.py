"""Results that a policy shortened while they were new, and what of them the next steps named.

Rule: what is gone of a result are the identifiers of its text that the text in its place lacks: paths, symbols,
numbers, quoted strings, whole lines, and the numbers before its lines. A step names it in the words of an answer or in
the arguments of a call. What any part of the view shows, or the user said, is not gone.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from secateur.model import Message, Part
from secateur.simulate.recall.recordings import find_folder
from secateur.simulate.recall.references import Names
from secateur.simulate.replay import ReplayedTurn
from secateur.simulate.requests import Recording
from secateur.text.lossless import clean, expand_hits, expand_repeats, expand_templates, is_tables, strip_note
from secateur.toolcalls.actions import pair_calls

NEAR = 20  # results behind it, at most: then the result still counts as new
STEPS = 5  # answers, and their calls


class Removal(Struct, frozen=True):
    """One result that was shortened. `named` is what the next steps named of what was gone."""

    call: str
    distance: int  # results from the newest one, itself included
    on_arrival: bool
    is_lossless: bool
    before: str
    after: str
    saved: int  # tokens
    named: tuple[str, ...]


def find_removals(recording: Recording, turns: Sequence[ReplayedTurn]) -> Iterator[Removal]:
    """The results shortened in these turns, each with what was first done to it."""
    names = Names(find_folder(recording.document))
    calls = {
        result.key: f"{call.tool} {call.text}"
        for segment in recording.segments
        for call, result in pair_calls(segment.messages)
        if result is not None
    }
    done: set[str] = set()
    for number, turn in enumerate(turns):
        if not turn.opened:
            continue
        history = recording.get_context(turn.request)
        for part, distance, is_new, text in _find_edited(history, turn, done):
            named = _find_named(recording, turns[number : number + STEPS], part, names)
            is_lossless = is_restorable(part.text, text)
            saved = part.tokens - recording.tally(text)
            yield Removal(
                calls.get(part.key, ""),
                distance,
                is_new,
                is_lossless,
                part.text,
                text,
                saved,
                () if is_lossless else named,
            )


def is_restorable(before: str, after: str) -> bool:
    """Whether the text in its place holds all that was shown: JSON values in tables, lines that can be put back."""
    shown, after = clean(before), strip_note(after)
    whole = after in (before, shown) or is_tables(after)
    whole = whole or expand_hits(after) == before
    return whole or expand_templates(after) in (before, shown) or expand_repeats(after) in (before, shown)


def _find_edited(
    history: Sequence[Message], turn: ReplayedTurn, done: set[str]
) -> Iterator[tuple[Part, int, bool, str]]:
    """Results near the end of a history that read otherwise in the view for the first time."""
    shown = {part.key: part.text for message in turn.seen for part in message.parts if part.kind == "tool_result"}
    distance, is_new = 0, True
    for message in reversed(history):
        is_new = is_new and not message.is_output
        for part in reversed(message.parts):
            if part.kind != "tool_result":
                continue
            distance += 1
            text = shown.get(part.key)
            if distance > NEAR:
                return
            if text is not None and text != part.text and part.key not in done:
                done.add(part.key)
                yield part, distance, is_new, text


def _find_named(recording: Recording, turns: Sequence[ReplayedTurn], part: Part, names: Names) -> tuple[str, ...]:
    """What the answers of these turns name of the part that their views lack."""
    found: dict[str, None] = {}
    for turn in turns:
        answer = recording.get_answer(turn.request)
        if answer is None or turn.request.segment != turns[0].request.segment:
            break
        view = [one for message in turn.seen for one in message.parts]
        text = next((one.text for one in view if one.key == part.key), "")
        gone = names.number_identifiers(part.text) - names.number_identifiers(text)
        named = frozenset[int]().union(*map(names.number_part, answer.parts)) & gone
        for other in view if named else ():
            named -= names.number_part(other)
        found |= dict.fromkeys(f"{names.met[one].kind} {names.met[one].value}" for one in named)
        found |= dict.fromkeys(f"line number {one}" for one in _find_line_numbers(answer, part.text, text, view))
    return tuple(found)


_NUMBERED = re.compile(r"^\s*(?:[^\s:]{1,200}[:-])?(\d{2,6})[:\-\t→|]", re.M)
_POSITION = re.compile(
    r'"(?:offset|line|start|end|start_?line|end_?line|view_range)"\s*:\s*\[?\s*(\d{2,6})|\b(\d{2,6}),(\d{2,6})p\b'
    r"|\w:(\d{2,6})\b"
)


def _find_line_numbers(answer: Message, before: str, after: str, view: Sequence[Part]) -> list[str]:
    """Numbers of lines that a call asks for, and that only the result showed."""
    calls = [part.text for part in answer.parts if part.kind == "tool_call"]
    asked = {number for text in calls for found in _POSITION.findall(text) for number in found if number}
    if not asked:
        return []
    gone = asked & set(_NUMBERED.findall(before)) - set(_NUMBERED.findall(after))
    return sorted(one for one in gone if not any(re.search(rf"\b{one}\b", part.text) for part in view))
