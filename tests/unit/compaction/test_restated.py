"""Demands that a summary restates give way to the user's own words, and nothing else does."""

from secateur.compaction.restated import without_restated

FACTS = {
    "constraints": (
        "- [bnjkgb] Don't touch anything under tests/, and keep Python 3.9 working.",
        "- [kwtrds] Never raise the minimum Rust version (1.70).",
    ),
    "goal": ("- [bnjkgb, open] edge-2 is behind the bastion, use ssh -J bastion edge-2.",),
}


def keep(line: str, id: str = "constraints") -> bool:
    return without_restated({id: (line,)}, FACTS)[id] == (line,)


def test_a_demand_in_other_words_gives_way() -> None:
    assert not keep("- Nothing under tests/ is to be touched.")
    assert not keep("- The minimum Rust version stays 1.70", "instructions")
    assert not keep("- Reach edge-2 with `ssh -J bastion edge-2`.", "instructions")


def test_a_demand_that_became_its_opposite_gives_way() -> None:
    assert not keep("- Update everything under tests/ to match.", "instructions")
    assert not keep("- Raise the minimum Rust version where a feature needs it.")
    assert not keep("- as of an earlier summary: Always edit the files under tests/")


def test_several_demands_in_a_line_give_way_together() -> None:
    assert not keep("- keep Python 3.9 working; edit tests/ as needed")
    assert keep("- keep Python 3.9 working; write the changelog in French")


def test_a_demand_that_the_facts_do_not_quote_stays() -> None:
    assert keep("- Write the changelog in French.")
    assert keep("- Release on Friday only.", "instructions")


def test_what_is_no_demand_stays() -> None:
    line = "- Nothing under tests/ was touched, Python 3.9 still works."
    assert keep(line, "accomplished")


def test_without_quoted_demands_everything_stays() -> None:
    sections = {"constraints": ("- Do not touch tests/.",), "next": ("- Write the spec.",)}
    assert without_restated(sections, {}) == sections


def test_a_line_without_a_subject_stays() -> None:
    assert keep("- ...")


def test_a_rule_of_the_project_is_not_the_users_word() -> None:
    facts = {"constraints": ("- [bnjkgb, project: AGENTS.md] - No emojis in commits or changes",)}
    line = "- as of an earlier summary: Commits after larger changes"
    assert without_restated({"constraints": (line,)}, facts)["constraints"] == (line,)
