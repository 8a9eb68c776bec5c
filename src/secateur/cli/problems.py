"""What is wrong with a conversation as it was recorded: calls without a result, results without a call.

Rule: a call that nothing came after is not wrong, it waits; ids repeat and may be empty, so a result belongs to the
latest open call with its id. Nothing is mended here.
"""

from msgspec import Struct

from secateur.cli.anatomy import Place, parts, place
from secateur.model import Message, Part, Transcript


class Problem(Struct, frozen=True):
    """One thing that is wrong, and where."""

    what: str  # "call without result" or "result without call"
    where: Place


def problems(transcript: Transcript) -> list[Problem]:
    """Calls and results that are not a pair, in the order of the conversation."""
    open_: list[tuple[int, Message, Part]] = []
    found: list[tuple[int, Problem]] = []
    for number, message, part in parts(transcript):
        if part.kind == "tool_call":
            open_.append((number, message, part))
        elif part.kind == "tool_result" and not _closes(open_, part):
            found.append((number, Problem("result without call", place(number, message, part))))
    last = _last_round(transcript)
    found += [(one[0], Problem("call without result", place(*one))) for one in open_ if one[0] < last]
    return [problem for _, problem in sorted(found, key=lambda one: one[0])]


def _closes(open_: list[tuple[int, Message, Part]], result: Part) -> bool:
    """Take the call that a result answers off the list; False if there is none."""
    for at in range(len(open_) - 1, -1, -1):
        if open_[at][2].call == result.call:
            del open_[at]
            return True
    return False


def _last_round(transcript: Transcript) -> int:
    """The number of the message whose calls may still be running; behind the end if a user spoke since."""
    for number in range(len(transcript.messages) - 1, -1, -1):
        if transcript.messages[number].role != "tool":
            return number if transcript.messages[number].role == "assistant" else len(transcript.messages)
    return 0
