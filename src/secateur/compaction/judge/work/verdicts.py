"""Whether a summary says of one job or one command what its last output says, and counts what runs counted.

Rule: the last verdict counts. A row of a report (`job 2/4 passed`) tells about the job that it names, and a command
that succeeded no longer fails. Claims that are former stand.
"""

import re
from functools import lru_cache

from secateur.compaction.judge.claims import CLAUSE, REPORTING, Claim, extract_words, quote
from secateur.compaction.judge.clauses import read_outcome
from secateur.compaction.judge.evidence import ClaimRule, CommandRun, Evidence
from secateur.compaction.judge.lexicon import FAILS, PASSES
from secateur.compaction.judge.work.checks import TOOL

FEWEST_NAMED = 2  # words of a command that a claim has to share

_STILL = re.compile(
    r"(?i)\b(?:still|again|weiterhin|noch|immer\s+noch|erneut|wieder|toujours|encore|de\s+nouveau|todavía|aún"
    r"|sigue|siguen|otra\s+vez|ainda|continua|de\s+novo|vẫn|lại|всё\s+ещё|снова|опять)\b|仍|还|又|再次|まだ|再び|また|아직|여전히"
    r"|다시"
    r"|\bnot\s+(?:yet\s+)?(?:been\s+)?(?:fixed|resolved|dealt|addressed|solved|repaired|corrected)"
    r"|noch\s+nicht\s+(?:behoben|gelöst)|pas\s+encore\s+(?:corrig|résol)|未修复|未解决|未修正"
)


def _explain_row(claim: Claim, evidence: Evidence) -> str:
    """Quote the last row of a report about what a claim names, where it ended otherwise."""
    for clause in CLAUSE.split(claim.text):
        said = read_outcome(clause)
        for found in _JOB.finditer(clause) if said is not None else ():
            rows = _list_rows(" ".join(found.group().split()), evidence.outputs)
            known = [verdict for row in rows if (verdict := read_outcome(row)) is not None]
            if known and said not in known:
                return quote("a tool", rows[-1])
    return ""


@lru_cache(maxsize=64)
def _list_rows(name: str, outputs: tuple[str, ...]) -> tuple[str, ...]:
    """Return the lines of outputs that begin with a name."""
    beginning = re.compile(rf"(?m)^\W*{re.escape(name).replace(chr(92) + ' ', '[ ]+')}(?![\w/]).*$")
    return tuple(one.group().strip() for text in outputs for one in beginning.finditer(text))


_JOB = re.compile(
    r"(?<![\w/.-])[A-Za-z]\w+[ ]+#\d+|(?<![\w/.-])[A-Za-z]\w+(?=\s+job\b)"
    r"|(?<![\w/.-])[A-Za-z][\w-]*[ ]+\d+/\d+(?![\w/])|(?<![\w/.-])[A-Za-z]+(?:[-_]\w+)+(?![\w/.-]|\()"
)


def _explain_still_failing(claim: Claim, evidence: Evidence) -> str:
    """Name a command that is said to fail still and that succeeded when it was last run."""
    if not _STILL.search(claim.text) or claim.is_wished or not FAILS.search(claim.text) or PASSES.search(claim.text):
        return ""
    about = [run for run in evidence.runs if _is_named(run, claim)]
    tools = {word.casefold() for run in about for word in TOOL.findall(run.text)}
    same = [run for run in evidence.runs if run in about or tools & {one.casefold() for one in TOOL.findall(run.text)}]
    if about and same[-1].ok and all(run.ok or _is_whole(same[-1], run) for run in about):
        return f"the last run of {same[-1].text[:60]} passed"
    return ""


def _is_whole(later: CommandRun, run: CommandRun) -> bool:
    """Whether a run is of at least as much as an earlier one: it names no part that the earlier one does not."""
    return all(word in run.text for word in later.text.split() if _NARROWS.search(word))


_NARROWS = re.compile(r"/\w|::|^-(?:k|run|t)$|\.\w{1,4}$")


