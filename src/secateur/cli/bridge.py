"""`secateur bridge`: the process that a host's plugin asks, JSON lines on standard input and output.

Rule: standard output belongs to the protocol. A store that cannot be used costs what would be kept, never a request.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from secateur.cli import options
from secateur.cli.exit_codes import OutputClosed
from secateur.cli.installed import get_version
from secateur.cli.options import Options, make_argument, make_option
from secateur.hosts.installable import HOSTS
from secateur.policy import load
from secateur.sessions.recall_handles import Handles, can_name_files

if TYPE_CHECKING:
    from secateur.bridge.methods import BridgeSettings

_EPILOG = """\
\b
Examples:
  secateur install pi         plugins start it themselves
  echo '{"id": 1, "method": "hello"}' | secateur bridge pi

\b
Every line is answered by one; docs/reference/bridge.md lists the methods.
"""


class BridgeOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur bridge`."""

    host: Annotated[str, make_argument(type=click.Choice(list(HOSTS)), metavar="HOST")]
    policy: Annotated[
        str,
        make_option("--policy", default="balance", show_default=True, metavar="P", help="A preset or a policy file."),
    ]  # of no settings file: a project's must not stop the host's plugin
    format_name: options.FormatName
    summarizer: options.Summarizers
    deadline: options.Deadline
    store: options.StoreUrl


@options.make_command("bridge", BridgeOptions, _EPILOG)
def command(args: BridgeOptions) -> None:
    """Answer the plugin of HOST, in JSON lines, until standard input ends."""
    from secateur.bridge.methods import Bridge
    from secateur.bridge.protocol import Channel

    # A thread waits in this reader when the process ends, where Python could not close its own.
    source = open(sys.stdin.fileno(), "rb", closefd=False)  # noqa: SIM115
    channel = Channel(source, sys.stdout.buffer)
    bridge = Bridge(_make_settings(args), channel)
    try:
        is_read = channel.serve(bridge.methods)
    finally:
        bridge.close()
    if not is_read:
        raise OutputClosed("")


def _make_settings(args: BridgeOptions) -> "BridgeSettings":
    from secateur.bridge.methods import BridgeSettings
    from secateur.engine import Engine
    from secateur.hosts.activity import find_host_folder
    from secateur.stores import open_store

    policy, store, host = load(args.policy), open_store(args.store), HOSTS[args.host]
    has_tools = not host.is_per_project  # of its own, which read files; a program has those that it is given
    handles: Handles = "file" if has_tools and can_name_files(store) else "auto"

    def make_engine(model: str, window: int) -> Engine:
        return Engine(
            policy,
            model,
            window=window or None,
            format=args.format_name,
            store=store,
            recall_handles=handles,
            summarizer=args.summarizer or None,
            compact=not host.compacts,  # one that compacts asks
            deadline_s=args.deadline,
            fail_open=True,
        )

    return BridgeSettings(
        version=get_version(),
        policy=policy,
        store=store,
        make_engine=make_engine,
        summarizers=args.summarizer,
        deadline_s=args.deadline,
        folder=find_host_folder(args.host, Path.cwd() if host.is_per_project else None),
        handles=handles,
    )
