"""What can be edited in a conversation: where protection begins, and which results are outside it.

Results are walked from the newest backwards, never past `index.first_prunable`. Strategies choose among the eligible
ones.
"""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from typing import Protocol

from secateur.model import Message, MessagePositions, Part, Transcript
from secateur.protect import Protection, count_protected_tokens, is_protected_tool
from secateur.text.readback import find_first_unread, find_unused_keys
from secateur.tool_kinds import detect_tool_kind
from secateur.toolcalls.history import get_history
from secateur.toolcalls.staleness import Retained
from secateur.toolcalls.task_terms import find_call_of_result, has_media_inside

Messages = tuple[Message, ...]


class Measured(Protocol):
    """The parts of a budget that the walk needs."""

    @property
    def window(self) -> int: ...
    @property
    def count(self) -> Callable[[str], int]: ...
    @property
    def protect(self) -> Protection: ...
    @property
    def originals(self) -> Mapping[str, Part]: ...


def get_index(transcript: Transcript) -> MessagePositions:
    """The transcript's index; made by a scan if it has none yet."""
    return transcript.index or extend_index(transcript.messages)


def extend_index(messages: Messages, known: MessagePositions | None = None, first: int = 0) -> MessagePositions:
    """The index of these messages, continuing `known`, the index of those before `first`."""
    known = known or MessagePositions()
    users, turns, assistants = list(known.user_messages), list(known.user_turns), list(known.assistant_messages)
    for number in range(first, len(messages)):
        message = messages[number]
        role = message.role
        if role == "assistant":
            if message.path or not message.is_put_in:  # what a plan says for it closes no round
                assistants.append(number)
        elif role == "user":
            if message.origin == "user":
                users.append(number)
                turns.append(number)
            elif all([part.kind != "tool_result" for part in message.parts]):
                users.append(number)  # not a reminder that a host added to tool results
    positions = tuple(users), tuple(turns), tuple(assistants)
    return MessagePositions(*positions, known.first_prunable, known.prunable, known.derived)


def truncate_index(index: MessagePositions, size: int) -> MessagePositions:
    """The index of the first `size` messages."""
    return MessagePositions(
        index.user_messages[: bisect_left(index.user_messages, size)],
        index.user_turns[: bisect_left(index.user_turns, size)],
        index.assistant_messages[: bisect_left(index.assistant_messages, size)],
        min(index.first_prunable, size),
        index.prunable and index.prunable[: bisect_left(index.prunable, size)],
        index.derived,
    )


def find_boundary(transcript: Transcript, protect: Protection) -> range:
    """The numbers of the messages that can be edited, judged by their position alone."""
    messages, index = transcript.messages, get_index(transcript)
    head = protect.first_messages
    start = head + 1 if head and messages and messages[0].role == "system" else head
    if protect.before_first_user:
        start = max(start, index.user_messages[0] if index.user_messages else len(messages))
    stop = len(messages) - protect.last_messages
    if protect.last_turns:
        stop = min(stop, _find_last_start(_get_turns(index, protect), protect.last_turns))
    if protect.last_assistant_messages:
        stop = min(stop, _find_last_start(index.assistant_messages, protect.last_assistant_messages))
    if protect.unread:
        stop = min(stop, find_first_unread(messages))
    if protect.last_rounds:
        stop = min(stop, _round(messages, index.assistant_messages, protect.last_rounds))
    return range(start, max(start, stop))


def find_turn_start(transcript: Transcript) -> int:
    """The start of the running turn, as providers see it: after the last user message without results (A51, A52)."""
    for number in reversed(get_index(transcript).user_messages):
        if all([part.kind != "tool_result" for part in transcript.messages[number].parts]):
            return number
    return 0


