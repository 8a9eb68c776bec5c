"""Rich's console, on which no text can send control characters to the terminal.

Rule: only the styles that Rich itself applies become escape sequences; all text is cleaned before it is written.
"""

from collections.abc import Callable, Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment


class CleanConsole(Console):
    """A console that passes each piece of text through `clean` on its way out."""

    def __init__(self, clean: Callable[[str], str], **settings: Any) -> None:
        super().__init__(**settings)
        self._clean = clean

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments of what is to be printed, each with its text cleaned; Rich's own control codes stay."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(self._clean(segment.text), segment.style)
