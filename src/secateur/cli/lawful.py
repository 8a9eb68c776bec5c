"""What the rules tell of an opened document: a request body as it stands, a session file as its host would send it.

Nothing is mended or printed here.
"""

from typing import Any

from secateur.api import Violation, check, family_of
from secateur.cli.reading import Opened


def violations(read: Opened, profile: str | None = None) -> tuple[str, tuple[Violation, ...]]:
    """The family of rules that was asked, and what it refuses, in the order of the history."""
    family = family_of(read.format)
    messages, request = (read.transcript.messages, None) if family == "transcript" else _native(read)
    return family, tuple(check(family, messages, request, profile=profile))


def _native(read: Opened) -> tuple[Any, dict[str, Any] | None]:
    """The array of messages, and the body it stands in, if it stands in one."""
    whole = read.document.native.value()
    if isinstance(whole, dict) and not read.transcript.at:
        said = next(iter(read.transcript.messages), None)  # one string in the place of messages
        return [{"role": "user", "content": part.text} for part in (said.parts if said else ())], whole
    if isinstance(whole, dict):
        return whole.get(str(read.transcript.at[0])), whole
    return whole, None
