"""`secateur install`: put secateur into a host, so that it prunes there by itself.

Rule: `--dry-run` shows every file as it would be; what was there is kept, and `secateur uninstall` restores it.
"""

import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import click
from msgspec import Struct
from msgspec.structs import replace

from secateur import policy
from secateur.cli import options
from secateur.cli.exit_codes import UsageError
from secateur.cli.installed import get_version
from secateur.cli.names import POLICY
from secateur.cli.options import Options, make_argument, make_option
from secateur.cli.output.terminal import print_json, print_text
from secateur.hosts.activity import find_host_folder
from secateur.hosts.installable import HOSTS
from secateur.hosts.installation import InstallOptions, PlannedFile, install, preview
from secateur.hosts.lock import lock_installations

SCHEMA = "secateur.install/1"
_DOES = {"create": "new file", "change": "changed file", "replace": "replaced file", "keep": "unchanged file"}
_EPILOG = """\
\b
Examples:
  secateur install pi --dry-run
  secateur install pi
  secateur install pi --policy pi-auto-compressor
  secateur uninstall pi

\b
`secateur doctor` checks that what is installed acts.
"""


class InstallReport(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    host: str
    policy: str
    installed: bool  # false with --dry-run
    files: list[PlannedFile]
    notes: tuple[str, ...]  # where edited files of an earlier installation are now


class HostInstallOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur install`."""

    host: Annotated[str, make_argument(type=click.Choice(list(HOSTS)), metavar="HOST")]
    policy: Annotated[
        str,
        make_option(
            "--policy", type=POLICY, default="", metavar="P", help="A preset or a policy file; default: the host's."
        ),
    ]
    summarizer: options.Summarizers
    shorten_results: Annotated[
        bool,
        make_option(
            "--shorten-results", is_flag=True, help="Pi: shorten long results in its session file, too, as they arrive."
        ),
    ]
    dry_run: Annotated[bool, make_option("--dry-run", is_flag=True, help="Show what would be written; write nothing.")]
    as_json: options.AsJson


@options.make_command("install", HostInstallOptions, _EPILOG)
def command(args: HostInstallOptions) -> None:
    """Put secateur into HOST; `secateur uninstall HOST` restores every file.

    HOST is claude-code, codex, kilo, openclaw, opencode or pi.
    """
    host = HOSTS[args.host]
    if args.policy:
        policy.load(args.policy)
    if args.shorten_results and not host.can_shorten:
        raise UsageError(f"{host.title} has no such setting: install without --shorten-results")
    wanted = replace(make_install_options(args.policy, args.summarizer), shorten_results=args.shorten_results)
    folder = find_host_folder(host.name)
    notes: tuple[str, ...] = ()
    with nullcontext() if args.dry_run else lock_installations():
        files = preview(host, wanted, folder)
        if not args.dry_run:
            notes = install(host, wanted, folder, get_version()).notes
    if args.as_json:
        chosen = wanted.resolve_policy(host.default_policy)
        print_json(InstallReport(host=host.name, policy=chosen, installed=not args.dry_run, files=files, notes=notes))
        return
    for file in files:
        print_text(f"{_DOES[file.what]}: {file.path}\n")
        if args.dry_run:
            print_text("".join(f"    {line}\n" for line in file.text.splitlines()))
    if args.dry_run:
        print_text("nothing was written: run this again without --dry-run\n", err=True)
        return
    lines = [f"note: {note}" for note in notes]
    lines += [f"secateur is installed in {host.title}: it {host.acts}"]
    lines += [f"next: {host.next_step}"] if host.next_step else []
    print_text("".join(f"{line}\n" for line in lines), err=True)


def make_install_options(policy: str = "", summarizers: tuple[str, ...] = ()) -> InstallOptions:
    """What the plan of a host depends on, on this machine."""
    command = (sys.executable, "-P", "-m", "secateur")  # nothing is imported from the folder that the host works in
    return InstallOptions(
        home=Path.home(), environment=dict(os.environ), command=command, policy=policy, summarizers=summarizers
    )
