"""`secateur pin`: keep something in a session's views as it came, whatever the policy says.

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
  secateur pin s1                        the pins of the session
  secateur pin s1 tool 'skill_*'
  secateur pin s1 glob 'docs/plan.md'
  secateur pin s1 handle 1a2b3c4d5e6f    what left comes back, and stays

{pinning.KINDS}
What pins hold together is bounded (40,000 tokens, Engine(pin_tokens=...)); what is over that is not held, and the
receipt says so.
"""


@click.command("pin", epilog=_HELP)
@pinning.arguments
def command(**given: Any) -> None:
    """Keep what KIND and PATTERN name in the views of SESSION; without them, list its pins."""
    pinning.carried_out(msgspec.convert(given, pinning.Asked), Engine.pin, "Pinned")
