"""How many tokens a text has: named counters, the same number for the same text on every machine.

`estimate` needs nothing installed and costs about a microsecond, however long the text. `o200k` is exact for OpenAI's
vocabulary. The others are rules of thumb that other systems hold their gates against (SEEDS S.4). Nothing here
knows messages, prices or windows; calibration on what a provider reports is for whoever has seen a reply.
"""

import re
from collections.abc import Callable
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from types import MappingProxyType
from zlib import adler32

from secateur.errors import ConfigError

Counter = Callable[[str], int]

MOST_SAMPLED = 480  # characters: `sampled` never takes more
_WHOLE = 384  # texts up to here are read whole; of longer ones twice half as many characters are taken


def counter(name: str) -> Counter:
    """The counter of that name, one of `COUNTERS`.

    ConfigError if there is none, or if what it needs is not installed.
    """
    made = COUNTERS.get(name)
    if made is None:
        nearest = get_close_matches(name, COUNTERS, n=1, cutoff=0)[0]
        raise ConfigError(f"there is no token counter {name!r}: did you mean {nearest!r}? All: {', '.join(COUNTERS)}")
    if made is o200k:
        _batch_count()  # now, not at the first text
    return made


def estimate(text: str) -> int:
    """About as many tokens as o200k has for the text: 0 for no text, else at least 1 and at most its bytes.

    1 + characters · A · B, where A and B are averages over a sample of the text: each UTF-8 byte has two weights. Two
    sums multiplied tell prose from identifiers, numbers and base64, which one sum of weights cannot. The low half of
    an Adler-32 checksum is a sum of bytes at the speed of C. `benchmarks/fit_tokens.py` fits the tables, with too few
    tokens as the graver error; `benchmarks/tokens.py` measures what comes of it.
    """
    chars = len(text)
    if not chars:
        return 0
    taken = text if chars <= _WHOLE else sampled(text)
    data = taken.encode("utf-8", "surrogatepass")
    a = adler32(data.translate(_A), 0) & 0xFFFF
    b = adler32(data.translate(_B), 0) & 0xFFFF
    tokens = int(1.5 + _UNIT * chars * a * b / (len(taken) * len(taken)))
    most = len(data) * chars // len(taken)
    return tokens if tokens < most else most


