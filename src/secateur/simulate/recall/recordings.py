"""The recall of a whole recording: one history for each stretch between the host's own compactions.

Rule: a summary that the host wrote is a provider like any text, so what only it kept is a soft reference; figures of a
recording are those of all its references together. Views are given per request, in the recording's order.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.jsontext import Lines
from secateur.session.document import Document
from secateur.simulate.recall.files import Files, files_of
from secateur.simulate.recall.names import Names
from secateur.simulate.recall.outcomes import ViewState, outcomes
from secateur.simulate.recall.references import References, references
from secateur.simulate.recall.score import Score, score
from secateur.simulate.requests import Recording

_HEAD = 8  # lines of a log in which its folder is looked for


class RecordedSegment(Struct, frozen=True):
    """One segment of a recording."""

    requests: tuple[int, ...]  # positions in the recording, of those whose answers are recorded
    references: References
    files: Files


class Recall(Struct, frozen=True):
    """What a recording referred to; made once, scored for any number of policies."""

    stretches: tuple[RecordedSegment, ...]

    def score(self, views: Sequence[ViewState], since: int = 0) -> Score:
        """The figures of a policy; `views` has one for each of the recording's requests (`held` makes them).

        Only requests from number `since` on count.
        """
        found = []
        for one in self.stretches:
            mine = [views[number] for number in one.requests]
            for outcome in outcomes(one.references, one.files, mine):
                if one.requests[outcome.request] >= since:
                    found.append(replace(outcome, request=one.requests[outcome.request]))
        return score(found, sum(number >= since for one in self.stretches for number in one.requests))

    def dead_after(self, segment: int) -> dict[str, int]:
        """As `References.dead_after` of one segment, with requests by their position in the recording."""
        one = self.stretches[segment]
        return {key: one.requests[last] for key, last in one.references.dead_after().items()}


def recall_of(recording: Recording, cwd: str | None = None) -> Recall:
    """The references of a recording. `cwd` is the agent's folder; None: as its log says, else unknown."""
    names = Names(folder_of(recording.document) if cwd is None else cwd)
    return Recall(tuple(_stretch(recording, number, names) for number in range(len(recording.segments))))


def folder_of(document: Document) -> str:
    """The folder that an agent worked in, where a log's first lines say so; else ""."""
    native = document.native
    if not isinstance(native, Lines):
        return ""
    for number in range(min(_HEAD, len(native.open().starts))):
        if folder := _folder(native.line(number)):
            return folder
    return ""


def _folder(value: Any) -> str:
    inner = value.get("payload") if isinstance(value, dict) else None
    for one in (value, inner):
        if isinstance(one, dict) and isinstance(said := one.get("cwd"), str):
            return said
    return ""


def _stretch(recording: Recording, segment: int, names: Names) -> RecordedSegment:
    messages = recording.segments[segment].messages
    mine = [one for one in enumerate(recording.requests) if one[1].segment == segment and one[1].answer < len(messages)]
    refs = references(messages, [request.answer for _, request in mine], names)
    return RecordedSegment(tuple(number for number, _ in mine), refs, files_of(messages, names.cwd))
