"""What the adapter of every framework is held to, in agents of the real package with a scripted model.

A framework's own test file subclasses `AdapterKit`: it says how an agent is run and how its messages are read. What
must hold is here, the same for all: the model sees the view, the history is the one of a run without the adapter,
objects that are not edited are the same, usage moves the clock, a failing engine changes nothing, streams and parallel
calls are pruned too, a long session is never refused, and what was removed can be read back by the agent itself.
"""

import asyncio
import re
import sys
from collections.abc import Iterable
from functools import partial, wraps
from typing import Any

import pytest
from msgspec import Struct

from adapters import FailingEngine, Views, make_engine, note, read_state
from secateur.api import check

CLAUDE, GPT = "claude-sonnet-4-5", "gpt-5"
ROUNDS = 8
REMOVED = "lines; removed, "
_HANDLE = re.compile(r"; removed, recall ([0-9a-f]+)")


class ToolUse(Struct, frozen=True):
    """A call that a scripted model makes."""

    id: str
    name: str
    arguments: dict[str, Any]


class Reader(Struct, frozen=True):
    """What a scripted model does: it reads a note with each answer, and in the end what was removed, if `recalls`."""

    rounds: int = ROUNDS
    parallel: int = 1
    recalls: bool = False
    model: str = CLAUDE

    def choose_calls(self, ids: Iterable[str], text: str) -> list[ToolUse]:
        """The next calls, after those with such ids; `text` is all that the model was sent."""
        number = max((int(one[1:].partition("-")[0]) + 1 for one in ids), default=0)
        if number < self.rounds:
            made = [f"{number}-{n}" for n in range(self.parallel)]
            return [ToolUse(f"c{one}", "read_note", {"path": f"{one}.md"}) for one in made]
        found = _HANDLE.search(text) if self.recalls and number == self.rounds else None
        return [ToolUse(f"c{number}-0", "recall", {"handle": found[1]})] if found else []


READER = Reader()


def read_note(path: str) -> str:
    """Read a note."""
    return note(path)


def spy(adapter: Any, names: tuple[str, ...], given: list[list[Any]]) -> Any:
    """The adapter, or None; the messages that these methods of it are called with go into `given`."""

    def look_into(call: Any) -> Any:
        @wraps(call)
        def look(*args: Any, **more: Any) -> Any:
            given.append(list(more["messages"] if "messages" in more else args[0]))
            return call(*args, **more)

        return look

    for name in names if adapter is not None else ():
        object.__setattr__(adapter, name, look_into(getattr(adapter, name)))
    return adapter


class Played(Struct, frozen=True):
    """A run: what the model was sent, and the agent's history afterwards, in the framework's own objects."""

    sent: list[list[Any]]
    history: list[Any]
    asked: list[Any] = []  # for summaries

    def __repr__(self) -> str:  # asyncio writes a task's result into a text that nobody reads: all of it took seconds
        return f"Played({len(self.sent)} requests)"


