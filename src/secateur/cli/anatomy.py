"""What a conversation is made of: tokens by kind and by tool, its largest parts, what stands in it twice.

Rule: facts about a transcript whose parts are counted, as values; nothing here draws, reads or judges.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from msgspec import Struct

from secateur.cli.terminal import start_of
from secateur.model import Message, Part, Transcript


class Share(Struct, frozen=True):
    """So many parts of one kind."""

    name: str
    parts: int
    tokens: int


class Tool(Struct, frozen=True):
    """What one tool put into the context."""

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


class Place(Struct, frozen=True):
    """One part and where it stands."""

    message: int  # 0-based index in the transcript
    lines: tuple[int, ...]  # 0-based lines of a session log
    kind: str
    tool: str
    call: str
    tokens: int
    starts: str  # its first characters


class Twice(Struct, frozen=True):
    """The same output of the same tool, more than once. `spare` tokens would go if only the last one stayed."""

    tool: str
    times: int
    tokens: int
    spare: int
    messages: tuple[int, ...]


_STARTS = 240  # characters of a part that are told


def parts(transcript: Transcript) -> Iterator[tuple[int, Message, Part]]:
    """All parts with their message and its number."""
    for number, message in enumerate(transcript.messages):
        for part in message.parts:
            yield number, message, part


def total(transcript: Transcript) -> int:
    """Tokens of all parts and of what is fixed."""
    return transcript.fixed_tokens + sum(part.tokens for _, _, part in parts(transcript))


def results(transcript: Transcript) -> int:
    """How many tool results there are."""
    return sum(part.kind == "tool_result" for _, _, part in parts(transcript))


def by_kind(transcript: Transcript) -> list[Share]:
    """What the context is spent on, largest first; texts by who speaks, then reasoning, calls, results, media."""
    counts: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    for _, message, part in parts(transcript):
        name = _kind(message, part)
        counts[name] += 1
        tokens[name] += part.tokens
    if transcript.fixed_tokens:
        counts["system prompt and tools"] = 1
        tokens["system prompt and tools"] = transcript.fixed_tokens
    return sorted((Share(name, counts[name], tokens[name]) for name in counts), key=lambda share: -share.tokens)


def by_tool(transcript: Transcript) -> list[Tool]:
    """What each tool put in, largest first. A medium inside a result counts with that result."""
    owner = {part.key: part.tool for _, _, part in parts(transcript) if part.kind == "tool_result"}
    tally: dict[str, Counter[str]] = defaultdict(Counter)
    for _, _, part in parts(transcript):
        if part.kind in ("tool_call", "tool_result"):
            sums = tally[part.tool]
            sums[part.kind] += 1
            sums[f"{part.kind} tokens"] += part.tokens
            sums["errors"] += part.error and part.kind == "tool_result"
        elif part.within in owner:
            tally[owner[part.within]]["tool_result tokens"] += part.tokens
    return sorted((_tool(name, sums) for name, sums in tally.items()), key=lambda tool: -tool.tokens)


def largest(transcript: Transcript, count: int) -> list[Place]:
    """The parts with most tokens."""
    ranked = sorted(parts(transcript), key=lambda one: -one[2].tokens)[:count]
    return [place(number, message, part) for number, message, part in ranked]


def twice(transcript: Transcript) -> list[Twice]:
    """Outputs that stand in the context more than once, the most wasteful first."""
    seen: dict[tuple[str, str], list[tuple[int, Part]]] = defaultdict(list)
    for number, _, part in parts(transcript):
        if part.kind == "tool_result" and part.text:
            seen[part.tool, part.text].append((number, part))
    told = [
        Twice(tool, len(group), group[0][1].tokens, sum(part.tokens for _, part in group[:-1]), _numbers(group))
        for (tool, _), group in seen.items()
        if len(group) > 1
    ]
    return sorted(told, key=lambda one: -one.spare)


def place(number: int, message: Message, part: Part) -> Place:
    """Where a part stands."""
    lines = (int(part.path[0]),) if message.lines else ()
    return Place(number, lines, _kind(message, part), part.tool, part.call, part.tokens, start_of(part.text, _STARTS))


def _kind(message: Message, part: Part) -> str:
    if part.kind != "text":
        return part.kind.replace("_", " ")
    speaker = message.role if message.origin == "user" or message.role == "assistant" else message.origin
    return f"{speaker} text"


def _tool(name: str, sums: "Counter[str]") -> Tool:
    calls, outputs = sums["tool_call"], sums["tool_result"]
    return Tool(name, calls, outputs, sums["errors"], sums["tool_call tokens"], sums["tool_result tokens"])


def _numbers(group: Iterable[tuple[int, Part]]) -> tuple[int, ...]:
    return tuple(number for number, _ in group)
