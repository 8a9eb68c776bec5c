"""Demands that a later sentence takes back, in ten languages, and demands that only are beside each other."""

import pytest

from conversation import assistant, talk, user
from secateur.compaction.ledger import Constraint, Ledger, build_ledger, merge, read_back, render_ledger


def replaced(*sentences: str) -> list[str]:
    """The sentence that replaces the first one; nothing where it holds."""
    messages = [one for text in sentences for one in (user(text), assistant(text="Ok."))]
    found = build_ledger(talk(*messages).messages).constraints
    return [one.replaced_by for one in found if one.text == sentences[0]]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Always use spaces.", "from now on tabs"),
        ("Never push to main.", "You may push to main now."),
        ("Use npm for everything, never yarn.", "Switch to pnpm instead of npm from now on."),
        ("Keep lines under 80 characters.", "From now on keep lines under 100 characters."),
        ("You must run the linter before you commit.", "You no longer need to run the linter before you commit."),
        ("Don't touch the migrations.", "Forget what I said about the migrations, don't worry."),
        ("Answer in English only.", "From now on answer in German."),
        ("Antworte nur auf Deutsch.", "Ab sofort bitte auf Englisch antworten."),
        ("Ändere die Datei setup.py nicht.", "Du darfst setup.py jetzt doch ändern."),
        ("Führe immer den Linter aus.", "Du musst den Linter nicht mehr ausführen."),
        ("コメントは必ず英語で書いてください。", "今後はコメントは日本語で書いてください。"),
        ("テストを変更しないでください。", "テストを変更しても構いません。"),
        ("Ne modifie jamais le schéma.", "Tu peux modifier le schéma maintenant."),
        ("Il faut toujours lancer les tests.", "Plus besoin de lancer les tests désormais."),
        ("Не меняй схему базы.", "Теперь можешь менять схему базы."),
        ("Всегда запускай тесты.", "Больше не нужно запускать тесты."),
        ("스키마를 변경하지 마세요.", "이제 스키마를 변경해도 됩니다."),
        ("항상 영어로 답하세요.", "이제부터 한국어로 답하세요."),
        ("Nunca altere o esquema.", "Agora pode alterar o esquema."),
        ("Responda sempre em inglês.", "A partir de agora responda em português."),
        ("No cambies el esquema.", "Ya puedes cambiar el esquema, olvida lo anterior."),
        ("Responde siempre en inglés.", "A partir de ahora responde en español."),
        ("Không được đổi lược đồ.", "Bây giờ bạn có thể đổi lược đồ."),
        ("不要改动数据库结构。", "现在可以改动数据库结构了。"),
        ("总是用英文回答。", "从现在开始用中文回答。"),
    ],
)
def test_a_later_sentence_replaces_an_earlier_one(before: str, after: str) -> None:
    assert replaced(before, after) == [after]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Always run the linter before you commit.", "From now on never commit to main directly."),
        ("Never commit to main.", "From now on never commit to release either."),
        ("Run ruff before each commit.", "From now on also run mypy before each commit."),
        ("Always use tabs.", "From now on always use tabs."),
        ("Do not touch tests/golden.", "You may delete out/ now."),
        ("Answer in English.", "Do not answer in riddles."),
        ("Führe vor jedem Commit den Linter aus.", "Ab jetzt bitte auch mypy vor jedem Commit."),
        ("不要修改配置文件。", "现在必须运行测试。"),
    ],
)
def test_a_further_demand_replaces_nothing(before: str, after: str) -> None:
    assert replaced(before, after) == [""]


def test_the_last_retraction_counts_and_is_kept() -> None:
    said = ("Always use spaces.", "From now on use tabs.", "From now on use spaces again, only in Python.")
    assert replaced(*said) == [said[1]]
    found = build_ledger(talk(*(user(one) for one in said)).messages).constraints
    assert [(one.text, one.replaced_by) for one in found][1:] == [(said[1], said[2]), (said[2], "")]


def test_what_is_said_again_holds_again() -> None:
    said = ("Always use spaces.", "From now on use tabs.", "Always use spaces.")
    found = build_ledger(talk(*(user(one) for one in said)).messages).constraints
    assert [(one.text, one.replaced_by) for one in found] == [(said[1], ""), (said[0], "")]


