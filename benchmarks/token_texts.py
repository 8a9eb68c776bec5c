"""Texts to count: what recorded sessions hold, and kinds of content that they hold little of.

    from token_texts import recorded, made

`recorded` reads the folder that SECATEUR_CORPUS names: every JSON or JSONL file in it, each text once. `made` writes
base64, hex, numbers and JSON from a seeded generator, takes scripts of the world from Django's translation catalogs
and emoji from rich, where these are installed. Nothing here counts or judges.
"""

import ast
import base64
import gzip
import importlib.util
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

TEXTS = {
    "text", "content", "output", "thinking", "summary", "stdout", "stderr", "observation", "message", "response",
    "reasoning", "reasoning_content", "query", "thought", "result", "error",
}  # fmt: skip
ARGUMENTS = {"arguments", "input", "args", "parameters"}
RESULTS = ("tool_result", "function_call_output", "custom_tool_call_output", "tool")
LANGUAGES = (
    "zh_Hans",
    "zh_Hant",
    "ja",
    "ko",
    "ru",
    "uk",
    "bg",
    "el",
    "ar",
    "fa",
    "he",
    "hi",
    "bn",
    "th",
    "vi",
    "de",
    "fr",
    "pl",
    "cs",
    "tr",
    "hy",
    "ka",
    "ta",
    "te",
    "my",
    "km",
    "mr",
    "ne",
    "kn",
    "ml",
    "az",
    "mn",
)
LONGEST = 3_000_000  # characters: longer values are files, not messages


class Sample(NamedTuple):
    kind: str  # text | call | result | the name of a made kind
    text: str
    session: str  # the file it was first seen in; "" for made ones


def recorded(folder: Path) -> list[Sample]:
    """Each text of the sessions once, in a stable order."""
    found: dict[str, Sample] = {}
    for file in sorted(folder.rglob("*.json*")):
        if "checkpoint_series" in file.parts or file.name == "MANIFEST.json":
            continue  # the same sessions again, and a list of them
        data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        for value in _values(data):
            for kind, text in _walked(value, False):
                if 0 < len(text) < LONGEST:
                    clean = text.encode("utf-8", "replace").decode()
                    found.setdefault(clean, Sample(kind, clean, str(file)))
    return list(found.values())


def _values(data: bytes) -> Iterator[Any]:
    try:
        yield json.loads(data)
    except ValueError:
        for line in data.splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                continue


def _walked(value: Any, result: bool) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        for one in value:
            yield from _walked(one, result)
    if not isinstance(value, dict) or value.get("type") in ("base64", "image"):
        return
    result = result or value.get("type") in RESULTS or value.get("role") in ("tool", "toolResult")
    for name, one in value.items():
        if name in ARGUMENTS and isinstance(one, str | dict):
            yield "call", one if isinstance(one, str) else json.dumps(one, ensure_ascii=False, separators=(",", ":"))
        elif name in TEXTS and isinstance(one, str):
            yield "result" if result or name in ("output", "stdout", "observation") else "text", one
        else:
            yield from _walked(one, result)


def made() -> list[Sample]:
    """Kinds of content, about 100 kB each."""
    return [Sample(kind, text, "") for kind, text in (*_dense(Random(3)), *_scripts(), *_emoji(Random(3)))]


def _dense(random: Random) -> Iterator[tuple[str, str]]:
    for size in (200, 1_000, 4_000) * 12:
        data = random.randbytes(size)
        yield "base64", base64.b64encode(data).decode()
        yield "base64url", base64.urlsafe_b64encode(data).decode()
        yield "hex", data.hex()
        rows = [data[at : at + 16] for at in range(0, size, 16)]
        yield "hexdump", "\n".join(f"{at * 16:08x}  {row.hex(' ')}  |{'.' * 16}|" for at, row in enumerate(rows))
        yield "ids", "\n".join(_dashed(random.randbytes(16).hex()) for _ in range(size // 30))
        yield "integers", " ".join(str(random.randrange(10 ** random.randrange(1, 9))) for _ in range(size // 5))
        yield "floats", json.dumps([[random.random(), random.gauss(0, 100)] for _ in range(size // 30)])
        records = [_record(random) for _ in range(size // 80)]
        yield "JSON, minified", json.dumps(records, separators=(",", ":"))
        yield "JSON, indented", json.dumps(records, indent=2)


def _dashed(digits: str) -> str:
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _record(random: Random) -> dict[str, Any]:
    words = ("id", "name", "value", "status", "type", "created_at", "user", "email", "count", "price", "total", "path")
    mail = f"{random.choice(words)}@{random.choice(words)}.com"
    values = (random.randrange(1_000), random.choice(words), random.random() < 0.5, None, mail)
    return {word: random.choice(values) for word in random.sample(words, 6)}


def _scripts() -> Iterator[tuple[str, str]]:
    folder = _package("django")
    for language in LANGUAGES if folder else ():
        said = []
        for file in sorted(folder.rglob(f"locale/{language}/LC_MESSAGES/*.po")) if folder else ():
            for block in re.findall(r'msgstr(?:\[\d\])? ((?:"(?:[^"\\]|\\.)*"\s*)+)', file.read_text("utf-8")):
                said.append("".join(ast.literal_eval(line) for line in re.findall(r'"(?:[^"\\]|\\.)*"', block)))
        text = "\n".join(one for one in said if one and "Project-Id" not in one)[:60_000]
        yield from ((language, text[at : at + 2_000]) for at in range(0, len(text), 2_000))
    for file in sorted(folder.rglob("*.min.js")) if folder else ():
        text = file.read_text("utf-8")
        yield from (("JavaScript, minified", text[at : at + 4_000]) for at in range(0, len(text), 4_000))


def _emoji(random: Random) -> Iterator[tuple[str, str]]:
    if _package("rich"):
        from rich._emoji_codes import EMOJI

        every = list(EMOJI.values())
        yield from (("emoji", "".join(random.sample(every, 200))) for _ in range(20))


def _package(name: str) -> Path | None:
    found = importlib.util.find_spec(name)
    return Path(found.origin).parent if found and found.origin else None


def bucket(sample: Sample) -> int:
    """0–99, the same for all texts of a session: to hold sessions out of a fit."""
    return zlib.crc32(Path(sample.session).name.encode()) % 100
