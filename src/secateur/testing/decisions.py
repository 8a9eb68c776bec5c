"""What every strategy and every schedule must do: two classes of tests to inherit from, each with one method to write.

Rule: a strategy is called on a request that has something for every kind of strategy; a schedule is given what
`hard_clear` proposes there. Only what the base classes guarantee is tested.
"""

import tomllib
from typing import Any

from msgspec.structs import replace

from secateur import documents
from secateur import policy as policies
from secateur.budget import Budget
from secateur.model import Edit, Part, Remove, Replace, Rewrite, Transcript
from secateur.policy import Policy
from secateur.pricing.tariffs import CachePricing
from secateur.protect import Protection
from secateur.schedule import EveryRequest, Proposal, Schedule
from secateur.strategies import HardClear, Strategy
from secateur.testing.requests import NOW_MS, find_violations, fit_under, make_long_request
from secateur.tokens import estimate


class StrategyKit:
    """Inherit from it in a class named Test…, and write `strategy`. pytest runs the rest."""

    may_lengthen = False  # a strategy that follows another system to the letter may: say so here

    def strategy(self) -> Strategy:
        """The strategy to be tested, with any configuration."""
        raise NotImplementedError("write strategy(): it returns the strategy to be tested")

    def request(self) -> Any:
        """A request on which it edits something."""
        return make_long_request()

    def test_it_edits_something_and_the_same_each_time(self) -> None:
        read = _read(self.request())
        first = list(self.strategy()(read, _make_budget()))
        assert first, "it edits nothing: write request(), so that these tests mean something"
        assert list(self.strategy()(_read(self.request()), _make_budget())) == first

    def test_it_edits_parts_of_the_kinds_that_it_declares_and_each_once(self) -> None:
        read = _read(self.request())
        parts, edits = _index_parts(read), self._list_edits(read, _make_budget())
        assert {parts[edit.key].kind for edit in edits} <= self.strategy().edits
        assert len({edit.key for edit in edits}) == len(edits)
        assert {edit.strategy for edit in edits} == {self.strategy().__struct_config__.tag}

    def test_it_leaves_what_is_protected_or_pinned(self) -> None:
        read = _read(self.request())
        parts = _index_parts(read)
        keys = frozenset(edit.key for edit in self._list_edits(read, _make_budget()))
        assert not any(parts[key].pinned for key in keys if parts[key].kind != "reasoning")
        spared = sorted(keys)[: len(keys) // 2 + 1]
        kept = self._list_edits(read, replace(_make_budget(), protect=Protection(part_keys=tuple(spared))))
        assert not {edit.key for edit in kept} & set(spared)

    def test_it_edits_nothing_that_was_edited_for_good(self) -> None:
        read = _read(self.request())
        edited = {edit.key: "hard_clear" for edit in self._list_edits(read, _make_budget())}
        assert (
            not {edit.key for edit in self._list_edits(read, replace(_make_budget(), edited_by=edited))} & edited.keys()
        )

    def test_it_never_makes_a_part_longer(self) -> None:
        read = _read(self.request())
        parts = _index_parts(read)
        for edit in self._list_edits(read, _make_budget()):
            if isinstance(edit, Rewrite) and not self.may_lengthen and parts[edit.key].kind != "media":
                assert len(edit.text) < len(parts[edit.key].text)

    def test_a_second_look_adds_nothing(self) -> None:
        first = fit_under(self._make_policy(), self.request())
        assert len(first.plan.epochs) == 1
        again = fit_under(self._make_policy(), self.request(), plan=first.plan)
        assert again.plan.epochs == first.plan.epochs
        assert again.request == first.request

    def test_the_view_breaks_no_more_rules_than_the_request(self) -> None:
        view = fit_under(self._make_policy(), self.request())
        assert set(find_violations(view.request)) <= set(find_violations(self.request()))

    def test_what_it_knows_to_be_stale_it_knows_since_a_later_message(self) -> None:
        read = _read(self.request())
        keys = frozenset(edit.key for edit in self._list_edits(read, _make_budget()))
        since = self.strategy().stale_since(read, _make_budget(), keys)
        assert since.keys() <= keys
        assert all(0 <= number < len(read.messages) for number in since.values())
        assert not (since and self.strategy().by_age)

    def test_a_policy_file_can_name_it_with_its_fields(self) -> None:
        text = policies.as_toml(self._make_policy())
        assert f'"{self.strategy().__struct_config__.tag}"' in text
        assert policies.load(tomllib.loads(text)) == self._make_policy()

    def _make_policy(self) -> Policy:
        return Policy(name="kit", prune=(self.strategy(),), schedule=EveryRequest())

    def _list_edits(self, read: Transcript, budget: Budget) -> list[Rewrite | Remove]:
        return [edit for edit in self.strategy()(read, budget) if isinstance(edit, Rewrite | Remove)]


class ScheduleKit:
    """Inherit from it in a class named Test…, and write `schedule`. pytest runs the rest."""

    def schedule(self) -> Schedule:
        """The schedule to be tested, with any configuration."""
        raise NotImplementedError("write schedule(): it returns the schedule to be tested")

    def test_it_makes_a_part_of_what_is_proposed_or_says_why_not(self) -> None:
        for proposal in _build_proposals():
            decision = self.schedule().decide(proposal)
            assert decision.edits.keys() <= proposal.edits.keys()
            assert all(decision.edits[key] is proposal.edits[key] for key in decision.edits)
            assert bool(decision.edits) != bool(decision.skipped_reason), "edits, or a reason why there are none"

    def test_it_decides_the_same_each_time(self) -> None:
        for proposal in _build_proposals():
            assert self.schedule().decide(proposal) == self.schedule().decide(proposal)
            closed = self.schedule().precheck(proposal.view, proposal.budget)
            assert closed == self.schedule().precheck(proposal.view, proposal.budget)

    def test_it_makes_nothing_of_nothing(self) -> None:
        for proposal in _build_proposals():
            decision = self.schedule().decide(replace(proposal, edits={}, marked=0, freed=0))
            assert not decision.edits
            assert decision.skipped_reason

    def test_a_reason_is_one_sentence(self) -> None:
        for proposal in _build_proposals():
            for gate in (
                self.schedule().precheck(proposal.view, proposal.budget),
                self.schedule().decide(proposal).skipped_reason,
            ):
                assert "\n" not in gate
                assert gate == gate.strip()

    def test_it_reads_nothing_that_it_does_not_declare(self) -> None:
        told: list[tuple[bool, dict[str, Any]]] = [
            (self.schedule().needs_usage, {"tokens_used": 190_000}),
            (self.schedule().needs_clock, {"idle_s": 1.0, "now_ms": NOW_MS + 1}),
            (
                self.schedule().uses_prices,
                {"pricing": CachePricing(cache_read=0.5, cache_write=2.0, output=9.0, ttl_s=60.0)},
            ),
        ]
        for proposal in _build_proposals():
            for is_declared, facts in told:
                if not is_declared:
                    other = replace(proposal, budget=replace(proposal.budget, **facts))
                    assert self.schedule().decide(other) == self.schedule().decide(proposal)

    def test_a_policy_file_can_name_it_with_its_fields(self) -> None:
        made = Policy(name="kit", prune=(HardClear(),), schedule=self.schedule())
        assert policies.load(tomllib.loads(policies.as_toml(made))) == made

    def test_a_session_under_it_is_never_edited_twice_for_the_same(self) -> None:
        made = Policy(name="kit", prune=(HardClear(),), schedule=self.schedule())
        first = fit_under(made, make_long_request())
        again = fit_under(made, make_long_request(), plan=first.plan)
        assert again.plan.epochs == first.plan.epochs
        assert first.plan.epochs or first.receipt.skipped_reason


def _read(request: Any) -> Transcript:
    return documents.read(request).transcript


def _make_budget(used: int = 20_000) -> Budget:
    return Budget(
        window=200_000, tokens_used=used, count=estimate, protect=Protection(), idle_s=86_400.0, now_ms=NOW_MS
    )


def _index_parts(read: Transcript) -> dict[str, Part]:
    return {part.key: part for message in read.messages for part in message.parts}


def _build_proposals() -> list[Proposal]:
    """What `hard_clear` proposes for a long request, and the first edit of it alone."""
    read, budget = _read(make_long_request()), _make_budget()
    parts = _index_parts(read)
    found: dict[str, Edit] = {edit.key: edit for edit in HardClear()(read, budget) if not isinstance(edit, Replace)}
    proposals = []
    for keys in (list(found), list(found)[:1]):
        edits = {key: found[key] for key in keys}
        marked = sum(estimate(parts[key].text) for key in keys)
        left = sum(estimate(edit.text) for edit in edits.values() if isinstance(edit, Rewrite))
        proposals.append(
            Proposal(view=read, budget=budget, edits=edits, count=estimate, marked=marked, freed=marked - left)
        )
    return proposals
