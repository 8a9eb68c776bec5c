"""What a policy can say about compaction and about the message after it.

Rule: values only, each with its source. `enabled` is checked first on every path, whoever requests a compaction.
Nothing here looks at a conversation: `trigger` says when, `cut` says where, `continuation` says what comes next.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from secateur.protect import Count, Glob, Share
from secateur.tool_kinds import ToolKind

FORCED_LEAST_SHARE = 0.1  # of the window: so much coming free is enough of a view over its threshold

TemplateName = Literal["secateur", "opencode", "kilocode", "hermes", "pi", "pi-auto-compressor"]


class DigestSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Older work of the agent becomes its texts and a line for each call, before history becomes a summary.

    The user's messages stay unchanged. By price, the rule is that of the schedule `break_even`: it is done once reading
    that work has cost `break_even_share` of the cost of rewriting what stays after it, or with a cold cache. How much
    an agent still needs of that work does not depend on prices: `min_reads` has it wait equally long at all of them.
    Near the window it is done at any price, but only if it brings the view down to `low_water_share`. What will be due
    soon is done in a pause that the cache does not outlive, since it costs nothing then.
    """

    when: Literal["price", "window", "never"] = "price"  # window: over the threshold of a compaction, see `cold_share`
    break_even_share: Annotated[float, Meta(gt=0)] = 0.8  # the share of the cost that the rent must have reached
    min_reads: Annotated[float, Meta(ge=0)] = 0.0  # and so many tokens read for each token that is rewritten
    low_water_share: Annotated[float, Meta(gt=0, le=1)] = 0.75  # of the window; above it a summary is made instead
    cold_share: Share = 1.0  # of a compaction's threshold; above it `window` is also done where the cache is cold
    last_results: Count = 12  # the newest results stay unchanged, with their rounds,
    keep_tokens: Count | Share = 4_000  # and so many tokens at least, or this share of the window
    keep_max_tokens: Count = 0  # the most that a share comes to; 0: no limit
    forced_last_results: Count | None = None  # the same of both where a view is over its threshold, since what stays is
    forced_keep_tokens: Count | Share | None = None  # then rewritten at any price; None: as above
    min_tokens_freed: Count = 2_000  # less makes none; a tenth of the window is enough of a view over its threshold
    min_savings_ratio: Annotated[float, Meta(ge=0)] = 1.0  # it frees so many times what it leaves, or is not made
    max_overspend: Annotated[float, Meta(ge=0)] | None = 0.01  # it lifts the bill by no more than this share
    outline_share: Share = 0.1  # of a result's characters, for the lines by which to find one's way in it
    min_outline_chars: Count = 200  # that the outline of any long result may have
    max_outline_chars: Count = 4_000  # the most that they take
    names_share: Share = 0.06  # of a long result's characters, for names that no line of the digest shows
    max_prose_chars: Count = 600  # of one text of the agent, its beginning and its end

    def apply_forced(self, window: int) -> "DigestSettings":
        """The settings of a view over its threshold, in a window of so many tokens.

        In a small one digests need not free what the policy asks for at other times: a summary in their place would
        cost a call of the model.
        """
        results, tokens = self.forced_last_results, self.forced_keep_tokens
        return replace(
            self,
            last_results=self.last_results if results is None else results,
            keep_tokens=self.keep_tokens if tokens is None else tokens,
            min_tokens_freed=min(self.min_tokens_freed, int(FORCED_LEAST_SHARE * window)),
        )

    def compute_least_kept(self, window: int) -> int:
        """The tokens that stay unchanged at least, in a window of so many."""
        kept = self.keep_tokens
        return min(int(kept * window), self.keep_max_tokens or window) if isinstance(kept, float) else kept


class Compaction(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """When history becomes a summary, how much of it, and what the summary looks like."""

    enabled: bool = True  # false: never, on any path: threshold, overflow, resume, model switch, manual
    over_window_share: Share | None = None  # the view takes more than this share of the window
    over_tokens: Count | None = None  # the view takes more than these tokens
    model_thresholds: dict[
        str, Count | Share
    ] = {}  # globs of models -> tokens or share; the longest that fits wins over both
    inclusive: bool = False  # exactly at the threshold too (opencode, Kilocode)
    reserve_tokens: Count | None = None  # stays free for the answer; None: by the window
    max_reserve_share: Share = 0.5  # of the window, at most so much of it, where `reserve_tokens` is stated
    layout: Literal["tail", "middle"] = "tail"  # summary and tail, or head, summary and tail
    head_messages: Count = 0  # first messages that stay in layout `middle`; a leading system message is not counted
    keep_turns: Count = 0  # at most so many turns stay behind the summary; 0: as many as `keep_tokens` holds
    keep_tokens: Count | Share = 0.2  # tokens that stay behind the summary, or their share of the usable window
    keep_min_tokens: Count = 0  # the least that a share comes to
    keep_max_tokens: Count = 0  # the most that a share comes to; 0: no limit
    keep_messages: Count = 0  # at least so many messages stay behind the summary, aligned to rounds
    counter: str = ""  # counts what stays behind the summary (SEEDS S.4); "": the policy's own
    cut_at: Literal["turns", "rounds"] = "turns"  # where the tail begins; an oversized turn is split between rounds
    template: TemplateName = "secateur"  # the summary's headings
    max_summary_tokens: Count | Share = 0.08  # the most that a summary may take, or its share of the window
    min_summary_tokens: Count = 600  # the least that a share comes to
    max_tool_chars: Count = 2000  # of one tool output in what a summarizer reads
    digest: DigestSettings | None = None  # older work is shortened before the window asks for it, by price; None: never
    summary_role: Literal["user", "system"] = (
        "user"  # who says the summary, where the format has system messages (SEEDS S.1)
    )
    keep_tool_kinds: tuple[ToolKind, ...] = (
        "skill",
        "memory",
    )  # results of such tools follow the summary verbatim
    keep_tools: tuple[Glob, ...] = ()  # globs of tools whose results do so too; `protect=` and `--protect` add theirs
    on_bad_summary: Literal["next_rung", "cancel"] = "next_rung"  # cancel: no retry, no fallback (SEEDS 2.4)


class Continuation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What the agent receives after a compaction, so that it continues."""

    mode: Literal["branches", "sentence", "none"] = "none"  # `branches`: as SEEDS 004; `sentence`: always `text`
    text: str = "continue"  # mid-task (SEEDS 4.4), or the sentence
    wording: Literal["resuming", "anatomy"] = "resuming"  # how a request that held media begins (SEEDS 4.2)
    describe_media: bool = False  # name each medium of that request
    when_idle: Literal["always", "never"] = "always"  # never: an agent that finished or asked is not told to continue
