"""Which sentences of the user's text are looked at for demands, and which clause of one is the demand.

Rule: a long English message is often a report that was pasted: of it only what it asks of its reader. Lines of logs, of
JSON and of code that the user pasted demand nothing, and of a pasted review nothing does that points at a line of a
file. Of a sentence that gives work and says how all work is to go only that clause is the demand: the work will be
done. What is left is verbatim.
"""

import re
from collections.abc import Iterable, Iterator

from secateur.compaction.language import detect_language
from secateur.compaction.ledger.pasted import find_printed
from secateur.compaction.ledger.said import CODE, split_sentences, strip_code
from secateur.compaction.ledger.user.demands import DATA, DIRECT, is_demand, is_standing
from secateur.compaction.ledger.user.edit_bans import find_edit_ban
from secateur.compaction.ledger.user.force_words import is_habit, is_refusal
from secateur.toolcalls.actions import clip_text

MAX_CHARS = 600  # of one constraint
PASTED_CHARS = 1_500  # English messages above this are often reports: only what they ask of the reader is a demand
_LONG_CHARS = 120  # of a sentence of which only the clause is listed that forbids every change


def split_demands(text: str) -> Iterator[str]:
    """Yield what may be demands in a text of the user's."""
    text = _strip_findings(_TIPS.sub("", text))
    is_report = _is_report(text)
    for sentence in _split_clauses(_split_sentences(text, is_report)):
        if not is_report or not (POINTS.search(sentence) or not DIRECT.search(_ASIDE.sub(" ", sentence))):
            yield _narrow(sentence)


def _narrow(sentence: str) -> str:
    """Return the clause of a sentence that is the demand, where the rest of it is none."""
    if len(sentence) > _LONG_CHARS and not is_standing(sentence) and (ban := find_edit_ban(sentence)):
        return ban
    sentence = strip_conclusion(_DANGLING.sub("", sentence))
    return _find_habit(sentence) or sentence


def strip_conclusion(sentence: str) -> str:
    """Return a sentence without the words by which it concludes from the one before it."""
    return _CONCLUDES.sub("", sentence, 1)


def _find_habit(sentence: str) -> str:
    """Return the clauses on how all work is to go, of a sentence of whose other clauses none demands anything."""
    clauses = _CLAUSES.split(sentence) if is_habit(sentence) and "\n" not in sentence else []
    habits = [at for at, one in enumerate(clauses) if is_habit(one)]
    if len(clauses) < 2 or not habits or any(is_demand(one) for one in clauses if not is_habit(one)):
        return ""
    start = sentence.index(clauses[habits[0]])
    end = sentence.index(clauses[habits[-1]], start) + len(clauses[habits[-1]])
    return sentence[start:end].strip()


def _split_sentences(text: str, is_report: bool) -> Iterator[str]:
    """Split a text into what may be demands; code stays with a line that demands it.

    In a long document a list whose opening line demands nothing is parted.
    """
    for sentence in join_fragments(split_sentences(strip_data(strip_code(text)))):
        opening, *items = sentence.split("\n")
        if items and not is_demand(opening):
            items = [line for line in items if not line.startswith(CODE)]
            if _STEPS.search(opening):  # what is to be done, one thing after another
                yield from (line.strip() for line in items if _FORBIDS.match(line))
                continue
            if is_report:
                yield from (line.strip() for line in items)
                continue
        yield "\n".join((opening, *(line.removeprefix(CODE) for line in items)))


def _split_clauses(sentences: Iterable[str]) -> Iterator[str]:
    """Part what was typed without capitals where one of its sentences holds from now on, or refuses something."""
    for one in sentences:
        parts = _SMALL_STOP.split(one)
        is_lasting = any(is_standing(part) or is_refusal(part) for part in parts)
        is_parted = is_lasting and all(len(part) >= _CLAUSE_CHARS for part in parts)
        yield from parts if is_parted else (one,)


def strip_data(text: str) -> str:
    """Return a text without lines of logs, terminals, JSON and code, and without the lines on which these go on."""
    kept = []
    is_data = False
    lines = text.split("\n")
    printed = frozenset(find_printed(lines, is_strict=True))
    for at, line in enumerate(lines):
        is_data = bool(line.strip()) and (
            at in printed or DATA.match(line) is not None or (is_data and _GOES_ON.match(line) is not None)
        )
        if not is_data:
            kept.append(line)
    return "\n".join(kept)


def clip_sentences(text: str, max_chars: int) -> str:
    """Clip a long text where a sentence or a line ends, and show that it goes on."""
    if len(text) <= max_chars:
        return text
    ends = [found.end() for found in _CLAUSE_ENDS.finditer(text[:max_chars])]
    kept = text[: ends[-1]].strip() if ends else clip_text(text, max_chars)
    return f"{kept} […]" if kept else ""


