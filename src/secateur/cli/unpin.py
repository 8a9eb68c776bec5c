"""`secateur unpin`: take a pin away; what it held may go again.

Rule: see `pinning`.
"""

from typing import Any

import click
import msgspec

from secateur.cli import pinning
from secateur.engine import Engine

_HELP = f"""\
\b
Examples:
  secateur unpin s1                      the pins of the session
  secateur unpin s1 tool 'skill_*'       as it was pinned

{pinning.KINDS}"""


@click.command("unpin", epilog=_HELP)
@pinning.arguments
def command(**given: Any) -> None:
    """Take the pin of KIND and PATTERN away from SESSION; without them, list its pins."""
    pinning.carried_out(msgspec.convert(given, pinning.Asked), Engine.unpin, "Unpinned")
