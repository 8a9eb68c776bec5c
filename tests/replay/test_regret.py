"""The bound on regret on recorded sessions: at no request has `balance` cost more than 1 % above the unpruned bill.

Sessions that once did, by causes of all kinds; `benchmarks/balance.py` does the same on every session. SECATEUR_CORPUS
names the folder that holds the sessions.
"""

import gzip
import os
from itertools import accumulate
from pathlib import Path

import pytest

from secateur.pricing import get_rules, make_unit_price
from secateur.simulate.cache import Caching
from secateur.simulate.client import infer_caching
from secateur.simulate.requests import read_recording
from secateur.simulate.run import simulate

CORPUS = os.environ.get("SECATEUR_CORPUS", "")
CLAUDE = "claude-opus-4-5"
READS = (0.1, 0.05, 0.025)  # a write is dearer by 11.5, 24 and 49 of them
# By file: as recorded; and whole, as if its host had never compacted, under Claude's rules.
RECORDED = (
    "claude_code_jsonl/entireio__cli/ad-ff0201aecb-0.jsonl.gz",  # its answers were counted while they streamed
    "claude_code_jsonl/entireio__git-sync/98-799f8a9225-0.jsonl.gz",  # breakpoints run out
    "codex_rollout_jsonl/EntityProcess__agentv/4f-7325a9ab13-1.jsonl.gz",  # a cache that is read in steps
    "pi_session_jsonl/badlogic__pi-mono/large-session.jsonl.gz",  # a new turn strips reasoning
)
WHOLE = (
    "opencode_export_json/eitatech__gatomia-vscode/0f-1be78a364c-1.json.gz",  # many parallel calls
    "claude_code_jsonl/entireio__cli/b0-2936744f3b-0.jsonl.gz",  # what was excerpted goes later
    "codex_rollout_jsonl/entireio__git-sync/fb-ad5717af5f-2.jsonl.gz",  # a short excerpt of what was long goes later
    "openai_chat_litellm_completion_json/OpenHands__OpenHands/astropy__astropy-7606.last.json.gz",  # short
)
CLIENT = "claude_code_jsonl/entireio__cli/8e-a9e4a4e751-0.jsonl.gz"  # it leaves one breakpoint free

pytestmark = pytest.mark.skipif(not CORPUS, reason="set SECATEUR_CORPUS to the folder of recorded sessions")


@pytest.mark.parametrize("name", [*RECORDED, *WHOLE, CLIENT])
def test_no_prefix_is_dearer_than_the_bound(name: str) -> None:
    recording = read_recording(gzip.decompress((Path(CORPUS) / name).read_bytes()), compactions=name not in WHOLE)
    rules = get_rules(CLAUDE if name in WHOLE else recording.model)
    assert rules is not None
    caching = infer_caching(recording, rules) if name == CLIENT else Caching(rules=rules)
    for r in READS:
        runs = [
            simulate(recording, policy, make_unit_price(1.25, r), caching=caching, window=1_000_000)
            for policy in (None, "balance")
        ]
        plain, ours = (list(accumulate(row.units for row in run.rows)) for run in runs)
        assert max(one / other for one, other in zip(ours, plain, strict=True)) <= 1.01
