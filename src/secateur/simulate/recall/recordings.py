"""The recall of a whole recording: one history for each stretch between the host's own compactions.

Rule: a summary that the host wrote is a provider like any text, so what only it kept is a soft reference; figures of a
recording are those of all its references together. Views are given per request, in the recording's order.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.documents import Document
from secateur.jsontext import Lines
from secateur.simulate.recall.outcomes import Files, ViewState, judge_references, track_files
from secateur.simulate.recall.references import Names, References, find_references
from secateur.simulate.recall.score import Score, score
from secateur.simulate.requests import Recording

_HEAD = 8  # lines of a log in which its folder is looked for


class RecordedSegment(Struct, frozen=True):
    """One segment of a recording."""

    requests: tuple[int, ...]  # positions in the recording, of those whose answers are recorded
    references: References
    files: Files


class Recall(Struct, frozen=True):
    """The references of a recording; made once, scored for any number of policies."""

    stretches: tuple[RecordedSegment, ...]

    def score(self, views: Sequence[ViewState], since: int = 0) -> Score:
        """The figures of a policy; `views` has one for each of the recording's requests (`compare_views` makes them).

        Only requests from number `since` on count.
        """
        found = []
        for one in self.stretches:
            mine = [views[number] for number in one.requests]
            for outcome in judge_references(one.references, one.files, mine):
                if one.requests[outcome.request] >= since:
                    found.append(replace(outcome, request=one.requests[outcome.request]))
        return score(found, sum(number >= since for one in self.stretches for number in one.requests))

    def find_last_uses(self, segment: int) -> dict[str, int]:
        """Like `References.find_last_uses` of one segment, with requests by position in the recording."""
        one = self.stretches[segment]
        return {key: one.requests[last] for key, last in one.references.find_last_uses().items()}


def recall_of(recording: Recording, cwd: str | None = None) -> Recall:
    """The references of a recording. `cwd` is the agent's folder; None: as its log says, else unknown."""
    names = Names(find_folder(recording.document) if cwd is None else cwd)
    return Recall(tuple(_build_stretch(recording, number, names) for number in range(len(recording.segments))))


def find_folder(document: Document) -> str:
    """The agent's working folder, if a log's first lines state it; else ""."""
    native = document.native
    if not isinstance(native, Lines):
        return ""
    for number in range(min(_HEAD, len(native.open().starts))):
        if folder := _get_folder(native.line(number)):
            return folder
    return ""


def _get_folder(value: Any) -> str:
    inner = value.get("payload") if isinstance(value, dict) else None
    for one in (value, inner):
        if isinstance(one, dict) and isinstance(said := one.get("cwd"), str):
            return said
    return ""


def _build_stretch(recording: Recording, segment: int, names: Names) -> RecordedSegment:
    messages = recording.segments[segment].messages
    mine = [one for one in enumerate(recording.requests) if one[1].segment == segment and one[1].answer < len(messages)]
    refs = find_references(messages, [request.answer for _, request in mine], names)
    return RecordedSegment(tuple(number for number, _ in mine), refs, track_files(messages, names.cwd))
