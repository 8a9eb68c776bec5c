"""`secateur unpin`: remove a pin; what it kept can be pruned again.

Rule: see `pin`.
"""

from secateur.cli import options
from secateur.cli.pin import KINDS, PinOptions, update_pins
from secateur.engine import Engine

_EPILOG = f"""\
\b
Examples:
  secateur unpin s1                      list the pins of the session
  secateur unpin s1 tool 'skill_*'       as it was pinned

{KINDS}"""


@options.make_command("unpin", PinOptions, _EPILOG)
def command(args: PinOptions) -> None:
    """Remove the pin of KIND and PATTERN from SESSION; without them, list its pins."""
    update_pins(args, Engine.unpin, "Unpinned")
