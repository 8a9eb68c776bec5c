"""Prune a recorded session through the library: bytes in, bytes of the same format out.

    python examples/prune_session_file.py [SESSION] [POLICY]

Without a policy it is the default one, which edits where that pays: for a session at rest, at once.

Lines that no edit reaches come out as they went in; nothing is written over.
"""

import sys
import tempfile
from collections import Counter
from pathlib import Path

import secateur
from secateur.policy import DEFAULT

SHIPPED = Path(__file__).parent.parent / "sessions" / "claude_code.jsonl"


def main(session: Path, policy: str) -> None:
    raw = session.read_bytes()
    view = secateur.fit(raw, policy=policy)

    freed: Counter[str] = Counter()
    for entry in view.receipt.edits:
        freed[entry.tool] += entry.tokens_before - entry.tokens_after
    for tool, tokens in freed.most_common():
        print(f"{tool:12} {tokens:>8,} tokens")
    print(view.receipt.skipped_reason or f"{view.receipt.tokens_raw:,} → {view.receipt.tokens_view:,} tokens")

    with tempfile.TemporaryDirectory() as folder:
        pruned = Path(folder) / session.name
        pruned.write_bytes(view.request)
        same = sum(a == b for a, b in zip(raw.splitlines(), pruned.read_bytes().splitlines(), strict=True))
        print(f"{same} of {len(raw.splitlines())} lines are the same bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else SHIPPED, sys.argv[2] if len(sys.argv) > 2 else DEFAULT)
