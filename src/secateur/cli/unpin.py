"""`secateur unpin`: take a pin away; what it held may go again.

Rule: see `pin`.
"""

from secateur.cli import options
from secateur.cli.pin import KINDS, PinOptions, change_pins
from secateur.engine import Engine

_EPILOG = f"""\
\b
Examples:
  secateur unpin s1                      the pins of the session
  secateur unpin s1 tool 'skill_*'       as it was pinned

{KINDS}"""


@options.command("unpin", PinOptions, _EPILOG)
def command(args: PinOptions) -> None:
    """Take the pin of KIND and PATTERN away from SESSION; without them, list its pins."""
    change_pins(args, Engine.unpin, "Unpinned")
