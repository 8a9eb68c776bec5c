"""What a request cost, read from whatever states it: a response, its usage, an event of a log, a stream.

    usage_of(response)                    an object of an SDK, a dict, or only its usage
    usage_of(chunks), usage_of(sse_text)  a stream: its last figures, with those of Anthropic's `message_start`

Rule: one reader for live answers and for recordings, by one table of shapes (`shapes`). What is not there is not
guessed: without figures, or with zeros only (aborted before its first byte), there is no usage.
"""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.usage.places import get_member, is_there, iterate_tables, read_figure
from secateur.usage.shapes import SHAPES, UsageShape

__all__ = ["SHAPES", "UsageBill", "UsageShape", "Usage", "read_usage"]


class Usage(Struct, frozen=True):
    """Tokens of one request as its provider counted them. `input`, `read` and `write` are disjoint."""

    input: int = 0  # neither read from the cache nor written to it
    read: int = 0  # from the cache
    write: int = 0  # to the cache
    output: int = 0  # reasoning included
    write_1h: int = 0  # of `write`, what is kept for an hour; the rest for the provider's shorter time
    reasoning: int = 0  # of `output`
    again: int = 0  # of input, read and write: what the provider's own further rounds took

    @property
    def taken(self) -> int:
        """All tokens of input that were billed."""
        return self.input + self.read + self.write

    @property
    def prompt(self) -> int:
        """Tokens of the request as it was sent; 0 if further rounds make that unknown."""
        return max(0, self.taken - self.again)

    def __add__(self, other: "Usage") -> "Usage":
        """The tokens of both, class by class."""
        return Usage(*(getattr(self, name) + getattr(other, name) for name in Usage.__struct_fields__))


class UsageBill(Struct, frozen=True):
    """What several answers cost, in their provider's count and in dollars."""

    answers: int = 0
    usage: Usage = Usage()
    dollars: float = 0.0  # at the prices of each answer's own day
    unpriced: int = 0  # of the answers, those of a model without a price

    def __add__(self, other: "UsageBill") -> "UsageBill":
        """Both bills as one."""
        sums = (self.usage + other.usage, self.dollars + other.dollars, self.unpriced + other.unpriced)
        return UsageBill(self.answers + other.answers, *sums)


def read_usage(value: Any) -> Usage | None:
    """The usage stated by a value; of several (a stream, the lines of one answer) the last. None if none."""
    if isinstance(value, Usage):
        return value if value.taken else None
    found = None
    for some in iterate_tables(value):
        found = next(filter(None, map(_read_table, some)), found)
    return found


def _read_table(table: Any) -> Usage | None:
    shape = next((one for one in SHAPES if any(is_there(table, mark) for mark in one.marks)), None)
    if shape is None:
        return None
    usage = _read_shape(shape, table)
    rounds = get_member(table, "iterations")
    if isinstance(rounds, list | tuple) and rounds:
        usage = _with_rounds(usage, [(get_member(one, "type"), _read_shape(shape, one)) for one in rounds])
    return usage if usage.taken else None


def _read_shape(shape: UsageShape, table: Any) -> Usage:
    given, output = read_figure(table, shape.input), read_figure(table, shape.output)
    read, reasoning = read_figure(table, shape.read), read_figure(table, shape.reasoning)
    short, hour = read_figure(table, shape.write_5m), read_figure(table, shape.write_1h)
    write = max(read_figure(table, shape.write), short + hour)
    if _is_inside(shape, given, read + write, read_figure(table, shape.total) - output):
        read = min(read, given)
        write = min(write, given - read)
        given -= read + write
    output += reasoning if shape.thinking == "beside" else 0
    return Usage(
        input=given + read_figure(table, shape.more),
        read=read,
        write=write,
        output=output,
        write_1h=min(hour, write),
        reasoning=min(reasoning, output),
    )


def _is_inside(shape: UsageShape, given: int, cached: int, whole: int) -> bool:
    """Whether the input includes what was cached; where writers disagree, whatever the figures allow."""
    if shape.cached == "either":
        return cached <= given and whole != given + cached
    return shape.cached == "inside"


def _with_rounds(whole: Usage, rounds: list[tuple[Any, Usage]]) -> Usage:
    """The usage with what it omits (a server's own compaction), and what came after the first round.

    A compaction reads something other than the sent request, so then no figure shows the request's size.
    """
    apart = [usage for kind, usage in rounds if kind == "compaction"]
    sampled = [usage for kind, usage in rounds if kind == "message"]
    for one in apart:
        whole += one
    if apart:
        return replace(whole, again=whole.taken)
    return replace(whole, again=max(0, whole.taken - sampled[0].taken)) if sampled else whole
