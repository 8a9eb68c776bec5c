"""What may be edited in this conversation: where protection stands, and which results are left outside it.

Rule: nobody walks a long history to find its last turns. Boundaries come from the transcript's index, results are
walked from the newest backwards, and never past `index.spent`. Protection is decided here and only here; which of the
results that may go do go is up to the strategies.
"""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from typing import Protocol

from secateur.acts.answers import answered, held_by
from secateur.acts.fates import Held
from secateur.acts.fates import working_set as _working_set
from secateur.acts.known import history_of
from secateur.model import Index, Message, Part, Transcript
from secateur.protect import Protect, protected_tokens, spares
from secateur.recalling import unread, unused
from secateur.roles import role_of


class Measured(Protocol):
    """What the walk needs of a budget."""

    @property
    def window(self) -> int: ...
    @property
    def count(self) -> Callable[[str], int]: ...
    @property
    def protect(self) -> Protect: ...
    @property
    def raw(self) -> Mapping[str, Part]: ...


def index_of(transcript: Transcript) -> Index:
    """The transcript's index; made by a scan if it has none yet."""
    return transcript.index or indexed(transcript.messages)


def indexed(messages: tuple[Message, ...], known: Index | None = None, first: int = 0) -> Index:
    """The index of these messages, continuing `known`, the index of those before `first`."""
    known = known or Index()
    users, turns, assistants = list(known.users), list(known.turns), list(known.assistants)
    for number in range(first, len(messages)):
        message = messages[number]
        if message.role == "assistant" and not message.is_put_in:  # what a plan says for it closes no round
            assistants.append(number)
        elif _speaks(message):
            users.append(number)
            if message.origin == "user":
                turns.append(number)
    return Index(tuple(users), tuple(turns), tuple(assistants), known.spent, known.open, known.derived)


def shortened(index: Index, size: int) -> Index:
    """The index of the first `size` messages."""
    return Index(
        index.users[: bisect_left(index.users, size)],
        index.turns[: bisect_left(index.turns, size)],
        index.assistants[: bisect_left(index.assistants, size)],
        min(index.spent, size),
        index.open and index.open[: bisect_left(index.open, size)],
        index.derived,
    )


def boundary(transcript: Transcript, protect: Protect) -> range:
    """Numbers of the messages that may be edited at all, by where they stand."""
    messages, index = transcript.messages, index_of(transcript)
    start = _head(messages, protect.head)
    if protect.before_first_user:
        start = max(start, index.users[0] if index.users else len(messages))
    stop = len(messages) - protect.messages
    if protect.turns:
        stop = min(stop, _last(index.users if protect.every_user_message else index.turns, protect.turns))
    if protect.assistants:
        stop = min(stop, _last(index.assistants, protect.assistants))
    if protect.unread:
        stop = min(stop, unread(messages))
    if protect.rounds:
        stop = min(stop, _round(messages, index.assistants, protect.rounds))
    return range(start, max(start, stop))


def running(transcript: Transcript) -> int:
    """Where the turn that is still running begins, as the provider sees it: behind the last user message that holds no
    results (wire rules A51, A52). What the user says between results goes on with the turn.
    """
    for number in reversed(index_of(transcript).users):
        if all([part.kind != "tool_result" for part in transcript.messages[number].parts]):
            return number
    return 0


def why_shut(transcript: Transcript, protect: Protect) -> str:
    """Why no message may be edited at all, in one sentence; "" if some may."""
    if boundary(transcript, protect):
        return ""
    index = index_of(transcript)
    turns = index.users if protect.every_user_message else index.turns
    if len(turns) < protect.turns:
        return f"there are {len(turns)} user turns, and the last {protect.turns} stay: nothing is older"
    if len(index.assistants) < protect.assistants:
        return f"there are {len(index.assistants)} assistant messages, and the last {protect.assistants} stay"
    if protect.before_first_user and not index.users:
        return "there is no user message yet, and what stands before the first one stays"
    return f"all {len(transcript.messages)} messages are within the protected head and tail"


def forbidden(part: Part, protect: Protect) -> bool:
    """Whether this part may never be edited under this policy, wherever it stands."""
    return (
        part.pinned
        or (part.error and protect.errors)
        or part.key in protect.keys
        or len(part.text) < protect.min_chars
        or (part.kind == "tool_result" and spares(protect, part.tool))
    )


def eligible(transcript: Transcript, number: int, part: Part, protect: Protect) -> bool:
    """Whether this result of message `number` may be edited, if its place allows it."""
    if part.kind != "tool_result" or forbidden(part, protect):
        return False
    if protect.media and part.key in held_by(transcript.messages[number]).within:
        return False
    if not protect.roles:
        return True
    call = call_of(transcript, number, part)
    return role_of(part.tool, call.text if call else "") not in protect.roles


def candidates(
    transcript: Transcript,
    budget: Measured,
    settled: Callable[[Part], bool],
    walk_ends: bool = False,
) -> Iterator[tuple[int, Part]]:
    """Results that may go, with their message's number, newest first.

    `settled` tells those that were edited for good; with `walk_ends` the walk stops at the first of them, and at a
    summary (as the walk of opencode and Kilocode does). The result that crosses the line of protected tokens may go.
    """
    protect = budget.protect
    kept = working_set(transcript, protect, budget.raw).keys
    reach = protected_tokens(protect, budget.window)
    left = [reach] if reach else []  # tokens to protect yet; behind that line nobody counts any more
    for number, part in _outside(transcript, protect, walk_ends, left):
        gone = settled(part)
        if (gone and not walk_ends) or part.key in kept or not eligible(transcript, number, part, protect):
            continue
        if gone:
            return
        if left:
            left[:] = [more] if (more := left[0] - budget.count(part.text)) >= 0 else []
        if not left and len(part.text) >= protect.worth_chars:
            yield number, part


