"""Bans that a plain permission lifts, choices that a later one replaces, and what must stay."""

import pytest

from conversation import assistant, talk, user
from secateur.compaction.ledger import build_ledger, merge, read_back, render_ledger
from secateur.compaction.ledger.user.permissions import is_permission


def replaced(*sentences: str) -> list[str]:
    """The sentence that replaces the first one; "" where it holds."""
    messages = [one for text in sentences for one in (user(text), assistant(text="Ok."))]
    found = build_ledger(talk(*messages).messages).constraints
    return [one.replaced_by for one in found if one.text == sentences[0]]


@pytest.mark.parametrize(
    ("ban", "permission"),
    [
        ("ne touche pas à src/legacy.py", "tu peux toucher à src/legacy.py"),
        ("Do not edit config.yaml.", "You can edit config.yaml."),
        ("Don't touch the migrations.", "You may touch the migrations."),
        ("Never delete the fixtures.", "It's fine to delete the fixtures."),
        ("Do not modify src/api.py.", "Feel free to change src/api.py."),
        ("Fass src/legacy.py nicht an.", "Du darfst src/legacy.py anfassen."),
        ("Bitte ändere setup.py nicht.", "Du kannst setup.py bearbeiten."),
        ("No toques src/legacy.py.", "Puedes tocar src/legacy.py."),
        ("No borres los datos de prueba.", "Puedes borrar los datos de prueba."),
        ("Não mexa em src/legacy.py.", "Pode mexer em src/legacy.py."),
        ("Không được sửa tệp config.yaml.", "Bạn có thể sửa tệp config.yaml."),
        ("Đừng đụng vào src/legacy.py.", "Bạn được phép sửa src/legacy.py."),
        ("不要修改 config.yaml。", "可以修改 config.yaml。"),
        ("别动 src/legacy.py。", "你可以改 src/legacy.py。"),
        ("config.yaml を変更しないでください。", "config.yaml を変更してもいいです。"),
        ("src/legacy.py に触らないで。", "src/legacy.py は編集して大丈夫です。"),
        ("config.yaml을 수정하지 마세요.", "config.yaml을 수정해도 됩니다."),
        ("src/legacy.py는 건드리지 마세요.", "src/legacy.py를 수정해도 괜찮아요."),
        ("Не трогай src/legacy.py.", "Можешь трогать src/legacy.py."),
        ("Не меняй config.yaml.", "Можно менять config.yaml."),
    ],
)
def test_a_permission_for_the_same_lifts_a_ban(ban: str, permission: str) -> None:
    assert replaced(ban, permission) == [permission]
    assert replaced(ban, "Fix the parser.", f"Thanks.\n{permission}\nThen go on.") == [permission]


