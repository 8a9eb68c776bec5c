"""The outline of a long text: what stands above the rest comes first."""

from hypothesis import given
from hypothesis import strategies as st

from secateur.compaction.ledger.turns.outlines import outline_words

PLAN = """Here is the plan for the market stall.

## Building

1. **Build the counter**
   - Cut six planks of {wood}.
   - Sand them.
2. **Build the roof**
   - Sew the cloth.

```
saw planks
```

    if (dry) {
        paint();
    }

## What works well

- The old counter is {wood}.

Tell me when to begin."""


def test_points_come_before_what_stands_below_them_and_praise_goes_last() -> None:
    text = PLAN.replace("{wood}", "oak " * 40)
    assert outline_words(text, 250) == (
        "Here is the plan for the market stall.\n## Building\n1. **Build the counter**\n   - Sand them.\n"
        "2. **Build the roof**\n   - Sew the cloth.\nTell me when to begin."
    )


def test_the_number_of_a_long_point_is_no_sentence() -> None:
    long = f"1. **Build the counter** of six planks. {'Sand each of them. ' * 20}"
    assert outline_words(f"{long}\n\nTell me when to begin.", 300).startswith(
        "1. **Build the counter** of six planks.\n"
    )


def test_a_text_that_has_room_stays_as_it_is() -> None:
    assert outline_words(PLAN, 1_000) == PLAN


def test_a_heading_of_which_nothing_is_left_goes_unless_its_number_tells_something() -> None:
    text = f"Two findings.\n\n### Overview\n\n{'long ' * 100}\n\n### 1. The lid leaks\n\n{'long ' * 100}"
    assert outline_words(text, 60) == "Two findings.\n### 1. The lid leaks"


@given(st.lists(st.sampled_from(PLAN.split("\n")) | st.text(max_size=60)), st.integers(20, 400))
def test_an_outline_has_the_lines_of_the_text_in_their_order_and_keeps_its_bound(lines: list[str], most: int) -> None:
    text = "\n".join(lines)
    made = outline_words(text, most)
    assert len(made) <= max(most, 0)
    rest = text
    for line in made.split("\n"):
        assert line in rest
        rest = rest[rest.index(line) + len(line) :]
