"""The recall tool that the proxy serves, with OpenAI's and Gemini's own clients, streaming and not."""

import json
import re
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import openai
import pytest
from google import genai
from google.genai import types

from agent_requests import result, write_policy
from proxies import ask, proxy
from upstream import Handler, Says, events, says, streams_slowly, upstream

HANDLE = re.compile(r"removed, recall ([0-9a-f]{12})\]")
NAME = "secateur_recall"
SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}}
Step = list[str | tuple[str, str]]  # texts, and calls by id and name


class Chat:
    """A client of Chat Completions, and what its provider says."""

    name = "openai_chat"
    total = ("prompt_tokens", "completion_tokens")

    def __init__(self, address: str, streams: bool) -> None:
        self.client = openai.OpenAI(base_url=f"{address}/v1", api_key="sk-1", max_retries=0)
        self.streams = streams
        self.history: list[Any] = [{"role": "user", "content": "build it"}]

    def ask(self) -> tuple[str, list[str], int]:
        tool = {"type": "function", "function": {"name": "Bash", "description": "runs", "parameters": SCHEMA}}
        given: dict[str, Any] = {"model": "gpt-5", "tools": [tool], "messages": self.history}
        text, calls, usage = "", [], None
        if self.streams:
            options = {"include_usage": True}
            for chunk in self.client.chat.completions.create(**given, stream=True, stream_options=options):
                usage = chunk.usage or usage
                for choice in chunk.choices:
                    text += choice.delta.content or ""
                    for call in choice.delta.tool_calls or ():
                        while len(calls) <= call.index:
                            calls.append({"id": "", "type": "function", "function": {"name": "", "arguments": ""}})
                        calls[call.index]["id"] += call.id or ""
                        calls[call.index]["function"]["name"] += call.function.name or ""
                        calls[call.index]["function"]["arguments"] += call.function.arguments or ""
        else:
            said = self.client.chat.completions.create(**given)
            usage, message = said.usage, said.choices[0].message
            text, calls = message.content or "", [call.to_dict() for call in message.tool_calls or ()]
        made = {"role": "assistant", "content": text or None, **({"tool_calls": calls} if calls else {})}
        self.history.append(made)
        return text, [call["id"] for call in calls], usage.prompt_tokens if usage else 0

    def answer(self, id: str, text: str) -> None:
        self.history.append({"role": "tool", "tool_call_id": id, "content": text})

    def say(self, text: str) -> None:
        self.history.append({"role": "user", "content": text})

    @staticmethod
    def reply(step: Step, handle: str, streams: bool) -> bytes:
        usage = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}
        text = "".join(one for one in step if isinstance(one, str))
        calls = [
            {
                "id": one[0],
                "type": "function",
                "function": {"name": one[1], "arguments": write_arguments(one[1], handle)},
            }
            for one in step
            if not isinstance(one, str)
        ]
        ends = "tool_calls" if calls else "stop"
        frame = {"id": "c1", "created": 1, "model": "gpt-5", "object": "chat.completion"}
        if not streams:
            message = {"role": "assistant", "content": text or None, **({"tool_calls": calls} if calls else {})}
            return json.dumps(
                {**frame, "choices": [{"index": 0, "message": message, "finish_reason": ends}], "usage": usage}
            ).encode()
        deltas: list[Any] = [{"role": "assistant", "content": ""}]
        deltas += [{"content": letter} for letter in text]
        for index, call in enumerate(calls):
            arguments = call["function"]["arguments"]
            head = {**call, "index": index, "function": {"name": call["function"]["name"], "arguments": ""}}
            deltas.append({"tool_calls": [head]})
            for half in (arguments[:3], arguments[3:]):
                deltas.append({"tool_calls": [{"index": index, "function": {"arguments": half}}]})
        frame["object"] = "chat.completion.chunk"
        chunks = [{**frame, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
        chunks.append({**frame, "choices": [{"index": 0, "delta": {}, "finish_reason": ends}]})
        return events([*chunks, {**frame, "choices": [], "usage": usage}, "[DONE]"])

    @staticmethod
    def describe(body: Any) -> list[str]:
        """The calls, results and texts of a request, in order."""
        told = []
        for message in body["messages"]:
            if message.get("content"):
                told.append(f"{message['role']} {message.get('tool_call_id', message['content'])}")
            told += [call["id"] for call in message.get("tool_calls") or ()]
        return told


class Responses:
    """A client of Responses."""

    name = "openai_responses"

    def __init__(self, address: str, streams: bool) -> None:
        self.client = openai.OpenAI(base_url=f"{address}/v1", api_key="sk-1", max_retries=0)
        self.streams = streams
        self.history: list[Any] = [{"type": "message", "role": "user", "content": "build it"}]

    def ask(self) -> tuple[str, list[str], int]:
        tool = {"type": "function", "name": "Bash", "description": "runs", "strict": False, "parameters": SCHEMA}
        given: dict[str, Any] = {"model": "gpt-5", "store": False, "tools": [tool], "input": self.history}
        if self.streams:
            items, text, response = [], "", None
            numbers, places = [], []
            for event in self.client.responses.create(**given, stream=True):
                numbers.append(event.sequence_number)
                if event.type == "response.output_item.done":
                    items.append(event.item.to_dict())
                    places.append(event.output_index)
                text += event.delta if event.type == "response.output_text.delta" else ""
                response = event.response if event.type in ("response.completed", "response.failed") else response
            assert numbers == [*range(len(numbers))]
            assert places == [*range(len(places))]
            assert response is not None
            if response.error:
                raise openai.APIError(response.error.message, None, body=None)  # type: ignore[arg-type]
            assert [one.to_dict() for one in response.output] == items
        else:
            response = self.client.responses.create(**given)
            items, text = [one.to_dict() for one in response.output], response.output_text
        self.history += items
        usage = response.usage
        return text, [one["call_id"] for one in items if "call_id" in one], usage.input_tokens if usage else 0

    def answer(self, id: str, text: str) -> None:
        self.history.append({"type": "function_call_output", "call_id": id, "output": text})

    def say(self, text: str) -> None:
        self.history.append({"type": "message", "role": "user", "content": text})

    @staticmethod
    def reply(step: Step, handle: str, streams: bool) -> bytes:
        items: list[Any] = []
        for number, one in enumerate(step):
            if isinstance(one, str):
                part = {"type": "output_text", "text": one, "annotations": []}
                head = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed"}
                items.append({**head, "content": [part]})
            else:
                head = {"type": "function_call", "id": f"fc_{one[0]}", "call_id": one[0], "name": one[1]}
                items.append({**head, "arguments": write_arguments(one[1], handle), "status": "completed"})
        usage: dict[str, Any] = {"input_tokens": 100, "output_tokens": 7, "total_tokens": 107}
        usage |= {"input_tokens_details": {"cached_tokens": 10}, "output_tokens_details": {"reasoning_tokens": 0}}
        response = {"id": "r1", "object": "response", "created_at": 1, "model": "gpt-5", "parallel_tool_calls": True}
        response |= {"tool_choice": "auto", "tools": [], "status": "in_progress", "output": []}
        ended = {**response, "status": "completed", "output": items, "usage": usage}
        if not streams:
            return json.dumps(ended).encode()
        made: list[Any] = [{"type": "response.created", "response": response}]
        for place, item in enumerate(items):
            made.append({"type": "response.output_item.added", "output_index": place, "item": {**item, "status": "x"}})
            at = {"output_index": place, "item_id": item["id"]}
            if item["type"] == "message":
                for letter in item["content"][0]["text"]:
                    made.append({"type": "response.output_text.delta", "content_index": 0, "delta": letter, **at})
            else:
                delta = {"type": "response.function_call_arguments.delta", "delta": item["arguments"]}
                made.append({**delta, **at})
            made.append({"type": "response.output_item.done", "output_index": place, "item": item})
        made.append({"type": "response.completed", "response": ended})
        return events([{**one, "sequence_number": number} for number, one in enumerate(made)], named=True)

    @staticmethod
    def describe(body: Any) -> list[str]:
        """The calls, results and texts of a request, in order."""
        told = []
        for item in body["input"]:
            if item["type"] == "message":
                content = item["content"]
                text = content if isinstance(content, str) else "".join(part["text"] for part in content)
                told.append(f"{item['role']} {text}")
            else:
                told.append(("tool " if item["type"].endswith("_output") else "") + item["call_id"])
        return told


class Gemini:
    """A client of generateContent."""

    name = "gemini"

    def __init__(self, address: str, streams: bool) -> None:
        self.client = genai.Client(api_key="k", http_options=types.HttpOptions(base_url=address))
        self.streams = streams
        self.history: list[Any] = [types.UserContent("build it")]

    def ask(self) -> tuple[str, list[str], int]:
        function = types.FunctionDeclaration(name="Bash", description="runs", parameters_json_schema=SCHEMA)
        off = types.AutomaticFunctionCallingConfig(disable=True)
        config = types.GenerateContentConfig(
            tools=[types.Tool(function_declarations=[function])], automatic_function_calling=off
        )
        given: dict[str, Any] = {"model": "gemini-3-pro", "contents": self.history, "config": config}
        models = self.client.models
        chunks = [*models.generate_content_stream(**given)] if self.streams else [models.generate_content(**given)]
        contents = [chunk.candidates[0].content for chunk in chunks if chunk.candidates]
        self.history += [content for content in contents if content is not None and content.parts]
        parts = [part for content in contents if content is not None for part in content.parts or ()]
        calls = [part.function_call.id or "" for part in parts if part.function_call]
        usage = chunks[-1].usage_metadata
        return "".join(part.text or "" for part in parts), calls, (usage.prompt_token_count or 0) if usage else 0

    def answer(self, id: str, text: str) -> None:
        response = types.FunctionResponse(id=id, name="Bash", response={"output": text})
        self.history.append(types.Content(role="user", parts=[types.Part(function_response=response)]))

    def say(self, text: str) -> None:
        self.history.append(types.UserContent(text))

    @staticmethod
    def reply(step: Step, handle: str, streams: bool) -> bytes:
        parts: list[Any] = []
        for one in step:
            if isinstance(one, str):
                parts.append({"text": one})
            else:
                call = {"id": one[0], "name": one[1], "args": json.loads(write_arguments(one[1], handle))}
                parts.append({"functionCall": call, "thoughtSignature": "c2ln"})
        usage = {"promptTokenCount": 100, "candidatesTokenCount": 7, "totalTokenCount": 107}
        groups = [[part] for part in parts] if streams else [parts]
        chunks: list[Any] = [
            {"candidates": [{"content": {"role": "model", "parts": group}, "index": 0}], "usageMetadata": usage}
            for group in groups
        ]
        chunks[-1]["candidates"][0]["finishReason"] = "STOP"
        return events(chunks) if streams else json.dumps(chunks[0]).encode()

    @staticmethod
    def describe(body: Any) -> list[str]:
        """The calls, results and texts of a request, in order."""
        told = []
        for content in body["contents"]:
            for part in content["parts"]:
                if "text" in part:
                    told.append(f"{content['role'].replace('model', 'assistant')} {part['text']}")
                elif "functionCall" in part:
                    told.append(part["functionCall"]["id"])
                else:
                    told.append(f"tool {part['functionResponse']['id']}")
        return told


def write_arguments(name: str, handle: str) -> str:
    return json.dumps({"handle": handle} if name == NAME else {"command": "make"})


def make_answer(api: Any, step: Step) -> Says:
    """What the provider says in one step; a call of the recall tool names the first handle that it sees."""

    def say(handler: Handler) -> None:
        asked = handler.received
        found = HANDLE.findall(asked.body.decode())
        streams = "stream" in asked.path or bool(json.loads(asked.body).get("stream"))
        body = api.reply(step, found[0] if found else "", streams)
        if streams:
            streams_slowly([body[at : at + 50] for at in range(0, len(body), 50)])(handler)
        else:
            says(200, body)(handler)

    return say


class Scene:
    """A scripted provider behind a proxy, and a client after two rounds of work, of which one result was removed."""

    def __init__(self, stack: ExitStack, folder: Path, api: Any, streams: bool, steps: Iterable[Step | Says]) -> None:
        script: list[Step | Says] = [[("t0", "Bash")], [("t1", "Bash")], *steps]
        answers = [one if callable(one) else make_answer(api, one) for one in script]
        self.provider = stack.enter_context(upstream(*answers))
        settings = {"policy": write_policy(folder), "store": f"sqlite://{folder / 'kept.db'}"}
        self.address = stack.enter_context(proxy(self.provider.url, mode="prune", recall="served", **settings))
        self.client = api(self.address, streams)
        stack.callback(self.client.client.close)
        for number in range(2):
            assert self.client.ask()[1] == [f"t{number}"]
            self.client.answer(f"t{number}", "ok" if number else result(0))

    @property
    def sent(self) -> list[list[str]]:
        return [self.client.describe(json.loads(body)) for body in self.provider.bodies]


@pytest.fixture
def stack() -> Iterable[ExitStack]:
    with ExitStack() as opened:
        yield opened


APIS = pytest.mark.parametrize("api", [Chat, Responses, Gemini], ids=lambda api: api.name)
STREAMS = pytest.mark.parametrize("streams", [True, False], ids=["stream", "whole"])
BEFORE = ["user build it", "t0", "tool t0", "t1", "tool t1"]


@APIS
@STREAMS
def test_the_model_reads_back_and_the_client_sees_its_own_calls_alone(
    api: Any, streams: bool, stack: ExitStack, tmp_path: Path
) -> None:
    calls: Step = [("r2", NAME), ("t2", "Bash")]
    steps: list[Step] = [["I look. ", ("r1", NAME)], calls, ["It is fine."], ["Bye."]]
    scene = Scene(stack, tmp_path, api, streams, steps)
    assert scene.client.ask() == ("I look. ", ["t2"], 200)
    scene.client.answer("t2", "done")
    assert scene.client.ask() == ("It is fine.", [], 100)
    scene.client.say("thanks")
    assert scene.client.ask()[0] == "Bye."
    read = [*BEFORE, "assistant I look. ", "r1", "tool r1"]
    done = [*read, "r2", "t2", "tool r2", "tool t2"]
    assert scene.sent[2:] == [BEFORE, read, done, [*done, "assistant It is fine.", "user thanks"]]
    assert json.dumps(result(0))[1:-1] in scene.provider.bodies[-1]
    assert len({json.dumps(json.loads(body)["tools"]) for body in scene.provider.bodies}) == 1


@APIS
@STREAMS
def test_a_provider_that_does_not_go_on_is_for_the_client(
    api: Any, streams: bool, stack: ExitStack, tmp_path: Path
) -> None:
    busy = says(503, json.dumps({"error": {"message": "Overloaded", "code": 503, "status": "UNAVAILABLE"}}))
    refused = says(400, json.dumps({"error": {"message": "no", "code": "invalid", "type": "invalid_request_error"}}))
    looks: Step = ["I look.", ("r1", NAME)]
    scene = Scene(stack, tmp_path, api, streams, [looks, busy, looks, refused, ["Then not."]])
    with pytest.raises((openai.APIError, genai.errors.APIError), match="Overloaded"):
        scene.client.ask()
    assert scene.client.ask()[:2] == ("I look.", ["r1"])
    scene.client.answer("r1", "no such tool")
    assert scene.client.ask()[0] == "Then not."
    assert scene.sent[-3:] == [
        BEFORE,
        [*BEFORE, "assistant I look.", "r1", "tool r1"],
        [*BEFORE, "assistant I look.", "r1", "tool r1"],
    ]


@STREAMS
def test_a_response_of_another_shape_is_the_clients_as_it_is(streams: bool, stack: ExitStack, tmp_path: Path) -> None:
    odd = {"choices": [{"index": 0, "delta" if streams else "message": {"content": "Yes.", "tool_calls": ["later"]}}]}
    data = b"".join(b"data: %b\n\n" % one for one in (json.dumps(odd).encode(), b"[DONE]"))
    data = data if streams else json.dumps(odd).encode()
    scene = Scene(stack, tmp_path, Chat, streams, [says(200, data, "text/event-stream" if streams else "")])
    tool = {"type": "function", "function": {"name": "Bash", "description": "runs", "parameters": SCHEMA}}
    body = {"model": "gpt-5", "tools": [tool], "messages": scene.client.history, "stream": streams}
    asked = json.dumps(body).encode()
    assert ask(scene.address, "/v1/chat/completions", asked, authorization="Bearer sk-1")[2] == data
    assert NAME in scene.provider.bodies[-1]
