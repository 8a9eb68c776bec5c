"""Whether a summary repeats what the history records in so many words: counts, quotations, answers, constants.

Rule: each rule reads one kind of record (a tool's count of errors, the user's words between quotation marks) and
compares it with the same kind in a claim. Where the history has no such record, a claim stands.
"""

import re

from secateur.compaction.judge.claims import REPORTING, Claim, extract_plain_words, quote
from secateur.compaction.judge.evidence import CheckRun, ClaimRule, Evidence
from secateur.compaction.judge.ground.stems import get_stems
from secateur.compaction.judge.lexicon import PAST
from secateur.compaction.judge.work.subjects import TOOL

LEAST_QUOTED = 0.6  # of the words of a quotation that the user has to have said
FEWEST_QUOTED = 3  # words of a quotation that is judged
LEAST_ASKED = 0.5  # of the words of an open question, in one that the user has answered


def _explain_error_count(claim: Claim, evidence: Evidence) -> str:
    """Name the count of errors in the last run of the tool of which a claim gives another."""
    found = _ERRORS.search(claim.text)
    if found is None or claim.is_past or claim.is_question:
        return ""
    said = _WORDS.get(found["count"].casefold(), found["count"])
    words = {one.casefold() for one in TOOL.findall(claim.line)}
    is_typed = _TYPES.search(claim.text) is not None
    runs = [run for run in evidence.checks if _is_run_of(run, words, is_typed)]
    counts = [one for run in (runs if PAST.search(claim.text) else runs[-1:]) for one in _COUNTS.findall(run.output)]
    known = {number for pair in counts for number in pair if number}
    return f"the last run counts {sorted(known)[0]}" if known and said not in known else ""


def _is_run_of(run: CheckRun, words: set[str], is_typed: bool) -> bool:
    named = {one.casefold() for one in TOOL.findall(run.text.casefold())}
    return bool(named & words) or (is_typed and not words and bool(named & _TYPERS))


_TYPERS = {"mypy", "pyright", "tsc"}
_TYPES = re.compile(r"(?i)\btyp(?:e|ing|es)\b")
_WORDS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
          "nine": "9", "ten": "10", "zwei": "2", "drei": "3", "vier": "4", "fünf": "5", "deux": "2", "trois": "3",
          "dos": "2", "tres": "3", "dois": "2", "três": "3"}  # fmt: skip
_ERRORS = re.compile(
    rf"(?i)\b(?P<count>\d+|{'|'.join(_WORDS)})\s+(?:\w+\s+){{0,2}}?(?:errors?|findings?|problems?|fehler\w*|erreurs?|errores|erros)\b"
)
_COUNTS = re.compile(r"(?i)found (\d+) errors?|(?<!\d)(\d+) problems?\b|(?<!\d)(\d+) errors?\b")


def _explain_test_counts(claim: Claim, evidence: Evidence) -> str:
    """Name the counts of the last test run where a claim gives, in whatever language, others that no run had."""
    failed, passed = _FAILED_COUNT.search(claim.text), _PASSED_COUNT.search(claim.text)
    runs = [run for run in evidence.checks if run.kind == "test" and _LAST_PASSED.search(run.output)]
    if not (failed and passed and runs) or claim.is_earlier:
        return ""
    told = (failed["count"], passed["count"])
    known = [(_read_count(_LAST_FAILED, run.output), _read_count(_LAST_PASSED, run.output)) for run in runs]
    known = known[-1:] if _LAST.search(claim.text) else known
    return f"the last run has {known[-1][0]} failed, {known[-1][1]} passed" if told not in known else ""


_LAST = re.compile(r"(?i)\b(?:last|latest|final|most\s+recent|letzte\w*|derni[eè]re?|[úu]ltim[oa])\b|最后|最新|最後")


def _read_count(pattern: re.Pattern[str], output: str) -> str:
    found = pattern.findall(output)
    return found[-1] if found else "0"


