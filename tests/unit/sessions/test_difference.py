"""Whatever two documents are, the difference turns the one into the other; and it is small where little differs."""

import json
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from secateur.lineage import hash_prefixes, hash_text
from secateur.patch import Splice, apply_splices
from secateur.sessions.originals import compute_difference

_TEXTS = st.lists(st.sampled_from(["a", "longer than sixteen signs", "another one of these texts", 'a "quote"', "\n"]))


def _made(old: bytes, new: bytes) -> bytes:
    return apply_splices(new, compute_difference(old, new))


@settings(deadline=None)
@given(_TEXTS, _TEXTS)
def test_it_turns_one_document_into_the_other(old: list[str], new: list[str]) -> None:
    one, other = json.dumps(old).encode(), json.dumps(new).encode()
    assert _made(one, other) == one
    assert _made(other, one) == other


@settings(deadline=None)
@given(st.binary(), st.binary())
def test_it_turns_any_bytes_into_any_others(old: bytes, new: bytes) -> None:
    assert _made(old, new) == old


def test_equal_documents_do_not_differ() -> None:
    assert compute_difference(b'{"a": 1}', b'{"a": 1}') == ()


def test_only_what_differs_is_in_it() -> None:
    old = b'["the first text of them all","' + b"x" * 50 + b'","the last text of them all"]'
    new = b'["the first text of them all","[gone]","the last text of them all"]'
    assert compute_difference(old, new) == (Splice(31, 37, b"x" * 50),)


def test_texts_that_changed_places_are_no_trouble() -> None:
    texts = [f"text number {number} of this document" for number in range(50)]
    mixed = [*texts]
    Random(3).shuffle(mixed)
    one, other = json.dumps(texts).encode(), json.dumps(mixed).encode()
    assert _made(one, other) == one


def test_a_thousand_small_edits_are_a_thousand_small_pieces() -> None:
    texts = [f"what stays of message number {number}" for number in range(1000)]
    old = json.dumps([part for text in texts for part in (text, "z" * 900)]).encode()
    new = json.dumps([part for text in texts for part in (text, "[gone]")]).encode()
    pieces = compute_difference(old, new)
    assert len(pieces) == 1000
    assert sum(len(piece.text) for piece in pieces) == 900_000
    assert apply_splices(new, pieces) == old


def test_the_hashes_of_beginnings_are_those_of_the_bytes() -> None:
    data = b"0123456789"
    assert hash_prefixes(data, [7, 0, 10, 11, 7]) == {size: hash_text(data[:size]) for size in (0, 7, 10)}
