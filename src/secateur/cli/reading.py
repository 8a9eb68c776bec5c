"""A document opened for a person: its bytes, its format and why it was taken for it, its parts counted.

Rule: what is read here is what is told; the engine reads for itself.
"""

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from secateur.cli.source import Source
from secateur.cli.unread import unread
from secateur.errors import FormatError
from secateur.model import Transcript
from secateur.session import document
from secateur.session.document import Document
from secateur.tokens import counter_for


class Opened(Struct, frozen=True):
    """A source and what it says."""

    source: Source
    document: Document
    transcript: Transcript  # counted

    @property
    def format(self) -> str:
        """The format's name."""
        return self.document.format.name


def opened(
    source: Source, format_name: str | None, counter: str = "estimate", fixed_tokens: int = 0, model: str = ""
) -> Opened:
    """Recognise and read a document, and count it in the tokens of this model, or of its own.

    Raises Unreadable, which names the source.
    """
    try:
        found = document.read(source.data, format_name, model)
    except FormatError as error:
        raise unread(source, error) from error
    transcript = counted(found.transcript, counter_for(counter, found.transcript.model))
    return Opened(source, found, replace(transcript, fixed_tokens=fixed_tokens or transcript.fixed_tokens))


def counted(transcript: Transcript, count: Callable[[str], int]) -> Transcript:
    """The same transcript, each part with its tokens; a reader has filled in those of media."""
    for message in transcript.messages:
        for part in message.parts:
            if part.text and not part.tokens:
                force_setattr(part, "tokens", count(part.text))
    return transcript
