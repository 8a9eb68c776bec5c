"""What a conversation consists of: tokens by kind, tool and turn, its largest parts, its repeated outputs.

Rule: facts about a transcript whose parts are counted, as values; this module does not draw, read or judge.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from msgspec import Struct

from secateur.cli.output.terminal import take_start
from secateur.model import Message, Part, Transcript

_SHOWN_CHARS = 240  # characters of a part that are shown
_REQUEST_CHARS = 240  # characters of a request that are shown


class KindShare(Struct, frozen=True):
    """The parts of one kind."""

    name: str
    parts: int
    tokens: int


class ToolShare(Struct, frozen=True):
    """One tool's share of the context."""

    tool: str
    calls: int
    results: int
    errors: int
    call_tokens: int
    result_tokens: int

    @property
    def tokens(self) -> int:
        """Calls and results together."""
        return self.call_tokens + self.result_tokens


class PartPlace(Struct, frozen=True):
    """One part and its place."""

    message: int  # 0-based index in the transcript
    lines: tuple[int, ...]  # 0-based lines of a session log
    kind: str
    tool: str
    call: str
    tokens: int
    starts: str  # its first characters


class RepeatedOutput(Struct, frozen=True):
    """The same output of the same tool, more than once; `spare` tokens would be saved by keeping only the last."""

    tool: str
    times: int
    tokens: int
    spare: int
    messages: tuple[int, ...]


def iterate_parts(transcript: Transcript) -> Iterator[tuple[int, Message, Part]]:
    """All parts with their message and its number."""
    for number, message in enumerate(transcript.messages):
        for part in message.parts:
            yield number, message, part


def count_tokens(transcript: Transcript) -> int:
    """Tokens of all parts, the system prompt and the tools."""
    return transcript.fixed_tokens + sum(part.tokens for _, _, part in iterate_parts(transcript))


def count_results(transcript: Transcript) -> int:
    """The number of tool results."""
    return sum(part.kind == "tool_result" for _, _, part in iterate_parts(transcript))


def group_by_kind(transcript: Transcript) -> list[KindShare]:
    """Tokens by kind, largest first: texts by speaker, then reasoning, calls, results, media."""
    counts: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    for _, message, part in iterate_parts(transcript):
        name = _name_kind(message, part)
        counts[name] += 1
        tokens[name] += part.tokens
    if transcript.fixed_tokens:
        counts["system prompt and tools"] = 1
        tokens["system prompt and tools"] = transcript.fixed_tokens
    return sorted((KindShare(name, counts[name], tokens[name]) for name in counts), key=lambda share: -share.tokens)


def group_by_tool(transcript: Transcript) -> list[ToolShare]:
    """Tokens by tool, largest first. Media inside a result count with that result."""
    owner = {part.key: part.tool for _, _, part in iterate_parts(transcript) if part.kind == "tool_result"}
    tally: dict[str, Counter[str]] = defaultdict(Counter)
    for _, _, part in iterate_parts(transcript):
        if part.kind in ("tool_call", "tool_result"):
            sums = tally[part.tool]
            sums[part.kind] += 1
            sums[f"{part.kind} tokens"] += part.tokens
            sums["errors"] += part.is_error and part.kind == "tool_result"
        elif part.container_key in owner:
            tally[owner[part.container_key]]["tool_result tokens"] += part.tokens
    return sorted((_make_tool_share(name, sums) for name, sums in tally.items()), key=lambda tool: -tool.tokens)


def find_largest(transcript: Transcript, count: int) -> list[PartPlace]:
    """The parts with the most tokens."""
    ranked = sorted(iterate_parts(transcript), key=lambda each: -each[2].tokens)[:count]
    return [locate_part(number, message, part) for number, message, part in ranked]


def find_repeated(transcript: Transcript) -> list[RepeatedOutput]:
    """Outputs that occur more than once, the most wasteful first."""
    seen: dict[tuple[str, str], list[tuple[int, Part]]] = defaultdict(list)
    for number, _, part in iterate_parts(transcript):
        if part.kind == "tool_result" and part.text:
            seen[part.tool, part.text].append((number, part))
    outputs = [
        RepeatedOutput(
            tool, len(group), group[0][1].tokens, sum(part.tokens for _, part in group[:-1]), _list_messages(group)
        )
        for (tool, _), group in seen.items()
        if len(group) > 1
    ]
    return sorted(outputs, key=lambda each: -each.spare)


def locate_part(number: int, message: Message, part: Part) -> PartPlace:
    """The place of a part."""
    lines = (int(part.path[0]),) if message.lines else ()
    return PartPlace(
        number,
        lines,
        _name_kind(message, part),
        part.tool,
        part.call_id,
        part.tokens,
        take_start(part.text, _SHOWN_CHARS),
    )


def _name_kind(message: Message, part: Part) -> str:
    if part.kind != "text":
        return part.kind.replace("_", " ")
    speaker = message.role if message.origin == "user" or message.role == "assistant" else message.origin
    return f"{speaker} text"


def _make_tool_share(name: str, sums: "Counter[str]") -> ToolShare:
    calls, outputs = sums["tool_call"], sums["tool_result"]
    return ToolShare(name, calls, outputs, sums["errors"], sums["tool_call tokens"], sums["tool_result tokens"])


def _list_messages(group: Iterable[tuple[int, Part]]) -> tuple[int, ...]:
    return tuple(number for number, _ in group)


class TurnSummary(Struct, frozen=True):
    """One turn."""

    turn: int
    message: int  # where it begins
    asked: str
    messages: int
    tokens: int


def group_by_turn(transcript: Transcript) -> list[TurnSummary]:
    """The turns in order."""
    starts = [n for n, message in enumerate(transcript.messages) if is_turn_start(message)]
    edges = [*starts, len(transcript.messages)]
    turns = [
        _summarize_turn(number + 1, transcript, *edge)
        for number, edge in enumerate(zip(starts, edges[1:], strict=True))
    ]
    return [_summarize_turn(0, transcript, 0, edges[0]), *turns] if edges[0] else turns


def number_turns(transcript: Transcript) -> list[int]:
    """For each message the number of its turn."""
    numbers, turn = [], 0
    for message in transcript.messages:
        turn += is_turn_start(message)
        numbers.append(turn)
    return numbers


def is_turn_start(message: Message) -> bool:
    """Whether a user message begins a turn here."""
    return message.role == "user" and message.origin == "user"


def _summarize_turn(number: int, transcript: Transcript, start: int, end: int) -> TurnSummary:
    messages = transcript.messages[start:end]
    asked = _get_words(messages[0]) if number else ""
    return TurnSummary(
        number, start, asked, len(messages), sum(part.tokens for message in messages for part in message.parts)
    )


def _get_words(message: Message) -> str:
    """The start of a message's text."""
    return " ".join(take_start(part.text, _REQUEST_CHARS) for part in message.parts if part.kind == "text")[
        :_REQUEST_CHARS
    ]