def explain_protection(transcript: Transcript, protect: Protection) -> str:
    """Explain in one sentence why no message can be edited; "" if some can."""
    if find_boundary(transcript, protect):
        return ""
    index = get_index(transcript)
    turns = _get_turns(index, protect)
    if len(turns) < protect.last_turns:
        return f"there are {len(turns)} user turns, and the last {protect.last_turns} stay: nothing is older"
    count, last = len(index.assistant_messages), protect.last_assistant_messages
    if count < last:
        return f"there are {count} assistant messages, and the last {last} stay"
    if protect.before_first_user and not index.user_messages:
        return "there is no user message yet, and what stands before the first one stays"
    return f"all {len(transcript.messages)} messages are within the protected head and tail"


def is_forbidden(part: Part, protect: Protection) -> bool:
    """Return whether this part may never be edited under this policy, wherever it is."""
    return (
        part.pinned
        or (part.is_error and protect.error_results)
        or part.key in protect.part_keys
        or len(part.text) < protect.min_result_chars
        or (part.kind == "tool_result" and is_protected_tool(protect, part.tool))
    )


def is_eligible(transcript: Transcript, number: int, part: Part, protect: Protection) -> bool:
    """Whether this result of message `number` may be edited, if its place allows it."""
    if part.kind != "tool_result" or is_forbidden(part, protect):
        return False
    if protect.media_results and has_media_inside(transcript.messages[number], part):
        return False
    if not protect.tool_kinds:
        return True
    call = find_call(transcript, number, part)
    return detect_tool_kind(part.tool, call.text if call else "") not in protect.tool_kinds


def find_prunable_results(
    transcript: Transcript,
    budget: Measured,
    settled: Callable[[Part], bool],
    walk_ends: bool = False,
) -> Iterator[tuple[int, Part]]:
    """Prunable results with their message's number, newest first.

    `settled` says which were edited for good; `walk_ends` stops at the first of them and at a summary (as opencode and
    Kilocode do). The result that crosses the limit of protected tokens is prunable.
    """
    protect = budget.protect
    kept = find_working_set(transcript, protect, budget.originals).keys
    reach = count_protected_tokens(protect, budget.window)
    left = [reach] if reach else []  # tokens still to protect; beyond this line nothing is counted any more
    for number, part in _find_unprotected(transcript, protect, walk_ends, left):
        gone = settled(part)
        if (gone and not walk_ends) or part.key in kept or not is_eligible(transcript, number, part, protect):
            continue
        if gone:
            return
        if left:
            left[:] = [more] if (more := left[0] - budget.count(part.text)) >= 0 else []
        if not left and len(part.text) >= protect.min_prunable_chars:
            yield number, part


def find_superseded_results(
    transcript: Transcript, budget: Measured, settled: Callable[[Part], bool], keys: Collection[str]
) -> Iterator[tuple[int, Part]]:
    """Results of these keys that later ones supersede, with their message's number, oldest first.

    Limits on the newest results or tokens do not apply: the later result is the one that is kept.
    """
    protect = budget.protect
    kept = find_working_set(transcript, protect, budget.originals).keys
    inside = find_boundary(transcript, protect)
    first = max(inside.start, get_index(transcript).first_prunable)
    where = get_history(transcript.messages, budget.originals, transcript.index).where
    for number in sorted({where[key][0] for key in keys if key in where}):
        if not first <= number < inside.stop:
            continue
        for part in transcript.messages[number].parts:
            if part.key not in keys or part.key in kept or settled(part):
                continue
            if is_eligible(transcript, number, part, protect):
                yield number, part


def find_working_set(transcript: Transcript, protect: Protection, raw: Mapping[str, Part]) -> Retained:
    """Find results still in use: fresh reads, unresolved errors, readbacks. `raw` has the original parts."""
    asked = find_unused_keys(transcript.messages, protect.recent_readbacks)
    if not protect.recent_files and not protect.unresolved_errors:
        return Retained(asked)
    history = get_history(transcript.messages, raw, transcript.index)
    staleness = history.get_staleness(protect.recent_files, protect.recent_file_chars)
    held = staleness.get_held_keys(reads=bool(protect.recent_files), failures=protect.unresolved_errors)
    return Retained(held.keys | asked, held.left) if asked else held


