"""Which of the points that the agent listed a reply picks: "2", "do 1 and 3", "issue 2", "the second one", "both".

Rule: only a reply that begins with its pick. The points are those of the agent's newest text; where a reply names a
kind of point ("issue 2") and that text has none of it, those of the newest text that numbers any. Quoted are the points
that are picked, and behind them how the others of their list begin, which nobody has picked yet.
"""

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from secateur.compaction.ledger.said import FENCED
from secateur.redact import redact
from secateur.toolcalls.actions import clip_text, collapse_whitespace

CHOICE_CHARS = 400  # of a reply that chooses points
PICKED_CHARS, OTHER_CHARS = 200, 60  # of a point that is picked, and of another one of the list
ANSWERED_CHARS = 120  # of a point that a sentence of a longer reply answers
MOST_PICKED, MOST_OTHERS = 4, 5
NOT_PICKED = "not picked: "


class ListedPoint(Struct, frozen=True):
    """A numbered point of a list."""

    number: str
    text: str


class Pick(Struct, frozen=True):
    """What a reply picks."""

    numbers: tuple[str, ...]  # "-1" is the last one
    is_firm: bool  # it says what is to be done with them, or what kind of point they are
    is_kind: bool  # it names the kind, or a letter, which only a list gives
    is_all: bool = False


def find_picked(text: str, last: str, listed: str, question: str) -> str:
    """Return the agent's question and the points that a reply picks of its last text, or of `listed`; "" if none.

    Others of the list are quoted where the reply says what is to be done, and they do not exclude each other.
    """
    pick = read_pick(text)
    if pick is None:
        return ""
    found = _find_points(pick, last)
    if not found and pick.is_kind:
        found, question = _find_points(pick, listed), ""
    if not found or not (question or pick.is_firm):
        return ""
    picked = [one for one in found if pick.is_all or one.number in pick.numbers]
    picked += [found[-1]] if _LAST in pick.numbers else []
    told = " · ".join(f"{one.number}) {_tell(one, PICKED_CHARS)}" for one in picked[:MOST_PICKED])
    is_left = pick.is_firm and not (_EXCLUDES.search(question) or _EXCLUDES.search(text))
    others = [one for one in found if one not in picked] if is_left else []
    left = "; ".join(f"{one.number}) {_tell(one, OTHER_CHARS)}" for one in others[:MOST_OTHERS])
    said = f"{clip_text(question.strip(' *_#-'), PICKED_CHARS)} {told}{f' ({NOT_PICKED}{left})' if left else ''}"
    return redact(said.strip())


def find_numbered(sentence: str, reply: str, last: str) -> str:
    """Return the point of the agent's last text that a sentence of a reply answers, which answers several by number."""
    lines = [(hit[1], hit[2]) for hit in _REPLY_LINE.finditer(reply)]
    number = next((number for number, said in lines if sentence in said), "")
    numbers = tuple(number for number, _ in lines)
    points = _find_points(Pick(numbers, True, True), last) if number and len(lines) > 1 else ()
    return next((redact(f"{number}) {_tell(one, ANSWERED_CHARS)}") for one in points if one.number == number), "")


def is_pick(text: str) -> bool:
    """Whether a reply picks points of a list."""
    return read_pick(text) is not None


def read_pick(text: str) -> Pick | None:
    """Read what a reply picks; None if it picks nothing, or answers several points one by one."""
    said = _CHOOSES.match(text) if len(text) <= CHOICE_CHARS else None
    if said is None or _NUMBERED_MORE.search(text):
        return None
    is_bound = bool(said["verb"]) and not said["kind"]  # "do 2" picks, "do 2 more of these" counts
    if not (_ENDS if is_bound or said["all"] or said["ordinal"] else _STOPS).match(text, said.end()):
        return None
    is_firm = bool(said["verb"] or said["kind"])
    if said["all"]:
        return Pick((), is_firm, bool(said["kind"]), is_all=True) if said["verb"] else None
    if said["ordinal"]:
        return Pick((_ORDINALS[said["ordinal"].casefold()],), bool(said["verb"]), False)
    numbers = tuple(_read_numbers(said["numbers"]))
    is_lettered = not numbers[0].isdigit()
    if is_lettered and not (said["kind"] or _ENDS.match(text, said.end())):
        return None  # "a quick question"
    return Pick(numbers, is_firm, bool(said["kind"]) or is_lettered)


