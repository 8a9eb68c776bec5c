"""A recorded session as its requests: what each one held, when it was sent, what the provider counted.

Rule: every assistant message is the answer to one request, which held everything before it. If a host compacted its own
history, the log is read in its state before each compaction too: one segment for each stretch between them. Abandoned
branches are not read. Nothing here prices or edits anything.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from statistics import median
from typing import Any

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from secateur import documents
from secateur.documents import Document
from secateur.jsontext import Lines
from secateur.lineage import assign_keys
from secateur.model import Message, Transcript
from secateur.simulate.answered import Answered, get_sibling_usage
from secateur.tokens import Counter, estimate, get_factor, scale_tokens
from secateur.usage import Usage

_ENOUGH = 8  # recorded requests from which a session's own tokens per estimated token are taken
_ROUNDS = 4  # the two figures depend on each other; they converge after two or three rounds
_WRITTEN = ("harness", "synthetic")  # origins of messages that no model wrote
_REPLACED = "replacement_history"  # where a compaction of Codex keeps the history that it leaves
_LEAST, _MOST = 0.5, 3.0  # bounds of that figure: what lies outside is another error than the estimate's


class RecordedRequest(Struct, frozen=True):
    """One request. `answer` is the number of its answer in the segment's messages; it held those before it."""

    number: int  # 0-based, over the whole recording
    segment: int
    answer: int  # equal to the number of messages where the answer is not recorded
    at: int = 0  # when it was sent, ms since 1970: the time of the newest message it held; 0: unknown
    output: int = 0  # tokens of the answer, as recorded, else (or where that cannot be) estimated
    usage: Usage | None = None  # as recorded
    model: str = ""  # the model that answered, where the document says


class Recording(Struct, frozen=True):
    """A session: histories between the host's own compactions, and the requests made from them, oldest first."""

    document: Document  # what was read last; everything the host wrote
    segments: tuple[Transcript, ...]  # messages counted; one unless the host compacted
    requests: tuple[RecordedRequest, ...]
    factor: float = 1.0  # tokens as counted here per estimated token: of the model, and of the recorded usage

    @property
    def tally(self) -> Counter:
        """Counts a text as the recording's own texts were counted."""
        factor = self.factor
        return lambda text: scale_tokens(estimate(text), factor)

    @property
    def model(self) -> str:
        """The model of the newest segment, as far as the document says."""
        return self.segments[-1].model

    def get_context(self, request: RecordedRequest) -> tuple[Message, ...]:
        """The messages a request held."""
        return self.segments[request.segment].messages[: request.answer]

    def get_answer(self, request: RecordedRequest) -> Message | None:
        """The answer to a request; None if it is not recorded."""
        messages = self.segments[request.segment].messages
        return messages[request.answer] if request.answer < len(messages) else None

    @property
    def prompt_tokens(self) -> tuple[int, ...]:
        """Tokens of each request's prompt by our count, system prompt and tools included."""
        ends = [_accumulate_tokens(segment.messages) for segment in self.segments]
        fixed = [segment.fixed_tokens for segment in self.segments]
        return tuple(fixed[one.segment] + ends[one.segment][one.answer] for one in self.requests)


def read_recording(
    data: Any,
    *,
    format: str | None = None,
    model: str = "",
    fixed_tokens: int | None = None,
    compactions: bool = True,
) -> Recording:
    """Read a document as a recording: a session log or file, or a request body.

    `fixed_tokens` states system prompt and tools where the document lacks them; without it they are what the recorded
    usage has over the estimate, else unknown and 0. Without `compactions` the history is read as if the host had never
    compacted it: one segment with every message, summaries left out. Tokens are estimates for the model, scaled to the
    recorded usage where there is enough of it. Raises FormatError.
    """
    last = documents.read(data, format, model)
    stretches = [*_list_earlier(last, model), last]
    read = [one.transcript for one in stretches]
    times = get_factor(model or last.transcript.model)
    for segment in read:
        _count(segment.messages, times)
    found = _calibrate(Recording(last, tuple(read), _collect_requests(stretches, read), times), fixed_tokens)
    return found if compactions or len(read) == 1 else _without_compactions(found)


def _list_earlier(last: Document, model: str) -> list[Document]:
    """The log as it was before each of the host's compactions, oldest first; [] for anything but a log."""
    found: list[Document] = []
    here = last
    while isinstance(here.native, Lines):
        line = _find_compaction_line(here.transcript.messages)
        text = here.native.child(line) if line else None
        if text is None or not here.native.data[: text.start].strip():
            break
        here = documents.read(here.native.data[: text.start], here.format.name, model)
        if not here.transcript.messages:
            break
        found.insert(0, here)
    return found


def _find_compaction_line(messages: Sequence[Message]) -> int:
    """The line of the newest compaction a log's history starts from; 0 if there is none."""
    return max(
        (one.lines[0] for one in messages if one.lines and (one.origin == "summary" or _is_repeated(one))), default=0
    )


def _is_answer(message: Message) -> bool:
    """Whether a model wrote it, not the host in its name (demonstrations, error notes)."""
    return message.role == "assistant" and message.origin not in _WRITTEN and not _is_repeated(message)


