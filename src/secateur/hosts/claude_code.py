"""Claude Code's hooks: long Bash output is shortened on arrival, and facts outlive the host's own compaction.

Rule: the store holds an output before a shorter one is returned, since Claude Code keeps only the latter; where it
cannot, the output stays unchanged. An event is always answered, and what goes wrong here never stops the host. A
process answers one event, so what only some events need is imported there.
"""

import time
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from secateur.errors import StoreError
from secateur.hosts.activity import Activity, record_activity
from secateur.hosts.launch import TENANT
from secateur.redact import redact

HOST = "claude-code"
_FORMAT = "claude_code"
_MODEL = "claude-sonnet-4-5"  # a hook does not get the model; the price ratios are the same for all of its models
_MIN_CHARS = 4_000  # of an output: for a shorter one nothing is imported
_MAX_CHARS = 9_500  # Claude Code writes a longer context to a file
_FACTS_TOKENS = (2_000, 1_200, 700)  # of facts after a compaction: the most that has room
_RULES_TOKENS = 1_000
_RULES = "Keep these rules of the user in the summary, word for word:"

Event = dict[str, Any]


class HookReply(Struct, frozen=True):
    """The text for standard output, and a message for people."""

    text: str = ""
    status: str = "nothing to do"


def handle_event(event: Event, policy: str, store_url: str, folder: Path | None = None) -> HookReply:
    """The answer to one event. `folder` is that of the installation, where it is noted that the host asked."""
    error = ""
    try:
        reply = _handle(event, policy, store_url)
    except Exception as raised:  # whatever it is, the host continues
        error = redact(f"{type(raised).__name__}: {raised}")[:300]
        reply = HookReply(status=f"nothing was done: {error}")
    if folder is not None and event.get("hook_event_name") in _EVENTS:  # processes run side by side: nothing is counted
        record_activity(folder, Activity(at_ms=time.time_ns() // 1_000_000, error=error))
    return reply


def _handle(event: Event, policy: str, store_url: str) -> HookReply:
    match event.get("hook_event_name"):
        case "PostToolUse":
            return _shorten_output(event, policy, store_url)
        case "PreCompact":
            return _list_rules(_read_transcript(event))
        case "SessionStart" if event.get("source") == "compact":
            return _make_facts(_read_transcript(event))
    return HookReply()


def _shorten_output(event: Event, policy: str, store_url: str) -> HookReply:
    """Replace what Bash printed, where the policy has a shorter form of it."""
    response = event.get("tool_response")
    if event.get("tool_name") != "Bash" or not isinstance(response, dict):
        return HookReply()
    text = response.get("stdout")
    if not isinstance(text, str) or len(text) < _MIN_CHARS:
        return HookReply()
    if response.get("isImage") or "persistedOutputPath" in response:
        return HookReply()
    from secateur.arrival import ArrivedResult, ResultShortener

    shortener = ResultShortener(store_url, policy, tenant=TENANT)
    try:
        shorter = shortener.shorten(
            ArrivedResult(
                session=f"{HOST}/{event.get('session_id') or 'unknown'}/{event.get('tool_use_id') or 'call'}",
                tool="Bash",
                arguments=event.get("tool_input") or {},
                text=text,
                model=_MODEL,
            )
        )
        if shorter is None and (why := shortener.explain_away()):
            raise StoreError(why)
    finally:
        shortener.close()
    if shorter is None:
        return HookReply(status="the output is unchanged")
    output = {"hookEventName": "PostToolUse", "updatedToolOutput": {**response, "stdout": shorter}}
    return HookReply(_encode(output), f"{len(text):,} → {len(shorter):,} characters")


def _list_rules(data: bytes) -> HookReply:
    """List the user's requirements and prohibitions, for the model that writes the host's summary."""
    from secateur.compaction.extract import extract
    from secateur.compaction.ledger import build_ledger
    from secateur.recover.whole import read_whole
    from secateur.tokens import get_model_counter

    said = read_whole(data, _FORMAT).messages
    sections = extract(said, build_ledger(said), _RULES_TOKENS, get_model_counter("estimate", _MODEL))
    rules = sections.get("constraints", ())
    if not rules:
        return HookReply()
    return HookReply(redact("\n".join((_RULES, *rules)), thorough=True), f"{len(rules)} rules of the user")


def _make_facts(data: bytes) -> HookReply:
    """The facts of the whole session, behind the host's summary."""
    from secateur.recover import recover_session

    for tokens in _FACTS_TOKENS:
        document = recover_session(data, format=_FORMAT, max_tokens=tokens).document
        if len(document) <= _MAX_CHARS:
            break
    output = {"hookEventName": "SessionStart", "additionalContext": document[:_MAX_CHARS]}
    return HookReply(_encode(output), f"{len(document):,} characters of facts")


def _read_transcript(event: Event) -> bytes:
    path = Path(str(event.get("transcript_path") or "")).expanduser()
    if path.exists() and not path.is_file():  # a pipe or a device may never end
        raise OSError(f"not a file: {path}")
    return path.read_bytes()


def _encode(output: Event) -> str:
    return msgspec.json.encode({"hookSpecificOutput": output}).decode()


_EVENTS = ("PostToolUse", "PreCompact", "SessionStart")
