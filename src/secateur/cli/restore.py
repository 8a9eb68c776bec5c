"""`secateur restore`: the file as it was before `prune` wrote it, byte for byte.

Rule: what is written is the original by its recorded hash, or nothing is. What an agent wrote behind it since stays,
and is told. A document is not dumped on a person's terminal, and nothing is written in place without a backup.
"""

import glob
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import Struct

from secateur.cli import options, write
from secateur.cli.exits import FINDINGS, FINE, Unreadable
from secateur.cli.figures import many, moment
from secateur.cli.kept import Kept, opened_store, session_of, tenant
from secateur.cli.progress import working
from secateur.cli.source import Source, read
from secateur.cli.terminal import harmless, say_json, tell
from secateur.keeping.originals import Before, Found, Gone, Writing, backed, found, is_original, writing_of, writings
from secateur.lineage import digest
from secateur.stores.protocol import Who

SCHEMA = "secateur.restore/1"

_HELP = """\
\b
Examples:
  secateur restore pruned.jsonl -o s.jsonl     the file as it was
  secateur restore s.jsonl --in-place          keeps s.jsonl.bak
  secateur restore pruned.jsonl | cmp - s.jsonl
  secateur restore s.jsonl --store sqlite:///~/agents.db --in-place

\b
It works for files that were written by `prune --session` or `prune --store`:
then the store has what is needed. Where its retention has let go of that, a
backup beside the file (FILE.bak, FILE.bak1, ...) serves if it has the right
hash. A file that was pruned several times comes back as it was at first.
Lines that were appended since are kept. Stop the agent before --in-place.

\b
Exit codes: 0 fine, 1 it cannot be brought back, 2 usage, 3 input unreadable.
"""


class Asked(Struct, frozen=True):
    """What the command line said."""

    input: str
    out: str | None
    in_place: bool
    session: str
    tenant: str
    store: str
    as_json: bool

    @property
    def target(self) -> str | None:
        """Where the document goes: a file's name, "-" for standard output, None for nowhere."""
        return write.target(self.input, self.out, self.in_place, self.as_json)


class Step(Struct, frozen=True):
    """One prune that was taken back, the newest first."""

    session: str
    receipt: int  # its number in the session
    at: int  # ms since 1970
    source: str  # where the bytes came from: the store's address, or a backup's name


