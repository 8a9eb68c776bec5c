"""What every format must do: a class of tests to inherit from, with three methods to write.

Rule: the same questions for every format, asked of documents that its author supplies. Whether a host can load an
edited session again must be tested by the author: only the host's own reader can say.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from secateur import fit, formats
from secateur.errors import FormatError, SecateurError
from secateur.formats import Format
from secateur.formats.detection import detect_document
from secateur.jsontext import Lines, Text
from secateur.model import Part, Transcript
from secateur.patch import Op, apply
from secateur.testing.requests import mutate

AT_MS = 1_700_000_000_000  # the present in vectors
TEXTS = ("short", "", 'é "quoted" \\ \n \ud83d', "x" * 5_000)
FOREIGN = (
    b'{"model": "m", "messages": [{"role": "user", "content": "hello"}]}',
    b'{"model": "m", "max_tokens": 1, "system": "s", "messages": [{"role": "user", "content": "hello"}]}',
    b'{"model": "m", "input": [{"type": "function_call_output", "call_id": "c", "output": "o"}]}',
    b'{"contents": [{"role": "user", "parts": [{"text": "hello"}]}]}',
    b'{"type": "session", "id": "s"}\n{"type": "message", "message": {"role": "user", "content": "go"}}\n',
    b'{"name": "a package", "version": "1.0.0"}',
    b"[1, 2, 3]",
    b'"hello"',
)


class FormatKit:
    """Inherit from it in a class named Test…, and write the three methods. pytest runs the rest."""

    def format(self) -> Format:
        """The format to be tested."""
        raise NotImplementedError("write format(): it returns the format to be tested")

    def documents(self) -> Sequence[bytes]:
        """Documents of the format; in at least one a result may be edited."""
        raise NotImplementedError("write documents(): it returns documents of the format")

    def vectors(self) -> Path:
        """A folder with a folder for each vector: `request.json`, `policy.toml`, and `projected.json`, the very bytes
        that the policy makes of the request."""
        raise NotImplementedError("write vectors(): it returns the folder of the format's vectors")

    def test_its_documents_are_recognized_as_its_own(self) -> None:
        for data in self.documents():
            native = self._load_native(data)
            assert self.format().recognize(native), "it does not recognize its own document"
            if self._is_known():
                assert detect_document(data)[1].name == self.format().name, "another format recognizes its document"

    def test_it_recognizes_no_other_document(self) -> None:
        for data in FOREIGN:
            found = _detect_name(data)
            if found != self.format().name and (self.format().log or b"\n" not in data):
                assert not self.format().recognize(self._load_native(data)), (
                    f"it claims a document of {found}: {data!r}"
                )

    def test_a_document_without_edits_is_returned_as_it_came(self) -> None:
        for data in self.documents():
            for request in (data, *self._decode_objects(data)):
                assert fit(request, policy="observe", format=self._name()).request is request

    def test_objects_and_text_read_alike(self) -> None:
        for data in self.documents():
            for value in self._decode_objects(data):
                assert self.format().read(value).messages == self._read(data).messages

    def test_a_text_that_is_written_is_read_again_and_nothing_else_changes(self) -> None:
        tried = 0
        for data in self.documents():
            native = self._load_native(data)
            before = _list_parts(self.format().read(native))
            for number, part in enumerate(before):
                if part.kind != "tool_result" or part.pinned:
                    continue
                for text in TEXTS:
                    after = _list_parts(self._apply_edit(native, part, text))
                    assert after[number].text == text
                    others = [(each.local, each.path) for each in after if each is not after[number]]
                    assert others == [(each.local, each.path) for each in before if each is not part]
                    tried += 1
        assert tried, "no document has a result that may be edited"

    def test_reading_on_comes_to_the_same_as_reading_anew(self) -> None:
        for data in self.documents():
            if self.format().log:
                continue
            native = self._load_native(data)
            cold = self.format().read(native)
            for known in range(len(cold.messages)):
                if _get_element_path(cold, known):
                    assert self.format().read(native, cold.messages[:known]).messages == cold.messages

    def test_what_was_sent_stays_as_it_was_while_the_history_grows(self) -> None:
        for data in self.documents():
            for before, after in self._iterate_grown(data):
                first = fit(before, policy=_CLEARING, format=self._name(), now_ms=AT_MS)
                second = fit(after, policy="observe", plan=first.plan, format=self._name(), now_ms=AT_MS)
                at = self.format().read(after).messages_path
                sent = list(_get_at_path(first.request, at))
                assert list(_get_at_path(second.request, at))[: len(sent)] == sent

    def test_no_shape_is_more_than_a_format_error(self) -> None:
        for data in self.documents():
            for value in mutate(self._decode_values(data)):
                native = self._load_native(self._encode_values(value))
                try:
                    self.format().recognize(native)
                    read = self.format().read(native)
                except FormatError:
                    continue
                for part in _list_parts(read):
                    if not part.pinned:
                        apply(native, [Op(part.path, self.format().replacement_body(part, "{}"))])

    def test_its_vectors_give_the_very_bytes(self) -> None:
        folders = sorted(path for path in self.vectors().iterdir() if path.is_dir())
        assert folders, f"{self.vectors()} has no vectors"
        for folder in folders:
            request, expected = ((folder / f"{name}.json").read_bytes() for name in ("request", "projected"))
            view = fit(request, policy=folder / "policy.toml", format=self._name(), now_ms=AT_MS)
            assert view.request == expected, f"{folder.name} gives other bytes"

    def _is_known(self) -> bool:
        return self.format().name in formats.list_format_names()

    def _name(self) -> str | None:
        assert self._is_known(), f"no entry point registers {self.format().name}: install the distribution first"
        return self.format().name

    def _load_native(self, data: bytes) -> Text:
        return Lines.of(data) if self.format().log else Text.of(data)

    def _read(self, data: bytes) -> Transcript:
        return self.format().read(self._load_native(data))

    def _decode_values(self, data: bytes) -> Any:
        return [json.loads(line) for line in data.splitlines()] if self.format().log else json.loads(data)

    def _encode_values(self, value: Any) -> bytes:
        if not self.format().log:
            return json.dumps(value).encode()
        lines = value if isinstance(value, list) else [value]
        return b"".join(json.dumps(line).encode() + b"\n" for line in lines)

    def _decode_objects(self, data: bytes) -> Sequence[Any]:
        return () if self.format().log else (json.loads(data),)

    def _apply_edit(self, native: Text, part: Part, text: str) -> Transcript:
        return self.format().read(apply(native, [Op(part.path, self.format().replacement_body(part, text))]))

    def _iterate_grown(self, data: bytes) -> Iterator[tuple[Any, Any]]:
        """The document before each of its later messages, and with it."""
        for value in self._decode_objects(data):
            read = self.format().read(value)
            ends = [path for n in range(1, len(read.messages)) if (path := _get_element_path(read, n))]
            whole = [*(_cut(value, read.messages_path, int(end[len(read.messages_path)])) for end in ends), value]
            yield from zip(whole[1:], whole[2:], strict=False)


_CLEARING = {"prune": [{"type": "hard_clear"}], "protect": {"last_messages": 1}}


def _detect_name(data: bytes) -> str:
    try:
        return detect_document(data)[1].name
    except SecateurError:
        return "no format"


def _list_parts(transcript: Transcript) -> list[Part]:
    return [part for message in transcript.messages for part in message.parts]


def _get_element_path(read: Transcript, number: int) -> tuple[Any, ...]:
    """The path of a message that begins its own element of the array of messages; else ()."""
    depth, path = len(read.messages_path), read.messages[number].path
    own = path[: depth + 1]
    shared = number and read.messages[number - 1].path[: depth + 1] == own
    return own if len(own) > depth and not shared else ()


def _get_at_path(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def _cut(value: Any, at: tuple[Any, ...], size: int) -> Any:
    """The document with so many elements in its array of messages."""
    if not at:
        return value[:size]
    step, *rest = at
    inner = _cut(value[step], tuple(rest), size)
    return {**value, step: inner} if isinstance(value, dict) else [*value[:step], inner, *value[step + 1 :]]
