"""Errors of a check that has many: those of files that the work is about come first."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import build_ledger

OTHERS = [f"src/other{number}.ts({number},1): error TS2304: Cannot find name 'reed'." for number in range(1, 9)]
OWN = "src/basket.ts(7,1): error TS2739: Type 'Lid' is missing."


@pytest.mark.parametrize(
    ("opens", "first"),
    [
        ("cat src/basket.ts", OWN),
        ("ls src", OTHERS[-4]),
    ],
)
def test_errors_of_files_that_calls_opened_come_first(opens: str, first: str) -> None:
    said = "\n".join([*OTHERS[:4], OWN, *OTHERS[4:]])
    messages = (
        user("Mend the basket."),
        assistant(("1", "bash", json.dumps({"command": opens}))),
        result("export class Basket {}", "bash", "1"),
        assistant(("2", "bash", json.dumps({"command": "npx tsc --noEmit"}))),
        result(f"{said}\nExit code: 2", "bash", "2", True),
    )
    assert build_ledger(talk(*messages).messages).failures[0].line == first
