"""Secrets that a notation gives away, with no name beside them: the password of a URL, what follows `Bearer`, cookies,
`-u USER:…` and `-p …` of commands, lines of pgpass files, web hooks.

Rule: as for names, a value goes if it looks drawn by chance; where the notation leaves no doubt, whatever it is. What
follows a mark is bounded, so no text takes more than linear time.
"""

import re
from collections.abc import Callable, Iterator

from msgspec import Struct

from secateur.redact.places import Span, find_places
from secateur.redact.telling import classify_random

Judge = Callable[[str, str], bool]
_BEFORE = 200  # characters of the line before a value that may name the command


class Notation(Struct, frozen=True):
    """One notation. Its pattern is tried at a mark; the group `value` is redacted if `judge` says so.

    `judge` gets the value and the text before the mark on its line.
    """

    kind: str
    marks: tuple[str, ...]  # in lower case; an option is recognized by its first three characters
    pattern: re.Pattern[str]
    judge: Judge


def find_noted(text: str, marked: list[tuple[int, str]]) -> Iterator[Span]:
    """Spans of values revealed by their notation. `marked` are places of marks, including those of others."""
    options = ((place, text[place : place + 3]) for place in find_places(text, " -"))
    for place, mark in (*marked, *options):
        for one in _BY_MARK.get(mark, ()):
            found = one.pattern.match(text, place)
            if found and one.judge(found["value"], text[max(0, place - _BEFORE) : place].rpartition("\n")[2]):
                yield Span(*found.span("value"), one.kind)
    for found in _PGPASS.finditer(text):
        if classify_random(found["value"]):
            yield Span(*found.span("value"), "password")


def _accept_always(value: str, before: str) -> bool:
    return True


def _is_random(value: str, before: str) -> bool:
    return bool(classify_random(value))


def _is_mixed(value: str, before: str) -> bool:
    return classify_random(value) == "mixed"


def _is_login(value: str, before: str) -> bool:
    return not _TEMPLATE.match(value)


def _is_sent(value: str, before: str) -> bool:
    """Whether the text after `Bearer` is a token: in a header anything random, elsewhere only what is not a hash."""
    return _is_random(value, before) if "uthorization" in before else _is_mixed(value, before)


def _is_basic(value: str, before: str) -> bool:
    """Whether this is base64 of a user and a password, or as random as one."""
    return bool(classify_random(value)) or (value.endswith("=") and not value.isalpha())


def _is_for_command(value: str, before: str) -> bool:
    """Whether this is what a program takes for a password after `-p`."""
    seen = classify_random(value)
    return bool(seen) and (bool(_COMMAND.search(before)) or (seen == "mixed" and "/" not in value))


def _is_of_command(value: str, before: str) -> bool:
    return bool(_COMMAND.search(before)) and _is_random(value, before)


def _is_quoted(value: str, before: str) -> bool:
    return not value.isalpha()


def _is_session(value: str, before: str) -> bool:
    """Whether one of these cookies is more than a setting."""
    pairs = (pair.strip().partition("=") for pair in value.split(";"))
    values = [
        said for name, _, said in pairs if name.lower() not in ("expires", "path", "domain", "max-age", "version")
    ]
    return any(
        classify_random(one) or (len(one) >= _COOKIE and _DIGIT.search(one) and not _SETTING.match(one))
        for one in values
    )


_COOKIE = 16  # characters of a cookie's value that is not a setting
_DIGIT = re.compile(r"\d")
_SETTING = re.compile(r"[A-Za-z._-]+\d{0,8}\Z")
_TEMPLATE = re.compile(
    r"(?:pass|passw\w{0,5}|pwd|pw|secret|token|user(?:name)?|x+)\Z|\$|\{|<|%[sd(]|\[redacted |\*+\Z|\.+\Z|…",
    re.IGNORECASE,
)
_COMMAND = re.compile(
    r"\b(?:mysql\w{0,6}|mariadb|sshpass|login|redis-cli|mongo\w{0,7}|ldap\w{3,9}|sqlcmd|bcp|smbclient|psexec|unzip|zip|7z\w?"
    r"|cqlsh|influx|xfreerdp|expect|lftp|impala-shell|ipmitool|rabbitmqadmin|sqlplus|htpasswd|useradd|chpasswd)\b"
)
_OF_A_LINE = r"[^\s\"'$<{\\;|&\[\]]"