@pytest.mark.parametrize(
    ("ban", "permission"),
    [
        ("Do not touch src/a.py.", "You can edit src/b.py."),
        ("Do not touch src/a.py or src/b.py.", "You can edit src/a.py."),
        ("Do not push to main.", "You can push."),
        ("Do not push.", "You can push the docs branch."),
        ("Never push to main without asking me first.", "You can push to main."),
        ("Never touch the database schema in production.", "You can touch the database schema."),
        ("Do not use mocks in tests.", "You can use tests."),
        ("Do not edit config.yaml.", "You can edit config.yaml if the tests pass."),
        ("Do not edit config.yaml.", "Can you edit config.yaml?"),
        ("Do not edit config.yaml.", "You can not edit config.yaml."),
        ("Do not edit config.yaml.", "You can read config.yaml."),
        ("Do not delete files.", "You can delete the file."),
        ("Do not modify src/core.", "You can modify src/core/util.py."),
        ("ne touche pas à src/legacy.py", "tu peux toucher à src/nouveau.py"),
        ("ne touche pas à src/legacy.py", "tu peux lire src/legacy.py"),
        ("ne touche pas à src/legacy.py", "tu ne peux pas toucher à src/legacy.py"),
        ("Ne supprime pas les tests.", "Tu peux supprimer les tests cassés."),
        ("Ändere setup.py nicht.", "Du darfst setup.py nur lesen."),
        ("Lösche keine Dateien.", "Du kannst die Datei löschen."),
        ("No toques src/legacy.py.", "Puedes tocar src/legacy.py solo esta vez."),
        ("Não altere config.yaml.", "Pode ler config.yaml."),
        ("不要修改 config.yaml。", "不可以修改 config.yaml。"),
        ("不要修改 config.yaml。", "可以修改 settings.yaml。"),
        ("不要删除文件。", "可以删除这个文件。"),
        ("config.yaml を変更しないでください。", "config.yaml を読んでもいいです。"),
        ("config.yaml を変更しないでください。", "settings.yaml を変更してもいいです。"),
        ("config.yaml을 수정하지 마세요.", "config.yaml을 읽어도 됩니다."),
        ("Не трогай src/legacy.py.", "Можешь читать src/legacy.py."),
        ("Đừng sửa config.yaml.", "Bạn có thể đọc config.yaml."),
        ("Do not add dependencies.", "You can add the dependency rich."),
        ("Don't edit config.yaml.", "You can edit settings.yaml again."),
        ("Don't edit config.yaml.", "You can edit config.yaml only this time."),
        ("Do not edit config.yaml.", "You can edit config.yaml, but do not push."),
    ],
)
def test_a_permission_for_something_else_or_in_part_lifts_nothing(ban: str, permission: str) -> None:
    assert replaced(ban, permission) == [""]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Use tabs.", "use spaces from now on"),
        ("use tabs", "use spaces from now on"),
        ("Use tabs for indentation.", "Use spaces from now on."),
        ("Utilise des tabulations.", "Utilise des espaces désormais."),
        ("Benutze Tabs.", "Ab jetzt Leerzeichen."),
        ("Usa tabulaciones.", "Usa espacios a partir de ahora."),
        ("Use tabs.", "Use spaces instead."),
        ("Use npm.", "Use pnpm from now on."),
        ("用制表符缩进。", "以后用空格缩进。"),
        ("タブを使って。", "今後はスペースを使って。"),
        ("탭을 사용하세요.", "이제부터 공백을 사용하세요."),
        ("Используй табы.", "Теперь используй пробелы."),
        ("Use tabulações.", "A partir de agora use espaços."),
        ("Dùng tab.", "Từ giờ dùng dấu cách."),
    ],
)
def test_a_later_choice_of_the_same_pair_replaces_an_earlier_one(before: str, after: str) -> None:
    assert replaced(before, after) == [after]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Use tabs.", "Use spaces in the Markdown tables."),
        ("Use tabs.", "The old code uses spaces from now on? No idea."),
        ("Use pytest.", "Also use vitest for the front end from now on."),
        ("Use tabs in Go files.", "From now on use spaces in Python files."),
        ("Use spaces for indentation.", "Use tabs for alignment from now on."),
    ],
)
def test_a_choice_for_something_else_replaces_nothing(before: str, after: str) -> None:
    assert replaced(before, after) == [""]


def test_a_ban_after_a_permission_holds() -> None:
    assert replaced("Do not edit config.yaml.", "Fix the parser.") == [""]
    said = ("You can edit config.yaml.", "Do not edit config.yaml.")
    found = build_ledger(talk(*(user(one) for one in said)).messages).constraints
    assert [(one.text, one.replaced_by) for one in found] == [(said[1], "")]


def test_rules_of_the_project_are_not_lifted() -> None:
    rules = "# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\n- Do not edit config.yaml.\n</INSTRUCTIONS>"
    found = build_ledger(talk(user(rules, origin="harness"), user("You can edit config.yaml.")).messages).constraints
    assert [one.replaced_by for one in found if "config.yaml" in one.text and one.scope == "project"] == [""]


def test_a_ban_of_an_earlier_span_is_lifted_by_a_later_one() -> None:
    first = read_back(render_ledger(build_ledger(talk(user("Do not edit config.yaml.")).messages)))
    later = build_ledger(talk(user("You can edit config.yaml.")).messages)
    ledger = merge(first, later)
    assert [one.replaced_by for one in ledger.constraints] == ["You can edit config.yaml."]
    assert merge(ledger, later).constraints == ledger.constraints
    again = build_ledger(talk(user("You can edit config.yaml."), user("Do not edit config.yaml.")).messages)
    assert [one.replaced_by for one in merge(first, again).constraints] == [""]


@pytest.mark.parametrize(
    "sentence",
    [
        "Can you edit config.yaml?",
        "You cannot edit config.yaml.",
        "You can edit config.yaml once it is released.",
        "Bạn không được phép sửa config.yaml.",
        "不可以修改 config.yaml。",
        "You can " + "very " * 60 + "well edit it.",
    ],
)
def test_what_is_no_plain_permission(sentence: str) -> None:
    assert not is_permission(sentence)
