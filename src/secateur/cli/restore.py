"""`secateur restore`: the file as it was before `prune` wrote it, byte for byte.

Rule: the original is written only if its hash matches the record. Lines that were appended since are kept and reported.
A document is not dumped on a terminal, and nothing is written in place without a backup.
"""

import glob
from pathlib import Path
from typing import Annotated

from msgspec import Struct

from secateur.cli import options
from secateur.cli.exit_codes import FINDINGS, SUCCESS, UnreadableInput
from secateur.cli.inputs import InputSource, read_source
from secateur.cli.names import DOCUMENT
from secateur.cli.options import Options, make_argument, make_option
from secateur.cli.output.formatting import format_time, pluralize
from secateur.cli.output.progress import show_work
from secateur.cli.output.terminal import clean, print_blocks
from secateur.cli.runs import print_run
from secateur.cli.store_option import OpenedStore, find_session, open_existing_store
from secateur.cli.writer import Target
from secateur.lineage import hash_text
from secateur.sessions.originals import (
    Before,
    Gone,
    OriginalFile,
    Writing,
    find_original_size,
    find_writing,
    iterate_writings,
    restore_from_backup,
    restore_original,
)
from secateur.stores.protocol import SessionId

SCHEMA = "secateur.restore/1"
_EPILOG = """\
\b
Examples:
  secateur restore pruned.jsonl -o s.jsonl     write the original
  secateur restore s.jsonl --in-place          keeps s.jsonl.bak
  secateur restore pruned.jsonl | cmp - s.jsonl
  secateur restore s.jsonl --store sqlite:///~/agents.db --in-place

\b
It works for files written by `prune --session` or `prune --store`. `compact`,
`repair` and `recover` store nothing: the original is their input, or with
--in-place its .bak. `hook` writes no file.

\b
If the store's retention has deleted the bytes, a backup beside the file
(FILE.bak, FILE.bak1, ...) is used if it has the right hash. A file that was pruned
several times is restored to the first original. Lines appended since are
kept. Stop the agent before --in-place.

\b
Exit codes: 0 success, 1 it cannot be restored, 2 usage, 3 input unreadable.
"""


class RestoreOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur restore`."""

    input: Annotated[str, make_argument(type=DOCUMENT, metavar="FILE")]
    output: options.Output
    in_place: options.InPlace
    session: Annotated[
        str, make_option("--session", default="", metavar="NAME", help="Search only this session; default: all.")
    ]
    tenant: options.Tenant
    store: options.StoreUrl
    as_json: options.AsJson

    @property
    def target(self) -> Target:
        """The target of the document."""
        return Target(self.input, self.output, self.in_place, self.as_json)


class RestoreStep(Struct, frozen=True):
    """One prune that was undone, the newest first."""

    session: str
    receipt: int  # its number in the session
    at_ms: int  # ms since 1970
    source: str  # where the bytes came from: the store's address, or a backup's name


class RestoreReport(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    input: str
    output: str | None  # the file, "-" for standard output; null: not written
    backup: str | None
    store: str
    is_exact: bool  # these are the very bytes of the file as it was
    later_bytes: int  # that came after the prune, and stay; 0 if `is_exact`
    whole: bool  # whether all that the prune wrote is unchanged; false if something after its last edit differs now
    bytes: int  # unpacked
    hash: str  # of the unpacked bytes, by which receipts name the file (`filed.before`)
    steps: tuple[RestoreStep, ...]  # (): the file is the original already


class _Original(Struct, frozen=True):
    """The file as it was, and how it was found."""

    document: OriginalFile | InputSource
    steps: tuple[RestoreStep, ...]
    later_bytes: int
    is_whole: bool


@options.make_command("restore", RestoreOptions, _EPILOG)
def command(args: RestoreOptions) -> int:
    """Write the original of FILE, a session file or a request body that was pruned (- is standard input).

    The original is written to -o, to FILE itself (--in-place), or to standard output if that is a pipe or a file; on
    a terminal nothing is written.
    """
    args.target.check()
    source = read_source(args.input)
    with show_work(f"looking for the original of {source.label}"), open_existing_store(args.store) as kept:
        try:
            original = _find_original(kept, args, source)
        except Gone as error:
            print_blocks(f"secateur: {_describe_missing(error, kept, source)}", err=True)
            return FINDINGS
        if original is None:
            print_blocks(f"secateur: {_describe_unknown(kept, source)}", err=True)
            return FINDINGS
    backup = args.target.write(source, _pack(args, source, original.document))
    report = _make_report(args, kept, original, str(backup) if backup else None)
    print_run(report, args, lambda: _render(report, source))
    return SUCCESS


def _find_original(kept: OpenedStore, args: RestoreOptions, source: InputSource) -> _Original | None:
    """The file as it was before all recorded prunes; None if none is recorded. Raises Gone."""
    known = list(iterate_writings(kept.store, _list_sessions(kept, args)))
    steps: list[RestoreStep] = []
    back: OriginalFile | InputSource = source
    later, whole, seen = 0, True, {hash_text(source.data)}
    while (writing := find_writing(_get_data(back), known)) is not None:
        found_original, where = _find_previous(kept, source, writing, _get_data(back))
        if found_original is None or hash_text(found_original.before.data) in seen:
            break
        back, later, whole = found_original, max(later, found_original.later), whole and found_original.whole
        seen.add(hash_text(found_original.before.data))
        steps.append(RestoreStep(writing.who.session, writing.number, writing.at, where))
    if not steps:
        size = find_original_size(source.data, known)
        return None if size is None else _Original(source, (), len(source.data) - size, True)
    return _Original(back, tuple(steps), later, whole)


def _list_sessions(kept: OpenedStore, args: RestoreOptions) -> list[SessionId]:
    if args.session:
        return [find_session(kept, args.tenant, args.session).who]
    return [row.who for row in kept.store.list_sessions(args.tenant)]


def _find_previous(
    kept: OpenedStore, source: InputSource, writing: Writing, data: bytes
) -> tuple[OriginalFile | None, str]:
    """The file before one prune, and where it was found: in the store, or in a backup with the right hash."""
    try:
        return restore_original(kept.store, writing, data), kept.url
    except Gone:
        for name in _find_backups(source.name):
            try:
                copy = read_source(name)
            except UnreadableInput:
                continue
            previous = restore_from_backup(writing, Before(copy.data, copy.stored if copy.is_gzip else b""), data)
            if previous is not None:
                return previous, name
        raise


def _find_backups(name: str) -> list[str]:
    return [] if name == "-" else sorted(glob.glob(f"{glob.escape(name)}.bak*"))


def _get_data(back: OriginalFile | InputSource) -> bytes:
    return back.before.data if isinstance(back, OriginalFile) else back.data


def _pack(args: RestoreOptions, source: InputSource, document: OriginalFile | InputSource) -> bytes:
    """The document as it is to be stored: compressed if its name or the input is, with its original bytes."""
    if args.target.needs_gzip(source) and isinstance(document, OriginalFile) and document.before.stored:
        return document.before.stored
    return args.target.pack(source, _get_data(document)).stored


def _make_report(args: RestoreOptions, kept: OpenedStore, original: _Original, backup: str | None) -> RestoreReport:
    data = _get_data(original.document)
    return RestoreReport(
        input=args.input,
        output=args.target.name,
        backup=backup,
        store=kept.url,
        is_exact=not original.later_bytes and original.is_whole,
        later_bytes=original.later_bytes,
        whole=original.is_whole,
        bytes=len(data),
        hash=hash_text(data),
        steps=original.steps,
    )


def _render(done: RestoreReport, source: InputSource) -> list[str]:
    """The report as text."""
    name = clean(source.label)
    if not done.steps:
        grown = f", with {done.later_bytes:,} bytes appended since" if done.later_bytes else ""
        return [f"{name} is already the original{grown}: nothing is missing from it, so there is nothing to restore."]
    last = done.steps[-1]
    lines = [
        f"{name}: {pluralize(len(done.steps), 'prune')} undone, {done.bytes:,} bytes, "
        f"as of {format_time(last.at_ms)} (session {clean(last.session)}, from {clean(last.source)})."
    ]
    if done.is_exact:
        lines.append("The bytes are exactly those of the original.")
    elif done.whole:
        lines.append(f"{done.later_bytes:,} bytes were appended since; they are kept after the original.")
    else:
        lines.append(
            f"The file was changed after its last edit: what was removed is back, and the last "
            f"{done.later_bytes:,} bytes are kept as they are."
        )
    where = clean(done.output) if done.output not in (None, "-") else done.output
    if where is None:
        lines.append("Nothing was written: -o FILE or --in-place writes it.")
    elif where != "-":
        lines.append(f"Written to {where}{f'; backup: {clean(done.backup)}' if done.backup else ''}.")
    return lines


def _describe_missing(error: Gone, kept: OpenedStore, source: InputSource) -> str:
    """What is missing, and how to continue."""
    writing = error.writing
    filed = writing.filed
    beside = ", ".join(map(clean, _find_backups(source.name))) or "none"
    return (
        f"nothing was written: the original of {clean(source.label)}, {filed.before_bytes:,} bytes with "
        f"the hash {filed.before}, pruned on {format_time(writing.at)} (receipt {writing.number} of session "
        f"{clean(writing.who.session)}), cannot be restored: at {clean(kept.url)}, {error}. Put a copy "
        f"of it beside the file as {clean(Path(source.label).name)}.bak and run this again (there now: {beside}); next "
        "time raise SECATEUR_RETENTION_DAYS"
    )


def _describe_unknown(kept: OpenedStore, source: InputSource) -> str:
    """The message that nothing is known about the file, with the possible reasons."""
    beside = _find_backups(source.name)
    hint = (
        f"; {clean(beside[-1])} may be the file you are looking for: secateur diff shows how it differs"
        if beside
        else ""
    )
    return (
        f"nothing was written: {clean(kept.url)} does not know what {clean(source.label)} was before. It was "
        "never pruned, or nothing of it was removed, or without --session and --store, or into another store (name it "
        f"with --store), or by another command than prune, or it was changed before its last edit{hint}"
    )
