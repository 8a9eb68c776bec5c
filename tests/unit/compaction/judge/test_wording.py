"""True sentences in forms that look like a contradiction, in several languages."""

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.judge.evidence import collect_evidence
from secateur.compaction.judge.truth import find_contradiction


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
