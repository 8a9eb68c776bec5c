"""How many tokens a text has: named counters, the same number for the same text on every machine.

`estimate` needs nothing installed and costs a microsecond or two, however long the text. `o200k` is exact for OpenAI's
vocabulary. The others are rules of thumb on which other systems base their gates (SEEDS S.4). Nothing here knows
messages, prices or windows; calibration by what a provider reports happens elsewhere.
"""

import re
from collections.abc import Callable
from difflib import get_close_matches
from functools import cache, lru_cache, partial
from importlib import import_module
from math import gcd
from zlib import adler32

from secateur.errors import ConfigError
from secateur.registry import Registry, make_callable_check

Counter = Callable[[str], int]

MOST_SAMPLED = 400  # characters: `sample_text` never takes more
_REMEMBERED = 4_096  # texts
_WHOLE = 320  # texts up to here are read whole; of longer ones twice half as many characters are taken


def get_counter(name: str) -> Counter:
    """The counter of that name, one of `COUNTERS`.

    ConfigError if there is none, or if what it needs is not installed.
    """
    made = _BUILT_IN.get(name) or COUNTERS.get(name)
    if made is None:
        names = COUNTERS.list_names()
        nearest = get_close_matches(name, names, n=1, cutoff=0)[0]
        raise ConfigError(f"unknown token counter {name!r}: did you mean {nearest!r}? All: {', '.join(names)}")
    if made is count_o200k:
        _import_batch_count()  # now, not at the first text
    return made


def list_report_counters() -> tuple[str, ...]:
    """The names of the counters a report may use: built-in ones and those of plugins."""
    return (*OWN, *(name for name in COUNTERS.list_names() if name not in COUNTERS.built_in))


def get_model_counter(name: str, model: str) -> Counter:
    """The counter of that name in this model's tokens; rules of thumb are model-independent (SEEDS S.4)."""
    return scale_counter(get_counter(name), model) if name in OWN else get_counter(name)


def make_cached_counters(*names: str, model: str = "") -> tuple[Counter, ...]:
    """Counters of these names for a model that cache recent texts; one counter per name.

    To look a text up, all of it is hashed once: what counts characters alone is sooner done again.
    """
    made = {name: get_model_counter(name, model) for name in set(names)}
    kept = {n: count if n in CHARACTERS else lru_cache(maxsize=_REMEMBERED)(count) for n, count in made.items()}
    return tuple(kept[name] for name in names)


