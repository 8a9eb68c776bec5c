"""The gate excuses what was broken before, one by one; what else an edit would break is taken back, in every API."""

from typing import Any

import pytest

from secateur import View, fit
from secateur.api import check, get_family
from secateur.model import Epoch, Part, Rewrite
from secateur.plan import REFUSED, Plan

HALF = "half a character \ud83d"  # refused everywhere (API rule A71)


def chat(one: str, two: str) -> dict[str, Any]:
    return {
        "messages": [{"role": "user", "content": "go"}, *said("content", one, two), {"role": "user", "content": "on"}]
    }


def anthropic(one: str, two: str) -> dict[str, Any]:
    return chat(one, two) | {"system": "s", "max_tokens": 9}


def bedrock(one: str, two: str) -> dict[str, Any]:
    user = {"role": "user", "content": [{"text": "go"}]}
    return {"messages": [user, {"role": "assistant", "content": [{"text": one}, {"text": two}]}, user]}


def gemini(one: str, two: str) -> dict[str, Any]:
    user = {"role": "user", "parts": [{"text": "go"}]}
    return {"contents": [user, {"role": "model", "parts": [{"text": one}, {"text": two}]}, user]}


def responses(one: str, two: str) -> dict[str, Any]:
    user = {"role": "user", "content": [{"type": "input_text", "text": "go"}]}
    blocks = [{"type": "output_text", "text": text} for text in (one, two)]
    return {"input": [user, {"type": "message", "role": "assistant", "content": blocks}, user]}


def said(name: str, *texts: str) -> list[dict[str, Any]]:
    return [{"role": "assistant", name: [{"type": "text", "text": text} for text in texts]}]


APIS = {
    "anthropic_messages": anthropic,
    "openai_chat": chat,
    "openai_responses": responses,
    "gemini": gemini,
    "bedrock_converse": bedrock,
}
EACH = pytest.mark.parametrize("format", APIS)


def rewritten(body: dict[str, Any], format: str, *texts: str | None) -> View:
    """The view in which the texts of the assistant read otherwise; None: as received."""
    parts: list[Part] = list(fit(body, policy="observe", format=format).raw_transcript.messages[1].parts)
    edits = tuple(
        Rewrite(part.key, text, strategy="hand") for part, text in zip(parts, texts, strict=True) if text is not None
    )
    plan = Plan((Epoch(1, parts[-1].key, "by hand", edits),))
    return fit(body, policy="observe", plan=plan, format=format, now_ms=2)


@EACH
def test_what_mends_one_place_may_not_break_another(format: str) -> None:
    body = APIS[format](HALF, "sound")
    view = rewritten(body, format, "mended", HALF)
    assert view.request == body
    assert REFUSED in view.receipt.skipped_reason


@EACH
def test_what_was_broken_before_is_excused(format: str) -> None:
    for texts, expected in (((None, "short"), (HALF, "short")), (("mended", None), ("mended", "sound"))):
        view = rewritten(APIS[format](HALF, "sound"), format, *texts)
        assert view.request == APIS[format](*expected)
        assert REFUSED not in view.receipt.skipped_reason


@EACH
def test_a_second_break_of_the_same_rule_is_taken_back(format: str) -> None:
    body = APIS[format](HALF, "sound")
    view = rewritten(body, format, None, HALF)
    assert view.request == body
    assert REFUSED in view.receipt.skipped_reason


@pytest.mark.parametrize("format", ["anthropic_messages", "bedrock_converse", "gemini"])
def test_an_edit_never_empties_a_text(format: str) -> None:
    """Gemini takes an empty text that came so, Vertex AI does not: no edit may bring one about."""
    body = APIS[format]("", "sound")
    assert rewritten(body, format, "", "").request == body
    assert rewritten(body, format, "mended", "").request == body
    assert rewritten(body, format, "", "short").request == APIS[format]("", "short")
    gemini_takes_it = format != "gemini"
    array = "contents" if format == "gemini" else "messages"
    found = check(get_family(format), body[array], body)
    assert [one.severity for one in found] == ["error" if gemini_takes_it else "warning"]
