"""What a type checker makes of the public interface: checked by mypy, and never run."""

from typing import Any, TypedDict, assert_type

import secateur
from secateur import Engine, Plan, StillTooLong, View, fit
from secateur.receipt import Receipt


class Message(TypedDict):
    """A message of someone's own."""

    role: str
    content: str


def one_line(body: bytes, talk: list[Message], request: dict[str, Any]) -> None:
    assert_type(fit(body), View[bytes])
    assert_type(fit(body).request, bytes)
    assert_type(fit(talk, protect="read_*").request, list[Message])
    assert_type(fit(request, protect=["read_*"], window=0), View[dict[str, Any]])
    assert_type(fit(request).plan, Plan)
    assert_type(fit(request).receipt, Receipt)


def sessions(engine: Engine, talk: list[Message]) -> None:
    view = engine.fit(talk, session="s")
    assert_type(view, View[list[Message]])
    assert_type(engine.compact(talk, session="s"), View[list[Message]])
    assert_type(engine.record_usage(view, {"input_tokens": 5}), None)
    assert_type(view.request[0]["role"], str)


async def beside(talk: list[Message]) -> list[Message]:
    async with Engine("balance", model="claude-sonnet-5-5", store="memory://") as engine:
        assert_type(engine, Engine)
        view = await engine.afit(talk)
        assert_type(view, View[list[Message]])
        assert_type(await engine.arecord_usage(view, object()), None)
        return view.request


def closed(talk: list[Message]) -> None:
    with Engine() as engine:
        assert_type(engine, Engine)
        try:
            engine.fit(talk)
        except StillTooLong as error:
            assert_type(error.largest, tuple[Any, ...])
        except secateur.SecateurError as error:
            assert_type(error, secateur.SecateurError)
