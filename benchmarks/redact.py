"""How much of recorded sessions is taken for a credential, and how fast.

    SECATEUR_CORPUS=DIR python benchmarks/redact.py [--most MB] [--show]

Recorded sessions that were published hold hardly any credential (their authors looked, and so did the host that serves
them), so nearly all that is found is found wrongly: the rate is printed per MB and by kind, and above BAR the exit
status is 1. `--show` prints what stands around each, never the thing itself.
"""

import argparse
import gzip
import os
import re
import time
from collections import Counter
from pathlib import Path

from secateur.redact import redact

BAR = 1.0  # findings per MB
_FOUND = re.compile(r"(.{0,40})\[redacted ([\w-]+)\](.{0,10})")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--most", type=float, default=60, help="MB to read")
    options.add_argument("--show", action="store_true", help="print what stands around each finding")
    asked = options.parse_args()
    corpus = os.environ.get("SECATEUR_CORPUS")
    if not corpus:
        print("set SECATEUR_CORPUS to a folder of recorded sessions")
        return 2
    kinds: Counter[str] = Counter()
    chars, seconds = 0, 0.0
    for file in sorted(one for one in Path(corpus).rglob("*") if ".json" in one.name):
        data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        text = data.decode("utf-8", "replace")
        start = time.perf_counter()
        clean = redact(text)
        seconds += time.perf_counter() - start
        chars += len(text)
        already = Counter(match[2] for match in _FOUND.finditer(text))
        kinds += Counter(match[2] for match in _FOUND.finditer(clean)) - already
        if asked.show and clean != text:
            print(*(f"{file.name}: {m[1]}[{m[2]}]{m[3]}" for m in _FOUND.finditer(clean)), sep="\n")
        if chars > asked.most * 1e6:
            break
    rate = kinds.total() / (chars / 1e6)
    print(f"{chars / 1e6:.0f} MB, {chars / seconds / 1e6:.1f} MB/s: {kinds.total()} found, {rate:.2f} a MB (bar {BAR})")
    for kind, count in kinds.most_common():
        print(f"  {kind}: {count}")
    return 0 if rate <= BAR else 1


if __name__ == "__main__":
    raise SystemExit(main())