def list_points(text: str) -> list[list[ListedPoint]]:
    """Return the lettered and the numbered lists of a text, each with its points in order."""
    plain = FENCED.sub("\n", text)
    lettered = (ListedPoint(hit[1].lower(), hit[2].strip()) for hit in _LETTERED.finditer(plain))
    numbered = (
        ListedPoint(hit["number"] or hit["row"], (hit["text"] or hit["cells"]).strip())
        for hit in _LISTED.finditer(plain)
    )
    return [*_group(lettered), *_group(numbered)]


def _group(points: Iterable[ListedPoint]) -> list[list[ListedPoint]]:
    """Part points into lists where their numbers or letters begin anew."""
    lists: list[list[ListedPoint]] = []
    for one in points:
        if lists and (len(one.number), one.number) > (len(lists[-1][-1].number), lists[-1][-1].number):
            lists[-1].append(one)
        else:
            lists.append([one])
    return lists


def _read_numbers(text: str) -> list[str]:
    """Return the numbers of "1, 2 and 4" and of "2-4", and the letters of "a and c"."""
    found = [letter.lower() for letter in _LETTERS.findall(text)]
    for hit in _RANGE.finditer(text):
        first, last = int(hit[1]), int(hit[2] or hit[1])
        found += [str(number) for number in range(first, min(last, first + MOST_PICKED) + 1)]
    return list(dict.fromkeys(found))


def _find_points(pick: Pick, text: str) -> Sequence[ListedPoint]:
    """Return the last list that has every number that is picked."""
    for points in reversed(list_points(text)):
        numbers = {one.number for one in points}
        if (pick.is_all and len(points) > 1) or (pick.numbers and numbers.issuperset({*pick.numbers} - {_LAST})):
            return points
    return ()


def _tell(one: ListedPoint, most: int) -> str:
    return clip_text(collapse_whitespace(one.text).replace("**", "").strip(), most)