def find_first_unspent(transcript: Transcript, protect: Protection, settled: Callable[[Part], bool]) -> int:
    """Return the first message with a result that may still be pruned: the next `index.first_prunable`."""
    first = max(get_index(transcript).first_prunable, find_boundary(transcript, protect).start)
    numbers = range(first, len(transcript.messages))
    return next(find_prunable_messages(transcript, protect, settled, numbers), max(first, len(transcript.messages)))


def find_prunable_messages(
    transcript: Transcript, protect: Protection, settled: Callable[[Part], bool], numbers: Iterable[int]
) -> Iterator[int]:
    """Yield those of these messages that hold a result that may be pruned now or later."""
    for number in numbers:
        for part in transcript.messages[number].parts:
            worth = part.kind == "tool_result" and len(part.text) >= protect.min_prunable_chars
            if worth and not settled(part) and is_eligible(transcript, number, part, protect):
                yield number
                break


def find_protected_keys(
    transcript: Transcript, protect: Protection, keys: Set[str], edited: Set[str] = frozenset()
) -> frozenset[str]:
    """Those of the parts named by `keys` that cannot be edited at their present place, after a rewind or a new pin.

    This includes what the model wrote in a turn that is running again, except for reasoning that is bound to its
    prefix: after an edited part (`edited`) it is invalid and stays removed.
    """
    inside, loop = find_boundary(transcript, protect), find_turn_start(transcript)
    kept = find_working_set(transcript, protect, {}).keys
    found: set[str] = set()
    void = False
    for number, message in enumerate(transcript.messages):
        for part in message.parts:
            stays = part.key not in keys or (void and part.prefix_bound)
            if not stays and (part.key in kept or _is_guarded(part, number >= loop, number in inside, protect)):
                found.add(part.key)
                continue
            void = void or (part.key in edited and part.kind != "reasoning")
    return frozenset(found)


def find_call(transcript: Transcript, number: int, result: Part) -> Part | None:
    """The call that a result of message `number` answers: by id within its round, never over the whole history."""
    return find_call_of_result(transcript.messages, number, result)


def _find_unprotected(
    transcript: Transcript, protect: Protection, to_summary: bool, left: list[int]
) -> Iterator[tuple[int, Part]]:
    """Yield results outside the protected head and tail and older than `protect.results`, newest first.

    Once nothing is `left` to protect, only those that may be removed, as far as the index knows.
    """
    messages, index = transcript.messages, get_index(transcript)
    inside = find_boundary(transcript, protect)
    newest = protect.last_results
    first = max(inside.start, index.first_prunable)
    number = (len(messages) if newest else inside.stop) - 1
    while number >= first:
        if to_summary and messages[number].origin == "summary":
            return
        for part in reversed(messages[number].parts):
            if part.kind == "tool_result":
                newest -= 1
                if newest < 0 and number < inside.stop:
                    yield number, part
        if to_summary or index.prunable is None or newest > 0 or left:
            number -= 1
        else:
            place = bisect_left(index.prunable, number)
            number = index.prunable[place - 1] if place else -1


def _is_guarded(part: Part, running: bool, inside: bool, protect: Protection) -> bool:
    if part.kind == "reasoning":
        return running
    return not inside or is_forbidden(part, protect) or (running and part.kind == "tool_call")


def _get_turns(index: MessagePositions, protect: Protection) -> tuple[int, ...]:
    return index.user_messages if protect.count_all_user_messages else index.user_turns


def _find_last_start(places: tuple[int, ...], count: int) -> int:
    """Return where the last `count` begin; 0, which protects all, if there are fewer."""
    return places[-count] if len(places) >= count else 0


def _round(messages: tuple[Message, ...], assistants: tuple[int, ...], count: int) -> int:
    """The index at which the last `count` assistant messages with calls begin; 0 if there are fewer."""
    for number in reversed(assistants):
        count -= any(part.kind == "tool_call" for part in messages[number].parts)
        if count == 0:
            return number
    return 0