def _make_notation(kind: str, marks: str, pattern: str, judge: Judge = _accept_always) -> Notation:
    return Notation(kind, tuple(marks.split("|")), re.compile(pattern, re.IGNORECASE), judge)


NOTATIONS: tuple[Notation, ...] = (
    _make_notation(
        "url-password",
        "://",
        r"://[^\s:@/?#\"'<>\\]{0,64}:(?P<value>[^\s@/\"'<>\\]{3,256})(?=@[\w\[.-])",
        _is_login,
    ),
    _make_notation("url-token", "://", r"://(?P<value>[\w.~%+-]{16,256}):?(?=@[\w\[.-])", _is_random),
    _make_notation("slack-webhook", "://", r"://hooks\.slack\.com/\w{1,12}/(?P<value>[\w/+-]{20,256})"),
    _make_notation("discord-webhook", "://", r"://[\w.-]{1,40}/api/webhooks/\d{10,25}/(?P<value>[\w-]{40,100})"),
    _make_notation(
        "teams-webhook",
        "://",
        r"://[^\s/]{1,80}/[^\s/]{1,20}/[^\s/]{1,90}/incomingwebhook/(?P<value>[0-9a-f]{32}/[0-9a-f-]{36})",
    ),
    _make_notation("azure-signature", "?sig=|&sig=|;sig=", r"[?&;]sig=(?P<value>[A-Za-z0-9%/+=]{30,256})"),
    _make_notation(
        "bearer-token", "bearer|token", r"(?<!\w)(?:bearer|token) {1,3}(?P<value>[\w.~+/=-]{16,4096})", _is_sent
    ),
    _make_notation("bearer-token", "basic ", r"(?<!\w)basic {1,3}(?P<value>[\w+/-]{16,4096}={0,2})", _is_basic),
    _make_notation(
        "cookie",
        "cookie",
        r"cookie(?:\\{0,7}[\"'])?: {0,3}(?:\\{0,7}[\"'])?(?P<value>[^\s=\[]{1,64}=[^\r\n\"'\\]{8,1024})",
        _is_session,
    ),
    _make_notation(
        "password",
        " -u| --",
        r" (?:-u |--user[ =])[\"']?[\w.@-]{1,64}:(?P<value>[^\s\"'$@<{\\\[]{4,128})",
    ),
    _make_notation("password", " -p", rf" -p[ =]{{0,3}}[\"']?(?P<value>{_OF_A_LINE}{{8,256}})", _is_for_command),
    _make_notation("password", " -a| -w", rf" -[aw][ =]{{0,3}}[\"']?(?P<value>{_OF_A_LINE}{{8,256}})", _is_of_command),
    _make_notation(
        "password",
        "identified ",
        r"identified (?:with \w{1,40} )?by (?:password )?\\{0,7}['\"](?P<value>[^\s'\"\\\[]{4,128})",
        _is_quoted,
    ),
)
_PGPASS = re.compile(
    r":(?:\d{4,5}|\*):[^:\s]{1,64}:[^:\s]{1,64}:(?P<value>[^\s:\"'\\]{8,256})(?=\r?\n|\\+[rn]|[\"']|\Z)"
)
MARKS = frozenset(mark for one in NOTATIONS for mark in one.marks if not mark.startswith(" -"))
_BY_MARK: dict[str, list[Notation]] = {}
for _one in NOTATIONS:
    for _mark in _one.marks:
        _BY_MARK.setdefault(_mark, []).append(_one)
