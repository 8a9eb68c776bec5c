"""A chain of receipts holds, and every way of tampering with it is found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from secateur.chain import Link, decode_link, encode_canonical, encode_link, find_break, hash_link, link_bodies, start

BEGIN = start("acme", "s1")
LINKS = link_bodies([encode_canonical({"n": n}) for n in range(5)], BEGIN, 0)
HEAD = LINKS[-1].hash


def test_a_chain_holds_whole_and_from_the_middle() -> None:
    assert find_break(LINKS, BEGIN, HEAD) == ""
    assert find_break(LINKS[3:], LINKS[2].hash, HEAD, sequence=3) == ""
    assert link_bodies([b"{}"], HEAD, 5)[0] == Link(5, b"{}", HEAD, hash_link(HEAD, b"{}"))


@pytest.mark.parametrize(
    ("links", "says"),
    [
        ((*LINKS[:2], *LINKS[3:]), "receipt 2 is missing"),
        (LINKS[1:], "receipt 0 is missing"),
        (LINKS[:4], "receipts are missing after number 3"),
        ((*LINKS[:2], replace(LINKS[2], body=b'{"n":7}'), *LINKS[3:]), "receipt 2 was changed"),
        ((*LINKS[:2], *link_bodies([b"{}"], LINKS[1].hash, 2), *LINKS[3:]), "receipt 3 does not follow"),
        ((LINKS[1], LINKS[0], *LINKS[2:]), "receipt 0 is missing"),
    ],
)
def test_tampering_is_found(links: tuple[Link, ...], says: str) -> None:
    assert find_break(links, BEGIN, HEAD).startswith(says)


def test_a_chain_is_of_one_session_of_one_tenant() -> None:
    assert find_break(LINKS, start("acme", "s2"), HEAD).startswith("receipt 0 does not follow")
    assert len({start("a", "bc"), start("ab", "c"), start("", "abc"), start("a b", "c"), start("a", "b c")}) == 5


@given(st.recursive(st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(), st.lists, max_leaves=5))
def test_a_line_gives_back_the_bytes_that_were_hashed(value: object) -> None:
    link = link_bodies([encode_canonical({"value": value})], BEGIN, 0)[0]
    assert decode_link(encode_link(link)) == link
    assert encode_link(link).count(b"\n") == 1


def test_the_same_value_is_the_same_bytes() -> None:
    assert encode_canonical({"b": 1, "a": (2,)}) == encode_canonical({"a": [2], "b": 1}) == b'{"a":[2],"b":1}'
    assert encode_canonical({"a": "\ud800é"}) == b'{"a":"\\ud800\\u00e9"}'