_FAILED_COUNT = re.compile(
    r"(?i)\b(?P<count>\d+)\s+(?:tests?\s+)?(?:failed|failing|fehlgeschlagen|échoués?|fallid[oa]s?|falharam|упал\w*)\b"
)
_PASSED_COUNT = re.compile(
    r"(?i)\b(?P<count>\d+)\s+(?:tests?\s+)?(?:passed|passing|bestanden|réussis?|pasad[oa]s?|passaram|прошл\w*)\b"
)
_LAST_FAILED = re.compile(r"(?m)^(?!.*\b(?:Test Files|Suites)\b).*?\b(\d+) failed\b")
_LAST_PASSED = re.compile(r"(?m)^(?!.*\b(?:Test Files|Suites)\b).*?\b(\d+) passed\b")


def _explain_invented_quotation(claim: Claim, evidence: Evidence) -> str:
    """Say that the user never said what a claim quotes."""
    quoted = [next(filter(None, found.groups())) for found in _QUOTED.finditer(claim.line)]
    long = [said for said in quoted if len(said.split()) >= FEWEST_QUOTED]
    if not long:
        return ""
    spoken = f"{evidence.user}\n{evidence.kept}"
    folded = _fold_spaces(spoken)
    others = [extract_plain_words(said) for said in long if _fold_spaces(said) not in folded]
    heard = extract_plain_words(spoken) if others else frozenset()
    if all(_is_shown(said, evidence) for said in long):
        return ""
    if any(len(words & heard) < LEAST_QUOTED * max(1, len(words)) for words in others):
        return "the user never said this"
    return ""


def _is_shown(said: str, evidence: Evidence) -> bool:
    """Whether a host or an output holds a quotation: what the user says to a refused call stands in its result."""
    shares = evidence.passages.find(get_stems(said), ("user", "host", "output"))
    return bool(shares) and shares[0].share >= LEAST_SHOWN


LEAST_SHOWN = 0.8  # of the weight of a quotation


def _fold_spaces(text: str) -> str:
    return " ".join(text.split()).casefold()


_QUOTED = re.compile(
    r"(?i)\b(?:user|customer|owner|nutzer\w*|benutzer\w*|utilisateur|usuario|usuário)\b[^.\n\"“„«]{0,40}?"
    r"(?:\"([^\"\n]{8,300})\"|“([^”\n]{8,300})”|„([^“”\n]{8,300})[“”]|«([^»\n]{8,300})»)"
)


def _explain_answered(claim: Claim, evidence: Evidence) -> str:
    """Quote the user's answer to what a claim calls unanswered."""
    if not _UNANSWERED.search(claim.text):
        return ""
    words = extract_plain_words(_UNANSWERED.sub(" ", claim.line))
    for at, reply in enumerate(evidence.replies):
        asked = [one for one in _SENTENCES.split(reply.before) if one.rstrip().endswith(("?", "？"))]
        about = extract_plain_words(" ".join((*asked, *(reply.before.split("\n")[-1:] if asked else ()))))
        shared = len(words & about)
        if not asked or shared < max(1, LEAST_ASKED * len(words)):
            continue
        is_taken_up = bool(extract_plain_words(reply.text) & words) or _DECIDED.match(reply.text) is not None
        if is_taken_up and not _LATER.search(reply.text) and not _is_asked_again(words, evidence, at):
            return quote("the user", reply.text)
    return ""


def _is_asked_again(words: frozenset[str], evidence: Evidence, at: int) -> bool:
    later = (*(one.before for one in evidence.replies[at + 1 :]), evidence.last_words)
    asked = [one for text in later for one in _SENTENCES.split(text) if one.rstrip().endswith(("?", "？"))]
    return any(extract_plain_words(one) & words for one in asked)