def _is_repeated(message: Message) -> bool:
    """Whether a compaction reinserted it into the history (Codex): it was sent and answered before."""
    return _REPLACED in message.path


def _without_compactions(recording: Recording) -> Recording:
    """One history of all segments: each message once, in line order, without summaries."""
    lines: dict[tuple[int, ...], Message] = {}
    for segment in recording.segments:
        for message in segment.messages:
            if message.origin != "summary" and not _is_repeated(message):
                lines.setdefault(message.lines, message)
    order = sorted(lines)
    whole = replace(recording.segments[-1], messages=assign_keys(_copy_unkeyed(lines[at]) for at in order), index=None)
    places = {at: number for number, at in enumerate(order)}
    requests = tuple(
        replace(one, segment=0, answer=places[said.lines])
        for one in recording.requests
        if (said := recording.get_answer(one)) is not None
    )
    return replace(recording, segments=(whole,), requests=requests)


def _copy_unkeyed(message: Message) -> Message:
    """A copy that may be given other keys."""
    return replace(message, parts=tuple(replace(part) for part in message.parts))


def _count(messages: Iterable[Message], times: float) -> None:
    for message in messages:
        for part in message.parts:
            if part.text and not part.tokens:
                force_setattr(part, "tokens", scale_tokens(estimate(part.text), times))


def _collect_requests(read: Sequence[Document], segments: Sequence[Transcript]) -> tuple[RecordedRequest, ...]:
    """The requests of all segments, without those a segment took over from the previous one."""
    found: list[RecordedRequest] = []
    answered: set[tuple[int, ...]] = set()
    for segment, (source, transcript) in enumerate(zip(read, segments, strict=True)):
        messages = transcript.messages
        numbers = [number for number, message in enumerate(messages) if number and _is_answer(message)]
        answers = Answered(source, numbers)
        for number in numbers:
            if messages[number].lines not in answered:
                usage, model = answers.get_answer_usage(number)
                request = _request(messages[:number], usage)
                model = model or transcript.model
                found.append(replace(request, number=len(found), segment=segment, model=model))
        answered = {one.lines for one in messages if one.role == "assistant" and one.lines}
        if not source.format.log and not transcript.parts_only and messages and messages[-1].role != "assistant":
            request = _request(messages, get_sibling_usage(source.native))  # a request body: its answer is yet to come
            found.append(replace(request, number=len(found), segment=segment, model=transcript.model))
    return tuple(found)


def _request(before: Sequence[Message], usage: Usage | None) -> RecordedRequest:
    at = next((one.recorded_ms for one in reversed(before) if one.recorded_ms), 0)
    return RecordedRequest(0, 0, len(before), at, usage.output if usage else 0, usage)


def _calibrate(recording: Recording, fixed_tokens: int | None) -> Recording:
    """The recording with fixed tokens, its parts' tokens scaled to the provider's count."""
    times, fixed = _fit_tokens(recording)
    fixed = fixed if fixed_tokens is None else fixed_tokens
    parts = {id(part): part for one in recording.segments for said in one.messages for part in said.parts}
    for part in parts.values():
        if times != 1.0 and part.kind != "media":
            force_setattr(part, "tokens", round(part.tokens * times))
    segments = tuple(replace(one, fixed_tokens=fixed or one.fixed_tokens) for one in recording.segments)
    found = replace(recording, segments=segments, factor=recording.factor * times)
    return replace(found, requests=tuple(_with_output(one, found.get_answer(one)) for one in found.requests))


def _with_output(request: RecordedRequest, said: Message | None) -> RecordedRequest:
    """The request with its answer's output: as recorded, unless the answer itself is longer.

    Hosts that write an answer down while it streams (Claude Code) keep the count of its beginning. Reasoning may be in
    the answer and not in the count, so it is not checked against it.
    """
    if said is None:
        return request
    whole = sum(part.tokens for part in said.parts)
    shown = sum(part.tokens for part in said.parts if part.kind != "reasoning")
    if request.usage is not None and request.usage.output >= _LEAST * shown:
        return request
    return replace(request, output=whole)


def _fit_tokens(recording: Recording) -> tuple[float, int]:
    """Recorded tokens per token of ours, and tokens outside messages: from the first and long requests."""
    own = recording.segments[0].fixed_tokens
    counted = zip(recording.prompt_tokens, recording.requests, strict=True)
    pairs = [(ours - own, one.usage.prompt) for ours, one in counted if one.usage]
    if not pairs:
        return 1.0, 0
    (first, prompt), most = pairs[0], max(ours for ours, _ in pairs)
    if len(pairs) < _ENOUGH:
        return 1.0, max(0, prompt - first)
    long = [(ours, counts) for ours, counts in pairs if ours > most / 2]
    times, fixed = 1.0, 0.0
    for _ in range(_ROUNDS):
        fixed = max(0.0, prompt - times * first)
        times = min(max(median((counts - fixed) / ours for ours, counts in long), _LEAST), _MOST)
    return times, round(fixed)


def _accumulate_tokens(messages: Sequence[Message]) -> list[int]:
    """Tokens before each message, and of all."""
    return [0, *accumulate(sum(part.tokens for part in message.parts) for message in messages)]
