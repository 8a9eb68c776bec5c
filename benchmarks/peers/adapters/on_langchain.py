"""LangChain: context editing and summarization, as its middleware calls them.

Settings: `{"edit": {...}}` for `ClearToolUsesEdit`, `{"summary": {...}}` for `SummarizationMiddleware`. The edit looks
at the whole history on every call; a summary replaces the agent's state, as the graph does it.
"""

from copy import deepcopy

import wire
from extract import extract
from langchain.agents.middleware import ClearToolUsesEdit, SummarizationMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.messages.utils import count_tokens_approximately
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.graph.message import add_messages


class Extractor(BaseChatModel):
    """Says the extract of what it is asked, and calls itself Anthropic's so that recorded usage counts."""

    @property
    def _llm_type(self):
        return "anthropic-chat"

    def _get_ls_params(self, stop=None, **_):
        return {"ls_provider": "anthropic", "ls_model_name": "extract", "ls_model_type": "chat"}

    def _generate(self, messages, stop=None, run_manager=None, **_):
        asked = "\n".join(str(one.content) for one in messages)
        said = extract(asked)
        wire.ASKED.append([asked, said])
        return ChatResult(generations=[ChatGeneration(message=AIMessage(said))])


def theirs(piece, number, usage=None):
    """A piece as a LangChain message."""
    name = f"m{number}"
    if piece["role"] == "user":
        return HumanMessage(piece["text"], id=name)
    if piece["role"] == "tool":
        status = "error" if piece["error"] else "success"
        return ToolMessage(piece["text"], tool_call_id=piece["call"], name=piece["name"], status=status, id=name)
    calls = [{"id": one["id"], "name": one["name"], "args": one["args"]} for one in piece["calls"]]
    said = {"usage_metadata": usage, "response_metadata": {"model_provider": "anthropic"}} if usage else {}
    return AIMessage(piece["text"], tool_calls=calls, id=name, **said)


def ours(message):
    """A LangChain message as a piece."""
    text = message.content if isinstance(message.content, str) else message.text
    if isinstance(message, ToolMessage):
        return {"role": "tool", "call": message.tool_call_id, "name": message.name or "", "text": text, "error": False}
    if isinstance(message, AIMessage):
        calls = [{"id": one["id"], "name": one["name"], "args": one["args"]} for one in message.tool_calls]
        return {"role": "assistant", "text": text, "calls": calls}
    return {"role": "user", "text": text}


def make(setting):
    return _summary(setting["summary"]) if "summary" in setting else _edit(setting["edit"])


def _edit(setting):
    edit = ClearToolUsesEdit(**setting)
    history = []

    def work(pieces, new, request, clock):
        history.extend(theirs(one, len(history) + at) for at, one in enumerate(new))
        with clock:
            seen = deepcopy(history)
            edit.apply(seen, count_tokens=count_tokens_approximately)
        return [ours(one) for one in seen]

    return work


def _summary(setting):
    keep, trigger = tuple(setting.pop("keep", ("messages", 20))), tuple(setting.pop("trigger"))
    middleware = SummarizationMiddleware(model=Extractor(), trigger=trigger, keep=keep, **setting)
    state = {"messages": []}

    def work(pieces, new, request, clock):
        count = {"input": request["prompt_tokens"], "output": request["output_tokens"]}
        usage = {f"{name}_tokens": size for name, size in count.items()} | {"total_tokens": sum(count.values())}
        first = len(pieces) - len(new)
        state["messages"] += [theirs(one, first + at, usage) for at, one in enumerate(new)]
        with clock:
            update = middleware.before_model(state, None)
        if update:
            state["messages"] = add_messages(state["messages"], update["messages"])
        return [ours(one) for one in state["messages"]]

    return work


if __name__ == "__main__":
    wire.serve(make)
