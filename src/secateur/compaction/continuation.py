"""The message to the agent after a compaction: chosen from the history before it, inserted after it.

Rule: media are never sent again; the newest user message is in the view itself, so an unanswered one is marked and not
repeated. While a call is pending, nothing can come between it and its result. An agent that waits for the user is not
told to continue, unless a policy always does so. Metadata stays in the plan. Nothing here knows how a summary is made.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from msgspec import Struct

from secateur.compaction.ask import describe_medium
from secateur.compaction.settings import Continuation
from secateur.model import Edit, Message, NewMessage, Part, Replace, Rewrite
from secateur.text.own_text import replace_surrogates

Branch = Literal["media", "unanswered", "mid_task", "sentence", "idle", "waiting", "none"]

# SEEDS 4.2: TEXT follows the first; the second stands alone
_RESUMING = ("[Resuming] ", "[Resuming — previous message had media attachments]")
_ANATOMY = ("[Continuing from compaction] ", "[Continuing task — previous message contained media attachments]")
CLOSING = "Continue if you have next steps, or stop and ask for clarification."  # SEEDS 1.2: Kilocode's


class Next(Struct, frozen=True):
    """What follows a compaction. A message that is in the view already is marked by `of`, and not inserted."""

    branch: Branch
    text: str = ""
    meta: dict[str, Any] = {}
    of: str = ""  # key of the user message it is about
    put_in: bool = True


def plan_continuation(messages: Sequence[Message], settings: Continuation) -> Next:
    """Return the branch for this history with its text and metadata (SEEDS 4.1 to 4.4)."""
    if settings.mode == "none":
        return Next("none", put_in=False)
    if _has_pending_calls(messages):
        return Next("waiting", put_in=False)
    if settings.when_idle == "never" and is_idle(messages):
        return Next("idle", put_in=False)
    if settings.mode == "sentence":
        return Next("sentence", settings.text, _META)
    return _branch(messages, settings)


def build_continuation_edits(messages: Sequence[Message], step: Next) -> Iterator[Edit]:
    """Yield a continuation's edits: the newest request's media become text, and a message is appended."""
    if step.branch == "media":
        for part in next(message for message in messages if message.key == step.of).parts:
            if part.kind == "media" and not part.container_key and not part.pinned:
                yield Rewrite(part.key, describe_medium(part), strategy="continue")
    if step.put_in:
        tip = messages[-1].key if messages else ""
        yield Replace(tip, tip, (NewMessage("user", step.text, "synthetic", step.meta),), strategy="continue")


def is_continuation(message: Message, settings: Continuation) -> bool:
    """Whether this is what a compaction under these settings puts behind the history."""
    if message.role != "user" or settings.mode == "none":
        return False
    text = _get_verbatim_text(message)
    return text == settings.text or text.startswith((*_RESUMING, *_ANATOMY))


def is_idle(messages: Sequence[Message]) -> bool:
    """Whether the agent awaits the user: it spoke last, and called nothing."""
    for message in reversed(messages):
        if message.role == "assistant" and message.origin != "summary":
            return all(part.kind != "tool_call" for part in message.parts)
        if message.role in ("user", "tool") and message.origin == "user":
            return False
        if any(part.kind == "tool_result" for part in message.parts):
            return False
    return False


def find_newest_user_message(messages: Sequence[Message]) -> int | None:
    """Find where the user last spoke, ignoring tool results and what hosts say in the user's name."""
    for number in range(len(messages) - 1, -1, -1):
        message = messages[number]
        if message.role == "user" and message.origin == "user" and any(map(_has_content, message.parts)):
            return number
    return None


def filter_visible(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the messages that a person should see, without those inserted for the agent alone.

    One that repeats a request is hidden only where that request is shown (SEEDS 4.6).
    """
    shown = [
        replace_surrogates(_get_stripped_text(message))
        for message in messages
        if message.origin != "synthetic" and message.role == "user"
    ]
    return tuple(
        message
        for message in messages
        if message.origin != "synthetic" or _is_unseen_repeat(_get_stripped_text(message), shown)
    )


_META: dict[str, Any] = {"compaction_continue": True}


def _branch(messages: Sequence[Message], settings: Continuation) -> Next:
    """Media, unanswered, mid-task: the first that fits."""
    number = find_newest_user_message(messages)
    if number is None:
        return Next("mid_task", settings.text, _META)
    asked = messages[number]
    if any(_list_attachments(asked)):
        return Next("media", _make_resume_text(asked, settings), {**_META, "had_media": True}, asked.key)
    if not any(message.role == "assistant" for message in messages[number + 1 :]):
        return Next("unanswered", _get_verbatim_text(asked), _META, asked.key, put_in=False)
    return Next("mid_task", settings.text, _META)


def _has_pending_calls(messages: Sequence[Message]) -> bool:
    """Return whether calls of the last round lack results: a message in between would separate the two."""
    given: set[str] = set()
    results = 0
    for message in reversed(messages):
        answers = [part for part in message.parts if part.kind == "tool_result"]
        given |= {part.call_id for part in answers}
        results += len(answers)
        if message.role == "assistant":
            calls = [part.call_id for part in message.parts if part.kind == "tool_call"]
            return len(calls) > results or any(call and call not in given for call in calls)
    return False


def _is_unseen_repeat(text: str, shown: Sequence[str]) -> bool:
    begins = next((one for one in (_RESUMING[0], _ANATOMY[0]) if text.startswith(one)), None)
    return begins is not None and not any(one and text[len(begins) :].startswith(one) for one in shown)


def _get_stripped_text(message: Message) -> str:
    return " ".join(part.text for part in message.parts if part.kind == "text").strip()


def _get_verbatim_text(message: Message) -> str:
    return "\n".join(part.text for part in message.parts if part.kind == "text")


def _make_resume_text(asked: Message, settings: Continuation) -> str:
    begins, alone = _RESUMING if settings.wording == "resuming" else _ANATOMY
    text = _get_stripped_text(asked)
    made = f"{begins}{text}" if text else alone
    if settings.describe_media:
        made = "\n".join([made, *(describe_medium(part) for part in _list_attachments(asked))])
    return replace_surrogates(made)


def _list_attachments(message: Message) -> Iterator[Part]:
    return (part for part in message.parts if part.kind == "media" and not part.container_key)


def _has_content(part: Part) -> bool:
    return part.kind == "media" and not part.container_key or (part.kind == "text" and bool(part.text))
