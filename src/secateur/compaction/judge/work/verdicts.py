"""Whether a summary says of one job, one command or one repeated run what its last output and the agent say.

Rule: the last verdict counts. A row of a report (`job 2/4 passed`) tells about the job that it names, a command that
succeeded no longer aborts, and what the agent last said to pass or to fail did so. Claims that are former stand.
"""

import re
from functools import lru_cache

from secateur.compaction.judge.claims import CLAUSE, REPORTING, SENTENCE, Claim, extract_words, quote
from secateur.compaction.judge.clauses import is_ahead, is_earlier
from secateur.compaction.judge.evidence import ClaimRule, CommandRun, Evidence
from secateur.compaction.judge.work.checks import TOOL

FEWEST_NAMED = 2  # words of a command that a claim has to share

_BAD = re.compile(
    r"(?i)\b(?:fails?|failed|failing|aborts?|aborted|crash(?:es|ed)?|breaks?|broken|rejects?|complains?"
    r"|errors?\s+out|red|times?\s+out|timed\s+out|warns?"
    r"|schl(?:ägt|agen|ug)\b.*?\bfehl|fehlgeschlagen|scheiter\w*|bricht\b.*?\bab|abgebrochen|échou\w+|plante\w*"
    r"|fall(?:a|an|ó|aron|ando|os?)|falh(?:a|am|ou|aram|ando)"
    r"|пада\w+|упал\w*|не\s+про(?:ходит|шёл|шел|шли)|thất\s+bại)\b|失败|失敗|落ち|실패"
)
_GOOD = re.compile(
    r"(?i)\b(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|success\w*|green|ok|works?|clean|went\s+through|durchgelaufen"
    r"|laufen\s+durch|läuft\s+durch|bestanden|grün|erfolgreich|réussi\w*|passent?|pas[óoae]n?"
    r"|passou|passaram|проход\w+|прош(?:ёл|ел|ла|ли)|успешн\w*|thành\s+công)\b|通过|通過|成功|パス|통과|성공"
)
_NOT = re.compile(
    r"(?i)\b(?:not|never|no|n['’]t|nicht|kein\w*|pas|no|não|не|chưa|without|ohne|sans|sin|sem|без)\b|没|未|ません|ない|않"
    r"|whether|if\b|until|once|should|must|will"
)
_STILL = re.compile(
    r"(?i)\b(?:still|again|weiterhin|noch|immer\s+noch|erneut|wieder|toujours|encore|de\s+nouveau|todavía|aún"
    r"|sigue|siguen|otra\s+vez|ainda|continua|de\s+novo|vẫn|lại|всё\s+ещё|снова|опять)\b|仍|还|又|再次|まだ|再び|また|아직|여전히"
    r"|다시"
    r"|\bnot\s+(?:yet\s+)?(?:been\s+)?(?:fixed|resolved|dealt|addressed|solved|repaired|corrected)"
    r"|noch\s+nicht\s+(?:behoben|gelöst)|pas\s+encore\s+(?:corrig|résol)|未修复|未解决|未修正"
)
_AGAIN = re.compile(
    r"(?i)\b(?:re-?runs?|re-?ran|re-?tr(?:y|ied|ies)|repeated|run\s+again|ran\s+again|second\s+(?:run|attempt|try)"
    r"|wiederhol\w+|erneut\w*|noch\s*mal|zweite[rn]?\s+(?:lauf|versuch)"
    r"|relanc\w+|refait\w*|deuxième\s+essai|repeti\w+|reintent\w+|de\s+nuevo|repet\w+|novamente|повтор\w+"
    r"|перезапус\w+|chạy\s+lại)\b|重新(?:运行|跑)|重跑|再実行|やり直|재실행|다시\s*실행"
)


def _explain_row(claim: Claim, evidence: Evidence) -> str:
    """Quote the last row of a report about what a claim names, where it ended otherwise."""
    for clause in CLAUSE.split(claim.text):
        said = _tell(clause)
        for found in _JOB.finditer(clause) if said is not None else ():
            rows = _list_rows(" ".join(found.group().split()), evidence.outputs)
            known = [verdict for row in rows if (verdict := _tell(row)) is not None]
            if known and said not in known:
                return quote("a tool", rows[-1])
    return ""


def _tell(text: str) -> bool | None:
    """Whether a text tells of success alone (True), of failure alone (False), or of neither."""
    good, bad = _GOOD.search(text) is not None, _BAD.search(text) is not None
    return None if good == bad or _NOT.search(text) else good


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
    if not _STILL.search(claim.text) or claim.is_wished or not _BAD.search(claim.text) or _GOOD.search(claim.text):
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


