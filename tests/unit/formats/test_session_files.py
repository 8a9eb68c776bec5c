"""What holds for every session file that is one document: odd shapes are passed over, edits land where parts stand."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host_sessions import DOCUMENTS
from odd_shapes import mangled
from secateur import documents, formats
from secateur.errors import FormatError
from secateur.jsontext import Lines, Text
from secateur.patch import Op, apply
from session_lines import parts

EACH = pytest.mark.parametrize("name", DOCUMENTS)


def native(name: str, value: Any) -> Text:
    if formats.get_format(name).log:
        return Lines.of(b"".join(json.dumps(one).encode() + b"\n" for one in value))
    return Text.of(json.dumps(value).encode())


@EACH
def test_it_is_recognized_as_text_and_as_objects(name: str) -> None:
    value = DOCUMENTS[name]
    assert documents.read(native(name, value).data).format.name == name
    if not formats.get_format(name).log:
        assert documents.read(value).format.name == name


@EACH
def test_objects_and_text_read_alike(name: str) -> None:
    if formats.get_format(name).log:
        pytest.skip("a log is lines")
    reader, value = formats.get_format(name), DOCUMENTS[name]
    assert reader.read(value).messages == reader.read(native(name, value)).messages


@EACH
@given(text=st.text(max_size=30))
def test_a_text_that_is_written_is_read_again(name: str, text: str) -> None:
    reader, source = formats.get_format(name), native(name, DOCUMENTS[name])
    before = parts(reader.read(source))
    assert any(part.kind == "tool_result" for part in before)
    for number, part in enumerate(before):
        if part.kind == "tool_result" and not part.pinned:
            after = parts(reader.read(apply(source, [Op(part.path, reader.replacement_body(part, text))])))
            assert after[number].text == text
            assert [one.local for one in after if one is not after[number]] == [
                one.local for one in before if one is not part
            ]


@EACH
@given(data=st.data())
def test_no_reader_fails_on_shapes_of_any_kind(name: str, data: Any) -> None:
    reader, value = formats.get_format(name), data.draw(mangled(DOCUMENTS[name]))
    if reader.log and not isinstance(value, list):
        return
    source = native(name, value)
    try:
        reader.recognize(source)
        read = reader.read(source)
    except FormatError:
        return
    for part in parts(read):
        if not part.pinned:
            body = reader.replacement_body(part, "{}")
            apply(source, [Op(part.path, body)])


@EACH
def test_a_document_of_another_kind_is_refused(name: str) -> None:
    with pytest.raises(FormatError):
        formats.get_format(name).read(Text.of(b'"hello"'))
