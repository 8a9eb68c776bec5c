"""`secateur repair`: mend what a provider would refuse, or a host could not load; the same format comes out.

Rule: only what is broken is changed, and each mend is told. Nothing is written in place unless asked. What is cut off a
session file is never thrown away: it goes to a file beside the mended one.
"""

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import Struct

from secateur.api import PROFILES
from secateur.api.repair import Mended, Repair, Settings, repaired
from secateur.cli import options, write
from secateur.cli.exits import FINDINGS, FINE
from secateur.cli.names import Named
from secateur.cli.progress import working
from secateur.cli.source import Source, read
from secateur.cli.terminal import Line, harmless, say_json, tell
from secateur.cli.unread import unread
from secateur.errors import FormatError
from secateur.jsontext import Text
from secateur.session import document

SCHEMA = "secateur.repair/1"
_SHOWN = 40  # mends that a person is shown one by one; --json has all

_HELP = """\
\b
Examples:
  secateur repair s.jsonl                     what would be mended; writes nothing
  secateur repair s.jsonl -o mended.jsonl     write it
  secateur repair s.jsonl --in-place          keeps s.jsonl.bak
  secateur repair request.json --model claude-opus-4-6 > mended.json
  secateur repair request.json --profile strict --json | jq .left

\b
Calls without a result get one that says so; results without a call become
text; ids that came twice, empty blocks, half characters, broken arguments,
too many pictures and torn lines are mended in their place. What is cut off
a session file goes to OUT.torn. Stop the agent before you mend its file.

\b
Exit codes: 0 nothing is broken now, 1 something is still broken, 2 usage,
3 input unreadable.
"""


class Asked(Struct, frozen=True):
    """What the command line said."""

    input: str
    model: str
    profile: str
    format_name: str | None
    out: str | None
    in_place: bool
    as_json: bool

    @property
    def target(self) -> str | None:
        """Where the document goes: a file's name, "-" for standard output, None for nowhere."""
        if self.in_place:
            return self.input
        if self.out is not None or self.as_json:
            return self.out
        return None if sys.stdout.isatty() else "-"


class Account(Struct, frozen=True, kw_only=True):
    """What was mended: the JSON report."""

    schema: str = SCHEMA
    format: str
    input: str
    output: str | None  # the file, "-" for standard output; null: not written
    backup: str | None
    torn: str | None  # the file that holds what was cut off
    torn_bytes: int
    mended: tuple[Mended, ...]
    left: tuple[Mended, ...]  # broken still; `where` counts in the mended document


@click.command("repair", epilog=_HELP)
@click.argument("input", default="-", type=click.Path(), metavar="[INPUT]")
@options.all_of(
    options.model,
    click.option(
        "--profile",
        type=Named("profile", lambda: PROFILES),
        default=None,
        metavar="P",
        help=f"Mend for a stricter server: {', '.join(PROFILES)}.",
    ),
    options.format_,
    options.output,
    options.in_place,
    options.as_json,
)
def command(**given: Any) -> int:
    """Mend INPUT, a session file or a request body, so that it can be sent and loaded again."""
    return repair(msgspec.convert(given | {"profile": given["profile"] or ""}, Asked))


def repair(asked: Asked) -> int:
    """Read, mend, write, tell; the exit code."""
    write.refuse_contradictions(asked.input, asked.out, asked.in_place, asked.as_json)
    source = read(asked.input)
    with working(f"mending {source.label}"):
        name, done, data = _mended(asked, source)
    stored = write.packed_like(source, data, _packed(asked, source))
    torn = _keep_torn(asked, done)
    backup = _put(asked, source, stored)
    account = Account(
        format=name,
        input=source.name,
        output=asked.target,
        backup=str(backup) if backup else None,
        torn=torn,
        torn_bytes=len(done.torn),
        mended=done.mended,
        left=done.left,
    )
    if asked.as_json:
        say_json(account)
    else:
        tell(*_told(account, source), err=asked.target == "-")
    return FINDINGS if done.left else FINE


def _mended(asked: Asked, source: Source) -> tuple[str, Repair, bytes]:
    """The format's name, what was mended, and the document as it is to be stored."""
    try:
        found = document.read(source.data, asked.format_name)
        done = repaired(found.native, found.format.name, Settings(asked.model, asked.profile))
    except FormatError as error:
        raise unread(source, error) from error
    assert isinstance(done.native, Text)  # bytes came in
    data = found.out(done.native.data) if done.mended else source.data
    return found.format.name, done, data


def _packed(asked: Asked, source: Source) -> bool:
    """Whether it is stored as gzip."""
    return str(asked.out).endswith(".gz") if asked.out not in (None, "-") else source.packed


def _keep_torn(asked: Asked, done: Repair) -> str | None:
    """Write what was cut off, before the file that it came from is written over."""
    if not done.torn or asked.target in (None, "-"):
        return None
    name = f"{asked.target}.torn"
    old = Path(name).read_bytes() if Path(name).is_file() else b""
    if not old.endswith(done.torn):
        write.to_file(name, old + done.torn, asked.input)
    return name


def _put(asked: Asked, source: Source, stored: bytes) -> Path | None:
    """Write the document; the backup if one was made."""
    if asked.in_place:
        return write.in_place(source, stored)
    if asked.target == "-":
        write.to_stdout(stored)
    elif asked.target is not None:
        write.to_file(asked.target, stored, source.name)
    return None


def _told(account: Account, source: Source) -> list[Any]:
    """The account for a person."""
    count = len(account.mended)
    head = f"{harmless(source.label)}: {account.format}, "
    lines: list[Any] = [head + (f"{count:,} mended" if count else "nothing to mend")]
    lines += [Line(f"  {harmless(f'{one.where}: {one.what}')} ({one.rule})") for one in account.mended[:_SHOWN]]
    if count > _SHOWN:
        by_rule = Counter(one.rule for one in account.mended[_SHOWN:])
        lines.append("  and " + ", ".join(f"{number:,} of {rule}" for rule, number in by_rule.most_common()))
    if account.left:
        lines += ["", Line(f"{len(account.left):,} still broken", "bold red")]
        lines += [Line(f"  {harmless(f'{one.where}: {one.what}')} ({one.rule})") for one in account.left[:_SHOWN]]
    return lines + _files(account)


def _files(account: Account) -> list[Any]:
    """Where everything went."""
    lines: list[Any] = []
    if account.torn:
        lines.append(f"{account.torn_bytes:,} bytes that were cut off stand in {harmless(account.torn)}")
    elif account.torn_bytes:
        lines.append(f"{account.torn_bytes:,} bytes are left out: -o FILE and --in-place keep them in a file beside it")
    if account.backup:
        lines.append(f"the file as it was: {harmless(account.backup)}")
    if account.output is None:
        lines.append("nothing was written: give -o FILE or --in-place")
    return lines
