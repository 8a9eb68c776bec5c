"""New results, shortened before a host stores them: the original is in the store, or nothing changes."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from secateur.arrival import MIN_CHARS, ArrivedResult, ResultShortener
from secateur.errors import StoreError
from secateur.stores.memory import MemoryStore
from secateur.stores.protocol import SessionId

STEPS = "".join(f"tests/test_a.py::test_case_{number:03d} PASSED\n" for number in range(300)) + "300 passed in 1.0s\n"


def arrived(text: str = STEPS, **more: Any) -> ArrivedResult:
    made = {"session": "s/c", "tool": "bash", "arguments": {"command": "pytest -v"}, "text": text}
    return ArrivedResult(**made | more)


@settings(max_examples=25)
@given(
    st.lists(st.sampled_from([STEPS, "a line\n" * 900, "\ud800", "é", "{}\n", "x" * 2_500]), max_size=4).map("".join)
)
def test_a_shorter_text_is_returned_only_if_the_store_has_the_original(text: str) -> None:
    store = MemoryStore()
    shorter = ResultShortener(store).shorten(arrived(text))
    if shorter is None:
        return
    assert MIN_CHARS <= len(text) > len(shorter)
    kept = [store.get_blob("", ref.id) for ref in store.list_blobs(SessionId("s/c", "")) if ref.id]
    assert text.encode("utf-8", "surrogatepass") in [one.data for one in kept if one is not None]


def test_a_check_is_shortened_to_its_verdict() -> None:
    shorter = ResultShortener(MemoryStore()).shorten(arrived())
    assert shorter is not None
    assert "300 passed in 1.0s" in shorter
    assert "recall " in shorter
    assert ResultShortener(MemoryStore()).shorten(arrived()) == shorter


@pytest.mark.parametrize(
    ("policy", "result"),
    [
        ("balance", arrived(STEPS[: MIN_CHARS - 1])),
        ("balance", arrived("".join(f"def name_{n}(): return {n * n}\n" for n in range(400)), tool="read")),
        ("observe", arrived()),
        ({"prune": [{"type": "hard_clear"}], "schedule": {"type": "every_request"}}, arrived()),
    ],
)
def test_what_no_rule_shortens_stays_as_it_is(policy: Any, result: ArrivedResult) -> None:
    assert ResultShortener(MemoryStore(), policy).shorten(result) is None


def test_what_cannot_be_kept_stays_as_it_is() -> None:
    class Full(MemoryStore):
        def save(self, *_: Any, **__: Any) -> Any:
            raise StoreError("the disk is full: make room")

    assert ResultShortener(Full()).shorten(arrived()) is None
