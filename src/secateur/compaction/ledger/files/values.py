"""Constants that edits gave another value: the name, what it was and what it is now.

Rule: only where an edit replaces one line by another that differs in one literal (a number, a text, a switch) behind
the same name, and the edit went through. Changes of one constant that follow each other are one change, from its first
value to its newest; a constant that the session itself wrote had no value at first. Other changes of code are left out,
and so is a value that is back where it was.
"""

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from msgspec.structs import replace

from secateur.compaction.ledger.entries import ValueChange, mark
from secateur.compaction.ledger.files.key_paths import ConfigTexts
from secateur.compaction.ledger.files.rewrites import EditedText, list_replaced, list_rewrites
from secateur.redact import redact
from secateur.toolcalls.actions import Action, collapse_whitespace
from secateur.toolcalls.file_effects import list_file_effects

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
    """Return one entry for each constant, first to newest value; where names repeat, one for each place."""
    found: list[ValueChange] = []
    for one in changes:
        same = [other for other in found if (other.path, other.name) == (one.path, one.name)]
        if any(other.new == one.new and mark(other.key) in ("", mark(one.key)) for other in same):
            continue  # it is known
        before = next((other for other in reversed(same) if other.new == one.old), None)
        if before:
            found.remove(before)
            one = replace(one, old=before.old)
        found.append(one)
    return tuple({(one.path, one.name, one.old, one.new): one for one in found if one.old != one.new}.values())


def select_values(values: Iterable[ValueChange], asked: str) -> tuple[ValueChange, ...]:
    """Keep the values that the user spoke of, in the words `asked`, and those of settings that had others before.

    Those of tests are left out.
    """
    asked = asked.casefold()

    def is_asked(one: ValueChange) -> bool:
        words = one.name.rpartition(".")[2].casefold(), one.new.strip("\"'").casefold()
        return any(
            len(word) >= _LEAST_WORD
            and word not in _SWITCHES
            and re.search(rf"(?<!\w){re.escape(word)}(?!\w)", asked) is not None
            for word in words
        )

    return tuple(
        one
        for one in values
        if not TESTED.search(one.path) and ((one.old and _SETTING.search(one.name)) or is_asked(one))
    )


def _list_changes(done: Iterable[Action], is_qualified: bool) -> Iterator[ValueChange]:
    texts = ConfigTexts()
    written = _WrittenValues()
    for action in done:
        is_made = action.kind == "edit" and action.ok and action.result
        for one in list_replaced(action) if is_made else ():
            for line, name, was, now in _compare_lines(one.old, one.new):
                named = _find_full_name(texts, one, line, name, is_qualified)
                old = "" if written.has_written(one.path, named, was) else was
                yield ValueChange(redact(one.path), redact(named), redact(old), redact(now), action.call.key)
        if is_qualified:
            texts.note(action)
        for one in list_rewrites(action) if is_made else ():
            new = EditedText(one.path, one.new, "")
            for line, name, value in _list_added(one):
                written.note(one, _find_full_name(texts, new, line, name, is_qualified), value)
        written.note_paths(action)


def _find_full_name(texts: ConfigTexts, edit: EditedText, line: int, name: str, is_qualified: bool) -> str:
    parents = texts.find_key_path(edit, line) if is_qualified else ""
    return f"{parents}.{name}" if parents else name


class _WrittenValues:
    """The constants that the session itself added, with the values that it gave them."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, str], set[str]] = {}
        self._known: set[str] = set()  # files that were there before

    def note(self, edit: EditedText, name: str, value: str) -> None:
        """Note a constant that an edit added; a file that is written over has it from before, as far as is known."""
        if not (edit.whole and edit.path in self._known):
            self._values.setdefault((edit.path, name), set()).add(value)

    def note_paths(self, action: Action) -> None:
        """Note the files that a call worked with."""
        self._known |= {one.path for one in list_file_effects(action)}

    def has_written(self, path: str, name: str, value: str) -> bool:
        """Whether the session itself added this constant with this value."""
        return value in self._values.get((path, name), ())


def _list_added(edit: EditedText) -> Iterator[tuple[int, str, str]]:
    """Yield the constants that an edit adds: the line in the new text, the name and the value."""
    old = [hit["name"] for line in edit.old.split("\n") if (hit := _VALUE.match(line))]
    for at, line in enumerate(edit.new.split("\n")):
        if (hit := _VALUE.match(line)) and hit["name"] not in old:
            yield at, hit["name"], collapse_whitespace(hit["value"])


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
_SWITCHES = ("true", "false", "null", "none", "nil")
_LEAST_WORD = 3  # letters of a name or a value that the user spoke of
_SETTING = re.compile(
    r"(?i)version|limit|time_?out|port\b|retr(?:y|ies)|interval|ttl|threshold|capacity|concurrency|workers?$|max"
    r"|min(?![a-z])|size$|count$|host\b|url$|model\b|level$|rate$|delay|budget|quota|enabled?$|disabled?$"
)
TESTED = re.compile(r"(?i)(?:^|[/_.-])(?:tests?|specs?|fixtures?|mocks?|__tests__)(?=[/_.-])|_test\.|test_")


def list_blocks(action: Action) -> Iterator[tuple[str, str]]:
    """Yield old and new text of an edit that is written as blocks to search for and to put in their place."""
    for text in _list_texts(action.given):
        for found in _BLOCK.finditer(text):
            yield found["old"], found["new"]


def _list_texts(given: object) -> Iterator[str]:
    """Yield the texts of a call's arguments."""
    if isinstance(given, dict | list):
        for one in given.values() if isinstance(given, dict) else given:
            yield from _list_texts(one)
    elif isinstance(given, str):
        yield given


_BLOCK = re.compile(r"<{5,} ?SEARCH\n(?P<old>.*?)\n={5,}\n(?P<new>.*?)\n?>{5,} ?REPLACE", re.S)
