"""Usage is read from responses however they are cut into pieces and packed."""

import gzip
import json
import zlib
from collections.abc import Callable

import brotli
import pytest
from backports import zstd
from hypothesis import given, settings
from hypothesis import strategies as st

from secateur.proxy.usage_reader import UsageReader
from secateur.usage import Usage, read_usage
from upstream import spoken

SSE = "text/event-stream; charset=utf-8"
PROVIDERS = ["anthropic", "openai", "openai-chat", "gemini"]
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
}


def read(pieces: list[bytes], kind: str = SSE, encoding: str = "") -> Usage | None:
    """The usage that a response states which comes in these pieces."""
    reader = UsageReader(kind, encoding)
    for piece in pieces:
        reader.feed(piece)
    return reader.finish()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_stream_cut_at_any_byte_says_the_same(provider: str) -> None:
    stream = spoken(provider, "hello, usage of words")
    expected = read_usage(stream)
    assert expected is not None
    assert {read([stream[:at], stream[at:]]) for at in range(len(stream) + 1)} == {expected}
    assert read([stream[at : at + 1] for at in range(len(stream))]) == expected


@pytest.mark.parametrize("provider", PROVIDERS)
@given(data=st.data())
@settings(deadline=None, max_examples=20)
def test_a_packed_stream_in_any_pieces_says_the_same(provider: str, data: st.DataObject) -> None:
    stream = spoken(provider, "hello")
    encoding = data.draw(st.sampled_from(sorted(PACKED)))
    packed = PACKED[encoding](stream)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(packed)), max_size=6)))
    pieces = [packed[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(packed)], strict=True)]
    assert read(pieces, encoding=encoding) == read_usage(stream)


def test_words_of_the_model_do_not_push_figures_out() -> None:
    stream = spoken("anthropic", "x")
    said = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "the usage is"}}
    noise = b"".join(b"data: " + json.dumps(said).encode() + b"\n\n" for _ in range(500))
    begin, end = stream.split(b"\n\n", 1)
    assert read([begin + b"\n\n" + noise + end]) == read_usage(stream)


def test_a_response_that_is_no_stream_is_read_whole() -> None:
    body = json.dumps({"usage": {"input_tokens": 3, "output_tokens": 2, "cache_read_input_tokens": 1}}).encode()
    expected = Usage(input=3, output=2, read=1)
    assert read([body[:9], body[9:]], "application/json") == expected
    assert read([gzip.compress(body)], "application/json", "gzip") == expected


@pytest.mark.parametrize(
    ("pieces", "kind", "encoding"),
    [
        ([], SSE, ""),
        ([b""], SSE, ""),
        ([b"data: {\"usage\": \n\n"], SSE, ""),
        ([b"usage"], "application/json", ""),
        ([b"\xff\xfe usage \n"], SSE, ""),
        ([b"this is not packed, usage"], SSE, "gzip"),
        ([spoken("anthropic", "x")], SSE, "unheard-of"),
        ([b"usage" * 4_000_000], SSE, ""),
        ([b"usage" * 4_000_000], "application/json", ""),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_no_usage(pieces: list[bytes], kind: str, encoding: str) -> None:
    assert read(pieces, kind, encoding) is None


def test_a_line_without_an_end_is_not_kept() -> None:
    reader = UsageReader(SSE, "")
    for _ in range(40):
        reader.feed(b"usage" * 100_000)
    assert len(reader._rest) < 10_000_000
    reader.feed(b"\n" + spoken("gemini", "x"))
    assert reader.finish() == read_usage(spoken("gemini", "x"))
