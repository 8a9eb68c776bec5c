"""Counters: what each counts, that the estimate is near o200k on every kind of text, and that it cannot run over."""

import base64
import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.errors import ConfigError
from secateur.tokens import (
    COUNTERS,
    MOST_SAMPLED,
    count_code_units,
    estimate,
    estimate_media_tokens,
    get_counter,
    get_factor,
    sample_text,
    scale_counter,
)

ODD_BYTES = bytes((i * i * 31 + i * 7) % 256 for i in range(300))
ROSES = [{"id": i, "name": f"rose-{i}", "tags": ["red", "old"], "cm": i * 7 % 90, "cut": i % 2 == 0} for i in range(12)]

KINDS = {  # text, tokens in o200k
    "English": ("The pruner keeps the newest outputs and takes away what nobody will read again. When the window is "
                "nearly full, older results give way to a short line that says what they were.", 37),
    "German": ("Eine Rosenschere hält die Pflanze am Leben, indem sie abschneidet, was verblüht ist. Danach wächst sie "
               "im nächsten Jahr kräftiger und trägt wieder mehr Blüten.", 38),
    "Chinese": ("修剪器会保留最新的输出，并移除不再需要的旧内容。当上下文窗口快要填满时，较早的工具结果会被一行简短的"
                "说明替代，用户随时可以重新运行命令来查看完整的结果。", 58),
    "Japanese": ("剪定ばさみは、古くなった枝を切り落として、植物が育ち続けるようにします。会話が長くなったときは、古い"
                 "ツールの出力を短い説明に置き換えて、必要なときにもう一度実行できるようにします。", 73),
    "Korean": ("전정가위는 시든 가지를 잘라내어 식물이 계속 자라도록 합니다. 대화가 길어지면 오래된 도구 출력은 짧은 "
               "설명으로 바뀌고, 필요할 때 다시 실행할 수 있습니다.", 53),
    "Arabic": ("يقطع المقص الأغصان الذابلة حتى يواصل النبات نموه. وعندما تطول المحادثة تستبدل النتائج القديمة بسطر "
               "قصير يصف ما كان فيها.", 39),
    "emoji": ("🌱🌿🍃🌳✂️🥀🌹🌷🌻🌼🐝🦋🐛🐞🌧️☀️🌈🍎🍐🍇" * 3, 132),
    "base64": (base64.b64encode(ODD_BYTES).decode(), 263),
    "hex": (ODD_BYTES[:200].hex(), 227),
    "minified JSON": (json.dumps(ROSES, separators=(",", ":")), 302),
    "indented JSON": (json.dumps(ROSES, indent=2), 578),
    "Python": ("def prune(plants: list[Plant], today: date) -> Iterator[Cut]:\n"
               '    """Yield a cut for each spent shoot, oldest first."""\n'
               "    for plant in sorted(plants, key=lambda one: one.planted):\n"
               "        for shoot in plant.shoots:\n"
               "            if shoot.spent(today) and not plant.protected:\n"
               '                yield Cut(plant.name, shoot.position, reason="spent")\n', 83),
    "paths": ("\n".join(f"src/garden/{a}/{b}_{c}.py" for a in ("beds", "tools", "weather")
                        for b in ("rose", "hedge", "vine") for c in ("model", "test_cut")), 182),
}  # fmt: skip


@pytest.mark.parametrize(("text", "tokens"), KINDS.values(), ids=KINDS)
def test_the_estimate_is_near_o200k(text: str, tokens: int) -> None:
    assert -0.17 < estimate(text) / tokens - 1 < 0.25


@pytest.mark.parametrize(("text", "tokens"), KINDS.values(), ids=KINDS)
def test_the_numbers_above_are_what_o200k_counts(text: str, tokens: int) -> None:
    pytest.importorskip("toktok", reason="needs toktok-rs, the extra `tokens`")
    assert get_counter("o200k")(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("yes", 2),
        ("hello world", 3),
        ("src/garden/beds.py", 6),
        ("\ud800", 1),
        ("🌹", 3),
        (" " * 80, 6),
    ],
)
def test_the_estimate_is_the_same_everywhere(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


@given(st.text(st.characters(), max_size=2_000))
def test_no_text_is_free_and_none_costs_more_than_its_bytes(text: str) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))
    assert bool(text) <= estimate(text) <= (size if len(text) <= 320 else 4 * len(text))


@given(st.text(st.characters(), min_size=1, max_size=900), st.integers(1, 40))
def test_a_sample_is_bounded_and_of_the_text(text: str, times: int) -> None:
    taken = sample_text(text * times)
    assert len(taken) <= MOST_SAMPLED
    assert set(taken) <= set(text)
    assert len(text * times) > 320 or taken == text * times


