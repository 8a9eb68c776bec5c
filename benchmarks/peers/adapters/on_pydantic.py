"""pydantic-ai-harness: compaction capabilities, by the hook that the agent calls before every model request.

Settings: `{"tiers": [{"of": NAME, ...}...], ...}` for `TieredCompaction`, `{"of": NAME, ...}` for one alone. Usage of
each answer is recorded in the history, since the capabilities count from it. What they compact stays compacted.
"""

import asyncio

import wire
from extract import extract
from opentelemetry.trace import NoOpTracer
from pydantic_ai import RunContext
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestContext, ModelRequestParameters
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.usage import RequestUsage, RunUsage
from pydantic_ai_harness import compaction


def says(messages, info):
    """The model: the extract of what it is asked."""
    asked = "\n".join(str(part.content) for one in messages for part in one.parts)
    said = extract(asked)
    wire.ASKED.append([asked, said])
    return ModelResponse(parts=[TextPart(said)])


def theirs(pieces, usage):
    """Pieces as requests and answers."""
    found = []
    for piece in pieces:
        if piece["role"] == "assistant":
            calls = [ToolCallPart(one["name"], one["args"], one["id"]) for one in piece["calls"]]
            text = [TextPart(piece["text"])] if piece["text"] else []
            found.append(ModelResponse(parts=[*text, *calls], usage=usage))
            continue
        if not found or isinstance(found[-1], ModelResponse):
            found.append(ModelRequest(parts=[]))
        found[-1] = ModelRequest(parts=[*found[-1].parts, _part(piece)])
    return found


def ours(message):
    """A request or an answer as pieces."""
    if isinstance(message, ModelResponse):
        calls = [
            {"id": one.tool_call_id, "name": one.tool_name, "args": one.args_as_dict()}
            for one in message.parts
            if isinstance(one, ToolCallPart)
        ]
        text = "\n\n".join(one.content for one in message.parts if isinstance(one, TextPart))
        return [{"role": "assistant", "text": text, "calls": calls}]
    return [_piece(part) for part in message.parts]


def make(setting):
    strategy = _strategy(setting)
    model = FunctionModel(says)
    history = []
    loop = asyncio.new_event_loop()

    def work(pieces, new, request, clock):
        usage = RequestUsage(input_tokens=request["prompt_tokens"], output_tokens=request["output_tokens"])
        history.extend(theirs(new, usage))
        context = RunContext(deps=None, model=model, usage=RunUsage(), messages=history, tracer=NoOpTracer())
        asked = ModelRequestContext(
            model=model, messages=list(history), model_settings=None, model_request_parameters=ModelRequestParameters()
        )
        with clock:
            seen = loop.run_until_complete(strategy.before_model_request(context, asked)).messages
        return [piece for one in seen for piece in ours(one)]

    return work


def _strategy(setting):
    if "tiers" in setting:
        tiers = [_strategy(one) for one in setting.pop("tiers")]
        return compaction.TieredCompaction(tiers=tiers, **setting)
    return getattr(compaction, setting.pop("of"))(**setting)


def _part(piece):
    if piece["role"] == "user":
        return UserPromptPart(piece["text"])
    return ToolReturnPart(piece["name"], piece["text"], piece["call"])


def _piece(part):
    if isinstance(part, ToolReturnPart):
        text = part.model_response_str()
        return {"role": "tool", "call": part.tool_call_id, "name": part.tool_name, "text": text, "error": False}
    content = part.content
    text = (
        content
        if isinstance(content, str)
        else "\n\n".join(getattr(one, "content", None) or str(one) for one in content)
    )
    return {"role": "user", "text": text}


if __name__ == "__main__":
    wire.serve(make)
