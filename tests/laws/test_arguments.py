"""Arguments: whatever is handed in, the library answers or raises an error of its own."""

import math
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from law_examples import examples
from secateur import ConfigError, Engine, SecateurError, StillTooLong, fit
from secateur.policy import load
from secateur.stores.memory import MemoryStore

TALK = [{"role": "user", "content": "What is in a.txt?"}, {"role": "assistant", "content": "One line."}]


class Odd:
    """Something of someone else's."""


class Mute:
    """Something that cannot even be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr either")


SIMPLE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(),
    st.text(st.characters(exclude_categories=()), max_size=8),
    st.binary(max_size=4),
    st.sampled_from([Odd(), Odd, object(), len, Decimal("1.5"), 1j, PurePosixPath("x"), ..., math, MemoryStore]),
)
KEYS = st.one_of(st.text(max_size=4), st.integers(), st.none())
JUNK = st.recursive(
    SIMPLE, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=6
)

OF_FIT = (
    "policy",
    "plan",
    "model",
    "window",
    "format",
    "protect",
    "idle_s",
    "now_ms",
    "fixed_tokens",
    "counter",
    "repair",
    "compact",
)
OF_ENGINE = (
    *(
        "policy",
        "model",
        "window",
        "format",
        "protect",
        "counter",
        "repair",
        "max_cached_sessions",
        "store",
        "tenant",
        "store_raw",
    ),
    *("max_pinned_tokens", "recall_handles", "summarizer", "compact", "deadline_s", "before_compact", "after_compact"),
    *("background", "local_only"),
)
OF_REQUESTS = ("session", "tenant", "plan", "idle_s", "now_ms", "fixed_tokens")


def answered(call: Callable[[], Any]) -> None:
    """The call came back, or raised an error of the library's own."""
    with suppress(SecateurError):
        call()


@pytest.mark.parametrize("name", OF_FIT)
@given(data=st.data())
@examples(15)
def test_whatever_is_handed_to_fit(name: str, data: st.DataObject) -> None:
    value = data.draw(JUNK)
    answered(lambda: fit(TALK, **{name: value}))


@given(JUNK)
@examples(40)
def test_whatever_the_request_is(request: Any) -> None:
    answered(lambda: fit(request))
    answered(lambda: fit({"messages": request}))
    answered(lambda: fit([{"role": "user", "content": "Go on."}, {"role": "assistant", "content": request}]))


@pytest.mark.parametrize("name", OF_ENGINE)
@given(data=st.data())
@examples(15)
def test_whatever_an_engine_is_made_with(name: str, data: st.DataObject) -> None:
    value = data.draw(JUNK)
    answered(lambda: Engine(**{name: value}).fit(TALK, session="s"))


@pytest.mark.parametrize("name", OF_REQUESTS)
@given(data=st.data())
@examples(15)
def test_whatever_an_engine_is_asked(name: str, data: st.DataObject) -> None:
    value, kept = data.draw(JUNK), data.draw(st.sampled_from([None, "memory://"]))
    answered(lambda: Engine(store=kept).fit(TALK, **{name: value}))
    answered(lambda: Engine(store=kept).compact(TALK, **{name: value}))


@given(JUNK, JUNK)
@examples(40)
def test_whatever_is_said_between_requests(one: Any, other: Any) -> None:
    engine = Engine("kilocode", store=MemoryStore())
    view = engine.fit(TALK, session="s")
    answered(lambda: engine.record_usage(view, one))
    answered(lambda: engine.record_usage(one, {"input_tokens": 7}))
    answered(lambda: engine.sent(one))
    answered(lambda: engine.sent(StillTooLong("it is", one)))
    answered(lambda: engine.record_usage("s", {"usage": one, "input_tokens": other}))
    answered(lambda: engine.undo(one, other))
    answered(lambda: engine.undo("s", other))
    answered(lambda: engine.pin("s", one, other))
    answered(lambda: engine.pin(one, "tool", other))
    answered(lambda: engine.unpin("s", one, other))
    answered(lambda: engine.replay(one, other))
    answered(lambda: engine.replay("s", 0, one))
    answered(lambda: engine.undo("s", now_ms=one))
    answered(lambda: engine.record_usage("s", {}, tenant=one))
    answered(lambda: engine.pin("s", "tool", "read", tenant=one))
    answered(lambda: engine.replay("s", 0, tenant=one))
    answered(lambda: engine.compact(TALK, session="s", focus=one, summary=other))
    answered(lambda: engine.compact(TALK, session="s", force=one, run_active=other, messages_queued=one))
    assert engine.fit(TALK, session="s").request is TALK


FIELDS = (
    "name",
    "counter",
    "window",
    "context_tokens",
    "windows",
    "protect",
    "prune",
    "schedule",
    "compaction",
    "extends",
)


