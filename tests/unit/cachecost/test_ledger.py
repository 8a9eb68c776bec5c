"""What the account of a session is made of: a prompt cache told by numbers, and what each epoch cut."""

import pytest
from msgspec.structs import force_setattr, replace

from conversation import assistant, result, talk, user
from secateur.budget import Budget
from secateur.cachecost.applied_edits import AppliedEdit, AppliedEdits, find_applied_edits
from secateur.cachecost.cut_costs import CutCosts
from secateur.cachecost.history import read_history
from secateur.cachecost.ledger import SAFETY, CostLedger
from secateur.cachecost.prompt_cache import PromptCache, PromptShape
from secateur.model import Epoch, Message, Part, Restore, Rewrite, Transcript
from secateur.plan import Plan
from secateur.pricing.tariffs import CachePricing
from secateur.protect import Protection
from secateur.schedule import Proposal

TARIFF = CachePricing(cache_read=0.1, cache_write=1.25, minimum_tokens=10)
HEAD = ((0, 50),)  # system prompt and tools


def prompt(tokens: int, last: int, since: int, first: int | None = None, cold: bool = False) -> PromptShape:
    return PromptShape(tokens, last, since, first, marks=HEAD, is_cold=cold)


def test_what_only_grew_reads_all_of_the_request_before() -> None:
    cache = PromptCache(TARIFF)
    assert cache.send(prompt(100, 2, -18)) == 1.25 * 100
    assert cache.send(prompt(160, 4, -16)) == pytest.approx(0.1 * 100 + 1.25 * 60)


def test_further_back_than_is_looked_only_what_every_request_marks_is_found() -> None:
    cache = PromptCache(TARIFF)
    cache.send(prompt(100, 2, -18))
    assert cache.count_read(prompt(400, 24, 4)) == 50
    assert cache.count_read(prompt(400, 22, 2)) == 100


def test_an_edit_reads_up_to_the_last_prefix_before_it() -> None:
    cache = PromptCache(TARIFF)
    for tokens, last in ((100, 2), (160, 4), (200, 6)):
        cache.send(prompt(tokens, last, last - 20))
    assert cache.count_read(prompt(150, 6, -14, first=5)) == 160
    assert cache.count_read(prompt(150, 6, -14, first=4)) == 100
    cache.send(prompt(130, 6, -14, first=4))
    assert cache.count_read(prompt(150, 8, -12)) == 130
    assert cache.count_read(prompt(150, 8, -12, cold=True)) == 0


def test_too_little_is_not_kept_and_costs_as_plain_input() -> None:
    cache = PromptCache(TARIFF)
    assert cache.send(PromptShape(9, 0, -20)) == 9
    assert cache.count_read(PromptShape(20, 2, -18)) == 0


def test_where_any_common_prefix_counts_steps_are_read() -> None:
    cache = PromptCache(CachePricing(minimum_tokens=1, step_tokens=16, any_prefix=True, positions="steps"))
    cache.send(PromptShape(100, 2, 0))
    assert cache.count_read(PromptShape(150, 4, 0)) == 96
    assert cache.count_read(PromptShape(150, 4, 0, first=1, before=40)) == 32


def counted(*messages: Message) -> Transcript:
    """A character is a token."""
    read = talk(*messages)
    for message in read.messages:
        for part in message.parts:
            force_setattr(part, "tokens", len(part.text))
    return read


def test_each_epoch_cut_what_it_left_less_of() -> None:
    """Of a result of 90 tokens an excerpt of 30 was left at the second request, and 4 at the last; another is whole."""
    raw = counted(
        user("go"),
        assistant(("a", "read", "{}")),
        result("x" * 90, call="a"),
        assistant(("b", "read", "{}")),
        result("y" * 50, call="b"),
        assistant(("c", "read", "{}")),
        result("z", call="c"),
    )
    one, other = raw.messages[2].parts[0], raw.messages[4].parts[0]
    now = counted(*raw.messages[:2], result("gone", call="a"), *raw.messages[3:])
    force_setattr(now.messages[2].parts[0], "key", one.key)
    tips = [raw.messages[number].key for number in (2, 4, 6)]
    plan = Plan(
        (
            Epoch(1, tips[0], "birth", (Rewrite(one.key, "x" * 30),)),
            Epoch(2, tips[1], "prune", (Rewrite(other.key, "!"),)),
            Epoch(3, tips[2], "prune", (Rewrite(one.key, "gone"), Restore(other.key))),
        )
    )
    kept: dict[str, Part] = {one.key: one, other.key: other}
    budget = Budget(window=0, tokens_used=0, count=len, protect=Protection(), originals=kept, pricing=TARIFF)
    seen = Transcript((), tuple(now.messages))
    proposal = Proposal(view=seen, budget=budget, edits={}, count=len, plan=plan)
    history = read_history(proposal, proposal.take_totals())
    history.totals.at.update({tip: number for tip, number in zip(tips, (2, 4, 6), strict=True)})
    made = find_applied_edits(history, [1, 3, 5, 7])
    assert made == (
        AppliedEdit(1, 2, 0, 60),
        AppliedEdit(2, 4, 0, 49),
        AppliedEdit(3, 2, 0, 26),
        AppliedEdit(3, 4, 0, -49),
    )
    standing = AppliedEdits(made[:2])
    assert [standing.sum_freed_before(number) for number in (2, 3, 5)] == [0, 60, 109]
    standing.add(made[2:])
    assert (standing.freed, standing.sum_freed_before(4)) == (86, 86)


def turning(reasoning: bool) -> tuple[CostLedger, AppliedEdit]:
    """A second turn in which something was thought, and a result of the first one that may go to its last 40 tokens."""
    thought = (Part("reasoning", (), "t" * 60),) if reasoning else ()
    call = assistant(("b", "read", "{}"))
    raw = counted(
        user("g" * 500),
        assistant(("a", "read", "{}")),
        result("x" * 90, call="a"),
        assistant(text="done"),
        user("n" * 500),
        replace(call, parts=(*thought, *call.parts)),
        result("y" * 50, call="b"),
    )
    edit = Rewrite(raw.messages[2].parts[0].key, "z" * 40)
    tariff = CachePricing(
        cache_read=0.1, cache_write=1.25, output=0, minimum_tokens=1, strips_reasoning=True, free_breakpoints=1
    )
    budget = Budget(window=0, tokens_used=0, count=len, protect=Protection(), pricing=tariff, idle_s=10)
    costs = CutCosts(Proposal(view=raw, budget=budget, edits={edit.key: edit}, count=len, freed=(90, 50)))
    (point,) = costs.points
    return costs.ledger, costs.build_edit(point)


def test_what_the_next_turn_will_strip_is_weighed_before_an_edit_in_front_of_it() -> None:
    """With the turn over, the history as received is read up to the reasoning: 1,096 tokens that are written anew."""
    (plain, edit), (thinking, later) = turning(False), turning(True)
    more = 1.15 * 1_096 - 1.25 * 50
    for account, where, extra in ((plain, edit, 0.0), (thinking, later, more)):
        enough = (account.estimate_overspend([where]) + extra) / (SAFETY * account.unpruned)
        assert account.can_afford([where], enough * 1.0001)
        assert not account.can_afford([where], enough * 0.9999)