def _is_named(run: CommandRun, claim: Claim) -> bool:
    """Whether a claim names a command, or a test that its output names."""
    words = extract_words(_JOINED.sub(" ", run.text))
    if len(words & (claim.words | extract_words(_JOINED.sub(" ", claim.text)))) >= FEWEST_NAMED:
        return True
    is_linter = _LINT.search(claim.text) and _LINT.search(run.text)
    return bool(is_linter) or any(name in run.output for name in _TEST.findall(claim.text))


_JOINED = re.compile(r"[-_/=]")
_TEST = re.compile(r"\b[A-Za-z]+(?:_[a-z0-9]+)+\b(?!\.\w)|\bTest[A-Z]\w+")
_LINT = re.compile(r"(?i)\b(?:es)?lint(?:er|ing)?\b|\b(?:ruff|flake8|clippy|golangci-lint|rubocop)\b")


def _explain_tally(claim: Claim, evidence: Evidence) -> str:
    """Quote how many passed or failed, where no run says the number of a claim."""
    if claim.is_wished:
        return ""
    told = list(_TALLY.finditer(claim.text))
    for found in told:
        is_good = PASSES.search(found["how"]) is not None
        known = _read_tallies(tuple(run.output for run in evidence.checks), is_good)
        agent = _read_tallies((evidence.agent, evidence.user, evidence.kept), is_good)
        number = int(found["number"])
        if known and number not in known | agent:
            return f"no run had {number} that {'passed' if is_good else 'failed'}"
    return ""


@lru_cache(maxsize=8)
def _read_tallies(outputs: tuple[str, ...], is_good: bool) -> frozenset[int]:
    """Return the numbers beside words of success or of failure, and what is left of a total."""
    found: set[int] = set()
    for output in outputs:
        for line in output.split("\n"):
            here = [(int(one["number"]), PASSES.search(one["how"]) is not None) for one in _TALLY.finditer(line)]
            totals = [int(one or other) for one, other in _TOTALS.findall(line)]
            found |= {number for number, good in here if good == is_good}
            for number, good in here:
                found |= {total - number for total in (*totals, sum(n for n, _ in here)) if good != is_good} | set(
                    totals if is_good else ()
                )
            found |= (
                {int(one) for one in re.findall(r"(?i)^\W*(?:Tests?\s+)?(\d+)\s+(?:passed|failed)", line)}
                if is_good is (PASSES.search(line) is not None)
                else set()
            )
            if is_good and len(here) > 1:
                found.add(sum(number for number, _ in here))
    return frozenset(found)


_TOTALS = re.compile(
    r"(?i)(?:(?:out\s+of|of|von|de|sur|/|\(|\b(?:tests?|total)(?:\s+run)?:)\s*(\d{1,9})\b)|\b(\d{1,9})\s+(?:tests?|examples?|specs?|total)\b"
)
_TALLY = re.compile(
    r"(?i)(?<![\w.,/#:-])(?<!of )(?<!von )(?<!de )(?<!sur )(?P<number>\d{1,5})(?!\s*[%.]\d?\d?\s*%)\s*(?:件|个|個"
    r"|개)?\s*(?:(?:of|von|de|sur)\s+(?:the\s+|los\s+|las\s+|les\s+)?\d+\s+)?(?:(?:tests?|testcases?|cases"
    r"|examples?|checks?|pruebas|casos|testes|essais|тест\w*|テストが?|测试)\s+)?(?:(?:are|have|haben|sind|is|ont)\s+)?"
    r"(?P<how>pass(?:es|ed|ing)?\b|fail(?:s|ed|ing|ures?)?\b|bestanden\b|bestehen\b|schlagen\s+fehl"
    r"|fehlgeschlagen\b|pasan?\b|pasaron\b|fallan?\b|fallaron\b|passam\b|falham\b|passent\b|échouent\b|успешн\w+"
    r"|упал\w*|成功|通过|失敗|失败|통과|실패)"
)


RULES = (
    ClaimRule("check", _explain_tally, REPORTING),
    ClaimRule("check", _explain_row, REPORTING),
    ClaimRule("check", _explain_still_failing, REPORTING),
)
