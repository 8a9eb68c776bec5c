"""Microsoft Agent Framework: compaction strategies as its chat client applies them before every model call.

Settings: `{"strategy": NAME, ...}`, arguments of that strategy; a strategy that asks for a client gets the extract. The
history keeps the annotations that the strategies make on it.
"""

import asyncio

import wire
from agent_framework import CharacterEstimatorTokenizer, ChatResponse, Content, Message, _compaction
from extract import extract

TOKENIZER = CharacterEstimatorTokenizer()


class Extractor:
    """A chat client that says the extract of what it is asked."""

    async def get_response(self, messages, **_):
        asked = "\n".join(one.text for one in messages)
        said = extract(asked)
        wire.ASKED.append([asked, said])
        return ChatResponse(messages=[Message("assistant", [said])])


def theirs(piece):
    """A piece as a message of the framework."""
    if piece["role"] == "tool":
        return Message("tool", [Content.from_function_result(piece["call"], result=piece["text"])])
    text = [Content.from_text(piece["text"])] if piece["text"] else []
    calls = [
        Content.from_function_call(one["id"], one["name"], arguments=one["args"]) for one in piece.get("calls", ())
    ]
    return Message(piece["role"], [*text, *calls])


def ours(message):
    """A message of the framework as pieces."""
    results = [one for one in message.contents if one.type == "function_result"]
    found = [
        {"role": "tool", "call": one.call_id, "name": "", "text": str(one.result), "error": False} for one in results
    ]
    text = "\n\n".join(one.text for one in message.contents if one.type == "text")
    calls = [
        {"id": one.call_id, "name": one.name, "args": one.parse_arguments()}
        for one in message.contents
        if one.type == "function_call"
    ]
    if message.role == "assistant":
        return [*found, {"role": "assistant", "text": text, "calls": calls}]
    return [*found, {"role": "user", "text": text}] if text else found


def make(setting):
    kind = getattr(_compaction, setting.pop("strategy"))
    more = {"client": Extractor()} if kind is _compaction.SummarizationStrategy else {}
    strategy = kind(**setting, **more)
    history = []
    loop = asyncio.new_event_loop()

    def work(pieces, new, request, clock):
        history.extend(map(theirs, new))
        with clock:
            seen = loop.run_until_complete(
                _compaction.apply_compaction(history, strategy=strategy, tokenizer=TOKENIZER)
            )
        return [piece for one in seen for piece in ours(one)]

    return work


if __name__ == "__main__":
    wire.serve(make)
