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
from secateur.errors import ConfigError
from secateur.hosts.activity import find_host_folder
from secateur.hosts.host import InstallableHost, InstallOptions
from secateur.hosts.installable import HOSTS
from secateur.hosts.installation import Installed, PlannedFile, install, preview, read_record
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
`secateur doctor` checks that the installation works.
"""


class InstallReport(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    host: str
    policy: str
    installed: bool  # false with --dry-run
    files: list[PlannedFile]
    notes: tuple[str, ...]  # settings of an earlier installation that are kept, and where edited files of it are now


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
        bool | None,
        make_option(
            "--shorten-results/--no-shorten-results",
            default=None,
            help="Pi and OpenClaw: shorten long results where they are stored, too, as they arrive.",
        ),
    ]
    dry_run: Annotated[bool, make_option("--dry-run", is_flag=True, help="Show what would be written; write nothing.")]
    as_json: options.AsJson


@options.make_command("install", HostInstallOptions, _EPILOG)
def command(args: HostInstallOptions) -> None:
    """Install secateur into HOST as a plugin; `secateur uninstall HOST` restores every file.

    HOST is ai-sdk, claude-code, codex, kilo, openclaw, opencode or pi. Run again, it keeps the settings of the earlier
    installation that are not given anew. The AI SDK is installed in the project of this folder.
    """
    host = HOSTS[args.host]
    if args.shorten_results and not host.can_shorten:
        raise UsageError(f"{host.title} has no such setting: install without --shorten-results")
    folder = find_host_folder(host.name, Path.cwd() if host.is_per_project else None)
    with nullcontext() if args.dry_run else lock_installations():
        wanted, notes = _settle_options(args, host, read_record(folder))
        files = preview(host, wanted, folder)
        if not args.dry_run:
            notes += install(host, wanted, folder, get_version()).notes
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


def _settle_options(
    args: HostInstallOptions, host: InstallableHost, earlier: Installed | None
) -> tuple[InstallOptions, tuple[str, ...]]:
    """The requested settings, completed from an earlier installation, and those in words. Raises ConfigError."""
    wanted = replace(make_install_options(args.policy, args.summarizer), shorten_results=bool(args.shorten_results))
    if args.policy:
        policy.load(args.policy)
    kept: list[str] = []
    if earlier is not None:
        if not args.policy and earlier.policy != host.default_policy:
            wanted = replace(wanted, policy=_check_kept_policy(earlier.policy))
            kept.append(f"--policy {earlier.policy}")
        if not args.summarizer and earlier.summarizers:
            wanted = replace(wanted, summarizers=earlier.summarizers)
            kept += [f"--summarizer {each}" for each in earlier.summarizers]
        if args.shorten_results is None and earlier.shorten_results:
            wanted = replace(wanted, shorten_results=True)
            kept.append("--shorten-results")
        for name in [name for name in earlier.variables if not wanted.environment.get(name)]:
            wanted = replace(wanted, environment={**wanted.environment, name: earlier.variables[name]})
            kept.append(f"{name}={earlier.variables[name]}")
    note = f"kept from the earlier installation: {' '.join(kept)}; `secateur uninstall {host.name}` first drops that"
    return wanted, (note,) if kept else ()


def _check_kept_policy(name: str) -> str:
    try:
        policy.load(name)
    except ConfigError as error:
        raise ConfigError(
            f"the policy of the earlier installation cannot be kept: {error}; name one with --policy"
        ) from error
    return name


def make_install_options(policy: str = "", summarizers: tuple[str, ...] = ()) -> InstallOptions:
    """Collect the facts about this machine on which a host's plan depends."""
    command = (sys.executable, "-P", "-m", "secateur")  # nothing is imported from the folder that the host works in
    return InstallOptions(
        home=Path.home(), environment=dict(os.environ), command=command, policy=policy, summarizers=summarizers
    )
