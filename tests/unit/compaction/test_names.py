"""Which names stand behind the calls of a digest, and where."""

from hypothesis import given
from hypothesis import strategies as st

from secateur.compaction.names import DigestEntry, add_names, list_names
from secateur.compaction.settings import DigestSettings
from secateur.text.outline import NAMES

PADDING = " and so on" * 10
ROOMY = DigestSettings(names_share=1.0)


def told(*entries: tuple[str, str], root: str = "", settings: DigestSettings = ROOMY) -> list[str]:
    return add_names([DigestEntry(text, output and output + PADDING) for text, output in entries], settings, root)


def test_names_stand_in_their_order_behind_the_call_that_showed_them() -> None:
    output = "func (s *Store) ReadRows() error {\n\treturn rows.CloseAll(src/store/rows.go)\n"
    assert told(("- read store.go", output), ("The store is read.", "")) == [
        f"- read store.go\n{NAMES}ReadRows rows.CloseAll src/store/rows.go",
        "The store is read.",
    ]


def test_a_name_is_told_once_behind_the_newest_result_that_has_it() -> None:
    assert told(("- read a", "oldPlan sharedPlan"), ("- read b", "sharedPlan newPlan")) == [
        f"- read a\n{NAMES}oldPlan",
        f"- read b\n{NAMES}sharedPlan newPlan",
    ]


def test_names_that_several_results_have_come_first_where_not_all_have_room() -> None:
    narrow = DigestSettings(names_share=0.2)
    entries = (("- read a", "sharedPlan"), ("- read b", "firstPlan sharedPlan"))
    assert told(*entries, settings=narrow)[1] == f"- read b\n{NAMES}sharedPlan"


def test_what_a_line_of_the_digest_shows_or_a_longer_name_contains_is_not_told() -> None:
    assert told(("4: def read_rows():", "read_rows rows.close_all close_all")) == [
        f"4: def read_rows():\n{NAMES}rows.close_all"
    ]


def test_what_many_results_have_is_not_told() -> None:
    entries = [(f"- read {number}", "commonPlan") for number in range(5)]
    assert told(*entries) == [text for text, _ in entries]
    assert told(*entries[:4])[3] == f"- read 3\n{NAMES}commonPlan"


def test_paths_are_told_below_the_folder_that_is_stated() -> None:
    seen = "/home/me/app/src/plan.py /home/me/app/src/rows.py"
    assert told(("- read plan.py", seen), root="/home/me/app/src") == [f"- read plan.py\n{NAMES}rows.py"]


def test_names_are_added_to_those_that_the_last_line_has() -> None:
    assert told((f"- read a\n{NAMES}walnut_tray", "walnut_tray maple_board")) == [
        f"- read a\n{NAMES}walnut_tray maple_board"
    ]


def test_secrets_and_long_names_are_not_told() -> None:
    secret = f"sk-ant-api03-{'a1B2' * 24}"
    assert told(("- read a", f"{secret} {'long_' * 20}name api_key_of_plan")) == [f"- read a\n{NAMES}api_key_of_plan"]


def test_without_a_share_no_names_are_told() -> None:
    assert told(("- read a", "sharedPlan"), settings=DigestSettings(names_share=0.0)) == ["- read a"]


@given(st.lists(st.text(st.sampled_from("abC_./ \n1"), max_size=200), max_size=5), st.sampled_from((0.05, 0.3, 1.0)))
def test_names_are_the_results_own_fit_their_room_and_are_told_once(outputs: list[str], share: float) -> None:
    settings = DigestSettings(names_share=share, max_outline_chars=100)
    lines = add_names([DigestEntry("- x", output) for output in outputs], settings, "")
    every = []
    for line, output in zip(lines, outputs, strict=True):
        added = line.removeprefix("- x").removeprefix("\n")
        assert len(added) <= min(100, share * len(output))
        names = added.removeprefix(NAMES).split()
        assert {*names} <= {*list_names(output)}
        every += names
    assert len(every) == len({*every})
