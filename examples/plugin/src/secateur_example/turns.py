"""A command: how many turns a session has."""

import json
from pathlib import Path

import click

from secateur import fit


@click.command("turns")
@click.argument("input", type=click.Path(exists=True, dir_okay=False))
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def command(input: str, as_json: bool) -> int:
    """Count the user's turns of INPUT."""
    view = fit(Path(input).read_bytes(), policy="observe")
    turns = sum(message.role == "user" and message.origin == "user" for message in view.raw_transcript.messages)
    click.echo(json.dumps({"schema": "secateur-example.turns/1", "turns": turns}) if as_json else f"{turns} turns")
    return 0
