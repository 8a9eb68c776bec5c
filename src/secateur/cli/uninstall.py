"""`secateur uninstall`: remove secateur from a host.

Rule: a file that was not changed since is restored byte for byte; from any other file only secateur's part is removed.
"""

from pathlib import Path
from typing import Annotated

import click
from msgspec import Struct

from secateur.cli import options
from secateur.cli.exit_codes import FINDINGS, SUCCESS, UsageError
from secateur.cli.options import Options, make_argument
from secateur.cli.output.terminal import print_json, print_text
from secateur.hosts.activity import find_host_folder
from secateur.hosts.installable import HOSTS
from secateur.hosts.installation import RestoredFile, read_record, uninstall
from secateur.hosts.lock import lock_installations

SCHEMA = "secateur.uninstall/1"
_EPILOG = """\
\b
Examples:
  secateur uninstall pi

\b
Exit codes: 0 success, 1 a file was kept: see the message, 2 usage.
"""


class UninstallReport(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    host: str
    files: list[RestoredFile]


class UninstallOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur uninstall`."""

    host: Annotated[str, make_argument(type=click.Choice(list(HOSTS)), metavar="HOST")]
    as_json: options.AsJson


@options.make_command("uninstall", UninstallOptions, _EPILOG)
def command(args: UninstallOptions) -> int:
    """Uninstall secateur from HOST and restore every file."""
    host = HOSTS[args.host]
    folder = find_host_folder(args.host, Path.cwd() if host.is_per_project else None)
    if read_record(folder) is None:
        where = f" in {Path.cwd()}: run this in the folder of the project" if host.is_per_project else ""
        raise UsageError(f"secateur is not installed in {host.title}{where or ': there is nothing to take out'}")
    with lock_installations():
        done = uninstall(folder)
    if args.as_json:
        print_json(UninstallReport(host=args.host, files=done))
    else:
        for file in done:
            print_text(f"{file.result}: {file.path}{f' ({file.text})' if file.text else ''}\n")
    return FINDINGS if any(file.result == "kept" for file in done) else SUCCESS
