"""Whether a summary says of tests, builds and linters what their last runs say.

Rule: only a plain claim counts, in the present and of the whole: a partial, past or wished one stands. The runs of the
tool that a sentence names count, or else those of its kind. Which runs there were is told in `evidence`.
"""

import re
from collections.abc import Sequence

from secateur.compaction.judge.claims import REPORTING, SENTENCE, Claim
from secateur.compaction.judge.clauses import is_ahead, is_earlier, is_present, is_share
from secateur.compaction.judge.evidence import CheckRun, ClaimRule, Evidence
from secateur.compaction.judge.lexicon import PASSES, PAST

_SUBJECTS = {
    "test": r"tests?\b|test suite|suite\b|r?specs?\b|minitest|ctest"
    r"|pytest|jest|vitest|mocha|go test|cargo test|checks?\b"
    r"|packages\b|pruebas"
    r"|testes|bài kiểm tra|kiểm thử|тест\w*|测试|測試|テスト|테스트",
    "build": r"tsc\b|type-?\s?checks?\w*|types?\b|build\w*|compil\w*|kompil\w*|сборк\w*|构建|编译|ビルド|빌드",
    "lint": r"lint\w*|eslint|ruff|mypy|pyright|clippy|flake8|biome",
}
_KINDS = {kind: re.compile(rf"(?i)(?<![A-Za-z])(?:{words})") for kind, words in _SUBJECTS.items()}
_PASSES = re.compile(
    r"(?i)\b(?:no\s+fail\w+\s+tests?|tests?:\s+ok\b|(?:exits?\s+(?:with\s+)?(?:code\s+)?0|pass(?:es|ed|ing)?"
    r"|succeed(?:s|ed)?|green|clean)\b|(?:no"
    r"|zero|0)\s+(?:\w+\s+)?(?:errors?"
    r"|failures?|failed|problems)\b|without\s+(?:any\s+)?errors?"
    r"|laufen\s+(?:alle\s+)?durch|bestanden|bestehen|grün|fehlerfrei|keine\s+fehler|pasan|pasaron|sin\s+errores"
    r"|verdes?\b|passam|passaram|sem\s+erros|passent|réussi\w*"
    r"|sans\s+erreur|đều\s+(?:đạt|qua)|thành\s+công|проход\w*|прошл\w*|успешн\w*|без\s+ошибок)|全部通过|通过|没有错误|成功"
    r"|パス|エラーなし|通過|통과|성공"
)
_FAILS = re.compile(
    r"(?i)\b(?:still\s+)?(?:fails?|failing|broken|(?:is|are)\s+(?:still\s+)?red)\b"
    r"|\b[1-9]\d*\s+(?:tests?\s+)?(?:failed|failures?"
    r"|errors?)\b|schl(?:ägt|agen)\s+(?:\w+\s+)?fehl|fehlgeschlagen|scheiter\w*"
    r"|\bfall(?:a|an|ando)\b|\bfalha(?:m|ndo)?\b|\béchou\w+|thất\s+bại|пада\w+|не\s+проход\w+|失败|失敗|실패"
)
_PARTIAL = re.compile(
    r"(?i)\b(?:fail\w*|but|except|still|apart|one\s+error|errors?\s+(?:left|remain)|left|remain\w*"
    r"|\d+\s+of\s+\d+|\d+/\d+|some|most|only|not|never|once|until|if|when|after|should|must|would"
    r"|before|will|make|ensure|then|first|earlier|previously|was|were|in\s+between|meanwhile|at\s+one\s+point|for\s+a\s+while|zwischendurch"
    r"|zwischenzeitlich|aber|noch|nicht|sobald|wenn|bis|soll\w*"
    r"|muss|pero|aún|cuando|si|mas|ainda|quando|mais|encore|chưa|khi|не|ещё|если|когда)\b"
    r"|[?？]|但|还|未|若|まだ|たら|最初|当初|一开始|起初|않|아직|\bverify\b|\bensure\b"
)
_PAST = re.compile(
    r"(?i)\b(?:pass\w*|fix\w*|was|were|had|before|first|earlier|initially|previously|originally|resolved|solved"
    r"|mended|now|because|since|no\s+longer|if|when|until|without|would|could|not|no"
    r"|0\s+fail\w*|in\s+between|meanwhile|at\s+one\s+point|zwischendurch|zwischenzeitlich|zuerst|zunächst|vorher|behoben|war|waren|nicht|wenn|antes|corregid\w*|primero|corrigid\w*"
    r"|corrigé\w*|avant|trước|đã\s+sửa|раньше|исправ\w*|не)\b|修复|已解决|之前|修正|解決|最初|当初|ていたが|一开始|起初|曾|수정"
)
_TEST_NAME = re.compile(r"\btest_\w+|\bTest[A-Z]\w+|::\w+|\w+\.(?:py|ts|tsx|js|go|rs|java|rb)\b")


