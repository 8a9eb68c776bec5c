"""A shell command, parsed as far as needed to know what it runs and which files it writes or reads.

Rule: uncertain facts are left out: words with variables or patterns are not paths, and no command is guessed to write.
Any input is accepted; a text that is not a shell command yields nothing, never an error. What matters of this is
decided elsewhere.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from msgspec import Struct

from secateur.memoizing import memoize_texts


class Simple(Struct, frozen=True, gc=False):
    """One command of a pipeline or list: its words, and where its output and input go."""

    words: tuple[str, ...]
    writes: tuple[str, ...] = ()  # `>`, `>>` and the like
    appends: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()  # `<`
    then: str = ""  # the operator after it: `|`, `;`, `&&` and the like
    is_captured: bool = False  # `$(...)`: what it prints becomes a part of another command


class Parsed(Struct, frozen=True, gc=False):
    """A command line: its simple commands in order, and the bodies of its here-documents."""

    commands: tuple[Simple, ...]
    bodies: tuple[str, ...] = ()
    line: str = ""  # as it was given, "…" in place of the bodies


MAX_CHARS = 200_000  # of a command line; what is longer is a program, not a line
MAX_ROUNDS = 50  # of a loop that are told apart


@memoize_texts(4_096)
def parse_command_line(line: str) -> Parsed:
    """Parse a command line; cached, since the runs, the file effects and all parts of a ledger need it."""
    if _DOCUMENT not in line:
        return Parsed(tuple(_parse_commands(line[:MAX_CHARS])), (), line)
    lines, bodies = _without_bodies(line[:MAX_CHARS].split("\n"))
    bare = "\n".join(_HERE.sub("", one) if one is not None else "" for one in lines)
    shown = "\n".join(one if one is not None else "…" for one in lines) if bodies else line
    return Parsed(tuple(_parse_commands(bare)), tuple(bodies), shown)


def mark_scratch_commands(parsed: Parsed) -> Iterator[tuple[Simple, bool]]:
    """Yield the commands, each with whether it runs in a folder that the line made by `mktemp` and then entered.

    Those of a loop over plain words come once for each word.
    """
    is_scratch, makes_one = False, "mktemp" in parsed.line
    names = _TEMPORARY.findall(parsed.line) if makes_one else []
    for simple in _expand_loops(parsed.commands):
        if makes_one and simple.words[:1] in (("cd",), ("pushd",)) and len(simple.words) > 1:
            folder = simple.words[-1]
            entered = _VARIABLE.match(folder)
            is_made = folder.startswith("$(mktemp") or (entered is not None and entered[1] in names)
            is_scratch = is_made or (is_scratch and not folder.startswith(("/", "~", "$", "-")))
        yield simple, is_scratch


def _expand_loops(commands: Iterable[Simple]) -> Iterator[Simple]:
    """Yield the commands, those of a loop over plain words once for each word."""
    loops: dict[str, tuple[str, ...]] = {}
    for simple in commands:
        words = simple.words[1:] if simple.words[:1] == ("do",) else simple.words
        if words[:1] == ("for",) and words[2:3] == ("in",):
            loops[words[1]] = words[3:] if not any(map(_UNKNOWN.search, words[3:])) else ()
        elif words[:1] == ("done",):
            loops.clear()
        every = [simple]
        for name, values in loops.items():
            if values and any(f"${name}" in one or f"${{{name}}}" in one for one in (*words, *simple.writes)):
                every = [_put_value(one, name, value) for one in every for value in values][:MAX_ROUNDS]
        yield from every


def _put_value(simple: Simple, name: str, value: str) -> Simple:
    """Return a command with the value of a variable in place of its name."""
    variable = re.compile(rf"\$(?:{name}\b|\{{{name}\}})")

    def put(words: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(variable.sub(lambda _: value, word) for word in words)

    return Simple(
        put(simple.words), put(simple.writes), put(simple.appends), put(simple.reads), simple.then, simple.is_captured
    )


def strip_program_prefix(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words from the program on, without assignments, `sudo`, `timeout 60`, its folder and the like."""
    at = 0
    while at < len(words):
        word = words[at]
        if not at and word not in _BEFORE and "=" not in word:
            return (word.rpartition("/")[2], *words[1:]) if "/" in word else words
        if word in _BEFORE:
            at += 1
            while at < len(words) and (words[at].startswith("-") or _NUMBER.fullmatch(words[at])):
                at += 1
        elif _ASSIGNS.match(word):
            at += 1
        else:
            return (word.rpartition("/")[2], *words[at + 1 :])
    return ()


