"""What the agent is told after a compaction: decided on the history before it, put in after it.

Rule: media are never sent again; the newest user message stands in the view itself, so an unanswered one is marked and
not repeated. Where a call still waits for its result nothing may come between. Who awaits the user is not told to go
on, unless a policy says always. Metadata stays in the plan. Nothing here knows how a summary is made.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from msgspec import Struct

from secateur.compaction.ask import described
from secateur.compaction.settings import Continuation
from secateur.model import Edit, Message, NewMessage, Part, Replace, Rewrite

Branch = Literal["media", "unanswered", "mid_task", "sentence", "idle", "waiting", "none"]

# SEEDS 4.2: TEXT follows the first; the second stands alone
_RESUMING = ("[Resuming] ", "[Resuming — previous message had media attachments]")
_ANATOMY = ("[Continuing from compaction] ", "[Continuing task — previous message contained media attachments]")
CLOSING = "Continue if you have next steps, or stop and ask for clarification."  # SEEDS 1.2: Kilocode's


class Next(Struct, frozen=True):
    """What comes after a compaction. A message that stands in the view already is marked by `of`, and not put in."""

    branch: Branch
    text: str = ""
    meta: dict[str, Any] = {}
    of: str = ""  # key of the user message it is about
    put_in: bool = True


def next_of(messages: Sequence[Message], settings: Continuation) -> Next:
    """The branch for this history, and its text and metadata (SEEDS 4.1 to 4.4)."""
    if settings.mode == "none":
        return Next("none", put_in=False)
    if _waiting(messages):
        return Next("waiting", put_in=False)
    if settings.when_idle == "never" and is_idle(messages):
        return Next("idle", put_in=False)
    if settings.mode == "sentence":
        return Next("sentence", settings.text, _META)
    return _branch(messages, settings)


def edits_of(messages: Sequence[Message], step: Next) -> Iterator[Edit]:
    """The edits that a continuation is: media of the newest request become text, and a message behind the history."""
    if step.branch == "media":
        for part in next(message for message in messages if message.key == step.of).parts:
            if part.kind == "media" and not part.container_key and not part.pinned:
                yield Rewrite(part.key, described(part), strategy="continue")
    if step.put_in:
        tip = messages[-1].key if messages else ""
        yield Replace(tip, tip, (NewMessage("user", step.text, "synthetic", step.meta),), strategy="continue")


def is_continuation(message: Message, settings: Continuation) -> bool:
    """Whether this is what a compaction under these settings puts behind the history."""
    if message.role != "user" or settings.mode == "none":
        return False
    text = _verbatim(message)
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


def newest_user(messages: Sequence[Message]) -> int | None:
    """Where the user spoke last: what hosts say in the user's name and results of tools aside."""
    for number in range(len(messages) - 1, -1, -1):
        message = messages[number]
        if message.role == "user" and message.origin == "user" and any(map(_said, message.parts)):
            return number
    return None


def visible(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages that a person should see: those that were put in for the agent alone are not among them.

    One that repeats a request is hidden only where that request is shown (SEEDS 4.6).
    """
    shown = [_words(message) for message in messages if message.origin != "synthetic" and message.role == "user"]
    return tuple(
        message for message in messages if message.origin != "synthetic" or _repeats_unseen(_words(message), shown)
    )


_META: dict[str, Any] = {"compaction_continue": True}


def _branch(messages: Sequence[Message], settings: Continuation) -> Next:
    """Media, unanswered, mid-task: the first that fits."""
    number = newest_user(messages)
    if number is None:
        return Next("mid_task", settings.text, _META)
    asked = messages[number]
    if any(_attached(asked)):
        return Next("media", _resumed(asked, settings), {**_META, "had_media": True}, asked.key)
    if not any(message.role == "assistant" for message in messages[number + 1 :]):
        return Next("unanswered", _verbatim(asked), _META, asked.key, put_in=False)
    return Next("mid_task", settings.text, _META)


def _waiting(messages: Sequence[Message]) -> bool:
    """Whether calls of the last round have no result yet: a message between them would part the two."""
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


def _repeats_unseen(text: str, shown: Sequence[str]) -> bool:
    begins = next((one for one in (_RESUMING[0], _ANATOMY[0]) if text.startswith(one)), None)
    return begins is not None and not any(one and text[len(begins) :].startswith(one) for one in shown)


def _words(message: Message) -> str:
    return " ".join(part.text for part in message.parts if part.kind == "text").strip()


def _verbatim(message: Message) -> str:
    return "\n".join(part.text for part in message.parts if part.kind == "text")


def _resumed(asked: Message, settings: Continuation) -> str:
    begins, alone = _RESUMING if settings.wording == "resuming" else _ANATOMY
    text = _words(asked)
    made = f"{begins}{text}" if text else alone
    if settings.describe_media:
        made = "\n".join([made, *(described(part) for part in _attached(asked))])
    return made


def _attached(message: Message) -> Iterator[Part]:
    return (part for part in message.parts if part.kind == "media" and not part.container_key)


def _said(part: Part) -> bool:
    return part.kind == "media" and not part.container_key or (part.kind == "text" and bool(part.text))
