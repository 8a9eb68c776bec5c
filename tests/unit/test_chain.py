"""A chain of receipts holds, and every way of tampering with it is found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from secateur.chain import Link, broken, canonical, hashed, line, linked, start, unlined

BEGIN = start("acme", "s1")
LINKS = linked([canonical({"n": n}) for n in range(5)], BEGIN, 0)
HEAD = LINKS[-1].hash


def test_a_chain_holds_whole_and_from_the_middle() -> None:
    assert broken(LINKS, BEGIN, HEAD) == ""
    assert broken(LINKS[3:], LINKS[2].hash, HEAD, sequence=3) == ""
    assert linked([b"{}"], HEAD, 5)[0] == Link(5, b"{}", HEAD, hashed(HEAD, b"{}"))


@pytest.mark.parametrize(
    ("links", "says"),
    [
        ((*LINKS[:2], *LINKS[3:]), "receipt 2 is missing"),
        (LINKS[1:], "receipt 0 is missing"),
        (LINKS[:4], "receipts are missing after number 3"),
        ((*LINKS[:2], replace(LINKS[2], body=b'{"n":7}'), *LINKS[3:]), "receipt 2 is not as it was written"),
        ((*LINKS[:2], *linked([b"{}"], LINKS[1].hash, 2), *LINKS[3:]), "receipt 3 does not follow"),
        ((LINKS[1], LINKS[0], *LINKS[2:]), "receipt 0 is missing"),
    ],
)
def test_tampering_is_found(links: tuple[Link, ...], says: str) -> None:
    assert broken(links, BEGIN, HEAD).startswith(says)


def test_a_chain_is_of_one_session_of_one_tenant() -> None:
    assert broken(LINKS, start("acme", "s2"), HEAD).startswith("receipt 0 does not follow")
    assert len({start("a", "bc"), start("ab", "c"), start("", "abc"), start("a b", "c"), start("a", "b c")}) == 5


@given(st.recursive(st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(), st.lists, max_leaves=5))
def test_a_line_gives_back_the_bytes_that_were_hashed(value: object) -> None:
    link = linked([canonical({"value": value})], BEGIN, 0)[0]
    assert unlined(line(link)) == link
    assert line(link).count(b"\n") == 1


def test_the_same_value_is_the_same_bytes() -> None:
    assert canonical({"b": 1, "a": (2,)}) == canonical({"a": [2], "b": 1}) == b'{"a":[2],"b":1}'
    assert canonical({"a": "\ud800é"}) == b'{"a":"\\ud800\\u00e9"}'
