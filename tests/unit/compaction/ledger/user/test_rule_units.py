"""What of a project's file makes one rule: heads with their lists, headings with their commands."""

from secateur.compaction.ledger.user.rule_units import clip_block, split_rules


def split(text: str) -> list[str]:
    return [one for one in split_rules(text) if one]


def test_a_head_that_forbids_stays_with_its_own_items() -> None:
    text = "- NEVER open:\n  - the red box\n  - the blue box\n- Paint it.\n\nDo NOT:\n\n- Sing.\n- Dance.\n\nSit down."
    assert split(text) == [
        "- NEVER open:\n- the red box\n- the blue box",
        "- Paint it.",
        "Do NOT:\n- Sing.\n- Dance.",
        "Sit down.",
    ]


def test_a_list_whose_head_demands_nothing_is_parted() -> None:
    assert split("Colors:\n- red\n- blue") == ["Colors:", "- red", "- blue"]


def test_a_line_goes_on_in_indented_ones() -> None:
    assert split("- Paint it\n  twice.\n- Dry it.") == ["- Paint it twice.", "- Dry it."]


def test_a_heading_that_requires_something_is_told_with_its_commands() -> None:
    text = "### Before every commit (REQUIRED)\n\n**It fails else:**\n\n```sh\nmake paint\nmake dry\n```\n\n- Sit down."
    assert split(text) == ["Before every commit (REQUIRED)\nmake paint\nmake dry", "- Sit down."]
    assert split("## Colors MUST match\n\nUse red.\n\n## Run\n\nThen:\n```sh\nmake\n```")[:2] == [
        "## Colors MUST match",
        "Use red.",
    ]


def test_a_list_is_clipped_behind_its_head() -> None:
    text = "Never open:\n- the red box\n- the blue box"
    assert clip_block(text, 100) == text
    assert clip_block(text, 30) == "Never open:\n- the red box\n[…]"
    assert clip_block(text, 12) == ""  # the head alone says nothing


def test_several_commands_below_a_bullet_keep_their_lines_and_one_stands_in_its_line() -> None:
    text = (
        "4. **SAIL HOME** - This is mandatory:\n   ```bash\n   hoist sail\n   cast off  # both lines\n   ```\n5. Rest"
    )
    assert split(text) == [
        "4. **SAIL HOME** - This is mandatory:\nhoist sail\ncast off  # both lines",
        "5. Rest",
    ]
    assert split(text.replace("   hoist sail\n", ""))[0] == (
        "4. **SAIL HOME** - This is mandatory: cast off  # both lines"
    )


def test_the_lines_of_a_paragraph_are_one_rule_and_parts_of_it_stay_lines() -> None:
    assert list(split_rules("Never paint the\nboat at night.\nRow it home.\n- Dry it")) == [
        "Never paint the boat at night.",
        "Row it home.",
        "- Dry it",
    ]
    text = "Always name it well.\nFormat: `<kind>: <name>`\nKinds: boat, ship.\nThat is all."
    assert list(split_rules(text)) == ["\n".join(text.split("\n")[:3]), "That is all."]
