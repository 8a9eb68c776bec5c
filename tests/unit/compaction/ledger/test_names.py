"""Names that later work may need: of what a command started, not of what a file shows."""

import json

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import build_ledger

JOB = "4b3ddf27-d7f7-4773-b4f2-b94b999c661d"


def named(command: str, said: str) -> tuple[str, ...]:
    call = assistant(("c", "bash", json.dumps({"command": command})))
    return build_ledger(talk(user("Send the tide tables."), call, result(said, call="c")).messages).identifiers


def test_what_a_command_started_has_its_name_and_what_a_file_shows_has_none() -> None:
    assert named("ferry send tides", f"session id: {JOB}") == (JOB,)
    assert named("cat .ferry/newest.json | head -9", f'{{\n  "session_id": "{JOB}"\n}}') == ()
    assert named("cat .ferry/newest.json && ferry send tides", f"session id: {JOB}") == (JOB,)
