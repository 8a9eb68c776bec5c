"""Objects of any class in a request: read, left alone, edited as what they are, or refused with the remedy."""

import dataclasses
from collections import OrderedDict, deque
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypedDict

import attrs
import msgspec
import pytest
from anthropic.types import TextBlock
from google.genai import types as genai
from openai import NOT_GIVEN
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from secateur import Engine, FormatError, documents, fit
from secateur.objects import Eyes, inspect_objects
from secateur.objects.request import read
from secateur.stores.memory import MemoryStore
from secateur.stores.protocol import SessionId

OUTPUT = "one line of output\n" * 400
CLEAR: dict[str, Any] = {
    "name": "clear",
    "protect": {"last_rounds": 1},
    "prune": [{"type": "hard_clear", "placeholder": "[gone]"}],
    "schedule": {"type": "every_request"},
}


class Role(StrEnum):
    """An enumeration, as hosts have one."""

    user = "user"
    tool = "tool"


class Call(BaseModel):
    """What a model asks for."""

    model_config = ConfigDict(extra="allow", frozen=True)

    id: str
    type: Literal["function"] = "function"
    function: dict[str, Any]


class Model(BaseModel):
    """A message as a pydantic model."""

    model_config = ConfigDict(extra="allow", populate_by_name=True)

    role: str
    content: str | None = None
    tool_calls: list[Call] | None = None
    call: str | None = Field(default=None, alias="tool_call_id")
    _seen: int = PrivateAttr(default=0)


@dataclasses.dataclass(frozen=True)
class Data:
    """The same as a dataclass."""

    role: str
    content: Any = None
    tool_calls: Any = None
    tool_call_id: str | None = None
    stamp: int = dataclasses.field(default=7, compare=False)


@dataclasses.dataclass(frozen=True)
class Checked(Data):
    """A dataclass that does not take what replaces its content."""

    def __post_init__(self) -> None:
        if self.content == "[gone]":
            raise ValueError("no content")


@attrs.frozen
class Attrs:
    """The same as an attrs class with slots."""

    role: str
    content: Any = None
    tool_calls: Any = None
    tool_call_id: str | None = None


class Message(msgspec.Struct, frozen=True, rename={"call": "tool_call_id"}, omit_defaults=True):
    """The same as a Struct that goes by other names on the wire."""

    role: str
    content: Any = None
    tool_calls: Any = None
    call: Any = msgspec.UNSET


class Typed(TypedDict, total=False):
    """The same as a TypedDict."""

    role: str
    content: Any
    tool_calls: Any
    tool_call_id: str


class Row(NamedTuple):
    """A tuple with names, which is not a message."""

    role: str
    content: str


CLASSES = (Model, Data, Checked, Attrs, Message, Typed, dict, OrderedDict)


