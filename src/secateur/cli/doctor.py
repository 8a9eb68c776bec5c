"""`secateur doctor`: the settings in force and where each comes from, what is installed, and what to look at.

Rule: it shows what the other commands would do with the same options, and changes nothing. Advice is a
finding (exit 1).
"""

import os
import platform
import time
from typing import Any

import click
import msgspec
from msgspec import Struct

from secateur import policy
from secateur.cli import options, tables
from secateur.cli.exits import FINDINGS, FINE
from secateur.cli.installed import Extra, extras, version
from secateur.cli.reading import Opened, opened
from secateur.cli.settings import Given, Setting, settings
from secateur.cli.source import read
from secateur.cli.stored import Stored, rows, stored
from secateur.cli.terminal import harmless, say_json, tell

_HELP = """\
\b
Examples:
  secateur doctor
  secateur doctor session.jsonl --policy hermes
  secateur doctor --policy openclaw.json5 --model claude-sonnet-4-5

\b
Exit codes: 0 fine, 1 there is advice, 2 usage or configuration,
3 input unreadable.
"""

_COMPLETION = {
    "bash": """eval "$(secateur completion bash)" in ~/.bashrc""",
    "zsh": """eval "$(secateur completion zsh)" in ~/.zshrc""",
    "fish": "secateur completion fish | source in ~/.config/fish/config.fish",
}


class Asked(Given, frozen=True, kw_only=True):
    """What the command line said."""

    input: str | None
    format_name: str | None
    store: str
    as_json: bool


class Checkup(Struct, frozen=True, kw_only=True):
    """All that doctor has to say."""

    schema: str = "secateur.doctor/1"
    version: str
    python: str
    settings: list[Setting]
    extras: list[Extra]
    store: Stored
    completion: str
    advice: list[str]  # a store that cannot be used is one of them


@click.command("doctor", epilog=_HELP)
@click.argument("input", required=False, type=click.Path())
@options.all_of(
    options.policy,
    options.model,
    options.window,
    options.format_,
    options.idle,
    options.protect,
    options.store,
    options.as_json,
)
def command(**given: Any) -> int:
    """Show the settings in force and where each comes from; with INPUT, those for that document."""
    asked = msgspec.convert(given, Asked)
    found = checkup(asked)
    if asked.as_json:
        say_json(found)
    else:
        tell(*_blocks(found))
    return FINDINGS if found.advice else FINE


def checkup(asked: Asked) -> Checkup:
    """Look at everything."""
    chosen = policy.protecting(policy.load(asked.policy), asked.protect)
    store = stored(asked.store, int(time.time() * 1000))
    return Checkup(
        version=version(),
        python=f"{platform.python_version()} on {platform.system()}",
        settings=settings(asked, chosen, _document(asked)),
        extras=extras(),
        store=store,
        completion=_COMPLETION.get(os.path.basename(os.environ.get("SHELL", "")), "secateur completion --help"),
        advice=[*policy.advice(chosen), *filter(None, [store.trouble])],
    )


def _document(asked: Asked) -> Opened | None:
    return opened(read(asked.input), asked.format_name, model=asked.model) if asked.input else None


def _blocks(found: Checkup) -> list[Any]:
    extras = [
        (f"secateur[{one.extra}]", one.package, one.version or f"missing: pip install 'secateur[{one.extra}]'")
        for one in found.extras
    ]
    shown = [(one.name, harmless(one.value), harmless(one.source)) for one in found.settings]
    return [
        f"secateur {found.version}, Python {found.python}",
        tables.listed(shown, "Settings in force", ("setting", "value", "from")),
        tables.listed(extras, "Extras", ("extra", "package", "installed")),
        tables.listed([tuple(map(harmless, row)) for row in rows(found.store)], "Store", ("", "", "from")),
        f"Shell completion: {found.completion}",
        *([f"Advice: {harmless(advice)}." for advice in found.advice] or ["No advice: nothing looks wrong."]),
    ]
