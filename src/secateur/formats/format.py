"""What every format is: a base class with a default for each thing that only some formats have.

Rule: what other rooms need to know of a format, it declares. Nobody asks for its class or whether it has a method.
"""

from typing import Any

from secateur.errors import FormatError
from secateur.formats.appending import Appending
from secateur.model import Message, NewMessage, Part, Transcript


class Format:
    """One message format. Subclasses have no state; one instance serves every document."""

    name: str = ""
    log: bool = False  # a session log: the document is lines of JSON, edited line by line
    telltale_names: frozenset[str] = frozenset()  # field names that give away a document which is almost one
    family: str = "transcript"  # the API whose rules hold for its messages
    must_alternate: bool = False  # user and assistant take turns, so no message goes as a whole
    may_alternate: bool = False  # some servers want them to: a history that does keeps doing so
    has_host_entry: bool = False  # `host_entry` writes the host's own compaction entry
    entry_words: str | None = None  # what that entry says beside the summary; None: the summary stands alone

    def recognize(self, native: Any) -> str:
        """Why this document is of this format, in a few words; "" if it is not. What is unknown is passed over."""
        raise NotImplementedError

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of a document: a `Text`, `Lines` for a log, or Python objects; messages and parts keyed.

        `known` are messages read before from the very same leading elements; they are taken over as they are, and
        reading goes on behind them (request formats; a log may ignore it). `model` is the caller's word, which wins
        over the document's. Raises FormatError.
        """
        raise NotImplementedError

    def replacement_body(self, part: Part, text: str) -> Any:
        """The value to put at `part.path` so that the part reads `text`."""
        return text

    def new_message(self, new: NewMessage) -> Any:
        """The native shape of a message that is not in the history. Raises FormatError where there is none."""
        raise FormatError(f"{self.name} has no shape for a message that is not in the history")

    def host_entry(self, native: Any, made: Appending) -> list[Any]:
        """The entries with which the host itself records a compaction, to be put at the end of the document."""
        raise FormatError(f"{self.name} has no compaction entry")
