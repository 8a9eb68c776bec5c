"""What a host may say before a compaction, and what it is told after: Python functions, or a command with JSON.

    Engine(..., before_compact=lambda before: CompactDecision(focus="the migration"), after_compact=print)
    Engine(..., before_compact=CommandHook("./ask-me"))

Rule: a hook may veto, add a focus or bring the summary; it never sees a request again as something else. One that fails
or does not end in time is told of in a warning and has said nothing. What it is handed holds no secret.
"""

import json
import shlex
import subprocess
from collections.abc import Callable

import msgspec
from msgspec import Struct

from secateur.decoding import prepare_type
from secateur.redact import redact

TIMEOUT_S = 10.0  # a request waits for it


class BeforeCompact(Struct, frozen=True, kw_only=True):
    """A compaction that is about to be made."""

    event: str = "before_compact"
    session: str
    model: str
    window: int
    tokens: int  # in use
    threshold: int
    reason: str  # why it is due, in one word: over, forced or price
    text: str  # the same in a sentence
    messages: int  # of the history
    focus: str = ""


class CompactDecision(Struct, frozen=True):
    """A hook's answer before a compaction."""

    cancel: bool = False
    reason: str = ""  # why it is cancelled
    focus: str = ""  # what the summary should pay most attention to
    summary: str = ""  # the summary itself; no model is asked then


class AfterCompact(Struct, frozen=True, kw_only=True):
    """A compaction that was made. `summary` has no secret in it."""

    event: str = "after_compact"
    session: str
    method: str
    by: str
    summary: str
    continuation: str  # its branch
    messages: int  # that were replaced
    tokens_before: int
    tokens_after: int
    handles: tuple[str, ...] = ()


BeforeHook = Callable[[BeforeCompact], CompactDecision | None]
AfterHook = Callable[[AfterCompact], None]


class Hooks(Struct, frozen=True):
    """The functions that are called."""

    before: BeforeHook | None = None
    after: AfterHook | None = None


NO_HOOKS = Hooks()


class CommandHook(Struct, frozen=True):
    """A command that is handed the event as one JSON object on standard input.

    Before a compaction it may answer with one on standard output: `cancel` and `reason`, `focus`, or `summary`.
    """

    command: str
    timeout_s: float = TIMEOUT_S

    def __call__(self, event: BeforeCompact | AfterCompact) -> CompactDecision | None:
        """Raises what went wrong; the callers make a warning of it."""
        done = subprocess.run(
            shlex.split(self.command),
            input=msgspec.json.encode(event),
            capture_output=True,
            timeout=self.timeout_s,
            check=False,
        )
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise RuntimeError(f"it ended with code {done.returncode}{': ' + said[-1] if said else ''}")
        if isinstance(event, AfterCompact) or not done.stdout.strip():
            return None
        return msgspec.convert(json.loads(done.stdout), prepare_type(CompactDecision))


def call_before_hook(hooks: Hooks, before: BeforeCompact) -> tuple[CompactDecision, str]:
    """Return a hook's decision, and what was wrong with it, if anything."""
    if hooks.before is None:
        return CompactDecision(), ""
    try:
        return hooks.before(before) or CompactDecision(), ""
    except Exception as error:  # the host's own affair: it stops no request
        return CompactDecision(), _describe_failure("before_compact", error)


def call_after_hook(hooks: Hooks, after: AfterCompact) -> str:
    """Call the hook after a compaction; return what was wrong with it, or ""."""
    if hooks.after is None:
        return ""
    try:
        hooks.after(after)
    except Exception as error:
        return _describe_failure("after_compact", error)
    return ""


def _describe_failure(name: str, error: Exception) -> str:
    return f"the hook {name} failed: {type(error).__name__}: {redact(str(error))[:300]}"
