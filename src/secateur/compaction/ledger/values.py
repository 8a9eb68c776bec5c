"""Constants that edits gave another value: the name, what it was and what it is now.

Rule: only where an edit replaces one line by another that differs in one literal (a number, a text, a switch) behind
the same name, and the edit went through. Other changes of code are left out, and so is a value that is back where it
was.
"""

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from secateur.compaction.ledger.entries import ValueChange
from secateur.compaction.ledger.key_paths import ConfigTexts
from secateur.compaction.ledger.rewrites import is_edit_refused, list_replaced
from secateur.redact import redact
from secateur.toolcalls.actions import Action, collapse_whitespace

MAX_CHARS = 80  # of a value


def list_values(done: Iterable[Action], is_qualified: bool = False) -> tuple[ValueChange, ...]:
    """Return each constant that was changed, with its first and its newest value.

    `is_qualified`: names in JSON, YAML and TOML files stand with the path that leads to them, as far as it is known.
    """
    return merge_values(_list_changes(done, is_qualified))


def list_replacements(action: Action) -> Iterator[tuple[str, str]]:
    """Yield old and new text of an edit."""
    for one in list_replaced(action):
        yield one.old, one.new


def merge_values(changes: Iterable[ValueChange]) -> tuple[ValueChange, ...]:
    """Return one entry for each constant; later values win."""
    found: dict[tuple[str, str], ValueChange] = {}
    for one in changes:
        before = found.pop((one.path, one.name), None)
        old = before.old if before and before.new == one.old else one.old
        found[one.path, one.name] = ValueChange(one.path, one.name, old, one.new, one.key)
    return tuple(one for one in found.values() if one.old != one.new)


def _list_changes(done: Iterable[Action], is_qualified: bool) -> Iterator[ValueChange]:
    texts = ConfigTexts()
    for action in done:
        is_made = action.kind == "edit" and action.ok and action.result and not is_edit_refused(action)
        for one in list_replaced(action) if is_made else ():
            for line, name, was, now in _compare_lines(one.old, one.new):
                parents = texts.find_key_path(one, line) if is_qualified else ""
                named = f"{parents}.{name}" if parents else name
                yield ValueChange(redact(one.path), redact(named), redact(was), redact(now), action.call.key)
        if is_qualified:
            texts.note(action)


def _compare_lines(old: str, new: str) -> Iterator[tuple[int, str, str, str]]:
    """Yield the lines that differ in one literal: their number in the old text, name, old and new value."""
    before, after = old.split("\n"), new.split("\n")
    for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "replace" and j - i == m - k:
            for at, (was, now) in enumerate(zip(before[i:j], after[k:m], strict=True), i):
                one, other = _VALUE.match(was), _VALUE.match(now)
                if one and other and one["name"] == other["name"] and one["value"] != other["value"]:
                    yield at, one["name"], collapse_whitespace(one["value"]), collapse_whitespace(other["value"])


_VALUE = re.compile(
    r"\s*(?:(?:export|const|let|var|final|static|pub|private|public|readonly|#define|set)\s+)*"
    r"[\"']?(?P<name>(?!(?:return|raise|throw|yield|case|echo|print|puts|import|from|require|include|in|of|or)\b)"
    r"[A-Za-z_][\w.-]{1,60})[\"']?\s*(?::\s*[\w\[\]<>| ]{1,40}?\s*)?(?::=|=|:|\s(?=[\d\"']))\s*"
    r"(?P<value>[-+]?\d[\w.]{0,40}%?|true|false|True|False|null|None|nil|\"[^\"\n]{0,80}\"|'[^'\n]{0,80}')"
    r"\s*(?:[,;]?\s*(?:(?:#|//).*)?)$"
)