def o200k(text: str) -> int:
    """Exactly as many tokens as OpenAI's o200k vocabulary has for the text. ConfigError without toktok-rs."""
    try:
        return _batch_count()((text,), "o200k_base", 1)[0]
    except UnicodeEncodeError:  # lone surrogates: they travel as U+FFFD
        return o200k(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def sampled(text: str) -> str:
    """About 384 characters from all over a text, or all of one that is not longer.

    Two strides without a common factor: a table whose rows are as wide as one stride is met at all its columns by the
    other. Characters are taken one by one, since their kinds are what counts, not their neighbours.
    """
    if len(text) <= _WHOLE:
        return text
    stride = len(text) // (_WHOLE // 2)
    return text[::stride] + text[stride // 2 :: stride + 1]


def code_units(text: str) -> int:
    """Length in UTF-16 code units: what systems written in JavaScript call the length of a text."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def scaled(count: Counter, model: str) -> Counter:
    """`count`, which counts as o200k does, for another model: times `factor(model)`, rounded."""
    times = factor(model)
    if times == 1:
        return count

    def scaled_count(text: str) -> int:
        return int(count(text) * times + 0.5)

    return scaled_count


def factor(model: str) -> float:
    """Tokens of this model per token of o200k, on agents' transcripts; 1.0 for OpenAI's and for unknown models.

    Measured over sixteen kinds of content, with Claude's counts as a reconstruction of `count_tokens` gives them and
    with Gemma's vocabulary for Gemini. By content it varies: Claude up to 4.6 1.07–1.42, Claude 4.7 and later
    1.20–1.74, Gemini 0.9–1.5. What the provider reports for a session is better than this table.
    """
    name = model.lower()
    if "claude" in name:
        version = re.search(r"(\d+)(?:[-.](\d{1,2}))?(?!\d)", name[name.index("claude") :])
        new = version is None or (int(version[1]), int(version[2] or 0)) >= (4, 7)
        return 1.5 if new else 1.23
    return next((times for family, times in _FACTORS.items() if family in name), 1.0)


def media_tokens(mime: str, base64_chars: int) -> int:
    """About what a medium costs: `mime` as the request has it (a block type like "image_url" does too).

    An image 1,600 (Anthropic: width · height / 750, scaled down to at most about 1.2 megapixels; OpenAI 85 to 1,100;
    Gemini 258 a tile). Audio and video a token per 500 bytes (Gemini: 32 a second at 128 kbit/s). Text four bytes a
    token. Other documents 2,000 a page (Anthropic: 1,500 to 3,000 and an image), a page being 50 kB, up to 100 pages.
    """
    kind, size = mime.lower(), base64_chars * 3 // 4
    if "image" in kind or not kind:
        return 1_600
    if "audio" in kind or "video" in kind:
        return max(1, size // 500)
    if kind.startswith("text/") or kind.endswith(("json", "xml")):
        return max(1, size // 4)
    return 2_000 * min(100, 1 + size // 50_000)


def _rounded(text: str) -> int:
    return (code_units(text) + 2) // 4


def _rounded_with_frame(text: str) -> int:
    return _rounded(text) + 10 if text else 0


def _rounded_up(text: str) -> int:
    return -(-len(text) // 4)


@cache
def _batch_count() -> Callable[..., list[int]]:
    try:
        found: Callable[..., list[int]] = import_module("toktok").batch_count
    except ImportError as error:
        raise ConfigError("the counter 'o200k' needs toktok-rs: pip install secateur[tokens]") from error
    return found


COUNTERS = MappingProxyType(
    {
        "estimate": estimate,
        "o200k": o200k,
        "chars": code_units,  # openclaw: four to a token
        "chars/4-round": _rounded,  # opencode, kilocode: Math.round, so a half goes up
        "chars/4-round+10": _rounded_with_frame,  # pi-auto-compressor
        "chars/4-ceil": _rounded_up,  # hermes, which is Python and counts code points; Pi's own cut
    }
)

_FACTORS = {"gemini": 1.2, "gemma": 1.2, "qwen": 1.1, "deepseek": 1.05}

# Weights by byte, in 1/136 of 1.6 tokens (A) and of 2.5 (B, 1 on average). A character weighs at most 136, so that a
# full sample stays within 16 bits: 480 · 136 < 65,521.
_A = bytes.fromhex(
    "15151515151515152e3c2815151c151515151515151515151515155315151515"
    "0333362b182f3b0a151512033b0329356059504b61604f5c59582f0303032d37"
    "5f031e0a05031b2918346d41100724122f7d27230a161f3b7d35837651501c0b"
    "52030303060c030d2c1c032c09210d1c150311192516032c0a1b49321f312416"
    "020102010c1a1b0601011b0101121102170d1b1401011b1b171b171b1b18011b"
    "011b1b17041604140a1b151b1b1b04130b14031b0c011b1005011b01010a0a0a"
    "1515363636360c221c1e1617151613050e0b2f112109150d0108132116161516"
    "0105011103100f28271f36020904162926151516151515151515151515151515"
)
_B = bytes.fromhex(
    "3636363636363636630381363659363636363636363636363636368836363636"
    "566c1a03347d3e887e883c6b15853c81031222170f111a1817192a0a584f4c79"
    "88728842711a88888825888884874c8803882c194d888888888888173b032273"
    "09407d5954416443031b1303581039031e741e03042a61193c36880388037b38"
    "14161b011b1b1b121b011b061b1b1b1b1b0e1b1b01061b1b1b1b1b1b1b1b191b"
    "0a1b1b101a191b1b1b1b1b1b1b1b1a1b1b1b1b1b1a011b1b1b1b1b010f1b1b1b"
    "363636363636363636363636363636353636362d362a36323631363636363636"
    "33363633011905363636362c361e36362e363636363636363636363636363636"
)
_UNIT = 2.162630e-04