_DOCUMENT = "<<"
_HERE = re.compile(r"(?<!<)<<-?[ \t]*(['\"]?)([A-Za-z_]\w*)\1")
_KEYWORDS = ("if", "then", "elif", "else", "while", "until", "do", "!")
_BEFORE = frozenset(
    {"sudo", "time", "env", "timeout", "nice", "nohup", "command", "exec", "xvfb-run", "stdbuf", *_KEYWORDS}
)
_ASSIGNS = re.compile(r"[A-Za-z_]\w*=")
_VARIABLE = re.compile(r"\$\{?(\w+)")
_TEMPORARY = re.compile(r"\b([A-Za-z_]\w*)=[\"']?(?:\$\(|`)\s*mktemp\b")
_UNKNOWN = re.compile(r"[$*?`\[{(]")  # in a word: what the loop runs over is not known
_NUMBER = re.compile(r"\d+(?:\.\d+)?[smhd]?")
_WORD = r"[^\s'\"\\;&|<>(){}#][^\s'\"\\;&|<>()]*+"
_PLAIN = rf"(?!\d){_WORD}"  # a number may name what a redirection behind it redirects
_PIECE = re.compile(
    rf"(?P<words>(?:{_WORD}[ \t\r]++)++)|(?P<plain>{_PLAIN})"  # most words, found first
    r"|(?P<blank>[ \t\r]+|\\\n)|(?P<note>(?:(?<=\s)|^)#[^\n]*)"
    r"|(?P<dup>\d?[<>]&(?:\d|-))|(?P<redirect>(?:\d|&)?>>|(?:\d|&)?>\|?|\d?<(?![<(]))"
    r"|(?P<op>\n|;;?|&&?|\|[|&]?|[{}](?=\s|$|;|\))|[()])"
    r"|'(?P<single>[^']*)'|\"(?P<double>[^\"\\]*+(?:\\.[^\"\\]*+)*+)\"|\\(?P<escaped>.)|(?P<bare>[^\s'\"\\;&|<>()]+)|(?P<rest>.)",
    re.S | re.M,
)
_UNESCAPED = re.compile(r"\\([\"\\$`])")


def _without_bodies(lines: list[str]) -> tuple[list[str | None], list[str]]:
    """The lines, None in place of each here-document's body, its last line left out; and the bodies."""
    ends: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        ends.setdefault(line.strip().rstrip(")"), []).append(at)
    kept: list[str | None] = []
    bodies: list[str] = []
    at = 0
    while at < len(lines):
        kept.append(lines[at])
        for _, end in _HERE.findall(lines[at]):
            places = ends.get(end, [])
            place = bisect_right(places, at)
            if place < len(places):
                bodies.append("\n".join(lines[at + 1 : places[place]]) + "\n")
                kept.append(None)
                at = places[place]
        at += 1
    return kept, bodies


class _Line:
    """A simple command as it is read."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.to: dict[str, list[str]] = {}  # by the letter of a redirection
        self.word: str | None = None
        self.next = ""  # what the next word is for: a redirection's letter, or "" for a word of its own

    def finish_word(self) -> None:
        if self.word is not None:
            (self.to.setdefault(self.next, []) if self.next else self.words).append(self.word)
            self.next = ""
            self.word = None

    def add_words(self, words: list[str]) -> None:
        """Add plain words that are separated: the first may go on with a word that was begun."""
        if self.word is not None or self.next:
            self.word = (self.word or "") + words.pop(0)
            self.finish_word()
        self.words += words

    def build_command(self, then: str = "", is_captured: bool = False) -> Simple | None:
        self.finish_word()
        if not self.to:
            return Simple(tuple(filter(None, self.words)), (), (), (), then, is_captured) if self.words else None
        writes, appends, reads = [tuple(self.to.get(letter, ())) for letter in "war"]
        return Simple(tuple(filter(None, self.words)), writes, appends, reads, then, is_captured)


def _parse_commands(line: str) -> Iterator[Simple]:
    current, around = _Line(), list[_Line]()  # and the commands that a `$(` interrupts
    for piece in _PIECE.finditer(line):
        kind = piece.lastgroup
        if kind == "words":
            current.add_words(piece[0].split())
        elif kind == "plain":
            current.word = piece[0] if current.word is None else current.word + piece[0]
        elif kind in ("blank", "note", "dup"):
            current.finish_word()
        elif kind == "op":
            captures = piece[0] == "(" and current.word is not None and current.word.endswith("$")
            if not captures and (made := current.build_command(piece[0], bool(around))):
                yield made
            current = _open_or_close(piece[0], current if captures else _Line(), around, captures)
        else:
            _add_rare_piece(current, kind, piece)
    lines = (*around, current)  # what stands in a `$(` that is never closed
    yield from [made for line in reversed(lines) if (made := line.build_command("", line is not lines[0]))]


def _open_or_close(sign: str, current: _Line, around: list[_Line], captures: bool) -> _Line:
    """The line that is read on behind an operator; in a `$(`, each parenthesis has to be closed."""
    if sign == "(" and (captures or around):
        around.append(current)
        return _Line()
    return around.pop() if sign == ")" and around else current


def _add_rare_piece(current: _Line, kind: str | None, piece: re.Match[str]) -> None:
    """Add a redirection, a quotation, an escaped character or what else is not a plain word."""
    if kind == "redirect":
        if current.word is not None and current.word.isdigit():
            current.word = None  # 2> file
        current.finish_word()
        current.next = "r" if "<" in piece[0] else "a" if ">>" in piece[0] else "w"
        return
    said = piece[kind] if kind else ""
    if kind == "double" and "\\" in said:
        said = _UNESCAPED.sub(_get_escaped, said)
    current.word = (current.word or "") + said


def _get_escaped(found: re.Match[str]) -> str:
    return found[1]
