"""The turns of a conversation: what each asked for, and how much it brought.

Rule: a turn is a message of origin `user` up to the next one; what stands before the first is turn 0.
"""

from msgspec import Struct

from secateur.cli.terminal import start_of
from secateur.model import Message, Transcript

_STARTS = 240  # characters of what was asked that are told


class Turn(Struct, frozen=True):
    """One turn."""

    turn: int
    message: int  # where it begins
    asked: str
    messages: int
    tokens: int


def by_turn(transcript: Transcript) -> list[Turn]:
    """The turns in order."""
    starts = [n for n, message in enumerate(transcript.messages) if begins_turn(message)]
    edges = [*starts, len(transcript.messages)]
    told = [_turn(number + 1, transcript, *edge) for number, edge in enumerate(zip(starts, edges[1:], strict=True))]
    return [_turn(0, transcript, 0, edges[0]), *told] if edges[0] else told


def turn_numbers(transcript: Transcript) -> list[int]:
    """For each message the number of its turn."""
    numbers, turn = [], 0
    for message in transcript.messages:
        turn += begins_turn(message)
        numbers.append(turn)
    return numbers


def begins_turn(message: Message) -> bool:
    """Whether a person speaks here."""
    return message.role == "user" and message.origin == "user"


def _turn(number: int, transcript: Transcript, start: int, end: int) -> Turn:
    messages = transcript.messages[start:end]
    asked = _said(messages[0]) if number else ""
    return Turn(number, start, asked, len(messages), sum(part.tokens for message in messages for part in message.parts))


def _said(message: Message) -> str:
    """The start of what a message says in words."""
    return " ".join(start_of(part.text, _STARTS) for part in message.parts if part.kind == "text")[:_STARTS]
