"""One document under repair: its nodes, who it will be sent to, and a record of every change.

Rule: each change is recorded with the rule that it serves and the place as it was when the document came in. Nothing
is written here; `editable` turns the nodes into operations.
"""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from secateur.api.editable import Node
from secateur.model import Path

# These texts replace what is missing. Repaired documents contain them, so they never change.
NO_RESULT = "[no result: the call was interrupted]"
NO_OUTPUT = "[no output]"
NO_CONTENT = "[no content]"
BEGINNING = "[the conversation before this point is not here]"
GO_ON = "continue"

RunPass = Callable[..., Any]


class RepairPass(Struct, frozen=True):
    """One step of a repair: a function that takes a document under repair and changes it."""

    run: RunPass
    rules: tuple[str, ...]  # the ids of the rules whose violations it repairs; it records its changes under these

    @property
    def name(self) -> str:
        """The name of its function."""
        return str(getattr(self.run, "__name__", ""))


def register_repair(*rules: str) -> Callable[[RunPass], RepairPass]:
    """Turn a function into a repair pass for these rules."""

    def build(run: RunPass) -> RepairPass:
        return RepairPass(run, rules)

    return build


class RepairRecord(Struct, frozen=True):
    """One thing that was repaired, or that is still broken."""

    rule: str  # the rule that was violated: A1, O2; of a session file L1 to L10, or F1 to F3 for its lines
    where: str  # messages.3.content.1, or line 7 (lines count from 1), as the document came in
    what: str  # what was done, or what is wrong


class RepairLimits(Struct, frozen=True):
    """The limits of one request (defaults: rules A25 to A28). Sizes of images are those of their base64."""

    body_bytes: int = 0  # 0: the limit of the API, 32 MB for Anthropic (A25), 100 MB for Gemini (G14)
    images: int = 600
    image_bytes: int = 10_000_000
    image_px: int = 8_000  # per side
    many: int = 20  # with more images than this, every side is limited to `many_px`
    many_px: int = 2_000


class RepairOptions(Struct, frozen=True):
    """The recipient of the request."""

    model: str = ""  # decides whether the assistant may have the last word; "": the model that the request names
    profile: str = ""  # a server that accepts less: see `PROFILES`
    limits: RepairLimits = RepairLimits()


class RepairRun(Struct, eq=False):
    """A request under repair. Passes change `nodes` and record what they did."""

    nodes: list[Node]
    options: RepairOptions
    bytes: int = 0  # of the whole document; 0: it is not text
    request: dict[str, Any] = {}  # the body, for its fields next to the messages
    partial: bool = False  # a part of the history is stored by the provider
    bytes_removed: int = 0  # of media
    records: list[RepairRecord] = []

    def record(self, rule: str, node: Node, what: str, inside: Path = ()) -> None:
        """Record a change that serves a rule, at a node or at a path inside it."""
        self.records.append(RepairRecord(rule, format_path((*(node.path or ()), *inside)), what))

    def iterate_runs(self) -> Iterator[tuple[str, list[Node]]]:
        """Consecutive messages of one role together, as the API merges them."""
        run: list[Node] = []
        for node in self.nodes:
            if run and node.role != run[-1].role:
                yield run[-1].role, run
                run = []
            run.append(node)
        if run:
            yield run[-1].role, run

    def iterate_blocks(self) -> Iterator[tuple[Node, Node]]:
        """Each block with its message."""
        for node in self.nodes:
            for block in node.inner or ():
                yield node, block


def format_path(path: Path) -> str:
    """A path for people: `messages.3.content.1`."""
    return ".".join(map(str, path)) or "the document"


def quote(name: Any) -> str:
    """A name from the document, in quotes and short enough for a sentence."""
    text = str(name)
    return repr(text if len(text) <= 40 else f"{text[:32]}…{text[-7:]}")