def _explain_result(claim: Claim, evidence: Evidence) -> str:
    """Explain which last run of the checks that a claim names ended otherwise."""
    for kind, subject in _KINDS.items():
        is_test = kind == "test" and (_TOTAL.search(claim.text) or _FUNCTION.search(claim.text))
        is_named = is_test or subject.search(claim.text)
        if is_named and (why := _compare_runs(claim, _select_runs(claim.text, kind, evidence), evidence)):
            return why
    return _compare_named(claim, evidence)


def _compare_named(claim: Claim, evidence: Evidence) -> str:
    """Explain that a test which a claim names ended otherwise when it was run last."""
    said = re.split(r"[:：,;(（](?!:)\s", claim.text.replace("::", "\0"))[0].replace("\0", "::")
    is_mended = _MENDED.search(claim.text) is not None and not claim.is_planned
    if not is_mended and not _is_failing(said) and not _OPEN.search(said):
        return ""
    for name in _IDENTIFIER.findall(claim.text if is_mended else said):
        lines, later = _list_lines(name, evidence.checks), _list_later_runs(name, evidence.checks)
        if is_mended:
            if lines and not later and _FAILED_LINE.search(lines[-1]):
                return f"{name} failed in its last run"
        elif _STILL.search(claim.text) or not any(map(_FAILED_LINE.search, lines)):
            is_last_passed = bool(lines and _PASSED_LINE.search(lines[-1]) and not _FAILED_LINE.search(lines[-1]))
            if is_last_passed or (later and (later[-1].ok or _FAILED_LINE.search(later[-1].output))):
                return f"{name} is not among the failures of its last run"
    return ""


def _list_later_runs(name: str, runs: Sequence[CheckRun]) -> list[CheckRun]:
    """Return the runs of the same command behind the last one that names something."""
    at = max((number for number, run in enumerate(runs) if name in run.output), default=-1)
    return [run for run in runs[at + 1 :] if at >= 0 and run.text == runs[at].text]


def _list_lines(name: str, runs: Sequence[CheckRun]) -> list[str]:
    return [line for run in runs if name in run.output for line in run.output.split("\n") if name in line]


_MENDED = re.compile(
    r"(?i)\b(?:was|is|has\s+been|agent|we|I)\s+(?:has\s+|have\s+|now\s+|then\s+)?(?:fixed|resolved|mended|repaired"
    r"|corrected)\b|^\W*fixed\b|\bbehoben\b|\bcorrigé\w*|已修复|已解决|修正済み"
)
_OPEN = re.compile(r"(?i)\b(?:is|are)\s+still\s+open\b|\bnoch\s+offen\b|仍未|未修复|未解決")
_STILL = re.compile(
    r"(?i)\b(?:still|weiterhin|noch|immer\s+noch|toujours|encore|todavía|aún|ainda|vẫn|всё\s+ещё)\b|仍|还|まだ|아직|여전히"
)
_IDENTIFIER = re.compile(r"[A-Za-z]\w*(?:(?:::|_|\.)\w+)+|\bTest[A-Z]\w+|\b[A-Z]{2}\d{3,}\b")
_PASSED_LINE = re.compile(r"(?i)\bok\b|\bpass(?:ed)?\b|✓|✔")
_FAILED_LINE = re.compile(r"(?i)\bfail\w*|\berror\b|✗|✘|not ok")


def _compare_runs(claim: Claim, runs: Sequence[CheckRun], evidence: Evidence) -> str:
    last = runs[-1] if runs else None
    has_failures = _FAILS.search(_NO_FAILURE.sub(" ", claim.line)) is not None
    if _is_passing(claim.text) and (not has_failures or _EVERY.search(claim.text)):
        is_counted = bool(last) and has_counted(claim.text, runs[-1])
        if (
            last
            and last.ok is False
            and not (is_counted or (_COUNTED.search(claim.text) and any(run.ok for run in runs)))
        ):
            return f"the last run of {last.text[:60]} failed"
        if why := _explain_missing(claim, evidence) if not runs else "":
            return why
    same = [run for run in evidence.checks if run.ok is not None and last and run.kind == last.kind]
    named = next((name for name in _FUNCTION.findall(claim.text) if same and _has_failed_last(name, same)), "")
    is_mended = (_PASSES.search(claim.text) or _FIXED.search(claim.text)) and not _PARTIAL.search(
        claim.text.replace("was", "")
    )
    if named and is_mended:
        return f"{named} failed in its last run"
    if runs and _NEVER_RUN.search(claim.text):
        return "there were runs"
    if (
        last
        and _is_failing(claim.text)
        and (_has_passed_last(runs) if _is_lasting(claim.text) else all(run.ok for run in runs))
    ):
        return f"the last run of {last.text[:60]} passed"
    return ""


