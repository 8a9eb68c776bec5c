"""Strands: conversation managers, called when the agent calls them.

Settings: `{"window": {...}}` for `SlidingWindowConversationManager`, `{"summary": {...}}` for
`SummarizingConversationManager`. Without `per_turn` the window is applied when a turn has ended; a summary is written
when the prompt, as the provider counted it, passes the share of a window of 200,000 tokens.
"""

from types import SimpleNamespace

import wire
from extract import extract
from shapes import together
from strands.agent.conversation_manager import SlidingWindowConversationManager, SummarizingConversationManager

WINDOW = 200_000


class Extractor:
    """A model that says the extract of what it is asked."""

    context_window_limit = WINDOW

    def estimate_utilization(self, tokens):
        return tokens / WINDOW

    async def stream(self, messages, tool_specs=None, system_prompt=None, **_):
        asked = "\n".join([system_prompt or "", *(f"{one['role']}: {_words(one)}" for one in messages)])
        said = extract(asked)
        wire.ASKED.append([asked, said])
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockDelta": {"delta": {"text": said}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}


def theirs(pieces):
    """Pieces as messages: results that stand together are one."""
    return together(pieces, _blocks)


def ours(message):
    """A message as pieces."""
    blocks = message["content"]
    if message["role"] == "assistant":
        uses = [block["toolUse"] for block in blocks if "toolUse" in block]
        calls = [{"id": one["toolUseId"], "name": one["name"], "args": one["input"]} for one in uses]
        text = "\n\n".join(block["text"] for block in blocks if "text" in block)
        return [{"role": "assistant", "text": text, "calls": calls}]
    return [_said_by_user(block) for block in blocks]


def make(setting):
    model = Extractor()
    agent = SimpleNamespace(messages=[], model=model, aux_model=model)
    if "window" in setting:
        manager = SlidingWindowConversationManager(**setting["window"])
    else:
        manager = SummarizingConversationManager(**setting["summary"])

    def work(pieces, new, request, clock):
        answer = [piece for piece in new if piece["role"] == "assistant"]
        rest = [piece for piece in new if piece["role"] != "assistant"]
        agent.messages += theirs(answer)
        with clock:
            if rest and rest[0]["role"] == "user":
                manager.apply_management(agent)  # the turn before has ended
        agent.messages += theirs(rest)
        event = SimpleNamespace(agent=agent, projected_input_tokens=request["prompt_tokens"] + request["output_tokens"])
        with clock:
            if "window" in setting:
                manager._on_before_model_call(event)
            manager._on_before_model_call_threshold(event)
        return [piece for one in agent.messages for piece in ours(one)]

    return work


def _blocks(piece):
    if piece["role"] == "tool":
        status = "error" if piece["error"] else "success"
        return [{"toolResult": {"toolUseId": piece["call"], "content": [{"text": piece["text"]}], "status": status}}]
    text = [{"text": piece["text"]}] if piece["text"] else []
    calls = piece.get("calls", ())
    return text + [{"toolUse": {"toolUseId": one["id"], "name": one["name"], "input": one["args"]}} for one in calls]


def _said_by_user(block):
    if "text" in block:
        return {"role": "user", "text": block["text"]}
    result = block["toolResult"]
    text = _said(result["content"])
    return {"role": "tool", "call": result["toolUseId"], "name": "", "text": text, "error": False}


def _said(content):
    return "\n\n".join(one.get("text", "") for one in content)


def _words(message):
    return " ".join(
        block.get("text") or str(block.get("toolUse", {}).get("input", "")) or _said(block["toolResult"]["content"])
        for block in message["content"]
    )


if __name__ == "__main__":
    wire.serve(make)
