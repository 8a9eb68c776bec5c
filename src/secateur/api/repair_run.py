"""One document on the bench: its nodes, what is known about whom it is sent to, and the record of what was mended.

Rule: each mend is recorded with the rule it serves and the place as it was when the document came in. A mend that
cannot be made is recorded as left. Nothing is written here; `draft` says what changes.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from secateur.api.editable import Node
from secateur.model import Path

NO_RESULT = "[no result: the call was interrupted]"
NO_OUTPUT = "[no output]"
NO_CONTENT = "[no content]"
BEGINNING = "[the conversation before this point is not here]"
GO_ON = "continue"


class Mended(Struct, frozen=True):
    """One thing that was mended, or could not be: the rule it broke, where, and what was done (or why nothing)."""

    rule: str  # a wire rule (A1, O2, R1; of a recorded conversation L1), or of a session file: F1 a line is one
    # entry, F2 its parent is there, F3 its ids are its own
    where: str  # messages.3.content.1, or line 7 (lines count from 1), as the document came in
    what: str


class Limits(Struct, frozen=True):
    """What one request may carry (wire rules A25-A28 for the defaults). Sizes of images are those of their base64."""

    body_bytes: int = 0  # 0: what the API takes, 32 MB of Anthropic (A25), 100 MB of Gemini (G14)
    images: int = 600
    image_bytes: int = 10_000_000
    image_px: int = 8_000  # per side
    many: int = 20  # with more images than this, every side must be within `many_px`
    many_px: int = 2_000


class Settings(Struct, frozen=True):
    """Who the request is for. `model` decides whether a last assistant text is refused; `profile` "strict" wants roles
    to alternate."""

    model: str = ""
    profile: str = ""
    limits: Limits = Limits()


class Work(Struct, eq=False):
    """A document that is being mended."""

    nodes: list[Node]
    settings: Settings
    bytes: int = 0  # of the whole document; 0: it is not text
    request: dict[str, Any] = {}  # the body, for what stands beside its messages
    partial: bool = False  # the server holds history that is not here
    spared: int = 0  # bytes of media that went
    mended: list[Mended] = []
    left: list[Mended] = []

    def say(self, rule: str, node: Node, what: str, inside: Path = ()) -> None:
        """Record a mend."""
        self.mended.append(Mended(rule, spelled((*(node.path or ()), *inside)), what))

    def leave(self, rule: str, node: Node, why: str) -> None:
        """Record what is broken and stays so."""
        self.left.append(Mended(rule, spelled(node.path or ()), why))

    def runs(self) -> Iterator[tuple[str, list[Node]]]:
        """Consecutive messages of one role together, as the API merges them."""
        run: list[Node] = []
        for node in self.nodes:
            if run and node.role != run[-1].role:
                yield run[-1].role, run
                run = []
            run.append(node)
        if run:
            yield run[-1].role, run

    def blocks(self) -> Iterator[tuple[Node, Node]]:
        """Every message that holds blocks, with each of them."""
        for node in self.nodes:
            for block in node.inner or ():
                yield node, block


def spelled(path: Path) -> str:
    """A path as people read it: `messages.3.content.1`."""
    return ".".join(map(str, path)) or "the document"


def quoted(name: Any) -> str:
    """A name from the document, short enough for a sentence."""
    text = str(name)
    return repr(text if len(text) <= 40 else f"{text[:32]}…{text[-7:]}")
