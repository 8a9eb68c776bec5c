"""The numbers and facts of one request by which strategies and schedules decide.

Rule: these are values of one request; plan, clock and window were evaluated before. What can be removed is decided by
`bounds`, and when by the schedule.
"""

from collections.abc import Callable, Mapping, Set

from msgspec import Struct

from secateur.lineage import handle_of
from secateur.model import Message, Part, Transcript
from secateur.pricing.tariffs import CachePricing
from secateur.protect import Protection
from secateur.text.durations import describe_duration
from secateur.text.readback import locate

CHARS_PER_TOKEN = 4  # how OpenClaw compares characters with a window (SEEDS 3.4)
IMAGE_CHARS = 8_000  # what it takes an image for
OTHER_CHARS = 256  # and a message that is neither user, assistant nor tool result


class Budget(Struct, frozen=True, kw_only=True):
    """`count` and `tokens_used` are by the policy's own counter (SEEDS S.4), on texts as the view has them.

    Where the provider has reported usage, `tokens_used` is in its tokens, as `window` and the limits of `tariff` are,
    and `ratio` of them are one token of our count.
    """

    window: int  # tokens; 0 or less: unknown, and policies that compare with it do nothing
    tokens_used: int  # tokens of the view, system prompt and tools included
    count: Callable[[str], int]
    protect: Protection
    edited_by: Mapping[str, str] = {}  # key -> strategy, of the edits in force and those proposed just before
    own_keys: Set[str] = frozenset()  # keys of results that came as text of ours, from a view that is a history now
    originals: Mapping[str, Part] = {}  # key -> the part as received, at least for excerpts and trims among `edited_by`
    idle_s: float | None = None  # since the model was last called or the newest epoch opened; None: unknown
    has_prior_view: bool = False  # a view was made for this session before, whenever that was
    now_ms: int = 0  # ms since 1970
    recall_handles: bool = False  # what leaves the view can be read back, so placeholders may name it
    recall_folder: str = ""  # where it is read back from, as files; "": by handle
    pricing: CachePricing = CachePricing()  # what tokens cost, and how long the cache lives
    cold_reason: str = ""  # why the prompt cache is gone whatever the clock says; "": the clock says
    cold_keys: tuple[str, ...] = ()  # last keys of earlier requests that found no cache, pauses aside
    ratio: float = 1.0  # tokens of the provider for one of ours
    compaction_limit: int = 0  # tokens: a view that is still longer after pruning becomes a summary; 0: it never does

    def scale_to_reported(self, tokens: int) -> int:
        """Our count of some text in the unit of `tokens_used`, so that one can be subtracted from the other."""
        return round(tokens * self.ratio)

    @property
    def estimated(self) -> int:
        """`tokens_used` in our own count, the unit of `Part.tokens`."""
        return round(self.tokens_used / self.ratio)


def explain_cold(budget: Budget) -> str:
    """Why the prompt cache is gone; "" where it may be alive.

    If no call is known, by clock, plan or an earlier view, there is no cache to lose. If one is known, but not when it
    was, the cache may be alive.
    """
    if budget.cold_reason:
        return budget.cold_reason
    if budget.idle_s is None:
        is_known = budget.edited_by or budget.has_prior_view
        return "" if is_known else "no earlier call is known, so there is no prompt cache to lose"
    ttl_s = budget.pricing.ttl_s
    if budget.idle_s >= ttl_s:
        ago, lives = describe_duration(budget.idle_s), describe_duration(ttl_s)
        return f"the last call was {ago} ago, and the prompt cache lives {lives}"
    return ""


def get_original(budget: Budget, part: Part) -> Part:
    """The part as received, where an excerpt or a trimmed text is in the view."""
    return budget.originals.get(part.key, part)


def handle_for(budget: Budget, part: Part) -> str:
    """The name under which the part's text can be read back; "" where it cannot, since no text may promise it."""
    return locate(handle_of(part.text), budget.recall_folder) if budget.recall_handles else ""


def is_shorter(budget: Budget, text: str, part: Part) -> bool:
    """Whether the text is shorter than what the part reads as now, and not more tokens."""
    return len(text) < len(part.text) and budget.count(text) <= budget.count(part.text)


def weigh_transcript(transcript: Transcript) -> int:
    """Return the characters of the messages as OpenClaw weighs them before comparing them with a window.

    Text, reasoning and arguments count as they are (names of tools do not), an image 8,000, and a message of another
    role 256.
    """
    return sum(weigh_message(message) for message in transcript.messages)


def weigh_message(message: Message) -> int:
    """Return the characters of one message as OpenClaw weighs them."""
    if message.role == "system" or message.origin == "summary":
        return OTHER_CHARS
    return sum(IMAGE_CHARS if part.kind == "media" else len(part.text) for part in message.parts)
