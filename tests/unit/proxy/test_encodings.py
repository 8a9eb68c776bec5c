"""Packed bodies are read within limits; what is broken or too large is refused."""

import gzip
import zlib
from collections.abc import Callable

import brotli
import pytest
from backports import zstd
from hypothesis import given, settings
from hypothesis import strategies as st

from secateur.proxy.encodings import list_encodings, unpack
from secateur.proxy.refusals import Refusal

PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
}


def packed(data: bytes, names: tuple[str, ...]) -> bytes:
    """The data, packed by these in order."""
    for name in names:
        data = PACK[name](data)
    return data


@given(st.binary(max_size=5_000), st.lists(st.sampled_from(sorted(PACK)), max_size=4))
@settings(deadline=None)
def test_what_was_packed_is_unpacked(data: bytes, names: list[str]) -> None:
    sizes: list[int] = []
    assert unpack(packed(data, tuple(names)), tuple(names), 10_000, sizes.append) == data
    assert len(sizes) == len(names)


def test_deflate_without_its_header_is_read_too() -> None:
    raw = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    assert unpack(raw.compress(b"data") + raw.flush(), ("deflate",), 100, lambda size: None) == b"data"


@pytest.mark.parametrize("name", PACK)
def test_a_bomb_is_refused_before_it_is_in_memory(name: str) -> None:
    sizes: list[int] = []
    with pytest.raises(Refusal, match="unpacks to more than 2,000,000 bytes") as caught:
        unpack(PACK[name](bytes(50_000_000)), (name,), 2_000_000, sizes.append)
    assert caught.value.status == 413
    assert sizes == []


@pytest.mark.parametrize("name", PACK)
@pytest.mark.parametrize("broken", [lambda data: data[:-3], lambda data: b"{}", lambda data: b""])
def test_what_is_not_whole_is_refused(name: str, broken: Callable[[bytes], bytes]) -> None:
    with pytest.raises(Refusal) as caught:
        unpack(broken(PACK[name](b"some data, and more of it" * 9)), (name,), 10_000, lambda size: None)
    assert caught.value.status == 400


@pytest.mark.parametrize("value", ["snappy", "gzip, snappy", "gzip, gzip, gzip, gzip, gzip"])
def test_an_unknown_encoding_is_refused(value: str) -> None:
    with pytest.raises(Refusal) as caught:
        unpack(b"{}", list_encodings(value), 100, lambda size: None)
    assert caught.value.status == 415


def test_encodings_are_listed_in_the_order_in_which_they_were_applied() -> None:
    assert list_encodings(" GZip , identity,zstd,") == ("gzip", "zstd")
    assert list_encodings("") == ()
