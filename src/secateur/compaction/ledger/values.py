"""Constants that edits gave another value: the name, what it was and what it is now.

Rule: only where an edit replaces one line by another that differs in one literal (a number, a text, a switch) behind
the same name, and the edit went through. Other changes of code are left out, and so is a value that is back where it
was.
"""

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import Any

from secateur.compaction.ledger.entries import ValueChange
from secateur.redact import redact
from secateur.toolcalls.actions import Action, collapse_whitespace, normalize_name
from secateur.toolcalls.file_effects import list_paths

MAX_CHARS = 80  # of a value
_SEARCHED = 20_000  # characters of one edit


def list_values(done: Iterable[Action]) -> tuple[ValueChange, ...]:
    """Return each constant that was changed, with its first and its newest value."""
    return merge_values(change for action in done if action.kind == "edit" and action.ok and action.result
                        for change in _list_changes(action))  # fmt: skip


def list_replacements(action: Action) -> Iterator[tuple[str, str]]:
    """Yield old and new text of an edit."""
    paths = list_paths(action)
    for _, old, new in (*_list_replaced(action.given, paths), *_list_patched(action.call.text, action.given)):
        yield old, new


def merge_values(changes: Iterable[ValueChange]) -> tuple[ValueChange, ...]:
    """Return one entry for each constant; later values win."""
    found: dict[tuple[str, str], ValueChange] = {}
    for one in changes:
        before = found.pop((one.path, one.name), None)
        old = before.old if before and before.new == one.old else one.old
        found[one.path, one.name] = ValueChange(one.path, one.name, old, one.new, one.key)
    return tuple(one for one in found.values() if one.old != one.new)


def _list_changes(action: Action) -> Iterator[ValueChange]:
    paths = list_paths(action)
    for path, old, new in [*_list_replaced(action.given, paths), *_list_patched(action.call.text, action.given)]:
        for name, was, now in _compare_lines(old, new):
            yield ValueChange(redact(path), redact(name), redact(was), redact(now), action.call.key)


def _list_replaced(given: dict[str, Any], paths: list[str]) -> Iterator[tuple[str, str, str]]:
    """Yield old and new text of an edit tool's arguments, alone or in a list."""
    if not paths:
        return
    named = {normalize_name(name): value for name, value in given.items()}
    for value in (named, *(one for one in named.get("edits", ()) or () if isinstance(one, dict))):
        inner = {normalize_name(name): text for name, text in value.items() if isinstance(name, str)}
        old = next((inner[name] for name in ("oldstring", "oldstr", "oldtext") if name in inner), None)
        new = next((inner[name] for name in ("newstring", "newstr", "newtext") if name in inner), None)
        if isinstance(old, str) and isinstance(new, str):
            yield paths[0], old[:_SEARCHED], new[:_SEARCHED]


def _list_patched(text: str, given: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield old and new lines of each hunk of a patch."""
    bodies = [value for value in (*given.values(), text) if isinstance(value, str) and "*** Begin Patch" in value]
    for body in bodies[:1]:
        for piece in re.split(r"^\*\*\* (?=Update File: )", body[:_SEARCHED], flags=re.M)[1:]:
            head, _, rest = piece.partition("\n")
            for hunk in re.split(r"^@@.*$", rest, flags=re.M):
                lines = hunk.split("\n")
                old = "\n".join(line[1:] for line in lines if line[:1] == "-")
                new = "\n".join(line[1:] for line in lines if line[:1] == "+")
                yield head.removeprefix("Update File: ").strip(), old, new


def _compare_lines(old: str, new: str) -> Iterator[tuple[str, str, str]]:
    """Yield name, old and new value of the lines that differ in one literal."""
    before, after = old.split("\n"), new.split("\n")
    for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "replace" and j - i == m - k:
            for was, now in zip(before[i:j], after[k:m], strict=True):
                one, other = _VALUE.match(was), _VALUE.match(now)
                if one and other and one["name"] == other["name"] and one["value"] != other["value"]:
                    yield one["name"], collapse_whitespace(one["value"]), collapse_whitespace(other["value"])


_VALUE = re.compile(
    r"\s*(?:(?:export|const|let|var|final|static|pub|private|public|readonly|#define|set)\s+)*"
    r"[\"']?(?P<name>(?!(?:return|raise|throw|yield|case|echo|print|puts|import|from|require|include|in|of|or)\b)"
    r"[A-Za-z_][\w.-]{1,60})[\"']?\s*(?::\s*[\w\[\]<>| ]{1,40}?\s*)?(?::=|=|:|\s(?=[\d\"']))\s*"
    r"(?P<value>[-+]?\d[\w.]{0,40}%?|true|false|True|False|null|None|nil|\"[^\"\n]{0,80}\"|'[^'\n]{0,80}')"
    r"\s*(?:[,;]?\s*(?:(?:#|//).*)?)$"
)