def has_counted(text: str, run: CheckRun) -> bool:
    """Whether a run that failed counts as passed what a claim counts so: `114 tests passed` beside one that failed."""
    counts = [one["before"] or one["behind"] for one in _COUNT.finditer(text)]
    return bool(counts) and all(re.search(rf"(?<![\d.]){one}\s+(?:passed|passing|ok)\b", run.output) for one in counts)


_COUNT = re.compile(
    rf"(?i)\b(?P<before>\d+)\s+(?:of\s+(?:them|the\s+\w+)\s+|\w+\s+){{0,4}}?(?:{PASSES.pattern.removeprefix('(?i)')})"
    r"|\bpass(?:ed|es|ing)?:?\s+(?:all\s+)?(?:of\s+)?(?:(?:the|its|their|our)\s+)?(?P<behind>\d+)\b"
)


def _has_failed_last(name: str, runs: Sequence[CheckRun]) -> bool:
    """Whether the last run says that a test failed."""
    last = runs[-1]
    return last.ok is False and any(name in line and re.search(r"\bFAIL", line) for line in last.output.splitlines())


def _explain_missing(claim: Claim, evidence: Evidence) -> str:
    """Say that no check, or no test, was run."""
    if not evidence.checks and not _CHECKING.search(evidence.calls + evidence.kept + evidence.user):
        return "no check was run"
    is_run = any(_CHECKING.search(run.text) for run in evidence.runs)
    return "no test was run" if _TESTS.search(claim.text) and not is_run and not _has_told_passing(evidence) else ""


def _has_told_passing(evidence: Evidence) -> bool:
    """Whether the user, the agent or an earlier summary says that tests passed."""
    texts = (evidence.user, evidence.agent, evidence.kept)
    return any(_TESTS.search(one) and _PASSES.search(one) for text in texts for one in SENTENCE.split(text))


_TESTS = re.compile(r"(?i)\b(?:tests|test\s+suite|suite|pruebas|testes|essais|тесты)\b|测试|テスト|테스트")
_NEVER_RUN = re.compile(
    r"(?i)\btests?\s+(?:were|have\s+been)\s+never\s+run\b|\bnie\s+(?:getestet|ausgeführt)|从未运行|一度も実行"
)
_COUNTED = re.compile(r"(?i)\b(?:all|both)\s+(?:of\s+)?(?:the\s+)?(?:\d+|two|three|four|five|six|new)\b")
_FUNCTION = re.compile(r"\b(?:test_\w{3,}|Test[A-Z]\w{2,})\b(?!\.\w)")
_FIXED = re.compile(
    r"(?i)\b(?:fixed|resolved|solved|repaired|mended|behoben|corregid[oa]|corrigid[oa]|corrigée?|исправлен\w*)\b"
)
_TOTAL = re.compile(r"(?i)\b\d+\s+passed,?\s+(?:and\s+)?(?:0|no|none)\s+fail")


def _select_runs(sentence: str, kind: str, evidence: Evidence) -> list[CheckRun]:
    """Return the runs of that kind that say how they ended; of the names or the tool in the claim, if any."""
    runs = [run for run in evidence.checks if run.kind == kind and run.ok is not None]
    named = _CODE_NAME.findall(sentence) if _PASSES.search(sentence) else ()
    names = [name for name in named if not TOOL.search(name)]
    if about := [run for run in runs if any(name in run.text or name in run.output for name in names)]:
        return about
    words = {word.casefold() for word in TOOL.findall(sentence)}
    same = [run for run in evidence.checks if words & set(TOOL.findall(run.text.casefold()))]
    return [run for run in same if run.kind == kind and run.ok is not None] if same else runs


