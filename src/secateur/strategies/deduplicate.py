"""Deduplicate: of one call that gave the same result several times, the newest result stays.

Rule: the same tool, the same arguments, the same text, to the letter; nothing is lost, and so the newest tokens or
results that a policy keeps do not protect here, while its turns, tools, roles, pins and working set do. An older
result says that the same stands below. A result that may not go is no reason to keep the others.
"""

from collections.abc import Iterator
from functools import partial

from msgspec import Struct

from secateur.acts.history import acts
from secateur.bounds import replaceable
from secateur.budget import Budget, handle_for, saves, settled
from secateur.model import Edit, Rewrite, Transcript
from secateur.placeholder import INSTEAD, informative
from secateur.protect import Count


class Deduplicate(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag="deduplicate", tag_field="do"
):
    """Results of at least `min_chars` characters that the same call gave again later become a line that says so."""

    min_chars: Count = 200

    def __call__(self, transcript: Transcript, budget: Budget) -> Iterator[Edit]:
        may_go = replaceable(transcript, budget, partial(settled, budget))
        seen: set[tuple[str, str, str]] = set()
        for act in reversed(acts(transcript.messages, budget.raw)):
            if len(act.result.text) < self.min_chars:
                continue
            what = (act.call.tool, act.call.text, act.result.text)
            part = may_go.get(act.result.key)
            if what in seen and part is not None:
                text = informative(act.result, act.call, handle_for(budget, act.result), INSTEAD["same"])
                if saves(budget, text, part):
                    yield Rewrite(part.key, text, by="deduplicate")
            elif not settled(budget, act.result):
                seen.add(what)
