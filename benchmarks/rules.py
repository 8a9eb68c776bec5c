"""What checking costs, as a ratio to `json.loads` of the same body: 4 MB in 2,900 messages, for each family.

    python benchmarks/rules.py [--messages N]

Pairs of passes in processor time, one after the other; printed is the median ratio of the pairs.
"""

import argparse
import gc
import json
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from secateur.api import check

PAIRS = 15
BAR = 1.5  # times json.loads: what a gate before every request may cost
WORDS = "the quick brown fox jumps over the lazy dog and files a report über alles\n"
RESULT = WORDS * 33  # about 2,500 characters
Message = dict[str, Any]


def anthropic(rounds: int) -> Message:
    """Rounds of a text, a call and its result, as agents send them."""
    messages: list[Message] = [{"role": "user", "content": "go"}]
    for n in range(rounds):
        use = {"type": "tool_use", "id": f"toolu_{n}", "name": "read", "input": {"path": WORDS}}
        got = {"type": "tool_result", "tool_use_id": f"toolu_{n}", "content": RESULT}
        messages.append({"role": "assistant", "content": [{"type": "text", "text": WORDS}, use]})
        messages.append({"role": "user", "content": [got]})
    return {"model": "claude-opus-4-5", "messages": messages}


def openai_chat(rounds: int) -> Message:
    """The same as chat messages."""
    messages: list[Message] = [{"role": "user", "content": "go"}]
    arguments = json.dumps({"path": WORDS})
    for n in range(rounds):
        made = {"id": f"call_{n}", "type": "function", "function": {"name": "read", "arguments": arguments}}
        messages.append({"role": "assistant", "content": WORDS, "tool_calls": [made]})
        messages.append({"role": "tool", "tool_call_id": f"call_{n}", "content": RESULT})
    return {"messages": messages}


def openai_responses(rounds: int) -> Message:
    """The same as items."""
    items: list[Message] = [{"role": "user", "content": "go"}]
    arguments = json.dumps({"path": WORDS})
    for n in range(rounds):
        items.append({"type": "function_call", "call_id": f"call_{n}", "name": "read", "arguments": arguments})
        items.append({"type": "function_call_output", "call_id": f"call_{n}", "output": RESULT})
    return {"input": items}


def gemini(rounds: int) -> Message:
    """The same as contents."""
    contents: list[Message] = [{"role": "user", "parts": [{"text": "go"}]}]
    call = {"functionCall": {"name": "read", "args": {"path": WORDS}}}
    got = {"functionResponse": {"name": "read", "response": {"output": RESULT}}}
    for _ in range(rounds):
        contents += [{"role": "model", "parts": [{"text": WORDS}, call]}, {"role": "user", "parts": [got]}]
    return {"contents": contents}


def bedrock(rounds: int) -> Message:
    """The same for Converse."""
    messages: list[Message] = [{"role": "user", "content": [{"text": "go"}]}]
    for n in range(rounds):
        use = {"toolUse": {"toolUseId": f"tooluse_{n}", "name": "read", "input": {"path": WORDS}}}
        got = {"toolResult": {"toolUseId": f"tooluse_{n}", "content": [{"text": RESULT}]}}
        messages.append({"role": "assistant", "content": [{"text": WORDS}, use]})
        messages.append({"role": "user", "content": [got]})
    return {"messages": messages, "toolConfig": {"tools": [{}]}}


def main() -> None:
    """Print one line a family; exit 1 if one is above the bar."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--messages", type=int, default=2_900)
    rounds = parser.parse_args().messages // 2
    slow = False
    for make in (anthropic, openai_chat, openai_responses, gemini, bedrock):
        data = json.dumps(make(rounds), ensure_ascii=False)
        ratio, found = measured(make.__name__, data)
        slow = slow or ratio > BAR
        print(f"{make.__name__:18}{len(data) / 1e6:6.1f} MB  {ratio:5.2f} x json.loads  {found} violations")
    raise SystemExit(slow)


def measured(family: str, data: str) -> tuple[float, int]:
    """The median ratio of checking to reading, and how many violations there are."""
    body = json.loads(data)
    array = next(name for name in ("messages", "input", "contents") if name in body)
    ratios = []
    for _ in range(PAIRS):
        gc.collect()
        read = spent(lambda: json.loads(data))
        ratios.append(spent(lambda: check(family, body[array], body)) / read)
    return median(ratios), len(check(family, body[array], body))


def spent(step: Callable[[], Any]) -> float:
    """Processor seconds of one pass."""
    start = time.process_time()
    step()
    return time.process_time() - start


if __name__ == "__main__":
    main()