_SENTENCES = re.compile(r"(?<=[.!?。？])\s*")
_UNANSWERED = re.compile(
    r"(?i)\b(?:the\s+)?user\s+(?:has\s+not|hasn['’]t|did\s+not|didn['’]t|has\s+yet\s+to)\s+(?:yet\s+)?(?:answer|decid|repl|respond|chos)\w*(?:\s+(?:yet|so\s+far))?"
    r"|\b(?:still\s+)?(?:unanswered|undecided|awaiting\s+(?:an?\s+)?(?:answer|decision))\b"
    r"|\b(?:still|yet|remains?)\s+to\s+be\s+(?:answered|decided|settled|clarified)(?:\s+by\s+the\s+user)?"
    r"|\b(?:waits?|waiting)\s+for\s+(?:the\s+)?user['’]?s?\s+(?:answer|decision|choice|reply)|\b(?:is|remains)\s+(?:still\s+)?an?\s+open\s+question\b"
    r"|\b(?:nutzer\w*|benutzer\w*)\b.{0,20}\bnoch\s+nicht\s+(?:beantwortet|entschieden)|\bnoch\s+(?:unbeantwortet|unentschieden)"
    r"|\bsin\s+respuesta|\bpor\s+decidir|\breste\s+à\s+(?:décider|trancher)|\bsans\s+réponse|\bsem\s+resposta|尚未(?:回答|决定|确定)|待用户(?:决定|确认|回答)|未回答|未決定"
)
_DECIDED = re.compile(r"(?i)\W*(?:yes|no|an?|the|use|take|ja|nein|oui|non|sí|não|sim)\b")
_LATER = re.compile(
    r"(?i)\b(?:let\s+me\s+(?:think|ask|check|see)|later|tomorrow|not\s+sure|i['’]ll\s+(?:ask|decide|check)|später|überlege)\b"
)


def _explain_other_constant(claim: Claim, evidence: Evidence) -> str:
    """Name the newest value of a constant that a claim says to have been set to another."""
    if claim.is_question or claim.is_quoted or claim.is_negative or _CONSIDERED.search(claim.text):
        return ""
    if claim.section == "next":
        return ""
    for one in evidence.values:
        new, old = one.new.strip("\"'"), one.old.strip("\"'")
        if not new.isdigit() or new in re.findall(r"\d+", claim.line):
            continue
        if one.name in claim.text:
            numbers = [number for number in _NUMBERS.findall(claim.text.replace(one.name, " ")) if number != old]
            given = [number for number in numbers if not _is_given(one.name, number, evidence)]
            to = [found["value"] for found in _SET.finditer(claim.text)]
        else:
            given, to = [], _list_set(one.name, claim, evidence)
        if given or (to and to[-1] != old):
            return f"{one.name} is {new} now"
    return ""


# A value that was only thought of
_CONSIDERED = re.compile(r"(?i)\b(?:would|could\s+have|advice|würde\w*|hätte\w*|aurait|habría|teria)\b")


def _list_set(name: str, claim: Claim, evidence: Evidence) -> list[str]:
    """Return the values that a claim gives to a constant which it calls by the last word of its name alone."""
    word = name.rpartition("_")[2]
    if len(word) < MIN_WORD or not re.search(rf"(?i)\b{re.escape(word)}\b", claim.text):
        return []
    told = [found["value"] for found in _SET.finditer(claim.text)]
    beside = rf"(?i)\b{re.escape(word)}\w*\D{{0,20}}?(\d+)"
    known = re.findall(beside, f"{evidence.user}\n{evidence.agent}")
    return [one for one in told if one not in known]


def _is_given(name: str, number: str, evidence: Evidence) -> bool:
    """Whether an edit gave a constant this number, or the history has it beside the name."""
    return re.search(rf"{re.escape(name)}\W{{0,12}}{number}\b", evidence.story) is not None


_NUMBERS = re.compile(r"(?<![A-Za-z0-9_.:/])\d{1,9}(?![A-Za-z0-9_.:/]*[A-Za-z_/])")
MIN_WORD = 5  # letters of the last word of a constant's name by which a claim may call it
_SET = re.compile(r"(?i)(?:\bto|\bat|→|->|\bauf|\bà|\ba|\bpara|\bist|\bis|=)\s*(?P<value>\d+)\b")


RULES = (
    ClaimRule("check", _explain_error_count, (*REPORTING, "goal")),
    ClaimRule("check", _explain_test_counts, REPORTING),
    ClaimRule("approval", _explain_invented_quotation),
    ClaimRule("unfinished_work", _explain_answered),
    ClaimRule("unsupported", _explain_other_constant, REPORTING),
)
