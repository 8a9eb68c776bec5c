"""Documents that nest without end: read, or refused with what is wrong; never a bare RecursionError."""

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from secateur import Engine, documents, fit
from secateur.api import FAMILIES, check
from secateur.api.repair import repair
from secateur.cli.program import run
from secateur.errors import FormatError, SecateurError
from secateur.jsontext import DEEPEST, is_too_deep

EAGER: dict[str, Any] = {
    "name": "eager",
    "prune": [{"type": "hard_clear"}, {"type": "clear_inputs", "max_chars": 1, "head_chars": 0}],
    "schedule": {"type": "every_request"},
}
DEPTHS = (100, 400, 499, 500, 800, 999, 2_000, 50_000)


def deep(levels: int, kind: str) -> str:
    return "[" * levels + "]" * levels if kind == "list" else '{"a":' * levels + "1" + "}" * levels


def bodies(levels: int) -> Iterator[str]:
    """Documents that nest in a call, in a block that no one knows, beside the messages, in a text, and as a whole."""
    for kind in ("list", "object"):
        value = deep(levels, kind)
        call = f'{{"type":"tool_use","id":"a","name":"x","input":{{"q":{value}}}}}'
        result = '{"type":"tool_result","tool_use_id":"a","content":"found"}'
        yield f'{{"messages":[{said("user", result)},{said("assistant", call)},{said("user", result)}]}}'
        yield f'{{"max_tokens":9,"messages":[{said("user", f"""{{"type":"odd","q":{value}}}""")}]}}'
        yield f'{{"meta":{value},"messages":[{{"role":"user","content":"go"}}]}}'
        function = {"id": "a", "type": "function", "function": {"name": "x", "arguments": value}}
        yield json.dumps({"messages": [{"role": "assistant", "tool_calls": [function]}]})
        yield value


def said(role: str, *blocks: str) -> str:
    return f'{{"role":"{role}","content":[{",".join(blocks)}]}}'


def objects(text: str) -> Any:
    """The same as Python objects, however deep."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(60_000)
    try:
        return json.loads(text)
    except RecursionError:
        return None
    finally:
        sys.setrecursionlimit(before)


def told(work: Callable[[], Any]) -> str:
    """What it raises of ours; "" where it works."""
    try:
        work()
    except SecateurError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("levels", DEPTHS)
def test_every_way_in_reads_it_or_says_what_is_wrong(levels: int) -> None:
    for text in bodies(levels):
        for request in (text.encode(), text, objects(text) if levels <= 2_000 else None):
            if request is None:
                continue
            for work in (fit_eagerly, kept, documents.read, repair):
                told(lambda work=work, request=request: work(request))


def fit_eagerly(request: Any) -> Any:
    return fit(request, policy=EAGER, now_ms=1)


def kept(request: Any) -> Any:
    return Engine(EAGER).fit(request, session="s", now_ms=1)


def test_what_no_parser_reads_is_said_to_be_too_deep() -> None:
    for text in bodies(50_000):
        if "tool_calls" in text:
            assert fit_eagerly(text.encode()).request  # arguments are a text, which no one needs to take apart
            continue
        for name in (None, "openai_chat", "anthropic_messages"):
            with pytest.raises(FormatError, match="nested too deeply"):
                documents.read(text.encode(), name)


def test_rules_raise_nothing_of_their_own() -> None:
    for text in bodies(2_000):
        body = objects(text)
        for family in FAMILIES[:-1]:
            if isinstance(body, dict) and "messages" in body:
                told(lambda family=family, body=body: check(family, body["messages"], body))


@pytest.mark.parametrize("levels", [100, 800, 50_000])
@pytest.mark.parametrize("command", ["prune", "compact", "inspect", "check", "repair", "simulate", "recover", "diff"])
def test_no_command_ends_in_a_fault_of_ours(command: str, levels: int, tmp_path: Any, capsys: Any) -> None:
    for number, text in enumerate(list(bodies(levels))[:3]):
        path = tmp_path / f"{number}.json"
        path.write_text(text)
        code = run([command, str(path), *([str(path)] if command == "diff" else [])])
        told = capsys.readouterr().err
        assert code in (0, 1, 2, 3, 4), told
        assert levels < 50_000 or "nested too deeply" in told


def test_depth_is_counted_outside_of_strings() -> None:
    assert not is_too_deep(b'["' + b"[" * 5_000 + b'"]')
    assert not is_too_deep(b"[]" * 5_000)
    assert not is_too_deep(b"[" * DEEPEST)
    assert is_too_deep(b'{"a":' * (DEEPEST + 1))
    assert is_too_deep(b'{"\\"]":' * (DEEPEST + 1))
