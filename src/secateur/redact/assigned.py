"""Secrets that only their name gives away: `password=…`, `"api_key": "…"`, `--token …`, "the password is …", in the
languages and notations that people and tools use.

Rule: a value goes if it looks drawn by chance, however its name and it are joined; hexadecimal values and UUIDs, which
identify other things too, need a strong name and a clear joint. After the name of a password a short value with signs
or digits that no name has is enough. A password made of plain words stays, since code is full of such lines.
"""

import re
from collections.abc import Iterator

from secateur.redact.key_material import JOINT, Value, Values
from secateur.redact.places import Span
from secateur.redact.telling import (
    ODD_SHARE,
    STRONGER,
    Class,
    Telling,
    classify_name,
    classify_random,
    count_unusual_pairs,
)

_MARKS = (
    *("pass", "pwd", "secret", "token", "key", "cred", "auth", "kennwort", "clave", "jeton", "contrasena"),
    *("pw=", "pw:", 'pw"', "mat khau"),
)
_FOREIGN = {  # outside ASCII: the name as it is written
    **dict.fromkeys(
        ("密码", "密碼", "口令", "パスワード", "暗証番号", "비밀번호", "암호", "парол", "mật khẩu"), "password"
    ),
    **dict.fromkeys(("密钥", "密鑰", "秘钥", "密匙", "秘密鍵", "キー", "鍵", "키", "ключ", "khóa", "khoá"), "key"),
    **dict.fromkeys(("令牌", "トークン", "토큰", "токен"), "token"),
    **dict.fromkeys(("シークレット", "시크릿", "секрет", "bí mật"), "secret"),
    **dict.fromkeys(("凭证", "凭据", "憑證"), "credential"),
    **dict.fromkeys(("contraseña", "schlüssel", "clé"), ""),  # part of a name in Latin letters
}
MARKS = frozenset((*_MARKS, *_FOREIGN))
_BEFORE = 48  # characters of a name before its mark
_NAME_SIGNS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-äöüßéèñçÄÖÜÉÈÑÇ"
_REST = re.compile(r"[A-Za-zÀ-ɏ0-9_-]{0,40}")
_ENDING = re.compile(r"[а-яё]{0,4}")
_APART = re.compile(r"([A-Za-z]{2,20})[ \t]\Z")  # "api key"
_QUOTE = r"\\{0,7}[\"'`*“”„«»「」『』]{1,3}"
_ASSIGNED = re.compile(
    rf"(?:{_QUOTE})?[ \t]{{0,20}}[\])]?[ \t]{{0,20}}(?:\([^()\n]{{1,30}}\) {{0,4}})?"
    r"(?::[ \t]{0,4}[A-Za-z][\w.|\[\] ]{0,40}=|:=|=>|->|={1,3}|:|：|＝|→)(?:\*\*)?[ \t\u3000]{0,20}"
    rf"(?:!!?\w{{0,12}} )?(?:[>|][+-]?\d?[ \t]{{0,4}}(?=\r?\n|\\))?(?:{JOINT})?"
    rf"(?P<quote>[A-Za-z]{{0,2}}{_QUOTE})?(?P<scheme>(?:bearer|basic|token|apikey)[ \t]{{1,3}})?",
    re.IGNORECASE,
)
_SPACE = r"(?:\s|\\{1,4}[nrt])"  # in a string of JSON too
_TAGGED = re.compile(  # name="password" value="…", "name": "password", "value": "…", <password>…, <key>password</key>…
    rf"(?:{_QUOTE})?[ \t]{{0,4}},?{_SPACE}{{0,40}}(?:{_QUOTE})?val(?:ue)?(?:{_QUOTE})?\s{{0,4}}[:=]\s{{0,4}}"
    rf"(?:{_QUOTE})?|(?:{_QUOTE})?(?:[ \t][^<>\n]{{0,120}}|</[\w:.-]{{1,40}})?>"
    rf"{_SPACE}{{0,20}}(?:</?[\w:.-]{{1,40}}>{_SPACE}{{0,20}}){{0,3}}(?:<!\[CDATA\[)?",
    re.IGNORECASE,
)
_NEAR = re.compile(
    rf"(?:{_QUOTE})?[ \t,()\[\]|*]{{1,12}}(?:\\{{1,8}}(?:\r?\n|(?:r\\{{1,4}})?n)\s{{0,40}})?"
    rf"(?:{_QUOTE})?|{_QUOTE}(?={_QUOTE})"
)
_WORDS = r"(?:[ \t]{1,4}[^\W\d_]{1,24}(?:['’-][^\W\d_]{1,24})?){0,7}?"
_SAID = re.compile(  # "the password for the test server is: …"
    rf"{_WORDS}[ \t]{{0,4}}(?:\([^()\n]{{1,40}}\))?(?P<copula>[ \t](?:is|was|be|are|to|as|equals|ist|war|lautet|heißt"
    r"|auf|est|était|sera|es|era|será|son|là|la|é|è|это|есть|:)(?=[\s\"'`“„«*:])"
    r"|[ \t]?(?:[:：=＝→]|->|—|–| - |是|为|為|は|が|を|는|은|를|을))?"
    r"[:：]?(?:[ \t\u3000]{0,4}\n?[ \t]{1,4}|[ \t\u3000\n]|(?<=[^\x00-\x7f]))[\"'`“”„«»「」『』*（(]{0,3}"
    r"(?=[!#$%&*+\-./0-9:=?@A-Z^_a-z~]{8})",
    re.IGNORECASE,
)
_TELLTALE = re.compile(r"\d|[a-z][A-Z]")  # no random value is without
_SAID_CHARS = 200
_REDACTED = "[redacted "
_CLOSED = (*".;/}{!?+@$&#%", "")  # no value follows such a sign
_JOINS = ("/", ".", "(", "[", "_", "@")
_CALL = re.compile(r"[ \t]?\(")
_REFERENCE = re.compile(
    r"[$%@{&!~<#+]|(?:[a-z_]\w*[.:/-])*[a-z_]\w*\Z|\.{0,2}/|https?:|[\w.]*(?:environ|env\.|config)|-", re.IGNORECASE
)
_BLANK = re.compile(
    r"example|placeholder|change.?me|your|dummy|sample|xxx|\*\*\*|\.\.\.|redacted|<|test.?(?:key|token)|12345|abcdef",
    re.I,
)
PASSWORD_CHARS = range(6, 65)