class AdapterKit:
    """The tests. `ways` are those of running an agent, streams among them; `api` says whose rules requests keep."""

    ways: tuple[str, ...] = ()
    models: tuple[str, ...] = (CLAUDE, GPT)
    policies: tuple[str, ...] = ("balance", "opencode")
    api = "anthropic"
    session = "s"  # as the framework names it
    own_summaries = True  # the agent's own model writes them
    has_results_apart = True  # parallel results are messages of their own

    def make(self, engine: Any = None, *, session: str = "", **settings: Any) -> Any:
        """The adapter, of a conversation that has this name, or none."""
        raise NotImplementedError

    async def play(self, adapter: Any, way: str, reader: Reader, given: list[list[Any]]) -> Played:
        """A run of an agent, with an adapter or None; the messages of each call, as they reach it, go into `given`."""
        raise NotImplementedError

    def tell(self, messages: list[Any]) -> list[Any]:
        """What messages say, without what differs from run to run."""
        raise NotImplementedError

    def build_body(self, sent: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        """What a model was sent as its provider has it: the messages, and all of it."""
        raise NotImplementedError

    def list_systems(self, sent: list[Any]) -> list[Any]:
        """The system messages amid a conversation."""
        raise NotImplementedError

    def has_reads(self, way: str) -> bool:
        """Whether the framework reports cache reads of such a run."""
        return True

    def pytest_generate_tests(self, metafunc: Any) -> None:
        """Each test in every way, and with every model and policy, that it asks for."""
        for name, values in (("way", self.ways), ("model", self.models), ("policy", self.policies)):
            if name in metafunc.fixturenames:
                metafunc.parametrize(name, values)

    def run(self, adapter: Any, way: str = "", given: list[list[Any]] | None = None, **reader: Any) -> Played:
        """A run to its end."""
        return asyncio.run(self.play(adapter, way or self.ways[0], Reader(**reader), [] if given is None else given))

    def count(self, messages: list[Any]) -> int:
        """Results that were removed."""
        return str(self.tell(messages)).count(REMOVED)

    def test_the_model_sees_the_view_and_the_history_is_whole(self, way: str, model: str) -> None:
        engine, views = make_engine(), Views()
        played = self.run(self.make(engine, session="s", on_view=views), way, model=model)
        plain = self.run(None, way, model=model)
        assert self.tell(played.history) == self.tell(plain.history)
        assert self.count(played.sent[-1]) == ROUNDS - 2
        assert self.count(played.history) == self.count(plain.sent[-1]) == 0
        assert len(played.sent) == len(plain.sent) == len(views.all) == ROUNDS + 1
        assert {view.session for view in views.all} == {self.session}
        assert all(view.receipt.status != "failed" for view in views.all)
        state = read_state(engine, views.last)
        assert state.clock.called > 0
        assert state.clock.read > 0 or not self.has_reads(way)
        assert state.calibrations

    def test_unedited_objects_are_the_same(self, way: str) -> None:
        given: list[list[Any]] = []
        played = self.run(self.make(make_engine(), session="s"), way, given, parallel=2)
        sent, edited = played.sent[-1], 0
        assert len(sent) - len(given[-1]) in (0, 1)  # some frameworks put the system prompt before
        for before, after in zip(given[-1], sent[-len(given[-1]) :], strict=True):
            if self.count([after]):
                edited += 1
                self.check_edited(before, after)
            else:
                assert after is before
        assert edited == (2 if self.has_results_apart else 1) * (ROUNDS - 2)

    def check_edited(self, before: Any, after: Any) -> None:
        """An edited object keeps all but the text."""
        assert type(after) is type(before)

    def test_a_failing_engine_changes_nothing(self, way: str) -> None:
        played = self.run(self.make(FailingEngine(), session="s"), way)
        plain = self.run(None, way)
        assert self.tell(played.history) == self.tell(plain.history)
        assert [self.tell(one) for one in played.sent] == [self.tell(one) for one in plain.sent]

    def test_usage_that_cannot_be_read_changes_nothing(self, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
        adapter = self.make(make_engine(), session="s")
        module = sys.modules[getattr(adapter, "func", type(adapter)).__module__]
        readers = [name for name in ("_find_usage", "_list_usage") if hasattr(module, name)]
        if not readers:
            pytest.skip("this adapter passes on what it is given")
        for name in readers:
            monkeypatch.setattr(module, name, lambda _: 1 // 0)
        played = self.run(adapter, way)
        assert self.tell(played.history) == self.tell(self.run(None, way).history)
        assert self.count(played.sent[-1]) == ROUNDS - 2

    def test_parallel_calls_and_agents_beside_each_other(self, way: str) -> None:
        async def run() -> list[Played]:
            engine = make_engine()
            adapters = [self.make(engine, session=f"s{n}") for n in range(3)]
            return await asyncio.gather(*(self.play(one, way, Reader(parallel=3), []) for one in adapters))

        for played in asyncio.run(run()):
            assert self.count(played.sent[-1]) == 3 * (ROUNDS - 2)
            assert self.count(played.history) == 0

    def test_a_session_that_is_not_named_is_known_by_its_history(self) -> None:
        views = Views()
        played = self.run(self.make(make_engine(), on_view=views))
        assert self.count(played.sent[-1]) == ROUNDS - 2
        assert len({view.session for view in views.all}) == 1

    def test_a_session_of_100_turns_is_never_refused(self, policy: str) -> None:
        views = Views()
        played = self.run(self.make(policy=policy, window=30_000, session="s", on_view=views), rounds=100)
        assert len(played.sent) == 101
        assert self.count(played.history) == 0
        assert any(view.receipt.active_edits for view in views.all)
        assert all(view.receipt.status != "failed" for view in views.all)
        for sent in played.sent[::10]:
            assert not self.list_systems(sent)
            messages, body = self.build_body(sent)
            assert [one.rule for one in check(self.api, messages, body) if one.severity == "error"] == []

    def test_the_agents_own_model_writes_the_summary(self) -> None:
        views = Views()
        make = partial(self.make, policy="hermes", window=20_000, session="s", on_view=views)
        played = self.run(make(), rounds=40)
        assert any(view.compaction is not None for view in views.all)
        assert bool(played.asked) == self.own_summaries

    def test_the_agent_reads_back_what_was_removed(self, way: str) -> None:
        played = self.run(self.make(make_engine(), session="s"), way, recalls=True)
        assert len(played.sent) == ROUNDS + 2
        assert "[secateur recall: " in str(self.tell(played.history))
        assert str(self.tell(played.history[-2:])).count("line 59") == 1

    def test_the_agent_reads_back_in_a_session_that_is_not_named(self) -> None:
        played = self.run(self.make(make_engine()), recalls=True)
        assert str(self.tell(played.history[-2:])).count("line 59") == 1
