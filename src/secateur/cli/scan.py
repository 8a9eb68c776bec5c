"""`secateur scan`: a folder of sessions: where the money and the tokens went, and what each policy would have saved.

Rule: nothing is written but what is asked for, and nothing leaves the machine. A file that cannot be read is told and
does not end the scan; where a model has no price, another's is taken and that is told too.
"""

from typing import Any

import click
from msgspec import Struct

from secateur import policy
from secateur.cli import leaks, options, places, tabular, terms
from secateur.cli.exits import FINDINGS, FINE, Refused, Unreadable
from secateur.cli.overview import Overview, blocks, by_format, by_tool
from secateur.cli.progress import counting
from secateur.cli.standings import summed
from secateur.cli.terminal import say_json, tell
from secateur.cli.terms import Priced, stated_in
from secateur.pricing import Rates

_HELP = """\
\b
Examples:
  secateur scan
  secateur scan ~/.claude/projects --policy balance
  secateur scan logs/ --out sessions.parquet
  secateur scan logs/ --json | jq .leaks

\b
Without DIR: the folders in which Claude Code, Codex, Pi, OpenClaw, Gemini CLI
and Copilot CLI keep their sessions.

\b
Exit codes: 0 fine, 1 some files could not be read, 2 usage or configuration,
3 there is no such file or folder, or no session file in it.
"""


class Asked(Struct, frozen=True, kw_only=True):
    """What the command line said."""

    folders: tuple[str, ...]
    policies: tuple[str, ...]
    model: str
    price: Rates | None
    kappa: float | None
    hour: bool | None
    window: int | None
    jobs: int
    out: str | None
    as_json: bool


@click.command("scan", epilog=_HELP)
@click.argument("folders", nargs=-1, type=click.Path(), metavar="[DIR]...")
@options.all_of(
    options.policies,
    click.option("--model", default="", metavar="M", help="Price all as this model; else each as recorded."),
    terms.price,
    terms.kappa,
    options.hour,
    options.window,
    click.option("--jobs", type=click.IntRange(min=0), default=0, metavar="N", help="Processes; 0: one a processor."),
    click.option("--out", type=click.Path(), metavar="OUT", help="One row a session: .csv, .parquet, .json."),
    options.as_json,
)
def command(**given: Any) -> int:
    """Show where the money and tokens of the sessions in DIR went, and what each policy would have saved."""
    asked = Asked(**given)
    out = tabular.checked(asked.out) if asked.out else None
    found = overview(asked)
    if out:
        tabular.save(out, [found.row(one) for one in found.sessions])
    if asked.as_json:
        say_json(found)
    else:
        tell(*blocks(found), *([f"table: {asked.out}"] if out else []))
    return FINDINGS if any(one.broken for one in found.unread) else FINE


def overview(asked: Asked) -> Overview:
    """Survey everything."""
    from secateur.cli.scanned import scanned
    from secateur.cli.surveyed import Wanted

    folders = asked.folders or tuple(str(folder) for _, folder in places.known())
    if not folders:
        raise Refused(f"no sessions are in {', '.join(places.looked_for())}: name a folder")
    names = asked.policies or tuple(name for name in policy.names() if name != "observe")
    for name in names:
        policy.load(name)
    paths = places.files(folders)
    if not paths:
        raise Unreadable(
            f"no session file is in {', '.join(folders)}: none ends in {', '.join(places.ENDINGS)}, or .gz"
        )
    wanted = Wanted(
        Priced(asked.model, asked.price, asked.kappa, asked.hour, assume=True, stated=stated_in(names)),
        names,
        asked.window,
    )
    told = scanned(paths, wanted, asked.jobs, counting)
    sessions = tuple(survey for one in told for survey in one.surveys)
    whole = sum(one.dollars for one in sessions)
    return Overview(
        folders=folders,
        files=len(paths),
        sessions=sessions,
        formats=by_format(sessions),
        spending=by_tool(sessions),
        lines=summed([one.lines for one in sessions]),
        leaks=leaks.told([leak for one in sessions for leak in one.leaks], whole),
        unread=tuple(one for each in told for one in each.unread),
        copies=sum(one.copies for one in told),
    )
