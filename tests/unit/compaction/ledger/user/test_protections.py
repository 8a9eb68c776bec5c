"""Demands that guard secrets and data go before demands on style where few have room."""

import pytest

from conversation import assistant, result, user
from secateur.compaction.ledger import build_ledger, fit_ledger, render_ledger
from secateur.compaction.ledger.bounded import limit_ledger
from secateur.compaction.ledger.entries import Constraint, Ledger
from secateur.compaction.ledger.user.project_rules import list_rules
from secateur.compaction.ledger.user.protections import is_protective
from secateur.tokens import estimate


@pytest.mark.parametrize(
    ("text", "is_kept"),
    [
        ("NEVER read `.env` or any file with API keys.", True),
        ("Commands MUST run in the sandbox.", True),
        ("Only write inside the working directory.", True),
        ("do not push", True),
        ("Do not use `git stash` here.", True),
        ("Don't delete the untracked files.", True),
        ("Never deploy on a Friday.", True),
        ("Lösche nie die Daten der Kunden.", True),
        ("Ne publie jamais le paquet.", True),
        ("Никогда не удаляй ветки.", True),
        ("Tuyệt đối không xóa dữ liệu.", True),
        ("不要把密钥写进日志。", True),
        ("パスワードを表示しないでください。", True),
        ("비밀 값을 출력하지 마세요.", True),
        ("No borres la tabla de clientes.", True),
        ("Não publique o pacote.", True),
        ("NEVER stop before pushing: you must push.", False),
        ("Always push your work.", False),
        ("The page of secrets is blue.", False),
        ("Subject lines must be short.", False),
        ("Do not use tabs.", False),
    ],
)
def test_what_guards_secrets_and_data_is_told_from_style(text: str, is_kept: bool) -> None:
    assert is_protective(text) is is_kept


def test_a_rule_that_protects_goes_before_rules_of_style_that_stand_before_it() -> None:
    style = [Constraint(f"- ALWAYS paint part {n} blue.", "project", source="AGENTS.md") for n in range(5)]
    guard = Constraint("- Scripts may only source secret files.", "project", source="AGENTS.md")
    assert list_rules([*style, guard])[0] == guard


def test_of_the_users_older_demands_those_that_protect_stay_where_few_have_room() -> None:
    guard = Constraint("Do not push.", key="k")
    style = [Constraint(f"Use at most {n} colors.", key=f"k{n}") for n in range(60)]
    kept = limit_ledger(Ledger(constraints=(guard, *style)), 0.005).constraints
    assert kept[0] == guard
    assert 1 < len(kept) < 20
    assert kept[1:] == tuple(style[-len(kept) + 1 :])


@pytest.mark.parametrize("room", [60, 80, 100])
def test_a_ban_outlives_all_but_the_newest_request_where_next_to_nothing_has_room(room: int) -> None:
    work = [
        message
        for n in range(5)
        for message in (
            assistant((f"c{n}", "bash", f'{{"command": "pytest tests/test_{n}.py"}}')),
            result("1 passed in 1 s", "bash", f"c{n}"),
        )
    ]
    asked = user("Fix the login. Never push to main."), *work, assistant(text="Done."), user("Next: the docs.")
    lines = render_ledger(fit_ledger(build_ledger(asked), room, estimate))
    assert any("Never push to main." in line for line in lines["constraints"])
    assert any("Next: the docs." in line for line in lines["goal"])