def talk(made: Any) -> list[Any]:
    """A conversation with two results, the older one of which may be removed."""
    name = "call" if made is Message else "tool_call_id"
    call = {"id": "a", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    other = call | {"id": "b"}
    return [
        made(role="user", content="Read it twice."),
        made(role="assistant", content=None, tool_calls=[call]),
        made(role="tool", content=OUTPUT, **{name: "a"}),
        made(role="assistant", content=None, tool_calls=[other]),
        made(role="tool", content="The same.", **{name: "b"}),
    ]


@pytest.mark.parametrize("made", CLASSES)
def test_an_edited_object_is_of_its_class_and_the_others_are_themselves(made: Any) -> None:
    said = talk(made)
    view = fit(said, policy=CLEAR)
    assert [one is old for one, old in zip(view.request, said, strict=True)] == [True, True, False, True, True]
    new = view.request[2]
    assert type(new) is type(said[2])
    assert (new["content"] if isinstance(new, dict) else new.content) == "[gone]"
    assert (said[2]["content"] if isinstance(said[2], dict) else said[2].content) == OUTPUT
    assert fit(said, policy=CLEAR, protect="read").request is said
    assert fit(said, policy="observe").receipt.format == "openai_chat"


def test_a_model_keeps_what_nobody_named() -> None:
    said = talk(Model)
    said[2] = Model(role="tool", tool_call_id="a", content=OUTPUT, odd={"x": [1]})
    said[2]._seen = 5
    new = fit(said, policy=CLEAR).request[2]
    assert new.model_extra == {"odd": {"x": [1]}}
    assert new.model_extra["odd"] is said[2].model_extra["odd"]
    assert new._seen == 5
    assert new.call == "a"
    assert new.model_fields_set == said[2].model_fields_set
    assert new.model_dump(by_alias=True, exclude_unset=True)["content"] == "[gone]"
    assert fit(talk(Data), policy=CLEAR).request[2].stamp == 7


def test_a_model_around_the_messages() -> None:
    class Request(BaseModel):
        """A request as someone's server has it."""

        model: str
        messages: list[Model]
        temperature: float = 0.5

    body = Request(model="gpt-5", messages=talk(Model))
    view = fit(body, policy=CLEAR)
    assert type(view.request) is Request
    assert view.request.temperature == 0.5
    assert view.request.messages[2].content == "[gone]"
    assert view.request.messages[1] is body.messages[1]
    assert view.receipt.model == "gpt-5"
    assert body.messages[2].content == OUTPUT


def test_other_lists_and_mappings() -> None:
    said = talk(Data)
    assert type(fit(tuple(said), policy=CLEAR).request) is tuple
    assert type(fit(deque(said), policy=CLEAR).request) is deque
    plain = talk(dict)
    plain[2] = MappingProxyType(plain[2])
    assert fit(plain, policy=CLEAR).request[2]["content"] == "[gone]"
    odd = [{**one, 5: "a name that is no text"} for one in talk(dict)]
    odd[0]["role"] = Role.user
    view = fit(odd, policy=CLEAR)
    assert view.request[2][5] == "a name that is no text"
    assert view.request[0] is odd[0]


def test_an_object_that_was_changed_is_read_again() -> None:
    engine, said = Engine(CLEAR), talk(Model)
    first = engine.fit(said, session="s")
    said[2].content = OUTPUT * 2
    second = engine.fit(said, session="s")
    assert second.receipt.tokens_raw > first.receipt.tokens_raw
    said[1].tool_calls.append(Call(id="c", function={"name": "more", "arguments": "{}"}))
    assert "c" in {
        part.call_id for message in engine.fit(said, session="s").raw_transcript.messages for part in message.parts
    }
    said[1].tool_calls[0].function["name"] = "bash"
    assert "bash" in {
        part.tool for message in engine.fit(said, session="s").raw_transcript.messages for part in message.parts
    }


def test_what_did_not_change_is_not_read_again() -> None:
    eyes, said = Eyes(), talk(Model)
    before = read(said, eyes)
    after = read([*said, Model(role="user", content="Go on.")], eyes)
    assert len(after) == 6
    assert all(one is other for one, other in zip(before, after, strict=False))
    said[0] = Model(role="user", content="Something else.")
    assert [one is other for one, other in zip(before, read(said, eyes), strict=True)] == [False] + [True] * 4


def test_a_grown_request_is_read_on_from_what_is_new() -> None:
    eyes, said = Eyes(), talk(Model)
    first = documents.read(read(said, eyes))
    longer = [*said, Model(role="user", content="Go on.")]
    second, same = documents.read_on(first, read(longer, eyes), None, "")
    assert same == len(said)
    assert all(one is other for one, other in zip(first.transcript.messages, second.transcript.messages, strict=False))
    assert second.transcript == documents.read(read(longer, Eyes())).transcript
    again, same = documents.read_on(second, read(longer, eyes), None, "")
    assert again is second
    assert same == 6
    said[0].content = "Something else."
    third, same = documents.read_on(second, read(longer, eyes), None, "")
    assert same == 0
    assert third.transcript.messages[0].parts[0].text == "Something else."


def test_the_package_of_an_object_tells_the_format() -> None:
    user: dict[str, Any] = {"role": "user", "content": "Hello"}
    block = TextBlock(type="text", text="Hello to you.")
    engine = Engine()
    assert engine.fit([user], session="s").receipt.format == "openai_chat"  # a greeting may be of any
    assert engine.fit([user, {"role": "assistant", "content": [block]}, user], session="s").receipt.format == (
        "anthropic_messages"
    )


def test_plain_requests_are_left_to_themselves() -> None:
    plain = talk(dict)
    for request in (plain, tuple(plain), {"messages": plain}, b"[]", "[]", {"contents": [{"parts": [{"text": "a"}]}]}):
        assert inspect_objects(request, Eyes()) is None


def unread(says: str, request: Any) -> None:
    with pytest.raises(FormatError) as caught:
        fit(request)
    assert says in str(caught.value)


def test_what_cannot_be_read_is_refused_with_its_place_and_the_remedy() -> None:
    class Mine:
        """A class that no one knows."""

    mine = f"{Mine.__module__}.{Mine.__qualname__}"
    user = {"role": "user", "content": "Go on."}
    unread(f"1 is a {mine}, which cannot be read: give its JSON shape", [user, Mine()])
    unread(f"messages.1.content.0 is a {mine}", {"messages": [user, {"role": "user", "content": [Mine()]}]})
    unread(f"the request is a {mine}", Mine())
    unread("messages is a builtins.generator", {"messages": (one for one in [user])})
    unread(
        "messages is a builtins.generator, which cannot be read: messages must be a list", {"messages": iter_of(user)}
    )
    unread("it can be read only once: convert it with", [user, {"role": "user", "content": iter_of("a")}])
    unread("it is an open file", [{"role": "user", "content": [open_file()]}])
    unread("names must be strings", [{"role": "user", "content": {(1, 2): "a", "b": Mine()}}])
    around: list[Any] = [user]
    around.append(around)
    unread("nested", around)
    deep: Any = Mine()
    for _ in range(600):
        deep = [deep]
    unread("nested", [user, {"role": "user", "content": deep}])


def test_objects_that_no_format_knows_are_named() -> None:
    class Turn(BaseModel):
        """A message in a shape of its own."""

        speaker: str = "user"
        words: str = "Go on."

    unread("Turn: give them in the shape in which a provider's client takes them", [Turn()])
    unread("Turn: give them in the shape in which a provider's client takes them", {"messages": [Turn()]})


def iter_of(value: Any) -> Iterator[Any]:
    yield value


def open_file() -> Any:
    class File:
        """Something to read from."""

        def read(self) -> bytes:
            return b""

    return File()


def test_a_request_that_cannot_be_read_leaves_a_receipt() -> None:
    store = MemoryStore()
    with pytest.raises(FormatError):
        Engine(store=store).fit([object()], session="s")
    [link] = store.list_receipts(SessionId("s"))
    assert b"builtins.object, which cannot be read" in link.body


def test_what_stands_beside_the_messages_is_read_as_far_as_it_can_be() -> None:
    def read_file(path: str) -> str:
        """Read a file back for secateur."""
        return path

    body = {"model": "gpt-5", "messages": talk(Model), "tools": [read_file], "timeout": object(), "top_p": NOT_GIVEN}
    seen = inspect_objects(body, Eyes())
    assert seen is not None
    assert seen.native["tools"] == [{"name": "read_file", "description": "Read a file back for secateur."}]
    assert "timeout" not in seen.native
    assert "top_p" not in seen.native
    view = fit(body, policy=CLEAR)
    assert view.request["timeout"] is body["timeout"]
    assert view.request["tools"] is body["tools"]
    assert view.request["messages"][2].content == "[gone]"


def test_leaves_read_as_they_are_sent() -> None:
    seen = Eyes().read_shape(
        [b"\xfb\xff", Role.tool, PurePosixPath("a/b"), 1.5, True, Row("user", "x"), {None: 1, 2: 3}]
    )
    assert seen == ["-_8=", "tool", "a/b", 1.5, True, ["user", "x"], {"null": 1, "2": 3}]
    assert [type(one) for one in seen[:5]] == [str, str, str, float, bool]


# --- google-genai ----------------------------------------------------------------------------------------------------


def google(*contents: Any, **more: Any) -> dict[str, Any]:
    return {"model": "gemini-2.5-pro", "contents": list(contents), **more}


def call(number: str) -> genai.Part:
    return genai.Part(function_call=genai.FunctionCall(id=number, name="read", args={}), thought_signature=b"\xfb\xff")


def answer(number: str, text: str) -> genai.Part:
    return genai.Part.from_function_response(name="read", response={"result": text})


def test_contents_of_every_kind_that_the_client_takes() -> None:
    image = genai.Part.from_bytes(data=b"\x89PNG", mime_type="image/png")
    file = genai.File(uri="https://files/1", mime_type="text/plain")
    request = google("Read it.", genai.UserContent("And this."), genai.Part(text="More."), image, file, ["a", image])
    read = fit(request, policy="observe")
    assert read.request is request
    assert [(one.role, [part.kind for part in one.parts]) for one in read.raw_transcript.messages] == [
        ("user", ["text"]),
        ("user", ["text"]),
        ("user", ["text"]),
        ("user", ["media"]),
        ("user", ["media"]),
        ("user", ["text", "media"]),
    ]
    assert [part.text for one in read.raw_transcript.messages for part in one.parts][:3] == [
        "Read it.",
        "And this.",
        "More.",
    ]


@pytest.mark.parametrize("contents", ["Hello", genai.UserContent("Hello"), genai.Part(text="Hello"), ["Hello"]])
def test_what_is_no_list_of_contents(contents: Any) -> None:
    request = {"model": "gemini-2.5-pro", "contents": contents}
    view = fit(request, policy="observe")
    assert view.request is request
    assert [part.text for one in view.raw_transcript.messages for part in one.parts] == ["Hello"]
    assert view.receipt.format == "gemini"


def test_the_config_tells_what_goes_with_each_request() -> None:
    def look_up(name: str) -> str:
        """Look something up."""
        return name

    config = genai.GenerateContentConfig(system_instruction="Be brief. " * 50, tools=[look_up])
    request = google("Hello", config=config)
    alone, whole = fit(google("Hello")), fit(request)
    assert whole.request is request
    assert whole.raw_transcript.fixed_tokens > alone.raw_transcript.fixed_tokens + 90
    plain = google({"role": "user", "parts": [{"text": "Hello"}]}, config={"system_instruction": "Be brief. " * 50})
    assert fit(plain).raw_transcript.fixed_tokens > 90
    held = google("Hello", config=genai.GenerateContentConfig(cached_content="cachedContents/1"))
    assert fit(held).raw_transcript.partial


def test_an_edited_part_is_a_part_and_its_signature_stays() -> None:
    said = [
        "Read it twice.",
        genai.ModelContent([call("a")]),
        genai.UserContent([answer("a", OUTPUT)]),
        genai.ModelContent([call("b")]),
        genai.UserContent([answer("b", "The same.")]),
    ]
    request = google(*said)
    view = fit(request, policy=CLEAR)
    new = view.request["contents"]
    assert [one is old for one, old in zip(new, said, strict=True)] == [True, True, False, True, True]
    assert type(new[2]) is genai.UserContent
    assert type(new[2].parts[0]) is genai.Part
    assert type(new[2].parts[0].function_response) is genai.FunctionResponse
    assert new[2].parts[0].function_response.response == {"output": "[gone]"}
    assert new[1].parts[0].thought_signature == b"\xfb\xff"
    assert said[2].parts[0].function_response.response == {"result": OUTPUT}  # type: ignore[union-attr]


def test_a_medium_that_goes_is_a_part_of_text_and_a_new_message_a_content() -> None:
    image = genai.Part.from_bytes(data=b"\x89PNG" * 50, mime_type="image/png")
    said = [genai.UserContent(["Look.", image]), genai.ModelContent("I see."), genai.UserContent("Go on.")]
    media = {"name": "m", "prune": [{"type": "clear_media", "keep": 0}], "schedule": {"type": "every_request"}}
    new = fit(said, policy=media).request
    assert type(new[0].parts[1]) is genai.Part
    assert new[0].parts[1].inline_data is None
    assert new[0].parts[1].text
    assert new[0].parts[0] is said[0].parts[0]  # type: ignore[index]
    long = [
        genai.UserContent(f"Question {n}: {OUTPUT}") if n % 2 == 0 else genai.ModelContent(OUTPUT) for n in range(21)
    ]
    done = Engine("kilocode", window=20_000).compact(long, now_ms=7)
    assert done.compaction is not None
    assert len(done.request) < len(long)
    assert all(isinstance(one, genai.Content) for one in done.request)


def test_members_of_a_mapping_of_ones_own() -> None:
    class Mine(Mapping[str, Any]):
        """A mapping that cannot be written to."""

        def __init__(self, held: dict[str, Any]) -> None:
            self.held = held

        def __getitem__(self, name: str) -> Any:
            return self.held[name]

        def __iter__(self) -> Iterator[str]:
            return iter(self.held)

        def __len__(self) -> int:
            return len(self.held)

    said = [Mine(one) for one in talk(dict)]
    view = fit(said, policy=CLEAR)
    assert view.request[0] is said[0]
    assert view.request[2]["content"] == "[gone]"
