"""What cannot be edited, as data: one selection language for every policy.

Rule: protection overrides every strategy. A `Protection` only describes what is protected; `bounds` finds where that
is. Nothing here reads a conversation.
"""

from functools import lru_cache
from typing import Annotated

from msgspec import Meta, Struct

Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[float, Meta(gt=0)]
Share = Annotated[float, Meta(ge=0, le=1)]
Glob = Annotated[str, Meta(max_length=1_000)]
Table = tuple[tuple[int, int], ...]


class Protection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What stays unchanged. The fields are combined: a part that any of them protects is protected."""

    tools: tuple[Glob, ...] = ()  # globs of tools whose results stay; wins over `allow`
    prunable_tools: tuple[Glob, ...] = ()  # globs of tools whose results may be removed; empty: all (SEEDS 3.6)
    tool_kinds: tuple[str, ...] = ()  # what a tool is for: read, edit, search, run, plan, skill, memory, other
    part_keys: tuple[str, ...] = ()  # pinned parts
    first_messages: Count = 0  # first messages; a leading system message is not counted
    before_first_user: bool = False  # everything before the first user message (SEEDS 3.3)
    last_turns: Count = 0  # last user turns; with fewer of them nothing may be removed (SEEDS 0.2)
    count_all_user_messages: bool = False  # reminders, synthetic messages and summaries are turns as well (SEEDS S.5)
    last_assistant_messages: Count = (
        0  # last assistant messages and all behind; with fewer of them nothing may be removed (SEEDS 3.3)
    )
    last_rounds: Count = 0  # last assistant messages with calls, and their results
    last_messages: Count = 0  # last messages
    last_results: Count = 0  # newest results, whatever the tool
    last_tokens: Count | Share | Table = 0  # newest tokens of results: absolute, a share of the window, or by window
    min_result_chars: Count = 0  # results shorter than this
    min_prunable_chars: Count = 0  # results shorter than this too, but they count among the newest tokens
    media_results: bool = False  # results that hold media
    error_results: bool = False  # error results
    unresolved_errors: bool = False  # failed results, until the same thing succeeds or is tried again
    unread: bool = False  # results that the model has not answered yet; only stage 0 and a full window shorten them
    recent_files: Count = 0  # the freshest reads of so many files, those worked with last
    recent_file_chars: Count = 0  # of them only reads of so many characters at most; 0: of any length
    recent_readbacks: Count = (
        3  # what the model read back (`secateur mcp`), until it answered so often without reading more
    )


def is_protected_tool(protect: Protection, tool: str) -> bool:
    """Whether the tool's name protects its results.

    `*` is the only wildcard of globs (SEEDS 3.6); case, and blanks at the ends, are ignored.
    """
    if not protect.tools and not protect.prunable_tools:
        return False
    return _is_named(protect.tools, protect.prunable_tools, tool)


def is_named_tool(globs: tuple[str, ...], tool: str) -> bool:
    """Whether one of these globs matches the tool's name."""
    return bool(globs) and _is_named(globs, (), tool)


def count_protected_tokens(protect: Protection, window: int) -> int:
    """How many of the newest result tokens are protected in a window of `window` tokens.

    A table is linear between its rows, in proportion below the first and constant above the last (SEEDS 1.4).
    """
    tokens = protect.last_tokens
    if isinstance(tokens, int):
        return tokens
    if isinstance(tokens, float):
        return int(tokens * window)
    return _interpolate(((0, 0), *sorted(tokens)), window)


def _interpolate(rows: Table, window: int) -> int:
    for (low, less), (high, more) in zip(rows, rows[1:], strict=False):
        if window <= high:
            return less + (more - less) * max(window - low, 0) // (high - low or 1)
    return rows[-1][1]


@lru_cache(maxsize=4096)
def _is_named(deny: tuple[str, ...], allow: tuple[str, ...], tool: str) -> bool:
    name = tool.strip().lower()
    if any(_is_glob_match(pattern, name) for pattern in _split_globs(deny)):
        return True
    allowed = _split_globs(allow)
    return bool(allowed) and not any(_is_glob_match(pattern, name) for pattern in allowed)


@lru_cache(maxsize=256)
def _split_globs(globs: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The literal pieces of each glob. Blank globs are ignored: an allow-list of blanks allows all."""
    texts = [glob.strip().lower() for glob in globs]
    return tuple(tuple(text.split("*")) for text in texts if text)


def _is_glob_match(pieces: tuple[str, ...], name: str) -> bool:
    """Whether a name consists of these pieces in order, with anything between them.

    Each piece is taken at the first place where it fits: nothing is tried twice, so no glob is slow.
    """
    first, *middle = pieces
    if not middle:
        return name == first
    last = middle.pop()
    if not name.startswith(first) or not name.endswith(last):
        return False
    here, end = len(first), len(name) - len(last)
    for piece in middle:
        here = name.find(piece, here, end)
        if here < 0:
            return False
        here += len(piece)
    return here <= end