def find_assigned(text: str, marked: list[tuple[int, str]]) -> Iterator[Span]:
    """Spans of values revealed by their names. `marked` are places of marks, possibly including others."""
    values, done = Values(text), 0
    for place, mark in marked:
        if place < done or mark not in MARKS:
            continue
        name, start, end = _name(text, place, mark)
        done = end
        told = None if text.startswith(_REDACTED, start - len(_REDACTED)) else _classify_name(name, mark)
        found = _find_value(text, (start, end), told, values) if told else None
        if found:
            done = found.end
            yield found


def _name(text: str, place: int, mark: str) -> tuple[str, int, int]:
    """The whole name around a mark, and where it begins and ends."""
    if _FOREIGN.get(mark):
        ending = _ENDING.match(text, place + len(mark))
        return mark, place, ending.end() if ending else place + len(mark)
    before = text[max(0, place - _BEFORE) : place]
    start = place - len(before) + len(before.rstrip(_NAME_SIGNS))
    rest = _REST.match(text, place + len(mark.rstrip('=:"')))
    end = rest.end() if rest else place + len(mark)
    apart = _APART.search(text[max(0, start - _BEFORE) : start]) if mark == "key" else None
    first = f"{apart[1]} " if apart and apart[1].lower() in STRONGER else ""
    return first + text[start:end], start, end


def _classify_name(name: str, mark: str) -> Telling | None:
    kind = _FOREIGN.get(mark)
    if kind:
        return Telling(kind, True)
    return classify_name("password" if mark == "mat khau" else name)


def _find_value(text: str, name: tuple[int, int], told: Telling, values: Values) -> Span | None:
    start, end = name
    if text[end : end + 1] in _CLOSED:
        return None
    joint = _ASSIGNED.match(text, end)
    if joint:
        return _find_assigned_value(text, joint, told, values) or _find_stated_value(text, name, told, values)
    if text[start:end].lower() == "pass" and text[start - 1 : start] not in (
        "-",
        "<",
        '"',
        "'",
    ):  # a verdict, a statement
        return None
    for pattern in (_TAGGED, _NEAR):
        near = pattern.match(text, end)
        for value in values.find_at(near.end()) if near else ():
            if near and _is_secret(value, told, _is_clear(text, start, near[0], told), text):
                return Span(value.start, value.end, told.kind)
    return _find_stated_value(text, name, told, values)


def _find_assigned_value(text: str, joint: re.Match[str], told: Telling, values: Values) -> Span | None:
    is_short = told.kind == "password" and "\n" not in joint[0]
    kind = "bearer-token" if joint["scheme"] and told.kind == "auth" else told.kind
    for value in values.find_at(joint.end(), bool(joint["quote"])):
        if _is_secret(value, told, True, text) or (is_short and _is_password(value, text)):
            return Span(value.start, value.end, kind)
    return None


def _find_stated_value(text: str, name: tuple[int, int], told: Telling, values: Values) -> Span | None:
    """A value in the same sentence: "the password for the test server is …"."""
    start, end = name
    if text[start - 1 : start] in _JOINS or text[end : end + 1] in _JOINS:  # part of a path, of a call
        return None
    said = _SAID.match(text, end) if _TELLTALE.search(text, end, end + _SAID_CHARS) else None
    for value in values.find_at(said.end()) if said else ():
        if said and (told.strong or said["copula"]) and _is_secret(value, told, bool(said["copula"]), text):
            return Span(value.start, value.end, told.kind)
    return None


def _is_secret(value: Value, told: Telling, is_clear: bool, text: str) -> bool:
    seen: Class = classify_random(value.text)
    if not seen or _CALL.match(text, value.end):
        return False
    return seen == "mixed" or (told.strong and is_clear)


def _is_clear(text: str, start: int, near: str, told: Telling) -> bool:
    """Whether name and value belong together without a word between them."""
    return (
        told.kind == "password"
        or text[start : start + 1] == "-"
        or any(sign in near for sign in "\"'`,(|>=")
        or text[start : start + 4].isupper()
    )


def _is_password(value: Value, text: str) -> bool:
    """Whether a short value is none that code or prose would have there."""
    said = value.text
    if len(said) not in PASSWORD_CHARS or said.isalpha() or _BLANK.search(said) or _CALL.match(text, value.end):
        return False
    odd, pairs = count_unusual_pairs(said)
    return (not _REFERENCE.match(said) and "=" not in said) or (
        said[0] not in "$%@{&!~<./-#+" and "=" not in said and pairs >= 6 and odd >= ODD_SHARE * pairs
    )
