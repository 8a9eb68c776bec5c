"""A summarizer without a model: it fills in the sections that it is asked for, and quotes a note of the user's.

The summary has to pass the same checks as a model's; what code knows of the history is added to it by secateur.
"""

import re

from secateur.plugins import Ask, Function, Summarizer

_HEADING = re.compile(r"^## .+$", re.M)


def make_summarizer(name: str) -> Summarizer:
    """The summarizer of a name: `verbatim:NOTE` gives NOTE as what was accomplished."""
    _, _, note = name.partition(":")
    return Function(name, lambda ask: _answer(ask, note))


def _answer(ask: Ask, note: str) -> str:
    wanted = ask.text.rpartition("<template>")[2].partition("</template>")[0]
    first, *others = dict.fromkeys(_HEADING.findall(wanted)) or ["## Goal"]
    return "\n".join([first, f"- {note or '(none)'}", *(f"{heading}\n(none)" for heading in others)])