@pytest.mark.parametrize("name", FIELDS)
@given(data=st.data())
@examples(15)
def test_whatever_a_policy_says(name: str, data: st.DataObject) -> None:
    value = data.draw(JUNK)
    answered(lambda: fit(TALK, policy={"extends": "kilocode", name: value}))


@pytest.mark.parametrize(
    ("named", "says"),
    [
        ({"window": -5}, "window=-5: give a whole number from 0 up, in tokens"),
        ({"window": 1e5}, "window=100000.0: give a whole number"),
        ({"window": True}, "window=True: give a whole number"),
        ({"idle_s": -1}, "idle_s=-1: give a number of seconds from 0 up"),
        ({"idle_s": math.nan}, "idle_s=nan: give a number of seconds"),
        ({"idle_s": math.inf}, "idle_s=inf: give a number of seconds"),
        ({"now_ms": 10**18}, "now_ms=1000000000000000000: give milliseconds since 1970"),
        ({"now_ms": 1.5}, "now_ms=1.5: give milliseconds since 1970 as a whole number"),
        ({"fixed_tokens": -1}, "fixed_tokens=-1: give a whole number from 0 up"),
        ({"plan": {}}, "plan={}: give the `plan` of an earlier view"),
        ({"window": Mute()}, "window=<Mute>: give a whole number"),
        ({"counter": "o300k"}, "unknown token counter 'o300k'"),
        ({"counter": ["estimate"]}, "counter=['estimate']: give a counter's name"),
        ({"protect": 5}, "protect=5: give a glob such as 'read_*', or a list of globs"),
        ({"protect": [b"read"]}, "protect=b'read': give a glob"),
        ({"model": None}, "model=None: give the model's name"),
        ({"format": 3}, "format=3: give a format's name"),
        ({"repair": "yes"}, "repair='yes': give True or False"),
        ({"compact": 1}, "compact=1: give True or False"),
        ({"policy": 5}, "not a int"),
        ({"policy": "\0"}, "invalid policy name"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_give(named: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        fit(TALK, **named)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("named", "says"),
    [
        ({"max_cached_sessions": 0}, "max_cached_sessions=0: give a whole number from 1 up"),
        ({"deadline_s": 0}, "deadline_s=0: give a number of seconds above 0"),
        ({"max_pinned_tokens": -1}, "max_pinned_tokens=-1: give a whole number"),
        ({"store_raw": "all"}, "store_raw='all'"),
        ({"recall_handles": "yes"}, "recall_handles cannot be 'yes'"),
        ({"store": 5}, "store=5: give an address such as 'sqlite:///~/agents.db', or a Store"),
        ({"store": "nowhere"}, "'nowhere' is not an address of a store"),
        ({"tenant": 7}, "tenant=7: give the tenant's name"),
        ({"before_compact": "ask"}, "before_compact='ask': give a function, or None"),
        ({"summarizer": 5}, "a summarizer is a name, a function or a Summarizer"),
        ({"background": None}, "background=None: give True or False"),
    ],
)
def test_what_no_engine_can_be_made_with(named: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Engine(**named)
    assert says in str(caught.value)


def test_what_cannot_be_asked_of_an_engine() -> None:
    engine = Engine()
    for call, says in (
        (lambda: engine.fit(TALK, session=5), "session=5: give a session's name"),  # type: ignore[arg-type]
        (lambda: engine.fit(TALK, session="\ud800"), "session='\\ud800': give a session's name of valid Unicode"),
        (lambda: engine.record_usage(5, {}), "view=5: give a view that `fit` returned, or a session's name"),  # type: ignore[arg-type]
        (lambda: engine.undo("s", -1), "epoch=-1: give a whole number from 0 up"),
        (lambda: engine.replay("s", "0"), "request='0': give a whole number"),  # type: ignore[arg-type]
        (lambda: engine.pin("s", "tool", 5), "pattern=5: give what is pinned"),  # type: ignore[arg-type]
        (lambda: engine.compact(TALK, force=1), "force=1: give True or False"),  # type: ignore[arg-type]
    ):
        with pytest.raises(ConfigError) as caught:
            call()
        assert says in str(caught.value)


def test_one_glob_protects_what_it_names() -> None:
    talk = [
        {"role": "user", "content": "Read both."},
        *(
            one
            for call in "abc"
            for one in (
                {"role": "assistant", "content": [{"type": "tool_use", "id": call, "name": "read_file", "input": {}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": call * 90_000}]},
            )
        ),
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "Thanks."},
        {"role": "assistant", "content": "Bye."},
        {"role": "user", "content": "Bye."},
    ]
    assert fit(talk, policy="kilocode").receipt.edits
    for globs in ("read_file", "read_*", ["read_file"], ("read_*",), {"read_file"}, iter(["read_file"])):
        assert not fit(talk, policy="kilocode", protect=globs).receipt.edits  # type: ignore[arg-type]


def test_a_window_of_none_states_none() -> None:
    assert fit(TALK, window=0).receipt.window == 0
    assert load("balance").window is None
