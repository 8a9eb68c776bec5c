"""`secateur bridge`: the process that a host's plugin asks, JSON lines on standard input and output.

Rule: standard output belongs to the protocol. A store that cannot be used costs what would be kept, never a request.
"""

import sys
from typing import Annotated

import click

from secateur.cli import options
from secateur.cli.installed import get_version
from secateur.cli.options import Options, make_argument
from secateur.hosts.installable import HOSTS

_EPILOG = """\
\b
Examples:
  secateur install pi         plugins start it themselves
  echo '{"id": 1, "method": "hello"}' | secateur bridge pi
"""


class BridgeOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur bridge`."""

    host: Annotated[str, make_argument(type=click.Choice(list(HOSTS)), metavar="HOST")]
    policy: options.PolicyName
    format_name: options.FormatName
    summarizer: options.Summarizers
    deadline: options.Deadline
    store: options.StoreUrl


@options.make_command("bridge", BridgeOptions, _EPILOG)
def command(args: BridgeOptions) -> None:
    """Answer the plugin of HOST, in JSON lines, until standard input ends."""
    from secateur.bridge.methods import Bridge
    from secateur.bridge.protocol import serve_lines
    from secateur.engine import Engine
    from secateur.stores import get_default_url
    from secateur.stores.place import find_data_folder

    engine = Engine(
        args.policy,
        format=args.format_name,
        store=args.store or get_default_url(),
        summarizer=args.summarizer or None,
        deadline_s=args.deadline,
        fail_open=True,
    )
    bridge = Bridge(engine, get_version(), find_data_folder() / "hosts" / args.host)
    try:
        serve_lines(sys.stdin.buffer, sys.stdout.buffer, bridge.methods)
    finally:
        bridge.close()
        engine.close()
