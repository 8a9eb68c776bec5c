"""Mend a request or a session file that its provider, or its host, would refuse.

Rule: a repair is computed from the raw document each time, never kept: a result that is missing now may still arrive.
It is deterministic, mending twice changes nothing more, and every byte that is not mended stays. What cannot be mended
is said. Whether a request needs mending is not decided here: nothing is changed where nothing is broken.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from secateur import formats
from secateur.api import check, family_of
from secateur.api.added_rules import rules_added_to
from secateur.api.anthropic import passes as anthropic
from secateur.api.bedrock import passes as bedrock
from secateur.api.editable import drafted, lowered
from secateur.api.gemini import passes as gemini
from secateur.api.openai_chat import passes as chat
from secateur.api.openai_responses import repairs_items as responses
from secateur.api.repair_run import Limits, Mended, Settings, Work, spelled
from secateur.api.surrogates import halves
from secateur.api.transcript import repairs_opencode as opencode
from secateur.api.transcript.repairs_logs import mend_log
from secateur.elsewhere import kept_elsewhere
from secateur.errors import FormatError, UnknownFormat
from secateur.formats.detection import detected, detected_object
from secateur.formats.native import array_at, leading_model
from secateur.jsontext import Lines, Text
from secateur.model import Path
from secateur.nesting import told_if_too_deep
from secateur.patch import apply

__all__ = ["BODIES", "Limits", "Mended", "Repair", "Settings", "repaired"]

BODIES: dict[str, tuple[Any, str]] = {
    "anthropic_messages": (anthropic, "messages"),
    "openai_chat": (chat, "messages"),
    "openai_responses": (responses, "input"),
    "gemini": (gemini, "contents"),
    "bedrock_converse": (bedrock, "messages"),
    "opencode": (opencode, "messages"),
}


class Repair(Struct, frozen=True):
    """A document that was mended. `native` is the very document if nothing was."""

    native: Any
    mended: tuple[Mended, ...] = ()
    left: tuple[Mended, ...] = ()  # broken still
    torn: bytes = b""  # what was cut off a session file: the pieces of lines that nobody can read


@told_if_too_deep()
def repaired(native: Any, format: str | None = None, settings: Settings | None = None) -> Repair:
    """Mend a document: bytes, text, a `Text` or `Lines`, or Python objects; the same kind comes out.

    `format` is its name where the caller knows it. Raises FormatError where it cannot be read at all, UnknownFormat
    where no format fits.
    """
    if isinstance(native, str):
        done = repaired(native.encode("utf-8", "surrogatepass"), format, settings)
        return Repair(done.native.decode("utf-8", "surrogatepass"), done.mended, done.left, done.torn)
    if isinstance(native, bytes | bytearray | memoryview):
        data = bytes(native)
        text, found, _ = detected(data, format, broken=True)
        done = repaired(text, found.name, settings)
        return Repair(done.native.data if done.mended else data, done.mended, done.left, done.torn)
    name = _name_of(native, format)
    if isinstance(native, Lines) or formats.named(name).log:
        return _log(native, name)
    return _body(native, name, settings or Settings())


def _name_of(native: Any, name: str | None) -> str:
    """The format of a document that is read already, or of Python objects."""
    if not isinstance(native, Text):
        return detected_object(native, name, broken=True)[0].name
    if name is not None:
        return name
    log = isinstance(native, Lines)
    found = formats.recognize(native, log) or formats.recognize_by_plugin(native, log)
    if found is None:
        raise UnknownFormat("no known format: name it, or give a request body or a session file")
    return found[0].name


def _body(native: Any, name: str, settings: Settings) -> Repair:
    """A request body, a list of messages, or a session file that is one document."""
    value = native.value() if isinstance(native, Text) else native
    ops = list(halves(value))
    said = [Mended("A71", spelled(op.path), "half a character became U+FFFD") for op in ops]
    native = apply(native, ops)
    if name not in BODIES or (isinstance(value, dict) and isinstance(value.get(BODIES[name][1]), str)):
        return Repair(
            native, tuple(said), tuple(_broken(native, name, BODIES[name][1] if name in BODIES else "", settings))
        )
    family, array = BODIES[name]
    at, nodes, size = _taken_apart(native, array, family.BLOCKS, name)
    weight = len(native.raw) if isinstance(native, Text) else 0
    request = value if isinstance(value, dict) else {}
    work = Work(nodes, _named(settings, native), weight, request, bool(kept_elsewhere(name, request.get)))
    family.mend(work)
    for rule in rules_added_to(family_of(name)):
        if rule.repair is not None:
            rule.repair(work)
    native = apply(native, list(lowered(native, at, size, work.nodes)))
    return Repair(native, (*said, *work.mended), (*work.left, *_broken(native, name, array, work.settings)))


def _broken(native: Any, name: str, array: str, settings: Settings) -> Iterator[Mended]:
    """What the rules still refuse."""
    family = family_of(name)
    body = native.value() if isinstance(native, Text) else native
    request = body if isinstance(body, dict) and family != "transcript" else None
    messages = formats.named(name).read(native).messages if family == "transcript" else body
    messages = request.get(array) if request else messages
    messages = messages if isinstance(messages, list | tuple) else ()
    for found in check(family, messages, request, profile=settings.profile or None):
        if found.severity == "error":
            yield Mended(found.rule, found.where, found.text)


def _log(native: Any, name: str) -> Repair:
    """A session file."""
    if not isinstance(native, Lines):
        raise FormatError(f"{name} wants the lines of a session file; this document is not one")
    bench = mend_log(native, name)
    return Repair(bench.lines, tuple(bench.mended), tuple(bench.left), bench.torn)


def _taken_apart(native: Any, array: str, blocks: str, name: str) -> tuple[Path, list[Any], int]:
    at, items = array_at(native, array, need=name)
    if isinstance(items, Text) and items.kind != "[":
        raise FormatError(f"{name} wants an array `{array}`; this document has none")
    values = list(items.values() if isinstance(items, Text) else items)
    return at, drafted(values, at, blocks), len(values)


def _named(settings: Settings, native: Any) -> Settings:
    """The settings, with the document's own model where the caller names none."""
    return settings if settings.model else Settings(leading_model(native), settings.profile, settings.limits)
