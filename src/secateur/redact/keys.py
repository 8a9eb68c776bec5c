"""Private keys in text form, whole or in part: PEM and PuTTY files, also quoted, indented, in a diff or in JSON.

Rule: the body goes to its last line, and nothing after it. A part is known by its first line, by its last, or by how
the encoding of such a key begins.
"""

import re
from collections.abc import Iterator

from secateur.redact.chance import is_wordlike
from secateur.redact.places import Span
from secateur.redact.values import JOINT

KIND = "private-key"
_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PUTTY = re.compile(r"Private-Lines: \d{1,4}(?=\s|\\)")
_HEAD = re.compile(  # RSA, PKCS#8, elliptic curves, OpenSSH: what their encoding begins with
    r"(?<![\w+/])(?:MII[A-Za-z0-9+/]{3,4}IBAAK|MII[A-Za-z0-9+/]{2,4}IBADANBgk|MHcCAQEEI|MIGkAgEBBD|MIGHAgEAMBMGBy|MIG2AgEAMBAGBy"
    r"|MC4CAQAwBQYDK2V|b3BlbnNzaC1rZXktdjE)[A-Za-z0-9+/=]{16,}"
)
_HEADS = ("IBAAK", "IBADAN", "CAQEE", "AgE", "CAQAwBQ", "b3BlbnNz")
_LINE = re.compile(
    rf"(?:{JOINT})+(?:(?:Proc-Type|DEK-Info|Comment|Version): [^\n\\]{{0,80}}|(?P<body>[A-Za-z0-9+/=]+))"
)
_CHUNK = re.compile(r"[A-Za-z0-9+/=]{16,}")
_NOISE = re.compile(r"[\s\\rn\"'+>|,#*:→\d-]{0,32}\Z")
_FULL = 16  # characters of a line of the body; its last one may have fewer
_BACK = 16_384  # characters that are looked at before an end without its beginning


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