@pytest.mark.parametrize("character", [chr(code) for code in range(1, 128)] + list("éßЖאع中かナ한ทक─✓→\ufffd🌹🧑"))
def test_sums_never_run_over(character: str) -> None:
    """A longer run of the heaviest character costs in proportion: no sum has passed its 16 bits."""
    per_char = (estimate(character * 100) - 1) / 100
    for length in (320, 479, 5_000):
        assert estimate(character * length) - 1 == pytest.approx(per_char * length, rel=0.1, abs=2 + length / 100)


@pytest.mark.parametrize("width", [16, 63, 64, 67, 80, 176])
def test_rows_as_wide_as_the_stride_are_met_at_all_columns(width: int) -> None:
    row = "7f3a" * (width // 8) + "the rose "
    row = (row + "." * width)[: width - 1] + "\n"
    short = estimate(row * 4) / 4
    for rows in (160, 163, 1_000, 7_777):
        assert estimate(row * rows) / rows == pytest.approx(short, rel=0.4)


def test_long_texts_cost_in_proportion() -> None:
    text = KINDS["English"][0]
    assert estimate(text * 1_000) == pytest.approx(1_000 * estimate(text), rel=0.1)


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("chars", {"": 0, "four": 4, "🌹": 2}),
        ("chars/4-round", {"": 0, "a": 0, "ab": 1, "abcde": 1, "abcdef": 2, "🌹": 1}),
        ("chars/4-round+10", {"": 0, "a": 10, "ab": 11, "x" * 400: 110}),
        ("chars/4-ceil", {"": 0, "a": 1, "abcd": 1, "abcde": 2, "🌹" * 5: 2}),
    ],
)
def test_rules_of_thumb(name: str, counts: dict[str, int]) -> None:
    assert {text: get_counter(name)(text) for text in counts} == counts


def test_o200k_takes_lone_surrogates_as_replacement_characters() -> None:
    pytest.importorskip("toktok", reason="needs toktok-rs, the extra `tokens`")
    count = get_counter("o200k")
    assert count("rose \ud83c end") == count("rose \ufffd end")
    assert count("rose \ud83c\udf39 end") == count("rose 🌹 end")
    assert count("<|endoftext|>") > 1


def test_an_unknown_counter_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"'o20k'.* did you mean 'o200k'.* estimate, o200k, chars,"):
        get_counter("o20k")


def test_without_the_package_the_exact_counter_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['toktok'] = None\n"
        "from secateur.errors import ConfigError\n"
        "from secateur.tokens import get_counter\n"
        "try: get_counter('o200k')\n"
        "except ConfigError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert said == "the counter 'o200k' needs toktok-rs: pip install secateur[tokens]\n"


def test_counters_are_found_by_name() -> None:
    assert get_counter("estimate") is estimate
    assert list(COUNTERS.built_in) == [
        "estimate",
        "o200k",
        "chars",
        "chars/4-round",
        "chars/4-round+10",
        "chars/4-ceil",
    ]


def test_code_units_are_what_javascript_counts() -> None:
    assert [count_code_units(text) for text in ("", "rose", "Rösé", "🌹", "\ud83c", "a🌹b")] == [0, 4, 4, 2, 1, 4]


@pytest.mark.parametrize(
    ("model", "times"),
    [
        ("claude-opus-4-6", 1.23),
        ("claude-sonnet-4-20250514", 1.23),
        ("claude-3-5-sonnet-20241022", 1.23),
        ("anthropic/claude-3.7-sonnet", 1.23),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", 1.23),
        ("claude-opus-4-7", 1.5),
        ("claude-opus-4-10", 1.5),
        ("claude-sonnet-5-5", 1.5),
        ("claude-latest", 1.5),
        ("models/gemini-2.5-pro", 1.2),
        ("gpt-5.2-codex", 1.0),
        ("", 1.0),
    ],
)
def test_models_count_differently(model: str, times: float) -> None:
    assert get_factor(model) == times
    assert scale_counter(len, model)("x" * 1_000) == 1_000 * times


@pytest.mark.parametrize(
    ("mime", "base64_chars", "tokens"),
    [
        ("image/png", 4_000_000, 1_600),
        ("image_url", 0, 1_600),
        ("", 0, 1_600),
        ("application/pdf", 0, 2_000),
        ("application/pdf", 200_000, 8_000),
        ("application/pdf", 400_000_000, 200_000),
        ("audio/mp3", 640_000, 960),
        ("input_audio", 0, 1),
        ("text/plain", 4_000, 750),
        ("application/json", 4_000, 750),
    ],
)
def test_media_cost_by_kind_and_size(mime: str, base64_chars: int, tokens: int) -> None:
    assert estimate_media_tokens(mime, base64_chars) == tokens
