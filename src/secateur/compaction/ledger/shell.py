"""A shell command, taken apart as far as needed to say what it runs and which files it writes or reads.

Rule: what is not certain is left out: words with variables or patterns are no paths, and no command is guessed to
write. Anything may be handed in; a text that is no shell command gives nothing, never an error. Which of this matters
is decided elsewhere.
"""

import re
from collections.abc import Iterator

from msgspec import Struct


class Simple(Struct, frozen=True):
    """One command of a pipeline or list: its words, and where its output and input go."""

    words: tuple[str, ...]
    writes: tuple[str, ...] = ()  # `>`, `>>` and the like
    appends: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()  # `<`


class Parsed(Struct, frozen=True):
    """A command line: its simple commands in order, and the bodies of its here-documents."""

    commands: tuple[Simple, ...]
    bodies: tuple[str, ...] = ()


MAX_CHARS = 200_000  # of a command line; what is longer is a program, not a line


def parsed(line: str) -> Parsed:
    """Take a command line apart."""
    bodies: list[str] = []

    def kept(found: re.Match[str]) -> str:
        bodies.append(found["body"])
        return found["rest"] + "\n"

    line = _HEREDOC.sub(kept, line[:MAX_CHARS])
    return Parsed(tuple(_commands(line)), tuple(bodies))


def program(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words from the program on: assignments, `sudo`, `timeout 60` and the like stripped, its folder too."""
    at = 0
    while at < len(words):
        word = words[at]
        if word in _BEFORE:
            at += 1
            while at < len(words) and (words[at].startswith("-") or _NUMBER.fullmatch(words[at])):
                at += 1
        elif _ASSIGNS.match(word):
            at += 1
        else:
            return (word.rpartition("/")[2], *words[at + 1 :])
    return ()


_HEREDOC = re.compile(
    r"<<-?[ \t]*(['\"]?)(?P<end>[A-Za-z_]\w*)\1(?P<rest>[^\n]*)\n(?P<body>(?:.*\n)*?)[ \t]*(?P=end)[ \t]*(?=\n|$|\))"
)
_BEFORE = frozenset({"sudo", "time", "env", "timeout", "nice", "nohup", "command", "exec", "xvfb-run", "stdbuf", "!"})
_ASSIGNS = re.compile(r"[A-Za-z_]\w*=")
_NUMBER = re.compile(r"\d+(?:\.\d+)?[smhd]?")
_PIECE = re.compile(
    r"(?P<blank>[ \t\r]+|\\\n)|(?P<note>(?:(?<=\s)|^)#[^\n]*)"
    r"|(?P<dup>\d?[<>]&(?:\d|-))|(?P<redirect>(?:\d|&)?>>|(?:\d|&)?>\|?|\d?<(?![<(]))"
    r"|(?P<op>\n|;;?|&&?|\|[|&]?|[(){}](?=\s|$|;|\))|\()"
    r"|'(?P<single>[^']*)'|\"(?P<double>(?:\\.|[^\"\\])*)\"|\\(?P<escaped>.)|(?P<bare>[^\s'\"\\;&|<>()]+)|(?P<rest>.)",
    re.S | re.M,
)
_UNESCAPED = re.compile(r"\\([\"\\$`])")


class _Line:
    """A simple command as it is read."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.to: dict[str, list[str]] = {"w": [], "a": [], "r": []}
        self.word: str | None = None
        self.next = ""  # what the next word is for: a redirection's letter, or "" for a word of its own

    def add(self, text: str) -> None:
        self.word = (self.word or "") + text

    def end_word(self) -> None:
        if self.word is not None:
            (self.to[self.next] if self.next else self.words).append(self.word)
            self.next = ""
        self.word = None

    def made(self) -> Simple | None:
        self.end_word()
        to = (tuple(self.to[letter]) for letter in "war")
        return Simple(tuple(filter(None, self.words)), *to) if self.words or any(self.to.values()) else None


def _commands(line: str) -> Iterator[Simple]:
    current = _Line()
    for piece in _PIECE.finditer(line):
        kind, text = piece.lastgroup, piece.group()
        if kind == "op":
            if made := current.made():
                yield made
            current = _Line()
        elif kind in ("blank", "note", "dup"):
            current.end_word()
        elif kind == "redirect":
            if current.word is not None and current.word.isdigit():
                current.word = None  # 2> file
            current.end_word()
            current.next = "r" if "<" in text else "a" if ">>" in text else "w"
        else:
            said = piece.group(kind) if kind else ""
            current.add(_UNESCAPED.sub(r"\1", said) if kind == "double" else said)
    if made := current.made():
        yield made