_LAST = "-1"
_ORDINALS = {
    "first": "1", "second": "2", "third": "3", "fourth": "4", "last": _LAST,
    "erste": "1", "ersten": "1", "zweite": "2", "zweiten": "2", "dritte": "3", "dritten": "3", "letzte": _LAST,
    "première": "1", "premier": "1", "deuxième": "2", "seconde": "2", "troisième": "3",
    "primera": "1", "primero": "1", "segunda": "2", "segundo": "2", "tercera": "3", "primeira": "1", "terceira": "3",
    "первый": "1", "первое": "1", "второй": "2", "второе": "2", "третий": "3", "третье": "3",
    "第一个": "1", "第一個": "1", "第二个": "2", "第二個": "2", "第三个": "3", "第三個": "3",
    "1つ目": "1", "一つ目": "1", "2つ目": "2", "二つ目": "2", "3つ目": "3", "三つ目": "3",
    "첫 번째": "1", "첫번째": "1", "두 번째": "2", "두번째": "2", "세 번째": "3", "세번째": "3",
    "cái đầu tiên": "1", "cái thứ nhất": "1", "cái thứ hai": "2", "cái thứ ba": "3",
}  # fmt: skip
_WIDE_ORDINALS = "|".join(word for word in _ORDINALS if " " in word or ord(word[-1]) > 0x1FFF)
_NARROW_ORDINALS = "|".join(rf"{word}\b" for word in _ORDINALS if ord(word[-1]) <= 0x1FFF and word != "last")
_KINDS = (
    r"(?:option|number|issue|point|item|finding|step|problem|suggestion|task|proposal|recommendation|idea|approach|fix|no\."
    r"|nummer|punkt|vorschlag|problème|opción|opção|ponto|пункт|вариант|选项|選項|方案|问题|オプション|案|옵션|phương\s+án)s?"
)
_AND = r"\s*(?:,|&|\+|/|and|und|et|y|e|и|và|と|和|및|或|or)\s*(?:and\s+)?"
_ONE_LETTER = r"\(?(?<![\w'’])[a-hA-H](?![\w'’])\)?"
_ONE_NUMBER = r"#?\(?\d{1,2}\)?(?:\s?[-–]\s?\d{1,2})?"
_CHOOSES = re.compile(  # "4", "2, but ...", "ok, do 1 and 3", "fix issue 1", "the second one", "do all of them"
    r"(?i)\s*(?:(?:yes|yeah|yep|ok|okay|sure|then|now|or|no|please|next|(?:can|could) you|let['’]?s|ja|oui"
    r"|s[ií]|sim|да)[\s,]+){0,3}"
    r"(?P<verb>(?:do|go(?:\s+(?:with|for))?|take|use|pick|try|fix|address|tackle|implement|handle|resolve|start\s+with"
    r"|work\s+on|apply|add|mach(?:e|en)?|nimm|fais|prends|haz|faça|сделай|làm|做|选|選)\s*(?:to\s+)?)?"
    r"(?:(?P<all>(?:all|both)(?:\s+of\s+(?:them|these|those)|\s+(?:of\s+the\s+)?(?:two|three|four|five|six))?)"
    rf"|(?P<kind>(?:the\s+)?{_KINDS}\s*)?(?P<numbers>{_ONE_NUMBER}(?:{_AND}{_ONE_NUMBER})*"
    rf"|{_ONE_LETTER}(?:{_AND}{_ONE_LETTER})*)"
    r"|(?:the\s+|das\s+|die\s+|den\s+|la\s+|le\s+|el\s+|o\s+|a\s+)?"
    rf"(?P<ordinal>{_WIDE_ORDINALS}|{_NARROW_ORDINALS}|(?<=the\s)last)"
    r"(?:\s*(?:one|option|issue|point|item|finding|step|problem|suggestion)\b)?)"
)
_EXCLUDES = re.compile(
    r"(?i)\b(?:which|options?|approach|variant|either|opci[oó]n|opção|вариант|welche[nrs]?)\b|选项|方案|オプション|옵션"
)
_ENDS = re.compile(r"(?i)\s*(?:$|[.,;:!?？。、]|(?:first|now|then|next|please|only|too|as\s+well|bitte)\b)")
_STOPS = re.compile(r"[\s.,;:!–—-]|$")
_NUMBERED_MORE = re.compile(
    r"(?m)^\s*\(?\d{1,2}\s?[:.)]\s[^\n]*(?:\n\s*|,\s*)\(?\d{1,2}\s?[:.)]\s"
)  # it answers several
_REPLY_LINE = re.compile(r"(?m)^[ \t]*\(?(\d{1,2})\s?[.:)][ \t]+(\S[^\n]*)")
_RANGE = re.compile(r"(\d{1,2})(?:\)?\s?[-–]\s?\(?(\d{1,2}))?")
_LETTERS = re.compile(r"(?<![\w'’])[a-hA-H](?![\w'’])")
_LETTERED = re.compile(r"^[ \t]*(?:[-*][ \t]+)?\**\(?([a-hA-H])[.)]\**[ \t]+(\S[^\n]{1,400})", re.M)
_LISTED = re.compile(
    r"^[ \t]*(?:[-*][ \t]+|#{1,5}[ \t]+)?\**"
    r"(?:(?:option|issue|finding|point|proposal|approach|problem|suggestion|step)[ \t]+#?)?"
    r"\(?(?P<number>\d{1,2})(?:[.):]|[ \t][—–-](?=[ \t]))\**[ \t]+(?P<text>\S[^\n]{1,400})"
    r"|^\|[ \t]*\**#?(?P<row>\d{1,2})\**[ \t]*\|(?P<cells>[^\n]{1,400})",
    re.M | re.I,
)
