"""Names that somebody may have meant who wrote one that there is not."""

import string
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.cli.program import REGISTRY
from secateur.formats import list_format_names
from secateur.policy import list_preset_names
from secateur.text.suggestions import suggest_names

NAMES = st.lists(st.text(string.ascii_lowercase, min_size=2, max_size=8), min_size=1, max_size=9, unique=True)


@given(names=NAMES, data=st.data())
def test_what_begins_names_suggests_only_these(names: list[str], data: st.DataObject) -> None:
    one = data.draw(st.sampled_from(names))
    typed = one[: data.draw(st.integers(2, len(one)))]
    meant = suggest_names(typed, names).replace(" or ", ", ").split(", ")
    assert set(meant) <= {name for name in names if name.startswith(typed)}
    assert suggest_names(typed.upper(), names) == suggest_names(typed, names)


@pytest.mark.parametrize(
    "names", [list_format_names(), list_preset_names(), REGISTRY.list_names()], ids=["format", "policy", "command"]
)
def test_the_beginning_of_a_name_suggests_it(names: Sequence[str]) -> None:
    for name in (one for one in names if len(one) > 2):
        alike = [one for one in names if one.startswith(name[:-1])]
        assert suggest_names(name[:-1], names).replace(" or ", ", ").split(", ") == alike[:4]


def test_a_slip_suggests_the_nearest_and_what_is_far_from_all_none() -> None:
    assert suggest_names("prnue", ["prune", "why"]) == "prune"
    assert suggest_names("Balance", ["balance", "focus"]) == "balance"
    assert suggest_names("zzzz", ["prune", "why"]) == ""
    assert suggest_names("openai", ["openclaw", "openai_chat", "openai_responses"]) == "openai_chat or openai_responses"
