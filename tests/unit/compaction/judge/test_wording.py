"""True sentences in forms that look like a contradiction, in several languages."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.judge.evidence import collect_evidence
from secateur.compaction.judge.truth import find_contradiction
from secateur.model import Message


@pytest.mark.parametrize(
    ("wish", "claim"),
    [
        ("Build the export. Don't drop or rename any column.", "no column may be dropped or renamed"),
        ("Build the export. Never change the header row.", "Nothing in the header row may be changed"),
        ("Baue den Export. Ändere keine Spalte.", "Keine Spalte darf geändert werden"),
        ("Écris l'export. Ne supprime aucune colonne.", "Aucune colonne ne peut être supprimée"),
        ("Escribe la exportación. No borres ninguna columna.", "Ninguna columna puede ser borrada"),
    ],
)
def test_a_prohibition_in_the_passive_stays_one(wish: str, claim: str) -> None:
    evidence = collect_evidence(talk(user(wish), assistant(text="I begin.")).messages)
    assert find_contradiction({"constraints": (f"- {claim}",)}, evidence) is None


@pytest.mark.parametrize(
    ("answer", "claim"),
    [
        ("No upgrade of Postgres yet.", "The user postponed the upgrade of Postgres"),
        ("Noch kein Umzug der Datenbank.", "Den Umzug der Datenbank hat der Benutzer verschoben"),
        ("Pas encore de migration de la base.", "L'utilisateur a reporté la migration de la base"),
    ],
)
def test_a_put_off_that_is_reported_is_no_order(answer: str, claim: str) -> None:
    evidence = collect_evidence(talk(user("Tidy up."), assistant(text="Shall I go on?"), user(answer)).messages)
    assert find_contradiction({"instructions": (f"- {claim}",)}, evidence) is None


@pytest.mark.parametrize(
    ("denial", "claim", "is_true"),
    [
        ("I have not run the tests since that change.", "The tests ran before the change, and 9 passed", True),
        ("I have not run the tests since that change.", "The tests were run since that change", False),
        ("Die Tests habe ich seit der Änderung noch nicht ausgeführt.", "Die Tests liefen vor der Änderung", True),
        ("変更後のテストはまだ実行していません。", "テストは変更前に成功した。", True),
        ("Je n'ai pas encore lancé les tests.", "Avant la correction, les tests ont été lancés", True),
    ],
)
def test_what_was_done_before_is_not_denied_by_what_is_open(denial: str, claim: str, is_true: bool) -> None:
    ran = (assistant(("a", "bash", '{"command": "pytest -q"}')), result("9 passed in 0.10s", call="a"))
    evidence = collect_evidence(talk(user("Mend it."), *ran, assistant(text=denial)).messages)
    found = find_contradiction({"accomplished": (f"- {claim}",)}, evidence)
    assert (found is None) is is_true


def run(name: str, command: str, said: str, *, fails: bool = False) -> tuple[Message, Message]:
    given = json.dumps({"command": command})
    return assistant((name, "bash", given)), result(("Exit code 1\n" if fails else "") + said, call=name)


LOOM = collect_evidence(
    talk(
        user(
            "The loom drops threads since 2.6. Mend src/loom.py. Nobody may weave more than four hours a day, no wool"
            " tests, and cut the tension to 8 N. I want linen, not wool."
        ),
        *run("a", "make lint", "warp: 3 errors", fails=True),
        *run("b", "git bisect start v2.6 v2.5", "c81f02d is the first bad commit"),
        *run("c", "make lint", "warp: 0 errors"),
        *run("d", "npm test", "warp: 52 passed\nweft: 1 failed, 40 passed", fails=True),
        assistant(text="dense 0.41 loose 0.36. I have drafted a leaflet for the guild, should I print it?"),
        user("Not yet. Make it 12 N instead of 8 N, and remove the old pedal. Leave the motor off."),
        *run("e", "rm pedal.txt", "ok"),
        assistant(text="The pedal is gone. I have not run the weft tests again since."),
    ).messages
)


@pytest.mark.parametrize(
    ("section", "claim"),
    [
        ("discoveries", "make lint reported 3 errors."),
        ("discoveries", "Lint is free of errors."),
        ("discoveries", "warp passes all of its 52 tests."),
        ("discoveries", "warp: 52 tests bestehen."),
        ("discoveries", "One of the weft tests was red when they were run the last time."),
        ("discoveries", "Bisecting between 2.5 and 2.6 led to c81f02d."),
        ("discoveries", "dense is ahead of loose by 0.05."),
        ("discoveries", "The threads were checked in the last run."),
        ("accomplished", "The migration from wool to linen is through."),
        ("accomplished", "The motor was switched off."),
        ("accomplished", "[ ] Leaflet for the guild (drafted, not printed)"),
        ("accomplished", "The daily weaving time is limited to four hours."),
        ("accomplished", "The user told us to delete the pedal that squeaks."),
        ("instructions", "8 N at first, changed to 12 N."),
        ("constraints", "Linen is wanted rather than wool."),
        ("constraints", "Wool tests take too long."),
    ],
)
def test_true_claims_in_passing_words_stand(section: str, claim: str) -> None:
    assert find_contradiction({section: (f"- {claim}",)}, LOOM) is None


def test_a_value_that_a_line_calls_replaced_may_be_listed_as_a_wish() -> None:
    lines = ("- Cut the tension to 8 N", "- 12 N for the tension (first 8)")
    assert find_contradiction({"instructions": lines}, LOOM) is None
    assert find_contradiction({"instructions": lines[:1]}, LOOM) is not None


@pytest.mark.parametrize(
    ("section", "claim"),
    [
        ("discoveries", "make lint reports 3 errors now."),
        ("discoveries", "warp passes all of its 57 tests."),
        ("discoveries", "The weft tests were run again."),
        ("accomplished", "The user told us to delete the shuttle."),
        ("constraints", "Wool tests are fine."),
    ],
)
def test_false_ones_beside_them_do_not(section: str, claim: str) -> None:
    assert find_contradiction({section: (f"- {claim}",)}, LOOM) is not None
