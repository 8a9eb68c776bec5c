"""The loops that the tutorial shows, run with the providers' own packages against a scripted model.

The code is the tutorial's. A test may put another model's name into it, so that the window is small, or settings into
`Engine()`; nothing else is changed.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import secateur
from model_server import FINAL, addresses, reads
from secateur import Engine, StillTooLong
from secateur.api import check
from upstream import Upstream, upstream

PAGE = Path(__file__).parent.parent.parent / "docs" / "tutorials" / "providers.md"
LONG = pytest.mark.parametrize("desk", ["long"], indirect=True)
SHORT = 3  # kB of a note in the other tests
NOTES = 14
CLEAR = """{
    "name": "clear", "protect": {"last_rounds": 2}, "prune": [{"type": "hard_clear"}],
    "schedule": {"type": "every_request"}
}"""


class Loop(NamedTuple):
    """One of the loops."""

    heading: str
    family: str
    array: str
    long: int  # kB of notes that, all together, exceed the window of its model
    small: tuple[str, str] = ("", "")  # its model, and another one whose window is smaller


LOOPS = (
    Loop("Anthropic", "anthropic", "messages", 60),
    Loop("OpenAI: Chat Completions", "openai_chat", "messages", 60),
    Loop("OpenAI: Responses", "openai_responses", "input", 60),
    Loop("Google: Gemini", "gemini", "contents", 20, ("gemini-2.5-flash", "gemini-1.0-pro")),
)
EACH = pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: loop.family)


def code(loop: Loop) -> str:
    """What the tutorial shows: what the loops share, and this loop."""
    text = PAGE.read_text()
    blocks = {
        heading.strip(): re.findall(r"^```python\n(.*?)^```$", part, re.M | re.S)
        for heading, _, part in (one.partition("\n") for one in re.split(r"^#+ ", text, flags=re.M))
    }
    return "\n".join([*blocks["Add secateur to your agent loop"], *blocks[loop.heading]])


class Desk(NamedTuple):
    """Where a loop runs: a folder with notes, and a model."""

    folder: Path
    model: Upstream

    def run(self, loop: Loop, engine: str = "", model: tuple[str, str] = ("", "")) -> dict[str, Any]:
        """Run a loop; what it left, with all its `views`."""
        text = code(loop).replace("secateur.Engine()", f"secateur.Engine({engine})").replace(*model)
        text = text.replace(
            "engine.record_usage(view, response)", "engine.record_usage(view, response); views.append(view)"
        )
        left: dict[str, Any] = {"views": []}
        try:
            exec(compile(text, str(PAGE), "exec"), left)
        except StillTooLong as error:
            left["error"] = error
        return left

    def bodies(self, loop: Loop) -> list[dict[str, Any]]:
        """What the model was sent."""
        return [json.loads(body) for body in self.model.bodies]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Desk]:
    notes = [f"notes/{number}.md" for number in range(NOTES)]
    size = 1000 * (request.node.callspec.params["loop"].long if getattr(request, "param", "") else SHORT)
    for note in notes:
        (tmp_path / note).parent.mkdir(exist_ok=True)
        lines = (f"{note}, line {number}: what was agreed on day {number * 7}." for number in range(size // 45))
        (tmp_path / note).write_text("\n".join(lines))
    monkeypatch.chdir(tmp_path)
    with upstream(reads(*notes)) as server:
        for name, value in addresses(server.url).items():
            monkeypatch.setenv(name, value)
        yield Desk(tmp_path, server)


def text_of(value: Any) -> str:
    return json.dumps(value)


@EACH
def test_a_short_conversation_goes_out_as_it_came(desk: Desk, loop: Loop) -> None:
    left = desk.run(loop)
    assert len(left["views"]) == NOTES + 1
    assert all(view.request is left["request"] for view in left["views"])
    assert FINAL in str(left["response"])
    assert all(f"notes/{number}.md, line 0" in desk.model.bodies[-1] for number in range(NOTES))


@EACH
@LONG
def test_a_long_one_fits_and_every_request_is_valid(desk: Desk, loop: Loop) -> None:
    left = desk.run(loop, model=loop.small)
    last, bodies = left["views"][-1], desk.bodies(loop)
    assert "error" not in left
    assert len(bodies) == NOTES + 1
    assert last.receipt.tokens_raw > last.receipt.window
    for view in left["views"]:
        assert view.receipt.tokens_view * view.receipt.token_ratio <= view.receipt.window
    assert last.receipt.window_source.startswith("registry")
    assert not [one for body in bodies for one in check(loop.family, body[loop.array], body) if one.severity == "error"]
    for view, before, after in zip(left["views"][1:], bodies, bodies[1:], strict=False):
        told = view.receipt.opened
        assert told or text_of(after[loop.array])[:-1].startswith(text_of(before[loop.array])[:-1])


@EACH
@LONG
def test_objects_that_were_not_edited_are_themselves(desk: Desk, loop: Loop) -> None:
    left = desk.run(loop, CLEAR)
    request, view = left["request"][loop.array], left["views"][-1].request[loop.array]
    assert view is not request
    old, new = objects(request[: len(view)]), objects(view)
    assert [type(one) for one in old] == [type(one) for one in new]
    edited = [one for one, other in zip(old, new, strict=True) if one is not other]
    assert old
    assert len(edited) < len(old) / 2
    assert bool(edited) == (loop.family == "gemini")  # where results are objects too


def objects(messages: list[Any]) -> list[Any]:
    """The objects of the provider's package in a conversation."""
    every = [one for message in messages for one in (message, *_blocks(message))]
    return [one for one in every if not isinstance(one, dict)]


