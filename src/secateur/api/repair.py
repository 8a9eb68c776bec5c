"""Repairs a request that its provider would reject, or a session file that its host could not load.

Rule: a repair is computed from the raw document each time and never stored, because a result that is missing now may
still arrive. It is deterministic, repairing twice changes nothing more, and every byte that is not repaired stays.
What cannot be repaired is reported. A document in which nothing is broken comes out unchanged.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from secateur import formats
from secateur.api import check, get_family
from secateur.api.editable import make_nodes, make_ops
from secateur.api.json_checks import replace_surrogates
from secateur.api.registry import LOGS, REPAIRS, TRANSCRIPT, FormatRepairs, get_passes, list_plugin_rules
from secateur.api.repair_run import RepairLimits, RepairOptions, RepairRecord, RepairRun, format_path, register_repair
from secateur.api.transcript.repairs_logs import repair_log
from secateur.errors import FormatError, UnknownFormat
from secateur.formats.detection import detect_document, detect_object, recognize
from secateur.formats.native import find_array, find_provider_history, get_model
from secateur.jsontext import Lines, Text, convert_recursion_error
from secateur.model import Path
from secateur.patch import Op, apply

__all__ = ["REPAIRABLE", "RepairLimits", "RepairOptions", "RepairRecord", "RepairResult", "repair"]

REPAIRABLE = tuple(name for name in REPAIRS if name != LOGS)  # the formats with passes of their own, logs aside


class RepairResult(Struct, frozen=True):
    """A document after its repair."""

    document: Any  # the very object that came in, if nothing was repaired
    repairs: tuple[RepairRecord, ...] = ()
    remaining: tuple[RepairRecord, ...] = ()  # what is still broken; places are those of the repaired document
    torn: bytes = b""  # what was cut off a session file: pieces of lines that cannot be read


@convert_recursion_error()
def repair(document: Any, format: str | None = None, options: RepairOptions | None = None) -> RepairResult:
    """Repair a document: bytes, text, a `Text` or `Lines`, or Python objects. The same kind comes out.

    `format` is its name if the caller knows it. Raises FormatError if the document cannot be read at all, and
    UnknownFormat if it has no known format.
    """
    if isinstance(document, str):
        done = repair(document.encode("utf-8", "surrogatepass"), format, options)
        return RepairResult(done.document.decode("utf-8", "surrogatepass"), done.repairs, done.remaining, done.torn)
    if isinstance(document, bytes | bytearray | memoryview):
        data = bytes(document)
        text, found, _ = detect_document(data, format, broken=True)
        done = repair(text, found.name, options)
        return RepairResult(done.document.data if done.repairs else data, done.repairs, done.remaining, done.torn)
    name = _format_of(document, format)
    if isinstance(document, Lines) or formats.get_format(name).log:
        return _repair_log(document, name)
    return _repair_body(document, name, options or RepairOptions())


@register_repair("A71")
def repair_characters(value: Any) -> list[Op]:
    """Put U+FFFD in the place of each half of a surrogate pair."""
    return list(replace_surrogates(value))


def _format_of(document: Any, name: str | None) -> str:
    """The format of a document that is parsed already, or of Python objects."""
    if not isinstance(document, Text):
        return detect_object(document, name, broken=True)[0].name
    if name is not None:
        return name
    log = isinstance(document, Lines)
    found = recognize(document, log) or formats.recognize_by_plugin(document, log)
    if found is None:
        raise UnknownFormat("no known format: name it, or give a request body or a session file")
    return found[0].name


def _repair_body(native: Any, name: str, options: RepairOptions) -> RepairResult:
    """Repair a request body, a list of messages, or a session file that is one document."""
    value = native.value() if isinstance(native, Text) else native
    ops = repair_characters.run(value)
    records = [RepairRecord("A71", format_path(op.path), "half a character became U+FFFD") for op in ops]
    native = apply(native, ops)
    table = REPAIRS.get(name, FormatRepairs(TRANSCRIPT, "", "", ()))
    if not table.array or (isinstance(value, dict) and isinstance(value.get(table.array), str)):
        return RepairResult(native, tuple(records), tuple(_find_remaining(native, name, table.array, options)))
    at, nodes, size = _take_apart(native, table.array, table.blocks, name)
    size_bytes = len(native.raw) if isinstance(native, Text) else 0
    request = value if isinstance(value, dict) else {}
    run = RepairRun(
        nodes, _with_model(options, native), size_bytes, request, bool(find_provider_history(name, request.get))
    )
    for one in get_passes(name):
        one.run(run)
    for rule in list_plugin_rules(get_family(name)):
        if rule.repair is not None:
            rule.repair(run)
    native = apply(native, list(make_ops(native, at, size, run.nodes)))
    remaining = _find_remaining(native, name, table.array, run.options)
    return RepairResult(native, (*records, *run.records), tuple(remaining))


def _find_remaining(native: Any, name: str, array: str, options: RepairOptions) -> Iterator[RepairRecord]:
    """What the rules still reject."""
    family = get_family(name)
    body = native.value() if isinstance(native, Text) else native
    request = body if isinstance(body, dict) and family != TRANSCRIPT else None
    messages = formats.get_format(name).read(native).messages if family == TRANSCRIPT else body
    messages = request.get(array) if request else messages
    messages = messages if isinstance(messages, list | tuple) else ()
    for violation in check(family, messages, request, profile=options.profile or None):
        if violation.severity == "error":
            yield RepairRecord(violation.rule, violation.where, violation.text)


def _repair_log(native: Any, name: str) -> RepairResult:
    """Repair a session file of lines."""
    if not isinstance(native, Lines):
        raise FormatError(f"{name} requires the lines of a session file, and this document is not one")
    log = repair_log(native, name)
    return RepairResult(log.lines, tuple(log.records), tuple(log.remaining), log.torn)


def _take_apart(native: Any, array: str, blocks: str, name: str) -> tuple[Path, list[Any], int]:
    at, elements = find_array(native, array, need=name)
    if isinstance(elements, Text) and elements.kind != "[":
        raise FormatError(f"{name} requires an array `{array}`; this document has none")
    values = list(elements.values() if isinstance(elements, Text) else elements)
    return at, make_nodes(values, at, blocks), len(values)


def _with_model(options: RepairOptions, native: Any) -> RepairOptions:
    """The options, with the document's own model if the caller names none."""
    return options if options.model else RepairOptions(get_model(native), options.profile, options.limits)
