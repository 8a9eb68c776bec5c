"""Which recorded sessions defaults are tuned on, and which ones results are reported on.

    SECATEUR_CORPUS=DIR python benchmarks/split.py [--check]

Rule: the half follows from the SHA-256 of a session's first user message, even is tuning and odd is reporting, so that
growing copies of one session fall into the same half. `split.tsv` beside this file is the list: digest, half, format,
number of recordings with that first message. It holds no text of any session. Without `--check` it is written; with
it, 1 means that the corpus and the list differ.
"""

import argparse
import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from bound import sessions_of
from corpus import find_corpus

from secateur.simulate.requests import Recording

Half = Literal["tuning", "reporting"]
HALVES: tuple[Half, ...] = ("tuning", "reporting")
LIST = Path(__file__).with_name("split.tsv")
_DIGITS = 16  # of the digest, in the list


def digest_of(recording: Recording) -> str:
    """The SHA-256 of the first message that the user wrote; of the first one of that role where none is the user's."""
    messages = recording.segments[0].messages
    users = [message for message in messages if message.role == "user"] or list(messages)
    first = next((message for message in users if message.origin == "user"), users[0])
    text = "\n".join(part.text for part in first.parts)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def half_of(recording: Recording) -> Half:
    """The half that a session belongs to."""
    return HALVES[int(digest_of(recording)[-1], 16) % 2]


def files_of(corpus: Path) -> list[Path]:
    """All session files of a corpus, in the order of their names."""
    return sorted(file for file in corpus.rglob("*.json*") if file.name != "MANIFEST.json")


def list_sessions(corpus: Path) -> Iterator[str]:
    """The lines of the list."""
    found: Counter[tuple[str, Half, str]] = Counter()
    for file in files_of(corpus):
        for _, recording in sessions_of(file):
            digest, format_name = digest_of(recording), recording.document.format.name
            found[digest[:_DIGITS], half_of(recording), format_name] += 1
    for (digest, half, format_name), count in sorted(found.items()):
        yield f"{digest}\t{half}\t{format_name}\t{count}"


def main() -> int:
    """Write the list, or compare it; 1 if it differs, 2 without sessions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare the list with the corpus, write nothing")
    given = parser.parse_args()
    lines = list(list_sessions(find_corpus()))
    if given.check:
        same = LIST.read_text("utf-8").splitlines() == lines
        print("the list is that of the corpus" if same else "the list differs from the corpus: write it anew")
        return int(not same)
    LIST.write_text("\n".join(lines) + "\n", "utf-8")
    for half in HALVES:
        mine = [line.split("\t") for line in lines if f"\t{half}\t" in line]
        by_format: Counter[str] = Counter()
        for _, _, format_name, count in mine:
            by_format[format_name] += int(count)
        print(f"{half}: {len(mine)} sessions, {sum(by_format.values())} recordings;", end=" ")
        print(", ".join(f"{name} {count}" for name, count in sorted(by_format.items())))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