def join_fragments(sentences: Iterable[str]) -> Iterator[str]:
    """Join what was parted inside of parentheses."""
    held = ""
    for one in sentences:
        held = f"{held} {one}" if held else one
        if _count_open(held) <= 0 or len(held) > MAX_CHARS:
            yield held
            held = ""
    if held:
        yield held


def _count_open(text: str) -> int:
    return text.count("(") + text.count("（") - text.count(")") - text.count("）")


def _is_report(text: str) -> bool:
    """Whether an English text is one that was pasted: it is long, or it points at many lines of files."""
    is_long = len(text) > PASTED_CHARS or len(POINTS.findall(text)) >= _MANY_POINTERS
    return is_long and detect_language(text) == "en"


def _strip_findings(text: str) -> str:
    """Return what stands before the findings of a pasted review; another text is returned as it is."""
    if not _FINDINGS.search(text[:_OPENING_CHARS]):
        return text
    listed = _LISTED.search(text)
    return text[: listed.start()] if listed else ""


_DANGLING = re.compile(
    r"(?i)(?<=\w)[\s,;–—-]{1,4}(?:but|and)\s+(?:first\s+)?see\s+(?:below|above)\W{0,3}\Z"
)  # points elsewhere
_STEPS = re.compile(
    r"(?i)\b(?:next steps?|to-?dos?|action items?|(?:open|remaining|pending|next) (?:items|tasks|steps|work))\W*\Z"
)
_FORBIDS = re.compile(r"(?i)\W*(?:\d{1,2}[.)]\s+)?(?:do not|don['’]t|never|only|no)\b")
_SMALL_STOP = re.compile(r"(?<=[^\W\d_][.!])[ ]+(?=[a-z])(?<!e\.g\. )(?<!i\.e\. )(?<!vs\. )(?<!etc\. )(?<!\.\.\. )")
_CLAUSE_CHARS = 20  # a shorter one says nothing alone
_MANY_POINTERS = 3
_OPENING_CHARS = 1_000  # in which a pasted review says that it is one
_FINDINGS = re.compile(
    r"(?im)^#{1,6}[ \t][^\n]{0,80}\b(?:review|findings|audit)\b|^[^\n]{0,80}\b(?:my|code) review\s*:"
    r"|^\W{0,4}(?:critical|high|medium|low) severity\W{0,4}$"
)
_TIPS = re.compile(  # up to the next heading, tag or note in parentheses; and notes on one tool
    r"(?im)^[ \t*_#]{0,12}(?:(?:important|useful|helpful|general|some|more)[ \t])*(?:tips|hints)[ \t*_:]{0,12}\n"
    r"(?:(?![#<(]|[A-Z][A-Z ]{1,40}:[ \t]*$)[^\n]*\n)*(?:(?![#<(])[^\n]+\Z)?"
    r"|^[ \t*_#]{0,12}note about the \w+ (?:command|tool)s?:[^\n]*$"
)
_LISTED = re.compile(r"(?m)^[ \t]*(?:#{1,6}[ \t]|[-*•][ \t]|\d{1,2}[.)][ \t]|---|\W{0,4}\w+ severity\W{0,4}$)")
POINTS = re.compile(r"(?<![\w./-])[\w./-]+\.[A-Za-z]{1,5}:\d+")  # a line of a file
_ASIDE = re.compile(r"\([^()]*\)|\"[^\"\n]*\"|“[^”\n]*”|`[^`\n]*`")
_GOES_ON = re.compile(r"\s|[a-z`'\"})\]|]")
_CLAUSE_ENDS = re.compile(r"[.!?;。！？；](?=\s|$)|\n|(?<=[。！？；])")
_CLAUSES = re.compile(  # "and" only where another order follows it
    r"[,;]\s+|[，、；]\s*|\s[–—-]\s"
    r"|\s+(?:and|but|und|et|y|e|и|và)\s+(?=(?:let['’]?s|(?:\w+\s+)?(?:do|make|use|commit|mach|fai[ts]|haz|faça|дел)\w*)\b)"
)
_CONCLUDES = re.compile(  # "this means that you don't have to ..." concludes from what is not listed
    r"(?i)\A\s*(?:(?:this|that|it|which)\s+means(?:\s+that\b)?|(?:das|dies)\s+(?:heißt|bedeutet)(?!,?\s+dass)"
    r"|(?:cela|ça|ceci)\s+(?:signifie|veut\s+dire)\s+qu(?:e\s|['’])|(?:esto|eso)\s+(?:significa|quiere\s+decir)\s+que\b"
    r"|(?:isso|isto)\s+(?:significa|quer\s+dizer)\s+que\b|это\s+(?:значит|означает),?\s+что\b|điều\s+(?:này|đó)\s+có\s+nghĩa\s+là"
    r"|(?:这|那)(?:就是说|意味着)|つまり|즉)[,:，、：]?\s*"
)
