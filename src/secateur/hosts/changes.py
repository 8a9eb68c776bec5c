"""What an installation writes, as values: a file of its own, members of a JSON file, a block of text at a file's end.

Rule: a change is applied to the bytes of a file and can be reverted, whatever else was changed in the file since.
Nothing is read or written here.
"""

import json
from typing import Any

from msgspec import Struct

from secateur.errors import ConfigError

BEGIN, END = "# >>> secateur", "# <<< secateur"


class OwnFile(Struct, frozen=True, tag=True):
    """A file that belongs to secateur as a whole. An existing one is replaced until it is restored."""

    path: str
    text: str
    is_program: bool = False  # gets the mode bits of one

    def render(self, before: bytes | None) -> bytes:
        """The file's bytes."""
        return self.text.encode()

    def strip(self, now: bytes, before: bytes | None) -> bytes | None:
        """Return the file without secateur's part: the earlier content."""
        return before

    def strip_unrecorded(self, now: bytes) -> bytes | None:
        """Return the user's part of a file without a record: nothing, if it is exactly secateur's."""
        return None if now == self.render(None) else now


class JsonMembers(Struct, frozen=True, tag=True):
    """Members of a user's JSON file: objects are merged, arrays get our elements at their end, the rest is ours."""

    path: str
    members: dict[str, Any]

    def render(self, before: bytes | None) -> bytes:
        """The file's bytes. Raises ConfigError if it is not a JSON object."""
        return _dump(_merge(self._load(before), self.members))

    def strip(self, now: bytes, before: bytes | None) -> bytes | None:
        """The file without our members; where one replaced the user's own value, that value is back."""
        left = _subtract(self._load(now), self.members, self._load(before))
        return None if before is None and not left else _dump(left)

    def strip_unrecorded(self, now: bytes) -> bytes | None:
        """Return the user's part of a file without a record: nothing shows who added a member."""
        return now

    def _load(self, data: bytes | None) -> dict[str, Any]:
        if data is None or not data.strip():
            return {}
        try:
            loaded = json.loads(data)
        except ValueError as error:
            raise ConfigError(
                f"{self.path} is not plain JSON ({error}), so its members cannot be changed: add them by hand, "
                f"or remove the comments. They are {json.dumps(self.members)}"
            ) from error
        if not isinstance(loaded, dict):
            raise ConfigError(f"{self.path} is not a JSON object: correct it, then run this again")
        return loaded


class TextBlock(Struct, frozen=True, tag=True):
    """Lines at the end of a user's file (TOML, for one), between two comments that mark them as ours."""

    path: str
    text: str

    def render(self, before: bytes | None) -> bytes:
        """The file's bytes."""
        own = before or b""
        gap = b"" if not own or own.endswith(b"\n") else b"\n"
        return own + gap + self._make_block()

    def strip(self, now: bytes, before: bytes | None) -> bytes | None:
        """The file without our lines. Raises ConfigError if they were changed."""
        block = self._make_block()
        if block not in now:
            if BEGIN.encode() in now:
                raise ConfigError(
                    f"the lines of secateur in {self.path} were changed: remove them by hand, from {BEGIN} to {END}"
                )
            return now
        left = now.replace(block, b"", 1)
        return left if left or before is not None else None

    def strip_unrecorded(self, now: bytes) -> bytes | None:
        """Return the user's part of a file without a record. Raises ConfigError if secateur's lines were changed."""
        return self.strip(now, now)

    def _make_block(self) -> bytes:
        return f"{BEGIN}\n{self.text.rstrip()}\n{END}\n".encode()


FileChange = OwnFile | JsonMembers | TextBlock


def _merge(base: Any, ours: Any) -> Any:
    if isinstance(base, dict) and isinstance(ours, dict):
        return base | {name: _merge(base[name], value) if name in base else value for name, value in ours.items()}
    if isinstance(base, list) and isinstance(ours, list):
        return [*base, *(each for each in ours if each not in base)]
    return ours


def _subtract(now: dict[str, Any], ours: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    left = dict(now)
    for name in ours.keys() & now.keys():
        if name in before:
            left[name] = _subtract_value(now[name], ours[name], before[name])
        elif now[name] == ours[name] or (rest := _subtract_value(now[name], ours[name], None)) in ({}, [], None):
            del left[name]
        else:
            left[name] = rest
    return left


def _subtract_value(now: Any, ours: Any, before: Any) -> Any:
    if now == _merge(before, ours):
        return before
    if isinstance(now, dict) and isinstance(ours, dict):
        return _subtract(now, ours, before if isinstance(before, dict) else {})
    if isinstance(now, list) and isinstance(ours, list):
        own = before if isinstance(before, list) else []
        return [each for each in now if each not in ours or each in own]
    return now


def _dump(value: dict[str, Any]) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