_CODE_NAME = re.compile(r"\b[A-Z][a-z]+[A-Z]\w+\b")
_EVERY = re.compile(r"(?i)\b(?:all|every|alle|todos|todas|tous|toutes|tất\s+cả|все)\b|全部|すべて|모든")
_NO_FAILURE = re.compile(
    r"(?i)\b(?:0|no|zero|without(?:\s+any)?)\s+(?:\w+\s+)?(?:fail\w*|errors?)\b(?:\s+tests?(?:\s+(?:remain\w*|left))?)?"
)
TOOL = re.compile(
    r"(?i)\b(?:pytest|jest|vitest|mocha|go test|cargo test|tsc|mypy|pyright|ruff|eslint|clippy|vite build|webpack"
    r"|cargo build|go build|go vet|flake8|biome|rspec|phpunit|ctest)\b"
)
_CHECKING = re.compile(r"(?i)test|spec|check|verif|build|tsc|lint|make|\bci\b|valid|compile|cargo|gradle|mvn|run")


def _is_passing(sentence: str) -> bool:
    plain = _NO_FAILURE.sub(" ", _ALL_OF.sub(" all ", sentence))
    is_whole = _EVERY.search(sentence) or TOOL.search(sentence) or not _TEST_NAME.search(sentence)
    is_open = _PARTIAL.search(plain) or is_ahead(sentence) or is_share(sentence)
    return bool(_PASSES.search(sentence)) and not is_open and bool(is_whole)


_ALL_OF = re.compile(r"\b(\d+)\s*(?:of|/|von|de|sur)\s*\1\b")


def _is_failing(sentence: str) -> bool:
    return bool(_FAILS.search(sentence)) and not (
        _PAST.search(sentence) or _PASSES.search(sentence) or is_ahead(sentence) or is_earlier(sentence)
    )


def _is_lasting(sentence: str) -> bool:
    """Whether a sentence tells of now: what only reported, failed or gave errors may have been mended since."""
    return is_present(sentence) or PAST.search(sentence) is None


def _has_passed_last(runs: Sequence[CheckRun]) -> bool:
    """Whether the last run of each command passed."""
    return all(run.ok for run in {run.text: run for run in runs}.values())


_COMPLETE = re.compile(
    r"(?i)\b(?:everything|all\s+(?:the\s+)?(?:work|tasks?|requests?|items?|steps)|the\s+(?:whole\s+)?(?:task"
    r"|work|job|request))\s+(?:is|are|was|were|has\s+been"
    r"|have\s+been)\s+(?:now\s+)?(?:fully\s+)?(?:done|finished|complete[d]?|implemented|resolved)\b"
    r"|\bnothing\s+(?:is\s+)?(?:left|remains|open|pending)"
    r"|\bno\s+(?:open|remaining|outstanding)\s+(?:tasks?|work|items?|issues?|todos?)"
    r"|\balles\s+(?:ist\s+)?(?:erledigt|fertig)|\bnichts\s+(?:mehr\s+)?offen"
    r"|\btodo\s+está\s+(?:hecho|listo|terminado)|\btout\s+est\s+(?:fait|terminé)|всё\s+(?:готово|сделано)|全部完成"
    r"|すべて完了|모두\s*완료"
)
INTENT = re.compile(
    r"(?i)\b(?:next,?\s+(?:i|we)|i\s+will|i[’']ll|i\s+(?:still\s+)?(?:have|need)\s+to|still\s+(?:fails?|to\s+do"
    r"|open)|is\s+next\b|remains?\s+to|als\s+nächstes|ich\s+werde|mache\s+ich|noch\s+offen|il\s+reste\s+à"
    r"|a\s+continuación|voy\s+a|falta\s+\w+r\b|próximo\s+passo|vou|ensuite|je\s+vais|tiếp\s+theo|дальше\s+я"
    r"|осталось)\b|接下来"
    r"|下一步|次に|다음"
)


def _explain_open_work(claim: Claim, evidence: Evidence) -> str:
    """Explain why work is left: the last check failed, or the agent's last words say what comes next."""
    last = evidence.checks[-1] if evidence.checks else None
    is_open = (last is not None and last.ok is False) or INTENT.search(evidence.last_words) is not None
    is_whole = _COMPLETE.search(claim.text) and not _EXCEPT.search(claim.text)
    return "work is left" if is_open and is_whole else ""


_EXCEPT = re.compile(r"(?i)\b(?:except|but|until|once|when|if|before)\b")


RULES = (
    ClaimRule("check", _explain_result, REPORTING, strength="certain"),
    ClaimRule("unfinished_work", _explain_open_work, REPORTING, strength="certain"),
)
