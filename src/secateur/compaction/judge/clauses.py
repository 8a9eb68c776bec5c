"""A claim's clauses, with their polarity and their time: what is said to be so now, to have been so, or to be to come.

Rule: the history's own sentences are read by the same functions as a summary's, so that both can be compared. What is
in parentheses is a clause of its own.
"""

import re
from functools import lru_cache

from secateur.compaction.judge.lexicon import AHEAD, DENIES, EARLIER, FAILS, PASSES, PRESENT

_INNER = re.compile(r"[(（]([^()（）]*)[)）]")
_CLAUSE = re.compile(
    r"[,;:。；，、：]\s*(?!\d)|(?<=\D)[:：]\s*(?=\d)|(?<!\s)\s+(?:and|but|while|whereas|however|und|aber|sondern|während|y|pero|mientras|et|mais|tandis"
    r"|e|mas|và|nhưng|и|а|но)\s+|(?<=[.!?])\s+|(?<!\s)\s+[-–—]+>?\s+(?=[A-Za-z])|\n|\|"
)
_LIST_MARK = re.compile(r"^\s*(?:[-*•]\s+|\d{1,2}[.)]\s+)?(?:\[[ xX]\]\s*)?")


@lru_cache(maxsize=2_048)
def split_clauses(text: str) -> tuple[str, ...]:
    """Return the clauses of a text, those in parentheses behind the others."""
    inner = _INNER.findall(text)
    plain = _LIST_MARK.sub("", _INNER.sub(" ", text))
    return tuple(one for part in (plain, *inner) for one in map(str.strip, _CLAUSE.split(part)) if one)


def is_denied(clause: str) -> bool:
    """Whether a clause denies something."""
    return DENIES.search(clause) is not None


def is_earlier(clause: str) -> bool:
    """Whether a clause tells of a time that is over."""
    return EARLIER.search(clause) is not None


def is_present(clause: str) -> bool:
    """Whether a clause marks that it tells of now, of the last time or of the whole."""
    return PRESENT.search(clause) is not None


def is_ahead(clause: str) -> bool:
    """Whether a clause tells of what is to come, is wished or is bound to a condition."""
    return AHEAD.search(clause) is not None


def read_outcome(clause: str) -> bool | None:
    """Whether a clause tells of success (True), of failure (False), or of neither or both.

    No failures are a success, and what is not clean is a failure.
    """
    plain = strip_harmless(clause)
    plain = _NO_SUCCESS.sub(" failed ", plain)
    good = PASSES.search(plain) is not None
    bad = FAILS.search(plain) is not None
    return None if good == bad else good


def strip_harmless(clause: str) -> str:
    """Return a clause with `ok` in place of what denies a failure."""
    return _HARMLESS.sub(" ok ", clause)


_BAD = (
    r"(?:fail\w*|errors?|problems?|complain\w*|findings?|offen[sc]es?|issues?|warnings?|objections?|fehler\w*"
    r"|befund\w*|beanstand\w*|échecs?|erreurs?|fallos?|errores|ofensas|problemas|problèmes?|incidentes?|falhas?|erros?|ошиб\w*|lỗi)"
)
_HARMLESS = re.compile(
    rf"(?i)\b(?:no|without|zero|0|any|none\s+of|keine?r?n?|ohne|sans|aucune?|sin|ning[úu]n\w*|sem|nenhum\w*|без|нет"
    rf"|không)\s+(?:\w+\s+){{0,2}}?{_BAD}\b|\b{_BAD}\s*[:=]?\s*(?:0|none|keine|aucune?|ninguno)\b(?!\.\d)"
    rf"|\b(?:free\s+(?:of|from)|frei\s+von|exempts?\s+d\w*|libres?\s+de|livres?\s+de)\s+(?:\w+\s+){{0,2}}?{_BAD}\b|\b{_BAD}-free\b"
    rf"|\b{_BAD}\s+(?:have|has|were|was|are|is)\s+(?:been\s+|all\s+)?(?:cleared|fixed|resolved|solved|gone|removed)"
    rf"|\b(?:não|no|ya\s+no)\s+(?:tem|têm|há|hay|tiene|quedan?|restam?|acusa|reporta|da|muestra|mostra):?\s+(?:mais\s+|más\s+)?{_BAD}"
    rf"|\bn['’](?:a|y\s+a)\s+(?:plus|pas)\s+d(?:['’]|e\s+){_BAD}"
    rf"|\b\d+\s+{_BAD}\s+(?:to|a|auf|à|para)\s+(?:none|zero|0|null|keine[nr]?|ninguno|cero|aucune?|zéro)\b"
    r"|\bnothing\s+to\s+(?:complain|report|say|object|criticize)\w*|\b(?:finds?|found|reports?|shows?)\s+nothing\b|\bnothing\s+(?:\w+\s+){0,3}?(?:broken|failing|fails|failed|red)|(?:没有|无|零|0\s*个)\s*(?:错误|失败|问题|报错)"
    r"|失敗\s*0|エラーは?(?:なし|ない|ありません)|오류\s*없"
)
_NO_SUCCESS = re.compile(
    r"(?i)\b(?:not|never|\w+n['’]t|nicht|pas|no|não|не|không|yet\s+to|far\s+from)\s+(?:\w+\s+){0,2}?(?:succeed\w*|work\w*"
    rf"|aboutir|{PASSES.pattern.removeprefix('(?i)')})"
    r"|(?:未|没有?|不)(?:能)?(?:通过|成功)|通(?:ら|って(?:い)?)ない|成功(?:して(?:い)?)?(?:ない|ません)"
)


def is_share(clause: str) -> bool:
    """Whether a clause tells of some of several: `ten of twelve`."""
    found = _SHARE.search(clause)
    return found is not None and (not found["part"] or found["part"].casefold() != found["total"].casefold())


_NUMERAL = (
    r"\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|eine?[rsn]?|zwei|drei|vier|fünf|sechs|sieben|acht|neun"
    r"|zehn|elf|zwölf|une?|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|un[oa]?|dos|tres|cuatro|cinco|seis|siete"
    r"|ocho|nueve|diez|once|doce|d[oe]is|três|quatro|sete|oito|nove|dez|doze"
)
_SHARE = re.compile(
    rf"(?i)\b(?P<part>{_NUMERAL})\s+(?:\w+\s+)?(?:of|out\s+of|von|de|sur|из|/)\s*(?:the\s+|den\s+|los\s+|las\s+|les\s+)?(?P<total>{_NUMERAL})\b"
    rf"|\b(?:of|von|sur|de)\s+(?:the\s+|den\s+)?(?P<total2>{_NUMERAL})\b"
)