def _explain_repeated(claim: Claim, evidence: Evidence) -> str:
    """Quote the agent's last words on a repeated run that ended otherwise than a claim says."""
    for sentence in SENTENCE.split(claim.text) if _AGAIN.search(claim.text) else ():
        told = _tell(sentence)
        for theirs in SENTENCE.split(evidence.last_words) if told is not None else ():
            known = _tell(theirs) if _AGAIN.search(theirs) else None
            if known is not None and known != told:
                return quote("the agent", theirs)
    return ""


def _explain_command(claim: Claim, evidence: Evidence) -> str:
    """Name the last run of a command that ended otherwise than a claim says, or say that there was none."""
    if claim.is_reported:
        return ""
    for clause in CLAUSE.split(claim.text):
        told = _tell(clause) if clause and not _is_not_now(clause) else None
        for name in map(_get_name, _COMMAND.finditer(clause)) if told is not None else ():
            runs = [run for run in evidence.runs if name in run.text.casefold()]
            is_open = told is False and (_ENDED.search(clause) or not _NOW_BAD.search(clause))
            if (
                runs
                and runs[-1].ok != told
                and not is_open
                and not (told and _ENDED.search(clause) and any(one.ok for one in runs))
            ):
                return f"the last run of {runs[-1].text[:60]} {'passed' if runs[-1].ok else 'failed'}"
            if not runs and told and " " in name and not any(name in text.casefold() for text in evidence.texts):
                return f"no call ran {name}"
    return ""


_NOW_BAD = re.compile(
    r"(?i)\b(?:fails|failing|aborts|breaks|crashes|complains|rejects|reports|still|red|schlägt|schlagen|bricht"
    r"|scheitert|échoue\w*|falla|fallan|fallando|falha|falham|падает|не\s+проходит)\b|失敗して(?:いる|います)|失败|실패하"
)


def _get_name(found: re.Match[str]) -> str:
    return " ".join(found.group().casefold().strip("`").split())


_COMMAND = re.compile(
    r"(?i)(?<![\w./-])(?:go\s+(?:build|fmt|generate|get|install|mod|run|test|tool|vet|work)\b"
    r"|(?:cargo|npm|pnpm|yarn|mkdocs|terraform|make|docker|helm|kubectl|mvn|gradle|dotnet"
    r"|swift|bundle|rails|composer|bazel|cmake|mix|poetry|uv)\s+[a-z]\w+"
    r"|eslint|tsc|mypy|pyright|ruff|clippy|flake8|pylint|golangci-lint|rubocop|shellcheck|prettier"
    r"|stylelint)(?![\w./-])"
)
_ENDED = re.compile(
    r"(?i)\b(?:failed|passed|succeeded|aborted|broke|crashed|war|waren|schlug\w*|fehlgeschlagen|abgebrochen"
    r"|scheiterte|bestanden|échoué|réussi|falló|fallaron|pasó|falhou|passou|упал\w*|прош\w+)\b|した|了"
)


_WAS_FAILING = re.compile(r"(?i)\b(?:was|were|had\s+been)\s+(?:failing|broken|red)\b")


def _is_not_now(clause: str) -> bool:
    return (
        _BEFORE.search(clause) is not None
        or is_earlier(clause)
        or is_ahead(clause)
        or _WAS_FAILING.search(clause) is not None
    )


_BEFORE = re.compile(
    r"(?i)\b(?:before|first|initially|earlier|previously|once|until|when|at\s+the\s+start|vorher|zuerst|anfangs"
    r"|zunächst|erst|davor|bevor|avant|d['’]abord|antes|al\s+principio|primer[ao]|раньше|сначала|lúc\s+đầu)\b|最初"
    r"|当初|一度|之前|起初|처음"
)


def _explain_tally(claim: Claim, evidence: Evidence) -> str:
    """Quote how many passed or failed, where no run says the number of a claim."""
    if claim.is_wished:
        return ""
    told = list(_TALLY.finditer(claim.text))
    for found in told:
        is_good = _GOOD.search(found["how"]) is not None
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
            here = [(int(one["number"]), _GOOD.search(one["how"]) is not None) for one in _TALLY.finditer(line)]
            totals = [int(one or other) for one, other in _TOTALS.findall(line)]
            found |= {number for number, good in here if good == is_good}
            for number, good in here:
                found |= {total - number for total in (*totals, sum(n for n, _ in here)) if good != is_good} | set(
                    totals if is_good else ()
                )
            found |= (
                {int(one) for one in re.findall(r"(?i)^\W*(?:Tests?\s+)?(\d+)\s+(?:passed|failed)", line)}
                if is_good is (_GOOD.search(line) is not None)
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
    ClaimRule("check", _explain_command, REPORTING),
    ClaimRule("check", _explain_tally, REPORTING),
    ClaimRule("check", _explain_row, REPORTING),
    ClaimRule("check", _explain_still_failing, REPORTING),
    ClaimRule("check", _explain_repeated, REPORTING),
)
