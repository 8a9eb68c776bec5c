"""Private keys in text form (PEM and PuTTY, also quoted, in a diff or in JSON), values of Kubernetes Secrets, and where
a value ends.

Rule: a key's body is removed up to its last line and nothing after it. A partial key is known by its first line, by its
last, or by how its encoding begins. In a text that says `kind: Secret`, everything under `data` and `stringData` is a
secret, except empty values and templates. Ends of runs are remembered, so each takes linear time on any text.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from secateur.redact.places import Span
from secateur.redact.telling import is_wordlike

KIND = "private-key"
_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PUTTY = re.compile(r"Private-Lines: \d{1,4}(?=\s|\\)")
_HEAD = re.compile(  # RSA, PKCS#8, elliptic curves, OpenSSH: what their encoding begins with
    r"(?<![\w+/])(?:MII[A-Za-z0-9+/]{3,4}IBAAK|MII[A-Za-z0-9+/]{2,4}IBADANBgk|MHcCAQEEI|MIGkAgEBBD|MIGHAgEAMBMGBy|MIG2AgEAMBAGBy"
    r"|MC4CAQAwBQYDK2V|b3BlbnNzaC1rZXktdjE)[A-Za-z0-9+/=]{16,}"
)
_HEADS = ("IBAAK", "IBADAN", "CAQEE", "AgE", "CAQAwBQ", "b3BlbnNz")
# The end of a line and what may stand before the rest of a value on the next one: quotes and plus signs of a string in
# pieces, backslashes, line numbers, the signs of a diff, indents. Lines may be written as \n inside a string.
_NEW_LINE = r"\\{0,4}(?:\r?\n|(?<=\\)(?:r\\{1,4})?n)[ \t]{0,40}(?:\d{1,6}(?:→|\t|[:|] ))?[ \t]{0,20}(?:[+>|#-] {0,20})?"
JOINT = rf"(?:\\{{0,7}}[\"'] ?[+.&]? ?{_NEW_LINE}[rfb]?\\{{0,7}}[\"']|{_NEW_LINE})"
_LINE = re.compile(
    rf"(?:{JOINT})+(?:(?:Proc-Type|DEK-Info|Comment|Version): [^\n\\]{{0,80}}|(?P<body>[A-Za-z0-9+/=]+))"
)
_CHUNK = re.compile(r"[A-Za-z0-9+/=]{16,}")
_NOISE = re.compile(r"[\s\\rn\"'+>|,#*:→\d-]{0,32}\Z")
_FULL = 16  # characters of a line of the body; its last one may have fewer
_BACK = 16_384  # characters that are looked at before an end without its beginning

MOST = 8_192  # characters of one value
_SIGNS = r"!#$%*+\-./0-9:?@A-Z^_a-z~À-ɏ"
_RUN = re.compile(rf"[{_SIGNS}]{{1,{MOST}}}={{0,3}}")
_QUOTED = re.compile(rf"[{_SIGNS}&=]{{1,{MOST}}}")
_ENDS = ".,:;!?*"  # of a sentence, not of a value
_MOST_ENDS = 8
_TOLD = 128  # characters that are looked at to judge a value
_LEAST_PIECE = 2
_MOST_LINES = 40
_JOINT = re.compile(JOINT)
_PIECE = re.compile(r"[\w+/=.~!@#$%^&*-]+(?=\\|[\"'`]?[,;)\]}]{0,3}[ \t]{0,4}(?:\r?\n|\Z)|[\"'][,}\]) ])")

PASSWORD_KIND = "secret"
_SECRET = re.compile(r"kind(?:\\{0,7}\")?: ?(?:\\{0,7}\")?Secret\b")
_YAML = re.compile(r"(?:^|\n|\\n)(?P<indent>[ +-]{0,40})(?:data|stringData):[ \t]{0,8}(?:\r?\n|\\n)")
_ENTRY = re.compile(
    r"(?P<indent>[ +-]{1,60})[\w.-]{1,253}:[ \t]{1,8}[\"']?(?P<value>[^\s\"'{\[\\<$|>][^\s\"'\\]{3,65536})?"
    r"[^\n\\]{0,200}(?:\r?\n|\\n|\Z)"
)
_JSON = re.compile(r"\\{0,7}\"(?:data|stringData)\\{0,7}\": ?\{(?P<body>[^{}]{1,65536})\}")
_PAIR = re.compile(r"\\{0,7}\": ?\\{0,7}\"(?P<value>[^\s\"'{\[\\<$]{4,65536})")


def find_keys(text: str, dense: str) -> Iterator[Span]:
    """Spans of private keys. `dense` holds the long runs of the text."""
    if "-----" in text:
        yield from _find_framed(text)
    if "Private-Lines: " in text:
        for found in _PUTTY.finditer(text):
            if body := _LINE.match(text, found.end()):
                yield Span(body.start("body"), _find_body_end(text, found.end()), KIND)
    if any(mark in dense for mark in _HEADS):
        for found in _HEAD.finditer(text):
            yield Span(found.start(), _find_body_end(text, found.end()), KIND)


def _find_framed(text: str) -> Iterator[Span]:
    done = 0
    for begin in _BEGIN.finditer(text):
        if begin.start() < done:
            continue
        dashes = text.find("-----", begin.end())
        end = _END.match(text, dashes) if dashes >= 0 else None
        done = end.end() if end else _find_body_end(text, begin.end())
        yield Span(begin.start(), done, KIND)
    done = 0
    for end in _END.finditer(text):
        start = _find_body_start(text, max(done, end.start() - _BACK), end.start())
        done = end.end()
        if start < end.start():
            yield Span(start, done, KIND)


def _find_body_end(text: str, place: int) -> int:
    """The end of the body lines that follow a place."""
    while line := _LINE.match(text, place):
        body = line["body"]
        if body is not None and len(body) < _FULL and (is_wordlike(body) or _has_more(text, line.end())):
            break
        place = line.end()
    return place


def _has_more(text: str, place: int) -> bool:
    """Whether the line continues, so that it is not part of a body."""
    return text[place : place + 1] not in ("", "\n", "\r", "\\", '"', "'")


def _find_body_start(text: str, least: int, place: int) -> int:
    """The start of the body lines that end at a place."""
    start = place
    for chunk in reversed(list(_CHUNK.finditer(text, least, place))):
        if not _NOISE.match(text[chunk.end() : start][:64]):
            break
        start = chunk.start()
        if chunk[0][0] in "nr" and text[start - 1 : start] == "\\":
            start += 1
    return start


class Value(NamedTuple):
    """A value: its place, and its first characters, without line ends between them."""

    start: int
    end: int
    text: str


class Values:
    """The values of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._read = {_RUN: (-1, -1), _QUOTED: (-1, -1)}

    def find_at(self, place: int, is_quoted: bool = False) -> Iterator[Value]:
        """The values starting at a place: with their pieces on following lines, then without them."""
        end = self._run_end(_QUOTED if is_quoted else _RUN, place)
        if not is_quoted:
            last = self.text[max(place, end - _MOST_ENDS) : end]
            end -= len(last) - len(last.rstrip(_ENDS))
        if end == place:
            return
        alone = Value(place, end, self.text[place : min(end, place + _TOLD)])
        whole = self._extend_lines(alone)
        yield whole
        if whole != alone:
            yield alone

    def _run_end(self, pattern: re.Pattern[str], place: int) -> int:
        start, end = self._read[pattern]
        if not start <= place < end:
            found = pattern.match(self.text, place)
            end = found.end() if found else place
            self._read[pattern] = place, end
        return end

    def _extend_lines(self, value: Value) -> Value:
        """Extend the value over the next lines, as long as each holds one piece that could belong to it."""
        pieces, end = [value.text], value.end
        for _ in range(_MOST_LINES):
            joint = _JOINT.match(self.text, end)
            piece = _PIECE.match(self.text, joint.end()) if joint else None
            if not piece or not _is_more(piece[0], pieces[-1]):
                break
            pieces.append(piece[0])
            end = piece.end()
        return Value(value.start, end, "".join(pieces))


def _is_more(piece: str, before: str) -> bool:
    """Whether a piece alone on its line continues what is before it."""
    if len(piece) < _LEAST_PIECE or is_wordlike(piece) or piece.strip("=") != piece.rstrip("="):
        return False
    if "=" in piece.rstrip("=") or piece[-1] in ":" or piece.endswith("..."):
        return False
    return not piece.isidentifier() or not before.isidentifier() or len(piece) <= len(before) + 1


def find_manifest_secrets(text: str) -> Iterator[Span]:
    """Spans of the values of Secrets."""
    if "Secret" not in text or not _SECRET.search(text):
        return
    for head in _YAML.finditer(text):
        place, indent = head.end(), len(head["indent"])
        while (entry := _ENTRY.match(text, place)) and len(entry["indent"]) > indent:
            if entry["value"]:
                yield Span(*entry.span("value"), PASSWORD_KIND)
            place = entry.end()
    for body in _JSON.finditer(text):
        for pair in _PAIR.finditer(text, *body.span("body")):
            yield Span(*pair.span("value"), PASSWORD_KIND)
