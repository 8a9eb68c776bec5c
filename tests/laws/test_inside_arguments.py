"""Law of frames inside arguments: a call of which one string is shortened keeps every other character.

Names in their order, numbers as they were spelled, escapes and white space, in every format, whether arguments are an
object there or text in a string; and untouched members of Python objects stay the same objects.
"""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import recorded
from every_format import FORMATS_OF_ALL, IN_STRINGS, Step, Turn, document
from law_examples import examples
from secateur import documents as documents
from secateur import fit
from secateur.errors import FormatError
from secateur.formats import FORMATS
from secateur.jsontext import Lines, Text
from secateur.model import Path as Place

MOST, HEAD = 40, 8
POLICY: dict[str, Any] = {
    "name": "inputs",
    "prune": [{"type": "clear_inputs", "max_chars": MOST, "head_chars": HEAD}],
    "schedule": {"type": "every_request"},
}
STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)

SPACE = st.sampled_from(["", "", " ", "\n", " \t", "\r\n  "])
NUMBER = st.sampled_from(["1e5", "1E+5", "1e400", "-1e400", "1.0", "-0", "-0.0", "1.10", "9" * 40, "0.1e-7"])
WORD = st.sampled_from(["true", "false", "null"])
PIECE = st.sampled_from(
    ["a", "path/to", "\\/", "\\u00e9", "\u00e9", "\\u00E9", "\\n", '\\"', "\\\\", "\\ud83d\\ude00", "\U0001f600"]
    + ["\\ud83d", "\\udc00", "\\u0000", "\\b", "\x7f", "\u2028", "{", "]", ": ", "long " * 12]
)
SPELLED = st.lists(PIECE, max_size=8).map(lambda pieces: f'"{"".join(pieces)}"')
NAME = st.sampled_from(['"z"', '"a"', '"content"', '"\\u0061b"', '"m"', '"a"', '"x/y"', '""'])


@st.composite
def spelled(draw: st.DrawFn, depth: int = 0, constants: bool = False) -> str:
    """JSON text as someone wrote it: any order of names, some of them twice, any numbers, escapes and white space."""
    kind = draw(st.integers(0, 7 if depth < 3 else 4))
    if kind >= 5 or not depth:
        pairs = [
            f"{draw(SPACE)}{draw(NAME)}{draw(SPACE)}:{draw(SPACE)}{draw(spelled(depth + 1, constants))}{draw(SPACE)}"
            for _ in range(draw(st.integers(0, 4)))
        ]
        return "{" + (",".join(pairs) or draw(SPACE)) + "}"
    if kind == 4:
        inner = [
            f"{draw(SPACE)}{draw(spelled(depth + 1, constants))}{draw(SPACE)}" for _ in range(draw(st.integers(0, 3)))
        ]
        return "[" + ",".join(inner) + "]"
    if kind == 0 and constants and draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from(["NaN", "Infinity", "-Infinity"]))
    return draw((NUMBER, WORD, SPELLED, SPELLED)[kind])


def escaped(text: str) -> str:
    """A string in which nearly everything that may be escaped is."""
    return '"' + "".join(f"\\u{ord(one):04X}" if ord(one) < 0x10000 else json.dumps(one)[1:-1] for one in text) + '"'


def mixed(text: str) -> str:
    """A string in the spelling of a client that escapes slashes and nothing that it need not."""
    return json.dumps(text, ensure_ascii=False).replace("/", "\\/").replace("a", "\\u0061")


QUOTES = st.sampled_from([json.dumps, escaped, mixed])


