"""One sentence of a summary as a claim: where it is said, what it says of whom, and how firmly.

Rules ask a claim what kind of statement it is; they do not search for negations or tenses themselves. How the lines of
a summary become claims is in `reading`. Nothing here knows the history.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from secateur.compaction.judge.lexicon import DENIES
from secateur.compaction.ledger.user import topics
from secateur.compaction.ledger.user.topics import extract_topic

TruthReason = Literal[
    "check",
    "unsupported",
    "unchanged_file",
    "not_run",
    "injected",
    "approval",
    "unfinished_work",
    "inverted",
    "repetition",
    "gibberish",
]
# `certain` is what was called or what the user said. A `doubt` compares words, and a true sentence may have other ones.
# `unbacked` is what nothing contradicts, and little bears out
Strength = Literal["unbacked", "doubt", "plain", "certain"]
QUOTED_CHARS = 80  # of the history's own words in a reason
REPORTING = ("accomplished", "discoveries", "files", "questions", "decisions", "resolved", "next")
DEMANDING = ("constraints", "instructions")  # sections that say what the user demands
SENTENCE = re.compile(r"(?<=[^.\s][.!?])\s+(?=[^a-z\s])|(?<=\w\w\w[.!?])\s+|(?<=;)\s+|(?<=[。！？；])|\n")
CLAUSE = re.compile(
    r"[,;:。；，、]\s*|(?<!\s)\s+(?:and|but|und|aber|y|pero|et|mais|e|mas|và|nhưng|и|а|но)\s+|(?<=[.!?])\s+"
    r"|(?<!\s)\s+[-–—]\s+|\n"
)
_NO_TOPICS = "anyth every nothi somet user benut nutze what which it them aucun contr par"
_EMPTY_WORDS = frozenset(_NO_TOPICS.split())


class Contradiction(Struct, frozen=True):
    """Why a summary is not true."""

    reason: TruthReason
    text: str
    line: str = ""  # of the summary, as it was written
    rule: str = ""  # that found it
    sentence: str = ""  # of the line, as it was written; "" where it cannot be told apart
    strength: Strength = "plain"
    why: str = ""  # what the history says instead


class Claim(Struct, frozen=True):
    """One sentence of a summary."""

    text: str  # without its bullet, with what it needs from its surroundings (see `reading`)
    section: str
    line: str  # that the sentence is part of
    summary: str = ""  # that the line is part of
    raw: str = ""  # the line as it was written
    sentence: str = ""  # the sentence as it was written

    @property
    def is_negative(self) -> bool:
        """Whether it forbids or denies."""
        return is_negative(self.text) or is_denied(self.text)

    @property
    def is_hedged(self) -> bool:
        """Whether it is bound to a condition, denied or awaited."""
        return HEDGED.search(self.text) is not None

    @property
    def is_earlier(self) -> bool:
        """Whether it tells of a time before something else."""
        return _EARLIER.search(self.text) is not None

    @property
    def is_past(self) -> bool:
        """Whether it marks something as former: `first`, `was`, `instead`, `no longer`."""
        return self.is_earlier or _FORMER.search(self.text) is not None

    @property
    def is_done(self) -> bool:
        """Whether it says that something happened or holds now."""
        return is_done(self.text)

    @property
    def is_planned(self) -> bool:
        """Whether it says that something is not done, is still to be done or was done by others."""
        return is_planned(self.text)

    @property
    def is_pending(self) -> bool:
        """Whether it stands among what is to be done or is demanded, and has no verb that says that it is so."""
        return self.section in _AHEAD_OF_WORK and _HOLDS.search(CONDITION.split(self.text)[0]) is None

    @property
    def is_wished(self) -> bool:
        """Whether it says what shall be or may be."""
        return _WISHED.search(self.text) is not None

    @property
    def is_reported(self) -> bool:
        """Whether it says what someone else or a text claims, asks or wants."""
        return is_reported(self.text)

    @property
    def is_question(self) -> bool:
        """Whether it asks."""
        return self.text.rstrip().endswith("?")

    @property
    def is_quoted(self) -> bool:
        """Whether it begins as a quotation, or ends one that began before."""
        return self.text[:1] in "\"'“„" or self.text.count('"') % 2 == 1

    @property
    def items(self) -> "tuple[Claim, ...]":
        """Its parts that are divided by commas, each as a claim."""
        return tuple(Claim(item, self.section, self.line, self.summary, self.raw) for item in split_items(self.text))

    @property
    def words(self) -> frozenset[str]:
        """The words that say what it is about."""
        return extract_words(self.text)


def quote(who: str, text: str) -> str:
    """Quote the beginning of what the user, the agent or a tool said against a claim."""
    return f"{who} said {text.strip()[:QUOTED_CHARS]!r}"


def split_claims(lines: Iterable[str]) -> Iterator[str]:
    """Yield the sentences of these lines, without bullets."""
    for line in lines:
        yield from (text for one in SENTENCE.split(line) if (text := one.strip(" -*•\t")))


def split_items(text: str) -> tuple[str, ...]:
    """Return the parts of a sentence that are divided by commas, outside brackets and code."""
    return tuple(part for one in _ITEM.findall(text) if (part := one.strip(" ,;、，；"))) or (text,)


@lru_cache(maxsize=4_096)
def is_negative(text: str) -> bool:
    """Whether a text forbids or denies."""
    plain = _NOT_ONLY.sub(" ", text)
    return topics.is_negative(plain) or DENIES.search(plain) is not None


_NOT_ONLY = re.compile(
    r"(?i)\b(?:not|nicht|pas|no|não|не|không)\s+(?:only|just|merely|nur|bloß|seulement|uniquement|solo|sólo|solamente"
    r"|só|apenas|somente|только|chỉ)\b|不(?:仅|只|光|止)|だけ(?:で(?:は)?なく|じゃなく)|뿐(?:만)?\s*아니라"
)


def is_done(text: str) -> bool:
    """Whether a text says that something happened or holds now."""
    return _DONE.search(text) is not None and _UNCHECKED.match(text) is None


def is_planned(text: str) -> bool:
    """Whether a text says that something is not done, is still to be done or was done by others."""
    return _PLANNED.search(text) is not None or DENIES.search(text) is not None


_UNCHECKED = re.compile(r"\W*(?:\d+\.\s*)?\[\s*\]")  # a box without a mark
_AHEAD_OF_WORK = ("next", "questions", "goal", *DEMANDING)
_HOLDS = re.compile(
    r"(?i)^\W*(?:\d+\.\s*)?\[\s*(?:x|done|completed)\s*\]|[✓✔✅]|\b(?:was|were|is|are|has|have|had|did|does|done|now|already"
    r"|stands?|works?|pass(?:es|ed)?|fail(?:s|ed)?|war|waren|ist|sind|wurden?|hat|haben|erledigt|fertig|est|sont|était|étaient"
    r"|a(?=\s+\w*(?:é|it|u|is)e?s?\b)|ont|fait|fue|fueron|es|son|está[n]?|ha|han|hecho|foi|foram|é|são|tem|têm|feito|был[аои]?|есть|уже|готово|đã|xong)\b"
    r"|已|了|完成|した|済|ました|ている|했|됐|되었"
)
CONDITION = re.compile(
    r"(?i)[,;]?\s*\b(?:when|once|after|as\s+soon\s+as|if|until|unless|before|wenn|sobald|falls|nachdem|bis|bevor"
    r"|quand|lorsque|dès|si|après|avant|cuando|después|hasta|antes|quando|depois|após|até|когда|если|после|пока|до|khi|nếu|sau)\b"
)


def is_reported(text: str) -> bool:
    """Whether a text says what someone else or a text claims, asks or wants."""
    return _REPORTED.search(text) is not None


def is_denied(before: str) -> bool:
    """Whether what is before a verb denies it: `no job` before `may be skipped`."""
    return _NOBODY.search(before.rstrip(" .;:!。")) is not None


def extract_words(text: str) -> frozenset[str]:
    """Return the words that say what a text is about, without those that could stand for anything."""
    text = _JOINT.sub(" ", text)
    for verb, words in _SYNONYMS:
        text = words.sub(f" {verb} ", text)
    return extract_topic(text) - _EMPTY_WORDS


def extract_plain_words(text: str) -> frozenset[str]:
    """Return the words of a text as `extract_words` does, the last of a sentence without its dot."""
    return extract_words(_DOTS.sub(" ", text))


_DOTS = re.compile(r"(?<![.!?])[.!?]+(?=\s|$)")
_JOINT = re.compile(r"(?<=[A-Za-z0-9_])(?=[\uac00-\ud7af])")  # a name and the particle behind it
_SYNONYMS = tuple(
    (verb, re.compile(rf"(?i)\b(?:{words})\b|{unspaced}"))
    for verb, words, unspaced in (
        (
            "change",
            r"(?:chang|modif|edit|updat|alter|adapt|adjust|touch)\w*|(?:ge)?änder\w*|anpass\w*|angepasst|anfass\w*"
            r"|bearbeite\w*"
            r"|modifi\w*|cambi\w*|edita\w*|alter\w*|изменя\w*|измени\w*|thay\s+đổi|sửa",
            "修改|更改|变更|变动|変更|更新|編集|변경|수정",
        ),
        (
            "delete",
            r"(?:delet|remov|drop|eras)\w*|(?:ge)?lösch\w*|entfern\w*|supprim\w*|effac\w*|elimin\w*|borra\w*"
            r"|exclu\w*|удал\w*|xóa",
            "删除|移除|削除|삭제",
        ),
        (
            "deploy",
            r"(?:deploy|redeploy)\w*|roll(?:ed|s|ing)?\s+out|ausroll\w*|ausgerollt|déplo\w*|despleg\w*|implant\w*",
            "部署|デプロイ|배포",
        ),
    )
)
HEDGED = re.compile(
    r"(?i)\b(?:not|no|never|neither|nor|weder|ni|nem|ни|n['’]t|yet|once|until|unless|if|whether|when|before|after|wait\w*|needs?|ask\w*"
    r"|pending|should"
    r"|awaiting|without|declined|refused|only|nicht|kein\w*|noch|sobald|falls|wenn|ob|bevor|erst|ohne|wartet"
    r"|sin|aún|todavía"
    r"|si|cuando|hasta|antes|não|ainda|se|quando|até|pas|encore|avant|quand|lorsque|jusqu\w*|chưa|không|khi|nếu|trước"
    r"|не|ещё|еще|если|когда|пока|до)\b|[?？]|未|没|沒|不|若|如果|等|待|まで|ない|なければ|たら|않|아직|면|없"
)
_PLANNED = re.compile(
    r"(?i)\b(?:not|never|no|n['’]t|to\s+be|should|must|will|needs?|would|might|may|if|whether|without|yet"
    r"|pending|todo|before|once|when|by\s+the\s+user|user|upstream|last\s+week|previously|already"
    r"|left\s+alone|untouched|only\s+read|read-?only|nicht|noch|soll\w*|muss|werden|wird|ließ\s+sich|sin|aún|debe"
    r"|não|ainda|deve|pas|encore|doit|chưa|cần|не|ещё|нужно)\b"
    r"|[?？]|未|没|尚|不|需要|まだ|ない|ません|않|아직"
)
_EARLIER = re.compile(
    r"(?i)\b(?:before|prior\s+to|once|primer[oa]?|earlier|previous(?:ly)?|at\s+first|initially|vor|vorher|zuvor"
    r"|davor|bevor|zunächst|anfangs|avant|auparavant"
    r"|d['’]abord|antes|al\s+principio|no\s+início|до|раньше|сначала|trước|ban\s+đầu)\b|之前|以前|起初|当初|最初|前(?:に|の|は)|전에|처음"
)
_FORMER = re.compile(
    r"(?i)\b(?:former\w*|was|were|used\s+to|superseded|replace[sd]|no\s+longer|instead|rather|original\w*|first"
    r"|old|later|until|raised|lowered"
    r"|from|früher\w*|ersetzt|statt|anstatt|ursprünglich\w*|zuerst|war|waren|alte\w*|von|ya\s+no|en\s+vez"
    r"|en\s+lugar|era|antiguo"
    r"|em\s+vez|au\s+lieu|remplac\w*|ancien\w*|était|thay|вместо|был\w*|больше)\b|原先|原来|改|不再|而不是|代わり|から|だった|대신|이전"
)
_DONE = re.compile(
    r"(?i)^(?:\d+\.\s*)?\[(?:x|done|completed)\]|\b(?:done|finished|completed?|implemented|now|has|have|had|was|were"
    r"|works|written|added|fixed|ran|found|made|built|sent|put|gave|shows?|reports?|erledigt|fertig|wurden?|worden"
    r"|sind|ist|hat|haben"
    r"|ge\w{2,}t|ge\w{2,}en|\w{3,}iert|\w{3,}te|fait|terminée?s?|est|sont|ont|hech[oa]|terminad[oa]s?|está[n]?|ya"
    r"|ha|han"
    r"|feit[oa]|concluíd[oa]s?|já|foi|foram|\w{3,}(?:ad|id)[oa]s?|\w{2,}ées?|готов\w*|сделан\w*|был[аои]?|уже|đã"
    r"|xong)\b"
    r"|\b\w{3,}ed\b|已|了|完成|した|済み|ました|ている|完了|했|됐|되었"
)
_WISHED = re.compile(
    r"(?i)\b(?:should|must|will|would|might|may|could|going\s+to|to\s+be|needs?\s+to|at\s+most|at\s+least|if|whether|todo"
    r"|for\s+example|e\.g"
    r"|soll\w*|muss|höchstens|mindestens|wenn|ob|debe\w*|si|doit|doivent|deve|se|должн\w*|если|nếu|cần)\b"
    r"|[?？]|应该|需要|如果|べき|なら|해야"
)
_NOBODY = re.compile(
    r"(?i)\b(?:no|none|nothing|neither|nobody|kein\w*|nichts|aucune?|rien|ning[úu]n\w*|nada|nenhum\w*|ничего"
    r"|никак\w*|không)\b[^.;:]*$"
)
_ITEM = re.compile(r"(?:`[^`\n]*`|\([^()\n]*\)|（[^（）\n]*）|\d[,;]\d|[^,;、，；`(（]|[`(（])+[,;、，；]?")
_REPORTED = re.compile(
    r"(?i)^that\s|\b(?:claims?|says|said|tells?|asks?|wants?|suggests?|holds\s+an\s+order|untrusted|inject\w*|behauptet"
    r"|sagt|bittet|prétend"
    r"|demande|dice|afirma|pide)\b|声称|声稱|要求|自称|と主張|と書"
)
