"""How the recorded client uses the prompt cache: its lifetime and its marks.

Rule: recorded facts override what is known of the client, and that overrides an assumption; `told` says which applied.
Only providers whose clients mark blocks themselves (Claude's) need any of it. An engine adds breakpoints only to a
request whose client marks its messages and leaves a slot free (`render.breakpoints`): so does the simulation.
"""

from msgspec import Struct

from secateur.formats.breakpoints import MARKED, SLOTS, count_slots, has_long_retention
from secateur.jsontext import Lines
from secateur.pricing.rules import CacheRules
from secateur.simulate.cache import Caching
from secateur.simulate.requests import Recording

FREE = 2  # slots that a client leaves of which nothing is known: one marks system prompt and newest message
_LEAVES = {  # by the format of their logs, as their sources have it in 2026
    "claude_code": 1,  # two blocks of the system prompt and the newest message
    "pi": 2,  # the system prompt and the newest message; a subscription's system prompt has two blocks
    "openclaw": 2,  # Pi's own
    "opencode": 0,  # two system messages and the newest two others
}


class Client(Struct, frozen=True):
    """`free`: breakpoints that may be added to one of its requests; `hour`: it buys the cache's longer lifetime."""

    free: int = FREE
    hour: bool = False
    told: str = ""  # in one sentence, for people; "" where the provider's cache asks nothing of a client


def infer_client(recording: Recording, rules: CacheRules, hour: bool | None = None) -> Client:
    """The client of a recording under these rules. `hour` as stated overrides what is recorded."""
    longer = has_bought_hour(recording) if hour is None else hour
    if rules.positions != "marks":
        return Client(free=SLOTS - _count_marks(recording) if _count_marks(recording) else FREE, hour=longer)
    free, why = _count_free(recording)
    long_s = rules.ttl_long_s or rules.ttl_s
    lives = f"the cache lives {(long_s if longer else rules.ttl_s) / 60:,.0f} min"
    source = "as stated" if hour is not None else "as recorded" if _has_recorded_writes(recording) else "by default"
    return Client(free, longer, f"{why}; {lives}, {source}")


def infer_caching(recording: Recording, rules: CacheRules, hour: bool | None = None) -> Caching:
    """The cache as used by this recording's client."""
    client = infer_client(recording, rules, hour)
    return Caching(rules=rules, hour=client.hour, free=client.free)


def has_bought_hour(recording: Recording) -> bool:
    """Whether most cache writes were for the longer lifetime; without usage, by the request's marks."""
    usages = [one.usage for one in recording.requests if one.usage is not None]
    written = sum(one.write for one in usages)
    if written:
        return 2 * sum(one.write_1h for one in usages) > written
    document = recording.document
    if isinstance(document.native, Lines):
        return False
    return has_long_retention(document.format.name, document.native, document.transcript.messages)


def _has_recorded_writes(recording: Recording) -> bool:
    return any(one.usage is not None and one.usage.write for one in recording.requests) or _count_marks(recording) > 0


def _count_free(recording: Recording) -> tuple[int, str]:
    """Count the free breakpoint slots, and say how that is known."""
    name, marks = recording.document.format.name, _count_marks(recording)
    if marks:
        return SLOTS - marks, f"the request marks {marks} blocks and {_describe_free(SLOTS - marks)}"
    if name in _LEAVES:
        return _LEAVES[name], f"{name} marks its messages and {_describe_free(_LEAVES[name])}"
    return FREE, f"the client is taken to mark its messages, and {_describe_free(FREE)}"


def _describe_free(free: int) -> str:
    return "leaves no breakpoint free" if not free else f"leaves {free} breakpoint{'s' if free > 1 else ''} free"


def _count_marks(recording: Recording) -> int:
    """Count the blocks that the recorded request marks; 0 if none is recorded or marked."""
    document = recording.document
    if document.format.name not in MARKED or document.transcript.messages_path != ("messages",):
        return 0
    return count_slots(document.format.name, document.native, document.transcript.messages)