def estimate(text: str, times: float = 1) -> int:
    """About as many tokens as o200k has for the text, `times` a factor: 0 for no text, else from 1 to its bytes.

    1 + characters · A · B, where A and B are averages over a sample of the text: each UTF-8 byte has two weights. Two
    sums multiplied tell prose from identifiers, numbers and base64, which one sum of weights cannot. The low half of
    an Adler-32 checksum is a sum of bytes at the speed of C. `benchmarks/fit_tokens.py` fits the tables, with too few
    tokens as the graver error; `benchmarks/tokens.py` measures what comes of it.
    """
    chars = len(text)
    if not chars:
        return 0
    taken = text if chars <= _WHOLE else sample_text(text)
    try:
        data = taken.encode()
    except UnicodeEncodeError:  # lone surrogates
        data = taken.encode("utf-8", "surrogatepass")
    size = len(taken)
    a = adler32(data.translate(_A), 0) & 0xFFFF
    b = adler32(data.translate(_B), 0) & 0xFFFF
    tokens = int(1.5 + _UNIT * chars * a * b / (size * size))
    if tokens > chars:
        tokens = min(tokens, len(data) * chars // size)
    return tokens if times == 1 else int(tokens * times + 0.5)  # as `scale_tokens` does


def count_o200k(text: str) -> int:
    """Exactly the token count of OpenAI's o200k vocabulary. ConfigError without toktok-rs."""
    try:
        return _import_batch_count()((text,), "o200k_base", 1)[0]
    except UnicodeEncodeError:  # lone surrogates: they travel as U+FFFD
        return count_o200k(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def sample_text(text: str) -> str:
    """About 320 characters from all over a text, or the whole text if it is not longer.

    Two strides, so that a table whose rows are as wide as one of them is met at all its columns by the other.
    Characters are taken one by one, since their kinds are what counts, not their neighbours.
    """
    if len(text) <= _WHOLE:
        return text
    stride = len(text) // (_WHOLE // 2)
    if stride <= 16:
        return text[::stride] + text[stride // 2 :: stride + 1]
    stride = _find_coprime_stride(stride)
    return text[::stride] + text[stride // 2 :: _find_coprime_stride(stride + 1)]


def count_code_units(text: str) -> int:
    """Length in UTF-16 code units: the length of a text in JavaScript.

    Only a text in which a character needs two units takes four bytes a character in memory (PEP 393).
    """
    if text.isascii() or text.__sizeof__() < 4 * len(text):
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def scale_counter(count: Counter, model: str) -> Counter:
    """`count`, which counts like o200k, for another model: times `get_factor(model)`, rounded."""
    times = get_factor(model)
    if times == 1:
        return count
    if count is estimate:
        return partial(estimate, times=times)

    def scaled_count(text: str) -> int:
        return int(count(text) * times + 0.5)  # as `scale_tokens` does

    return scaled_count


def scale_tokens(tokens: int, times: float) -> int:
    """Multiply tokens by a factor, rounded like all counts."""
    return int(tokens * times + 0.5)


def describe_counter(name: str, model: str) -> str:
    """Describe how a counter counts for a model: its name, and the factor applied."""
    times = get_factor(model) if name in OWN else 1.0
    return name if times == 1 else f"{name} × {times:g} for {model}"


@lru_cache(maxsize=256)
def get_factor(model: str) -> float:
    """Tokens of this model per o200k token, on agents' transcripts; 1.0 for OpenAI's and unknown models.

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


def estimate_media_tokens(mime: str, base64_chars: int) -> int:
    """Approximate cost of a medium: `mime` as in the request (or a block type like "image_url").

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


def _round_estimate(text: str) -> int:
    return ((len(text) if text.isascii() else count_code_units(text)) + 2) // 4


def _round_with_frame(text: str) -> int:
    return _round_estimate(text) + 10 if text else 0


def _round_up(text: str) -> int:
    return -(-len(text) // 4)


@lru_cache(maxsize=4_096)
def _find_coprime_stride(stride: int) -> int:
    """The next stride without a prime factor up to 13, which row widths often have."""
    while gcd(stride, 30_030) > 1:
        stride += 1
    return stride


@cache
def _import_batch_count() -> Callable[..., list[int]]:
    try:
        found: Callable[..., list[int]] = import_module("toktok").batch_count
    except ImportError as error:
        raise ConfigError("the counter 'o200k' needs toktok-rs: pip install secateur[tokens]") from error
    return found


_BUILT_IN: dict[str, Counter] = {
    "estimate": estimate,
    "o200k": count_o200k,
    "chars": count_code_units,  # openclaw: four to a token
    "chars/4-round": _round_estimate,  # opencode, kilocode: Math.round, so a half goes up
    "chars/4-round+10": _round_with_frame,  # pi-auto-compressor
    "chars/4-ceil": _round_up,  # hermes, which is Python and counts code points; Pi's own cut
}
COUNTERS: Registry[Counter] = Registry(
    "counters",
    {name: f"{__name__}:{count.__name__}" for name, count in _BUILT_IN.items()},
    make_callable_check("a text"),
)

CHARACTERS = ("chars", "chars/4-round", "chars/4-round+10", "chars/4-ceil")
OWN = ("estimate", "o200k")  # counters that are multiplied by a model's factor; they count as o200k does
_FACTORS = {"gemini": 1.2, "gemma": 1.2, "qwen": 1.1, "deepseek": 1.05}

# Weights by byte, in 1/163 of 1.6 tokens (A) and of 2.5 (B, 1 on average). A character weighs at most 163, so that a
# full sample stays within 16 bits: 400 · 163 < 65,521.
_A = bytes.fromhex(
    "19191919191919193c4930191910191919191919191919191919195f19191919"
    "043d44321d35420e241719044504363b746d665777745d6966742e0d04042c3c"
    "5b0420130c0723281c43804417141c173b982715091729519a39a2835a691c0a"
    "61040404080c04152d21043809300f2216071a1f2d1e06300b2151422a3a321a"
    "040101010d2121060101210104140e09170c21160101211f14211c21211f011f"
    "0d212114041d05170b211421212108110d1a05211001211206012101010a0907"
    "1919414141410a2a21251b1c191b1902110d3418250a1a10020a1b24191a1a1b"
    "0206021602131328352941020f021b322e191919191919191919191919191919"
)
_B = bytes.fromhex(
    "414141414141414173048e41417241414141414141414141414141a341414141"
    "68671a04509b4d9d7ba34381169f44a10413231b0f1423202119441771656a87"
    "a386a33a8525a3a3a314a3a3998b79a304a33d4a60a3a3a3a3a3a32c4d04348d"
    "074d966c64517746112015046e0447042ba31b04042c6d244a3ba3049304a344"
    "131921052121211a210121012121212121152121011421212121212121211f21"
    "2121210621212121212121212121212121211f21210121212121210c0c212121"
    "4141414141413d41413f4141414141414141413e4136413b413c414141414141"
    "3d413d3a02250841414141324107414138414140414141414141414141414141"
)
_UNIT = 1.505514e-04