def _blocks(message: Any) -> list[Any]:
    content = message["content"] if isinstance(message, dict) and "content" in message else []
    return content if isinstance(content, list) else []


@EACH
@LONG
def test_what_is_protected_stays(desk: Desk, loop: Loop) -> None:
    desk.run(loop, CLEAR)
    assert "notes/0.md, line 5:" not in desk.model.bodies[-1]
    desk.run(loop, f"{CLEAR}, protect='read_*'")
    assert all(f"notes/{number}.md, line 5:" in desk.model.bodies[-1] for number in range(NOTES))


@EACH
@LONG
def test_what_does_not_fit_is_told_and_the_best_attempt_can_be_sent(desk: Desk, loop: Loop) -> None:
    left = desk.run(loop, "window=5_000, protect='read_*'")
    error, engine, client = left["error"], left["engine"], left["client"]
    assert error.largest
    view = engine.sent(error)
    array = view.request[loop.array]
    assert type(view.request) is dict
    assert type(array) is list
    send = {
        "anthropic": lambda: client.messages.create,
        "openai_chat": lambda: client.chat.completions.create,
        "openai_responses": lambda: client.responses.create,
        "gemini": lambda: client.models.generate_content,
    }[loop.family]()
    assert send(**view.request)


@EACH
def test_usage_calibrates_and_a_session_goes_on_in_another_process(desk: Desk, loop: Loop) -> None:
    address = f"sqlite:///{desk.folder}/kept.db"
    left = desk.run(loop, f"store={address!r}")
    first, last = left["views"][0], left["views"][-1]
    assert first.receipt.token_ratio == 1.0
    assert last.receipt.token_ratio != 1.0
    left["engine"].close()
    with Engine(store=address) as engine:
        again = engine.fit(left["request"], session=last.session)
        assert again.session == last.session
        assert again.receipt.idle_s is not None
        assert again.receipt.token_ratio == pytest.approx(last.receipt.token_ratio, rel=0.5)
        assert again.plan.epochs[: len(last.plan.epochs)] == last.plan.epochs


def test_whoever_fails_open_catches_one_error() -> None:
    with pytest.raises(secateur.SecateurError):
        Engine().fit([{"role": "user", "content": "Hello"}, object()])
