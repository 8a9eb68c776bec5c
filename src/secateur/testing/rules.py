"""What every rule must do: a class of tests to inherit from, with two vectors to write.

Rule: the rule is checked together with the built-in rules of its API, whether it is registered or not.
"""

import json
from collections.abc import Mapping
from typing import Any

from secateur.api import Violation, list_rules
from secateur.api.editable import make_nodes
from secateur.api.registry import get_walker
from secateur.api.repair_run import RepairOptions, RepairRun
from secateur.api.rule import Findings, Rule, select_rules
from secateur.api.walker import CheckInput
from secateur.testing.requests import JUNK, mutate

_ARRAYS = {"gemini": "contents", "openai_responses": "input"}
_BLOCKS = {"anthropic": "content", "gemini": "parts", "bedrock": "content"}


class RuleKit:
    """Inherit from it in a class named Test…, and write the three methods. pytest runs the rest."""

    profile: str | None = None  # the server that the rule is for, if it is for some only
    headers: Mapping[str, str] = {}

    def rule(self) -> Rule:
        """The rule to be tested, with its `family`."""
        raise NotImplementedError("write rule(): it returns the rule to be tested")

    def breaks(self) -> Any:
        """A body that breaks this rule and no other."""
        raise NotImplementedError("write breaks(): it returns a body that breaks this rule and no other")

    def passes(self) -> Any:
        """A similar body that breaks no rule."""
        raise NotImplementedError("write passes(): it returns a body like it that breaks no rule")

    def test_the_breaking_body_breaks_this_rule_only(self) -> None:
        assert {found.rule for found in self._judge(self.breaks())} == {self.rule().id}

    def test_the_passing_body_breaks_none(self) -> None:
        assert self._judge(self.passes()) == []

    def test_a_sentence_says_what_is_wrong_and_after_the_colon_what_to_do(self) -> None:
        for found in self._judge(self.breaks()):
            what, _, remedy = found.text.partition(": ")
            assert what
            assert remedy, f"no remedy follows a colon: {found.text}"
            assert "\n" not in found.text

    def test_a_path_leads_to_something(self) -> None:
        body = self.breaks()
        inner = body if isinstance(body, dict) else {_ARRAYS.get(self.rule().family, "messages"): body}
        for found in self._judge(body):
            place: Any = inner
            for step in found.path[:-1]:
                place = place[step]
            assert isinstance(place, dict | list)

    def test_no_value_is_an_error_and_none_is_changed(self) -> None:
        for body in (*mutate(self.breaks()), *JUNK):
            before = json.dumps(body)
            self._judge(body)
            assert json.dumps(body) == before

    def test_its_repair_repairs_it_and_then_has_nothing_to_do(self) -> None:
        if self.rule().repair is None:
            return
        run = self._run_repair(self.breaks())
        assert {one.rule for one in run.records} == {self.rule().id}
        values = [_to_value(node) for node in run.nodes]
        body = {**self.breaks(), _ARRAYS.get(self.rule().family, "messages"): values}
        assert self.rule().id not in {found.rule for found in self._judge(body)}
        assert self._run_repair(body).records == []
        assert self._run_repair(self.passes()).records == []

    def _judge(self, body: Any) -> list[Violation]:
        family = self.rule().family
        array = _ARRAYS.get(family, "messages")
        request = body if isinstance(body, dict) else {array: body}
        messages = request.get(array)
        held = messages if isinstance(messages, list) else ()
        history = get_walker(family)(CheckInput(held, request, self.profile, True, self.headers, True))
        every = [rule for rule in list_rules(family) if rule.id != self.rule().id or not rule.family]
        findings = Findings(select_rules([*every, self.rule()], self.profile, True, True), history)
        history.walk(findings.check_block)
        return findings.finish()

    def _run_repair(self, body: Any) -> RepairRun:
        family = self.rule().family
        array = _ARRAYS.get(family, "messages")
        run = RepairRun(make_nodes(body[array], (array,), _BLOCKS.get(family, "")), RepairOptions(), request=body)
        assert self.rule().repair is not None
        self.rule().repair(run)  # type: ignore[misc]
        return run


def _to_value(node: Any) -> Any:
    """A node as a value, with its blocks."""
    if node.inner is None:
        return node.value
    return {**node.value, node.name: [_to_value(block) for block in node.inner]}