def test_a_replaced_demand_is_quoted_behind_what_replaced_it_and_read_back() -> None:
    first = build_ledger(talk(user("Always use spaces.")).messages)
    ledger = merge(first, build_ledger(talk(user("From now on use tabs.")).messages))
    lines = render_ledger(ledger)
    [line] = lines["constraints"]
    assert line.endswith("standing] From now on use tabs. — replaces: “Always use spaces.”")
    back = read_back(lines)
    assert render_ledger(back) == lines
    assert [(one.text, one.replaced_by) for one in back.constraints] == [
        ("From now on use tabs.", ""),
        ("Always use spaces.", "From now on use tabs."),
    ]


def test_all_that_was_replaced_in_turn_is_quoted_behind_what_holds_now() -> None:
    demands = ("Always use spaces.", "From now on use tabs.", "Indent by four.", "Indent by two.")
    later = ("From now on use tabs.", "Use what the editor does.", "Ask me how to indent.", "Ask me how to indent.")
    made = (Constraint(one, "standing", replaced_by=by) for one, by in zip(demands, later, strict=True))
    ledger = Ledger(constraints=(*made, Constraint("Use what the editor does.", "standing")))
    lines = render_ledger(ledger)
    assert lines["constraints"] == (
        "- [, standing] Use what the editor does. — replaces: “Always use spaces.” · “From now on use tabs.”",
        "- [, superseded standing] Ask me how to indent. — replaces: “Indent by four.” · “Indent by two.”",
    )
    assert render_ledger(read_back(lines)) == lines
    endless = Ledger(constraints=(Constraint("a", replaced_by="b"), Constraint("b", replaced_by="a")))
    assert render_ledger(read_back(render_ledger(endless))) == render_ledger(endless)


def test_a_demand_that_was_taken_back_is_read_from_an_older_summary() -> None:
    line = "- [bcdfgh, superseded standing] Always use spaces. — replaced by: From now on use tabs."
    [one] = read_back({"constraints": (line,)}).constraints
    assert (one.text, one.key, one.replaced_by) == ("Always use spaces.", "bcdfgh", "From now on use tabs.")


def test_of_two_korean_sentences_in_a_line_one_is_taken_back() -> None:
    said = "들여쓰기는 항상 공백을 사용하세요. docs 아래 파일은 수정하지 마세요."
    later = "이제부터 들여쓰기는 탭을 사용하세요."
    found = build_ledger(talk(user(said), assistant(text="Done."), user(later)).messages).constraints
    assert [(one.text, one.replaced_by) for one in found] == [
        ("들여쓰기는 항상 공백을 사용하세요.", later),
        ("docs 아래 파일은 수정하지 마세요.", ""),
        (later, ""),
    ]


def test_a_demand_to_keep_something_ends_where_the_user_later_orders_to_remove_it() -> None:
    demand = "Keep old code running beside new code, always."
    order = "Finish it and commit, then remove the old files of the first version."
    kept, gone = user(demand), user(order)
    found = build_ledger(talk(kept, assistant(text="Done."), gone, assistant(text="Removed.")).messages).constraints
    assert [one.replaced_by for one in found if "Keep old code" in one.text] == [order]
    other = user("Finish it and commit, then remove the new menu of the page.")
    found = build_ledger(talk(kept, assistant(text="Done."), other).messages).constraints
    assert [one.replaced_by for one in found if "Keep old code" in one.text] == [""]
    found = build_ledger(talk(gone, assistant(text="Removed."), kept).messages).constraints
    assert [one.replaced_by for one in found if "Keep old code" in one.text] == [""]


def test_parallel_notes_of_one_message_do_not_replace_each_other() -> None:
    notes = "ALWAYS use the Alpha API instead of a browser.\n\nALWAYS use the Beta API instead of a browser."
    assert [one.replaced_by for one in build_ledger(talk(user(notes)).messages).constraints] == ["", ""]
    first, second = notes.split("\n\n")
    later = build_ledger(talk(user(first), assistant(text="Done."), user(second)).messages).constraints
    assert [one.replaced_by for one in later] == [second, ""]


def test_a_message_may_correct_itself() -> None:
    said = "Always use tabs in this file. Actually, use spaces instead of tabs in this file."
    first, _ = build_ledger(talk(user(said)).messages).constraints
    assert first.replaced_by
