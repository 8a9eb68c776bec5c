"""What a conversation is made of, whatever format writes it."""

from typing import Any, NamedTuple

Native = dict[str, Any]
Said = list[tuple[str, Any]]  # role and text, or "call" and a `Call`, in order


class Step(NamedTuple):
    """One call and its result."""

    tool: str
    arguments: str  # JSON text
    output: str
    error: bool = False


class Turn(NamedTuple):
    """What the user asked, what the agent did, and how it ended; an empty answer: it is still at it."""

    asked: str
    steps: tuple[Step, ...]
    answer: str = "Done."


class Call(NamedTuple):
    """A step with its place in the conversation."""

    number: int
    step: Step

    @property
    def id(self) -> str:
        return f"call_{self.number}"

    @property
    def given(self) -> str:
        """Stands for the arguments until the document is written."""
        return f"@arguments {self.number}@"
