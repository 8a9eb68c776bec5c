"""What may differ between two runs of an agent that do the same: ids, times, ports, paths, and what a run cost.

Rule: everything else is compared. A mask is a pattern or the name of a member, with the reason beside it.
"""

import json
import re
from typing import Any

_PATTERNS = (
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "UUID"),
    (re.compile(r"\b[0-9a-f]{32,64}\b"), "HASH"),  # device ids, traces
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d[:-]\d\d[:-]\d\d(?:[.-]\d+)?(?:Z|[+-]\d\d:\d\d)?"), "TIME"),
    (re.compile(r"(?<!\d)1[7-9]\d{8}(?:\d{3})?(?!\d)"), "EPOCH"),  # seconds or milliseconds since 1970
    (re.compile(r"(?:127\.0\.0\.1|localhost):\d+(?:/(?:anthropic|openai|gemini))?"), "ADDRESS"),
    (re.compile(r"/tmp/[\w./-]+"), "FILE"),  # where long results are kept
    (re.compile(r"HOME/[\w./-]*/(?:tool|tmp/)[\w./-]*"), "FILE"),  # named at random in notices of cut results
    (re.compile(r"\b(?:tool|call|msg|prt|ses)_[0-9A-Za-z]{12,}\b"), "ID"),
    (re.compile(r"\b\w+_[0-9a-f]{8,16}(?=\.(?:output|txt|log)\b)"), "NAME"),
    (re.compile(r"PGID: \d+"), "PGID"),
    (re.compile(r"(?<=\[CONTENT TRUNCATED\] \.\.\.)[\s\d-]+"), "LINES"),  # Qwen Code: as far as its terminal had come
    (re.compile(r"cc_version=[\w.]+; ?"), ""),  # Claude Code's billing line hashes its first message
    (re.compile(r"cch=\w+;"), ""),
    (re.compile(r"Chunk ID: [0-9a-f]+"), "CHUNK"),  # Codex names each output
    (re.compile(r"\b(?:0\.\d+|\d+(?:\.\d+)?) ?(?:ms|s|seconds)\b"), "DURATION"),
)
_MEASURED = re.compile(r"(?:Ms|_ms|[dD]uration|secs|nanos|Tokens)$")  # members by the end of their name
_TIMES = {"pid", "process_id", "sessionStartTime"}
_TIMED = {"last-prompt", "mode"}  # lines that Claude Code writes by a timer
_COUNTED = {"token_usage_record", "token_count"}  # lines of costs that Codex writes beside a running command
_NUMBERS = {"ordinal"}  # of Codex's lines, those of costs among them
_IDS = {"id", "parentId", "promptId", "leafId"}  # Pi's are eight random digits
_COSTS = {
    "usage",
    "turn_token_usage",
    "thread_token_usage",
    "total_cost_usd",
    "modelUsage",
    "info",
    "rate_limits",
    "cost",
    "tokens",
}
_COSTS |= {"modelMetrics", "toolTelemetry", "accountingSnapshot", "usageAccountingWatermarks", "eventsFileSizeBytes"}


def mask_body(body: bytes, home: str) -> Any:
    """The body of a request, as a value."""
    return _mask(json.loads(body), home, set())


def mask_lines(text: str, home: str) -> list[Any]:
    """The lines of a session file as values; times, tokens and money are left out."""
    left_out = _TIMES | _IDS | _COSTS | _NUMBERS
    lines = [json.loads(line) for line in text.splitlines() if line.strip()]
    return [_mask(line, home, left_out) for line in lines if not _find_kinds(line) & (_TIMED | _COUNTED)]


def _find_kinds(line: dict[str, Any]) -> set[str]:
    """What a line calls itself and what it carries."""
    payload = line.get("payload")
    return {str(line.get("type")), str(payload.get("type"))} if isinstance(payload, dict) else {str(line.get("type"))}


def _mask(value: Any, home: str, left_out: set[str]) -> Any:
    if isinstance(value, dict):
        kept = {name: child for name, child in value.items() if name not in left_out}
        return {name: _mask(child, home, left_out) for name, child in kept.items() if not _is_measured(name, left_out)}
    if isinstance(value, list):
        return [_mask(child, home, left_out) for child in value]
    if isinstance(value, str):
        return _mask_text(value, home)
    return "EPOCH" if isinstance(value, int | float) and 1.7e9 < value < 2e12 else value


def _is_measured(name: str, left_out: set[str]) -> bool:
    return bool(left_out and _MEASURED.search(name))


def _mask_text(text: str, home: str) -> str:
    text = text.replace(home, "HOME").replace(re.sub(r"[^A-Za-z0-9]", "-", home), "HOME")
    for pattern, name in _PATTERNS:
        text = pattern.sub(name, text)
    return text


def find_difference(one: Any, other: Any, place: str = "") -> str:
    """The first place where two values differ, with both; "" where they are equal."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in [*one, *(name for name in other if name not in one)]:
            if name not in one or name not in other:
                return f"{place}.{name}: only in the {'first' if name in one else 'second'}"
            if found := find_difference(one[name], other[name], f"{place}.{name}"):
                return found
        return ""
    if isinstance(one, list) and isinstance(other, list):
        for number, (left, right) in enumerate(zip(one, other, strict=False)):
            if found := find_difference(left, right, f"{place}[{number}]"):
                return found
        return "" if len(one) == len(other) else f"{place}: {len(one)} and {len(other)} entries"
    return "" if one == other else f"{place}: {str(one)[:300]!r} and {str(other)[:300]!r}"