class Restored(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    input: str
    output: str | None  # the file, "-" for standard output; null: not written
    backup: str | None
    store: str
    exact: bool  # these are the very bytes of the file as it was
    later_bytes: int  # that came after the prune, and stay; 0 where `exact`
    whole: bool  # all that the prune wrote still stood; false: something behind its last edit reads otherwise now
    bytes: int  # unpacked
    hash: str  # of the unpacked bytes, by which receipts name the file (`filed.before`)
    steps: tuple[Step, ...]  # (): the file is the original already


@click.command("restore", epilog=_HELP)
@click.argument("input", type=click.Path(), metavar="FILE")
@options.all_of(
    options.output,
    options.in_place,
    click.option("--session", default="", metavar="NAME", help="Look only in this session; else in all of them."),
    tenant,
    options.store,
    options.as_json,
)
def command(**given: Any) -> int:
    """Write the original of FILE, a session file or a request body that was pruned (- is standard input).

    The document goes to standard output when that is a pipe or a file, else nowhere unless -o or --in-place says
    where; the report then goes to standard error.
    """
    return restore(msgspec.convert(given, Asked))


def restore(asked: Asked) -> int:
    """Read, find, write, tell; the exit code."""
    write.refuse_contradictions(asked.input, asked.out, asked.in_place, asked.as_json)
    source = read(asked.input)
    with working(f"looking for the original of {source.label}"), opened_store(asked.store) as kept:
        try:
            back = _restored(kept, asked, source)
        except Gone as error:
            tell(f"secateur: {_gone(error, kept, source)}", err=True)
            return FINDINGS
        if back is None:
            tell(f"secateur: {_unknown(kept, source)}", err=True)
            return FINDINGS
    stored = _stored(asked, source, back[0])
    backup = _put(asked, source, stored)
    done = _report(asked, kept, back, str(backup) if backup else None)
    if asked.as_json:
        say_json(done)
    else:
        tell(*_blocks(done, source), err=asked.target == "-")
    return FINE


_Back = tuple[Found | Source, tuple[Step, ...], int, bool]  # what it was, by which steps, what came later, whole


def _restored(kept: Kept, asked: Asked, source: Source) -> _Back | None:
    """The file as it was before all prunes that are known; None where none is. Raises Gone."""
    known = list(writings(kept.store, _whose(kept, asked)))
    steps: list[Step] = []
    back: Found | Source = source
    later, whole, seen = 0, True, {digest(source.data)}
    while (writing := writing_of(_data(back), known)) is not None:
        one, where = _before(kept, source, writing, _data(back))
        if one is None or digest(one.before.data) in seen:
            break
        back, later, whole = one, max(later, one.later), whole and one.whole
        seen.add(digest(one.before.data))
        steps.append(Step(writing.who.session, writing.number, writing.at, where))
    if not steps and not is_original(source.data, known):
        return None
    return back, tuple(steps), later, whole


def _whose(kept: Kept, asked: Asked) -> list[Who]:
    if asked.session:
        return [session_of(kept, asked.tenant, asked.session).who]
    return [row.who for row in kept.store.sessions(asked.tenant)]


def _before(kept: Kept, source: Source, writing: Writing, data: bytes) -> tuple[Found | None, str]:
    """The file before one prune, and where it was found: in the store, else in a backup with the right hash."""
    try:
        return found(kept.store, writing, data), kept.url
    except Gone:
        for name in _backups(source.name):
            try:
                copy = read(name)
            except Unreadable:
                continue
            one = backed(writing, Before(copy.data, copy.stored if copy.packed else b""), data)
            if one is not None:
                return one, name
        raise


def _backups(name: str) -> list[str]:
    return [] if name == "-" else sorted(glob.glob(f"{glob.escape(name)}.bak*"))


def _data(back: Found | Source) -> bytes:
    return back.before.data if isinstance(back, Found) else back.data


def _stored(asked: Asked, source: Source, back: Found | Source) -> bytes:
    """The document as it is to be stored: packed where its name or the input is, with the bytes it was packed in."""
    packed = str(asked.out).endswith(".gz") if asked.out not in (None, "-") else source.packed
    if packed and isinstance(back, Found) and back.before.stored:
        return back.before.stored
    return write.packed_like(source, _data(back), packed)


def _put(asked: Asked, source: Source, stored: bytes) -> Path | None:
    """Write the document; the backup if one was made."""
    if asked.in_place:
        return write.in_place(source, stored)
    if asked.target == "-":
        write.to_stdout(stored)
    elif asked.target is not None:
        write.to_file(asked.target, stored, source.name)
    return None


def _report(asked: Asked, kept: Kept, back: _Back, backup: str | None) -> Restored:
    was, steps, later, whole = back
    return Restored(
        input=asked.input,
        output=asked.target,
        backup=backup,
        store=kept.url,
        exact=not later and whole,
        later_bytes=later,
        whole=whole,
        bytes=len(_data(was)),
        hash=digest(_data(was)),
        steps=steps,
    )


def _blocks(done: Restored, source: Source) -> list[str]:
    """The account for a person."""
    name = harmless(source.label)
    if not done.steps:
        return [f"{name} is as it was before it was pruned: there is nothing to take back."]
    last = done.steps[-1]
    told = [
        f"{name}: {many(len(done.steps), 'prune')} taken back, {done.bytes:,} bytes, "
        f"as at {moment(last.at)} (session {harmless(last.session)}, from {harmless(last.source)})."
    ]
    if done.exact:
        told.append("These are the very bytes of the file as it was.")
    elif done.whole:
        told.append(f"{done.later_bytes:,} bytes were appended since; they stay behind the file as it was.")
    else:
        told.append(
            f"The file was changed behind the last edit since: what was removed is back, and the last "
            f"{done.later_bytes:,} bytes stay as they are now."
        )
    where = harmless(done.output) if done.output not in (None, "-") else done.output
    if where is None:
        told.append("Nothing was written: -o FILE or --in-place writes it.")
    elif where != "-":
        told.append(f"Written to {where}{f'; it was kept as {harmless(done.backup)}' if done.backup else ''}.")
    return told


def _gone(error: Gone, kept: Kept, source: Source) -> str:
    """What is missing, and how to go on."""
    writing = error.writing
    filed = writing.filed
    beside = ", ".join(map(harmless, _backups(source.name))) or "none"
    return (
        f"nothing was written: the original of {harmless(source.label)}, {filed.before_bytes:,} bytes with the hash "
        f"{filed.before}, pruned on {moment(writing.at)} (receipt {writing.number} of session "
        f"{harmless(writing.who.session)}), cannot be made again: at {harmless(kept.url)}, {error}. Put a copy of it "
        f"beside the file as {harmless(Path(source.label).name)}.bak and run this again (there now: {beside}); next "
        "time raise SECATEUR_RETENTION_DAYS"
    )


def _unknown(kept: Kept, source: Source) -> str:
    """That nothing is known of the file, and what that may mean."""
    beside = _backups(source.name)
    hint = f"; {harmless(beside[-1])} may be what you look for: secateur diff shows how it differs" if beside else ""
    return (
        f"nothing was written: {harmless(kept.url)} does not know what {harmless(source.label)} was before. It was "
        "never pruned, or without --session and --store, or into another store (name it with --store), or it was "
        f"changed before its last edit{hint}"
    )
