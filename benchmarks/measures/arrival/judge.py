"""What a policy makes of the cases: each is one call and its result, new in a request of the engine.

Rule: the engine is the real one, with a store, so that what left can be read back; nothing of a case's verdict reaches
it. `SHRINKS` and `MOST` are what the cases are held to.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any

from msgspec import Struct

from arrival import Case
from secateur import Engine
from secateur.policy import Policy
from secateur.tokens import estimate

SHRINKS = 0.3  # of its tokens: a case that may shrink has to lose so much, and none of what must stay
MOST = 0.85  # of the cases that may shrink
SYSTEM = "You are a careful engineer. " * 1_500  # longer than the shortest prompt that a provider caches
MODEL, WINDOW = "claude-sonnet-4-5", 200_000


class Judged(Struct, frozen=True):
    """One case, the text that the model would have read, and what is missing there."""

    case: Case
    view: str
    missing: tuple[str, ...]

    @property
    def share(self) -> float:
        """Of its tokens, how much is gone."""
        return 1 - estimate(self.view) / estimate(self.case.output)

    @property
    def holds(self) -> bool:
        return not self.missing and (self.case.verdict == "whole" or self.share >= SHRINKS)


def judge(cases: Iterable[Case], policy: Policy | str) -> Iterator[Judged]:
    """Each case under a policy."""
    for case in cases:
        engine = Engine(policy, model=MODEL, window=WINDOW, store="memory://", recall_handles="on")
        with closing(engine):
            view = engine.fit(build_request(case), session=case.name)
        [result] = view.request["messages"][-1]["content"]
        text = result["content"]
        text = text if isinstance(text, str) else "".join(block["text"] for block in text)
        yield Judged(case, text, case.missing(text))


def build_request(case: Case) -> dict[str, Any]:
    """A request whose newest message holds the result."""
    call = {"type": "tool_use", "id": "toolu_1", "name": case.tool, "input": case.arguments}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": case.output, "is_error": case.is_error}
    return {
        "model": MODEL,
        "max_tokens": 1_000,
        "system": SYSTEM,
        "messages": [
            {"role": "user", "content": "Go on with the settlement, please."},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
        ],
    }


def count_held(judged: Iterable[Judged]) -> dict[str, tuple[int, int]]:
    """By verdict: how many hold, of how many."""
    found: dict[str, tuple[int, int]] = {}
    for one in judged:
        held, of = found.get(one.case.verdict, (0, 0))
        found[one.case.verdict] = held + one.holds, of + 1
    return found


def describe(judged: Judged) -> str:
    """A line about one case."""
    state = "holds" if judged.holds else "MISSED"
    lost = f"; missing {json.dumps(judged.missing[0][:80])}" if judged.missing else ""
    return f"{state:6} {judged.case.verdict:6} {judged.share:6.1%} gone  {judged.case.topic}: {judged.case.name}{lost}"