def replaceable(
    transcript: Transcript, budget: Measured, settled: Callable[[Part], bool], keys: Collection[str]
) -> Iterator[tuple[int, Part]]:
    """Results of these keys that may go because later ones stand in their place, with their message's number, oldest
    first.

    How many of the newest results or tokens a policy keeps does not count: what is kept of them is the later one.
    """
    protect = budget.protect
    kept = working_set(transcript, protect, budget.raw).keys
    inside = boundary(transcript, protect)
    first, where = max(inside.start, index_of(transcript).spent), history_of(transcript.messages, budget.raw).where
    for number in sorted({where[key][0] for key in keys if key in where}):
        if not first <= number < inside.stop:
            continue
        for part in transcript.messages[number].parts:
            if part.key not in keys or part.key in kept or settled(part):
                continue
            if eligible(transcript, number, part, protect):
                yield number, part


def working_set(transcript: Transcript, protect: Protect, raw: Mapping[str, Part]) -> Held:
    """Results that stay for what was done since: fresh reads of the files in use, open failures, what was read back.

    `raw` has the parts as they came where the view shows them otherwise.
    """
    asked = unused(transcript.messages, protect.recalled)
    if not protect.files and not protect.open_errors:
        return Held(asked)
    fates = history_of(transcript.messages, raw, transcript.index).fates(protect.files)
    held = _working_set(fates, reads=bool(protect.files), failures=protect.open_errors)
    return Held(held.keys | asked, held.left) if asked else held


def spent(transcript: Transcript, protect: Protect, settled: Callable[[Part], bool]) -> int:
    """The first message that still holds a result that may go now or later: the next `index.spent`."""
    first = max(index_of(transcript).spent, boundary(transcript, protect).start)
    numbers = range(first, len(transcript.messages))
    return next(holding(transcript, protect, settled, numbers), max(first, len(transcript.messages)))


def holding(
    transcript: Transcript, protect: Protect, settled: Callable[[Part], bool], numbers: Iterable[int]
) -> Iterator[int]:
    """Those of these messages that hold a result that may go now or later."""
    for number in numbers:
        for part in transcript.messages[number].parts:
            worth = part.kind == "tool_result" and len(part.text) >= protect.worth_chars
            if worth and not settled(part) and eligible(transcript, number, part, protect):
                yield number
                break


def guarded(transcript: Transcript, protect: Protect, keys: Set[str], edited: Set[str] = frozenset()) -> frozenset[str]:
    """Those of the parts named by `keys` that may not be edited where they stand now, after a rewind or a new pin.

    What the model said in the turn that is running again is among them; but reasoning that is bound to its prefix is
    void, and stays out, where one of the `edited` parts stands before it.
    """
    inside, loop = boundary(transcript, protect), running(transcript)
    kept = working_set(transcript, protect, {}).keys
    found: set[str] = set()
    void = False
    for number, message in enumerate(transcript.messages):
        for part in message.parts:
            stays = part.key not in keys or (void and part.bound)
            if not stays and (part.key in kept or _guarded(part, number >= loop, number in inside, protect)):
                found.add(part.key)
                continue
            void = void or (part.key in edited and part.kind != "reasoning")
    return frozenset(found)


def call_of(transcript: Transcript, number: int, result: Part) -> Part | None:
    """The call that a result of message `number` answers: by id within its round, never over the whole history."""
    return answered(transcript.messages, number, result)


def _outside(transcript: Transcript, protect: Protect, to_summary: bool, left: list[int]) -> Iterator[tuple[int, Part]]:
    """Results outside the protected head and tail and beyond the newest `protect.results`, newest first.

    Once nothing is `left` to protect, only those that may go, as far as the index knows.
    """
    messages, index = transcript.messages, index_of(transcript)
    inside = boundary(transcript, protect)
    newest = protect.results
    first = max(inside.start, index.spent)
    number = (len(messages) if newest else inside.stop) - 1
    while number >= first:
        if to_summary and messages[number].origin == "summary":
            return
        for part in reversed(messages[number].parts):
            if part.kind == "tool_result":
                newest -= 1
                if newest < 0 and number < inside.stop:
                    yield number, part
        if to_summary or index.open is None or newest > 0 or left:
            number -= 1
        else:
            place = bisect_left(index.open, number)
            number = index.open[place - 1] if place else -1


def _guarded(part: Part, running: bool, inside: bool, protect: Protect) -> bool:
    if part.kind == "reasoning":
        return running
    return not inside or forbidden(part, protect) or (running and part.kind == "tool_call")


def _speaks(message: Message) -> bool:
    """Whether this is a user message: a reminder that a host added to the results of its tools is not one."""
    if message.role != "user":
        return False
    return message.origin == "user" or all(part.kind != "tool_result" for part in message.parts)


def _last(places: tuple[int, ...], count: int) -> int:
    """Where the last `count` begin; 0, so that all is protected, if there are fewer."""
    return places[-count] if len(places) >= count else 0


def _head(messages: tuple[Message, ...], count: int) -> int:
    return count and count + (1 if messages and messages[0].role == "system" else 0)


def _round(messages: tuple[Message, ...], assistants: tuple[int, ...], count: int) -> int:
    """Where the last `count` assistant messages with calls begin; 0 if there are fewer."""
    for number in reversed(assistants):
        count -= any(part.kind == "tool_call" for part in messages[number].parts)
        if count == 0:
            return number
    return 0
