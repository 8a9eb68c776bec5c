"""A summary without headings, read into sections by what its sentences say.

Rule: prose and notes are a summary if they tell what was done or found, and speak of what the user spoke of. What they
leave out costs little, because code writes the user's words, the open tasks and the outcomes beside them. A sentence
that leans on the one before it (`It was ...`) stays with it. An announcement, an answer to the user or a list of wishes
alone is none. Whether any of it is true is for the judge.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from secateur.compaction.headings import STATE_SECTIONS, extract_body, name_section, parse_answer
from secateur.compaction.judge.claims import SENTENCE, extract_words
from secateur.compaction.judge.ground.stems import get_stems
from secateur.compaction.judge.lexicon import DENIES, FAILS, PASSES, USER, WANTS, build_pattern
from secateur.compaction.summary import Sections, is_void
from secateur.compaction.template import list_headings

FEWEST_WORDS, FEWEST_LETTERS = 20, 60  # of a summary in prose; letters of scripts without spaces
FEWEST_NOTES = 3  # lines of notes, however short
FEWEST_TOLD = 2  # sentences on what was done or found
FEWEST_SHARED = 2  # words of the user's in it, where no sentence says what the user wants
READ_CHARS = 600  # of a sentence
LONGEST_HEADING = 40  # characters of a line that is a heading by its words

Role = Literal["goal", "constraints", "next", "accomplished", "discoveries"]


def read_summary(text: str, said: Sequence[str]) -> Sections:
    """Return the sections of a summary: by its headings, or by what it says where they say nothing of its state."""
    sections = parse_answer(text)
    return sections if sections.keys() & STATE_SECTIONS else read_prose(text, said) or sections


def read_prose(text: str, said: Sequence[str]) -> Sections:
    """Return the sentences of a text by section; {} if they tell nothing, or nothing of what the user spoke of.

    `said`: what the user said, whose words show that the text is about it.
    """
    body = extract_body(text).strip()
    if not _is_long_enough(body) or _REPLY.match(body) or _is_asking(body):
        return {}
    found: dict[str, list[str]] = {}
    for role, unit in _iterate_units(body):
        found.setdefault(role, []).append(f"- {unit}")
    told = len(found.get("accomplished", ())) + len(found.get("discoveries", ()))
    is_summary = told >= FEWEST_TOLD and ("goal" in found or _is_about(body, "\n".join(said)))
    return {id: tuple(lines) for id, lines in found.items()} if is_summary else {}


def _is_long_enough(body: str) -> bool:
    notes = sum(not is_void(line) for line in body.splitlines() if line.strip())
    return len(body.split()) >= FEWEST_WORDS or len(_UNSPACED.findall(body)) >= FEWEST_LETTERS or notes >= FEWEST_NOTES


def _is_about(body: str, said: str) -> bool:
    """Whether a text shares words with what the user said, in whatever form they stand."""
    shared = len(extract_words(body) & extract_words(said)), len(get_stems(body) & get_stems(said))
    return max(shared) >= FEWEST_SHARED


def _is_asking(body: str) -> bool:
    """Whether a text ends with a question to its reader, and not with an item of a list that is one."""
    return body.endswith(("?", "？")) and _ITEM.match(body.rpartition("\n")[2]) is None


def _iterate_units(body: str) -> Iterator[tuple[str, str]]:
    """Yield the sentences of a text with their sections; one that leans on another stands behind it."""
    named = list_headings()
    for paragraph in _PARAGRAPH.split(body):
        here = ""
        role, unit = "", ""
        for sentence in _split_sentences(paragraph):
            if section := _read_heading(sentence, named):
                here = section
            elif unit and not here and _is_leaning(sentence, role):
                unit = f"{unit} {sentence}"
            else:
                if unit:
                    yield role, unit
                label, _, rest = sentence.partition(":")
                by_label = name_section(label, named) if rest and len(label) <= LONGEST_HEADING else None
                role, unit = here or by_label or _tell_role(sentence), sentence
        if unit:
            yield role, unit


def _is_leaning(sentence: str, role: str) -> bool:
    """Whether a sentence says little without the one before it, and is not the first to say what is open."""
    if not _LEANS.match(sentence) and sentence[:1].isalnum():
        return False
    return _tell_role(sentence) in (role, "accomplished", "discoveries")


def _split_sentences(paragraph: str) -> Iterable[str]:
    lines = (line.strip(" \t-*•>#=_") for line in paragraph.split("\n") if not is_void(line))
    return (one.strip() for line in lines for one in SENTENCE.split(line) if _LETTER.search(one))


def _read_heading(line: str, named: dict[str, str]) -> str | None:
    """Return the section that a line of its own opens, if its words name one."""
    is_alone = len(line) <= LONGEST_HEADING and not line.endswith((".", "。", "!", ";", ",")) and len(line.split()) <= 5
    return name_section(line, named) if is_alone and ": " not in line and not _FINITE.search(line) else None


def _tell_role(sentence: str) -> Role:
    """Return the section that a sentence belongs to by what its beginning says."""
    sentence = sentence[:READ_CHARS]
    if _FORBIDS.search(sentence):
        return "constraints"
    if _OPEN.search(sentence):
        return "next"
    if USER.search(sentence) and WANTS.search(sentence):
        return "goal"
    return "accomplished" if _DONE.search(sentence) and not DENIES.search(sentence) else "discoveries"


_ITEM = re.compile(r"\s*(?:[-*•]|\d+[.)])\s")
_PARAGRAPH = re.compile(r"\n\s*\n")
_LETTER = re.compile(r"[^\W\d_]{2}")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# How a message begins that announces work or answers the user
_REPLY = re.compile(
    r"(?i)\W*(?:sure|certainly|of\s+course|great|thanks?|thank\s+you|hello|hi|you['’]re\s+welcome|let\s+me|i['’]ll|i\s+will|i['’]m\s+going"
    r"|gerne?|klar|natürlich|danke|hallo|bien\s+sûr|merci|bonjour|claro|por\s+supuesto|gracias|hola|obrigad\w+|olá|конечно|спасибо)\b"
    r"(?!\s+(?:summary|zusammenfassung))|\W*(?:好的|当然|承知|かしこまり|네,|물론)"
)
# A sentence that says little without the one before it
_LEANS = re.compile(
    r"(?:It|They|That|This|These|Those|There|He|She|But|And|Then|Afterwards?|Both|Neither|Its|Their|Therefore|So|However|Also|Since\s+then|Es|Sie|Das|Dies\w*|Er"
    r"|Aber|Danach|Dann|Beide|Il|Elle|Ils|Elles|Cela|C['’]est|Mais|Puis|Ensuite|Eso|Esto|Ella|Pero|Luego|Después|Ele|Ela|Isso|Isto|Mas|Depois"
    r"|Это|Он|Она|Они|Но|Затем|Nó|Nhưng)\b|(?:这|那|它|但|その|これ|それ|しかし|그|이는|하지만)"
)
_FORBIDS = re.compile(
    r"(?i)(?:^|[,;:]\s+)(?:do\s+not|don['’]t|never|no\s+\w+(?:,|\.|$))|\b(?:must|may|should|shall|is|are)\s+(?:not|never)\s+(?:to\s+)?be\b"
    r"|\bmust\s+(?:not|never)\b|\bmay\s+not\b|\b(?:is|are)\s+(?:off[\s-]limits|out\s+of\s+bounds|forbidden|prohibited|out\b(?!\s+of))"
    r"|\b(?:nicht|kein\w*)\s+(?:\w+\s+)?(?:dürfen|darf|anfassen|ändern)\b|\b(?:darf|dürfen|soll|sollen)\s+(?:\w+\s+){0,4}nicht\b"
    r"|\bne\s+(?:doi(?:t|vent)|pas\s+\w+er)\b|\bno\s+(?:se\s+)?debe[ns]?\b|\bnão\s+(?:se\s+)?deve[m]?\b|\bнельзя\b|\bkhông\s+được\b|不要|不得|不能改|禁止|してはいけ|しないこと|하지\s*말"
)
_OPEN = build_pattern(
    r"next|left|remains?|remaining|still\s+(?:to|has|have|needs?|open|missing|pending)|pending|outstanding|open|unfinished|unresolved|undecided|waits?|waiting|awaits?"
    r"|awaiting|not\s+yet|yet\s+to|so\s+far|(?:has|have)\s+to\s+be|needs?\s+to|to\s+be\s+done|todo|to-do|until\s+then|missing"
    r"|noch|offen\w*|aussteh\w*|steht\s+aus|fehlt|fehlen|nächst\w*|wartet|warten|bleibt"
    r"|reste\w*|à\s+faire|attend\w*|attente|prochain\w*|ensuite|pas\s+encore|manque"
    r"|pendientes?|faltan?|quedan?|siguientes?|próxim\w+|todavía|aún|espera\w*|pendentes?|restam?|ainda|seguida|aguarda\w*"
    r"|осталось|ещё|еще|дальше|следующ\w*|жд[её]\w*|còn|tiếp\s+theo|chưa|chờ",
    r"下一步|接下来|待|尚未|还没|剩|等|次に|次は|残り|残って|まだ|未|待ち|다음|남은|남아|아직|대기",
)
_DONE = build_pattern(
    rf"\w{{3,}}ed|was|were|has|have|had|wrote|made|ran|went|got|came|took|sent|found|built|wurden?|worden|hat|haben|war|waren|été|ont|était|fue|fueron"
    rf"|han?|se\s+\w+ó|foi|foram|\w{{3,}}(?:ou|ram|iu)|был[аои]?|\w{{3,}}(?:ан|ен)[аоы]?|đã|(?:{PASSES.pattern.removeprefix('(?i)')})|(?:{FAILS.pattern.removeprefix('(?i)')})",
    "已|了|完成|した|済|ました|했|됐|되었",
)
_FINITE = build_pattern(
    r"is|are|was|were|has|have|had|did|does|ist|sind|war|waren|hat|haben|est|sont|ont|es|son|está[n]?|fue|foi|são|é|был[аои]?"
)