def units(literal: str) -> list[tuple[str, str]]:
    """A string's characters, each as it is said and as it is spelled."""
    found = re.findall(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|.", literal[1:-1], re.DOTALL)
    return [(json.loads(f'"{one}"', strict=False), one) for one in found]


def tokens(text: str) -> list[str]:
    """Strings, and what is between them."""
    cut, here = [], 0
    for match in STRING.finditer(text):
        cut += [text[here : match.start()], match[0]]
        here = match.end()
    return [*cut, text[here:]]


def told_the_same(before: str, after: str) -> int:
    """How many strings were shortened in JSON text; nothing else may differ by a character."""
    came, went = tokens(before), tokens(after)
    assert came[::2] == went[::2]
    cut = 0
    for was, now in zip(came[1::2], went[1::2], strict=True):
        if was != now:
            whole, short = (json.loads(one, strict=False) for one in (was, now))
            assert short == f"{whole[:HEAD]}... [{len(whole) - HEAD:,} more characters]"
            cut += 1
    return cut


def in_a_string(before: str, after: str) -> int:
    """The same of text in a string: what was not shortened is spelled as it was, in the outer spelling too."""
    came, went = units(before), units(after)
    inner = "".join(said for said, _ in came), "".join(said for said, _ in went)
    cut = told_the_same(*inner)
    place, other = 0, 0
    for was, now in zip(tokens(inner[0]), tokens(inner[1]), strict=True):
        if was == now:
            assert came[place : place + len(was)] == went[other : other + len(now)]
        place, other = place + len(was), other + len(now)
    return cut


def arguments_of(data: bytes, format: str) -> list[tuple[Place, int, int]]:
    """Where the arguments of calls stand."""
    native: Text = Lines.of(data) if FORMATS[format].log else Text.of(data)
    read = documents.read(data, format).transcript
    found = []
    for message in read.messages:
        for part in message.parts:
            place = native.at(part.path) if part.kind == "tool_call" and not part.pinned else None
            if place is not None:
                found.append((part.path, place.start, place.end))
    return sorted(found, key=lambda one: one[1])


def framed(before: bytes, after: bytes, format: str) -> int:
    """Every character outside shortened strings stands as it stood; how many strings were shortened."""
    came, went = arguments_of(before, format), arguments_of(after, format)
    assert [path for path, *_ in came] == [path for path, *_ in went]
    here = other = cut = 0
    for (_, start, end), (_, first, last) in zip(came, went, strict=True):
        assert before[here:start] == after[other:first]
        was, now = (one.decode("utf-8", "surrogatepass") for one in (before[start:end], after[first:last]))
        if was != now:
            cut += (in_a_string if was.startswith('"') else told_the_same)(was, now)
        here, other = end, last
    assert before[here:] == after[other:]
    return cut


def talk(format: str, *arguments: str) -> list[Turn]:
    if FORMATS[format].log and format not in IN_STRINGS:  # a line of a log is one line
        arguments = tuple(re.sub("[\r\n]", " ", one) for one in arguments)
    return [Turn("go", tuple(Step("write", one, "done") for one in arguments)), Turn("and now?", ())]


@pytest.mark.parametrize("format", FORMATS_OF_ALL)
@examples(20)
@given(st.data())
def test_what_is_not_shortened_is_spelled_as_it_was(format: str, data: st.DataObject) -> None:
    arguments = [data.draw(spelled(constants=format in IN_STRINGS)) for _ in range(data.draw(st.integers(1, 3)))]
    before = document(format, talk(format, *arguments), data.draw(QUOTES))
    view = fit(before, policy=POLICY, format=format)
    assert framed(before, view.request, format) >= (1 if view.receipt.edits else 0)


@pytest.mark.parametrize("format", FORMATS_OF_ALL)
def test_one_long_string_among_all_that_may_be_spelled_otherwise(format: str) -> None:
    """Duplicate names, both orders, numbers of every spelling, halves of pairs: one string goes."""
    text = (
        '{ "z" : 1e5, "a":1e400 ,"b":[1.0,-0,1E+2, 123456789012345678901234567890],"c":"\\u00e9\\/\\ud83d",\n\t"dup":1,'
        f'"dup":2, "content":"{"x" * 300}", "e":{{}}, "d":"kept"}}'
    )
    before = document(format, talk(format, text), mixed)
    view = fit(before, policy=POLICY, format=format)
    assert framed(before, view.request, format) == 1
    assert len(view.receipt.edits) == 1


@pytest.mark.parametrize("format", [one for one in FORMATS_OF_ALL if not FORMATS[one].log])
def test_untouched_members_of_objects_stay_the_same_objects(format: str) -> None:
    text = json.dumps({"z": [1.0, {"y": 2}], "edits": [{"old": "kept"}, {"new": "x" * 300, "n": {"k": 1}}], "a": {}})
    before = json.loads(document(format, talk(format, text)))
    view = fit(before, policy=POLICY, format=format)
    [path] = [path for path, *_ in arguments_of(json.dumps(before).encode(), format)]
    was, now = before, view.request
    for step in path:
        was, now = was[step], now[step]
    if format in IN_STRINGS:
        assert in_a_string(json.dumps(was), json.dumps(now)) == 1
        return
    assert list(now) == ["z", "edits", "a"]
    assert now["z"] is was["z"]
    assert now["a"] is was["a"]
    assert now["edits"][0] is was["edits"][0]
    assert now["edits"][1]["n"] is was["edits"][1]["n"]
    assert now["edits"][1]["new"] != was["edits"][1]["new"]


@recorded.NEEDED
@pytest.mark.parametrize("path", recorded.paths())
def test_recorded_arguments_keep_their_spelling(path: str) -> None:
    before = recorded.data(path)
    try:
        view = fit(before, policy=POLICY)
    except FormatError:
        pytest.skip("several conversations, or none")
    format = view.receipt.format
    assert framed(before, view.request, format) >= (1 if view.receipt.edits else 0)
