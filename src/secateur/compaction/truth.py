"""Whether a summary is true by the history: how checks ended, which files were changed, what was run, who gave orders.

Rule: each rule needs evidence against a claim, because a rejected true summary costs as much as a false one that
stands. What nothing is known about stands. The first contradiction that is found is the reason.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from secateur.compaction.consent import SENTENCE, find_false_approval, find_inversion
from secateur.compaction.evidence import CheckRun, Contradiction, Evidence, TruthReason, collect_evidence
from secateur.compaction.ledger.retractions import extract_topic, is_negative
from secateur.compaction.noise import find_gibberish, find_repetition
from secateur.compaction.summary import Sections

__all__ = ["Contradiction", "Evidence", "TruthReason", "collect_evidence", "find_contradiction"]

LEAST_ORDERED = 0.5  # of the words of a line, in an order that a tool's output gives
REPORTING = ("accomplished", "discoveries", "files", "questions", "decisions", "resolved", "next")


def find_contradiction(sections: Sections, evidence: Evidence) -> Contradiction | None:
    """Find the first thing that the history contradicts."""
    lines = [line for some in sections.values() for line in some]
    known = "\n".join((evidence.user, evidence.agent, evidence.calls, evidence.kept, *evidence.outputs)).casefold()
    if found := find_repetition(lines) or find_gibberish(lines, known):
        return found
    if not evidence.replies and not evidence.calls:
        return None
    rules: tuple[Callable[[Sections, Evidence], Contradiction | None], ...] = (
        _find_false_check,
        _find_unchanged_file,
        _find_unrun_command,
        _find_unrun_act,
        _find_injected_order,
        find_false_approval,
        find_inversion,
    )
    return next(filter(None, (rule(sections, evidence) for rule in rules)), None)


_SUBJECTS = {
    "test": r"tests?\b|test suite|suite\b|specs?\b|pytest|jest|vitest|mocha|go test|cargo test|checks?\b"
    r"|packages\b|pruebas"
    r"|testes|bài kiểm tra|kiểm thử|тест\w*|测试|測試|テスト|테스트",
    "build": r"tsc\b|type-?\s?checks?\w*|types?\b|build\w*|compil\w*|kompil\w*|сборк\w*|构建|编译|ビルド|빌드",
    "lint": r"lint\w*|eslint|ruff|mypy|pyright|clippy|flake8|biome",
}
_KINDS = {kind: re.compile(rf"(?i)(?<![A-Za-z])(?:{words})") for kind, words in _SUBJECTS.items()}
_PASSES = re.compile(
    r"(?i)\b(?:(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|green|clean)\b|(?:no|zero|0)\s+(?:\w+\s+)?(?:errors?"
    r"|failures?|failed|problems)\b|without\s+(?:any\s+)?errors?"
    r"|laufen\s+(?:alle\s+)?durch|bestanden|bestehen|grün|fehlerfrei|keine\s+fehler|pasan|pasaron|sin\s+errores"
    r"|verdes?\b|passam|passaram|sem\s+erros|passent|réussi\w*"
    r"|sans\s+erreur|đều\s+(?:đạt|qua)|thành\s+công|проход\w*|прошл\w*|успешн\w*|без\s+ошибок)|全部通过|通过|没有错误|成功"
    r"|パス|エラーなし|通過|통과|성공"
)
_FAILS = re.compile(
    r"(?i)\b(?:still\s+)?(?:fails?|failing|broken|red)\b|\b[1-9]\d*\s+(?:tests?\s+)?(?:failed|failures?"
    r"|errors?)\b|schl(?:ägt|agen)\s+(?:\w+\s+)?fehl|fehlgeschlagen|scheiter\w*"
    r"|\bfall(?:a|an|ando)\b|\bfalha(?:m|ndo)?\b|\béchou\w+|thất\s+bại|пада\w+|не\s+проход\w+|失败|失敗|실패"
)
_PARTIAL = re.compile(
    r"(?i)\b(?:fail\w*|but|except|still|apart|one\s+error|errors?\s+(?:left|remain)|left|remain\w*"
    r"|\d+\s+of\s+\d+|\d+/\d+|some|most|only|not|never|once|until|if|when|after|should|must|would"
    r"|before|will|make|ensure|then|first|earlier|previously|was|were|aber|noch|nicht|sobald|wenn|bis|soll\w*"
    r"|muss|pero|aún|cuando|si|mas|ainda|quando|mais|encore|chưa|khi|не|ещё|если|когда)\b"
    r"|[?？]|但|还|未|若|まだ|たら|않|아직"
)
_PAST = re.compile(
    r"(?i)\b(?:pass\w*|fix\w*|was|were|had|before|first|earlier|initially|previously|originally|resolved|solved"
    r"|mended|now|because|since|no\s+longer|if|when|until|without|would|could|not|no"
    r"|0\s+fail\w*|zuerst|zunächst|vorher|behoben|war|waren|nicht|wenn|antes|corregid\w*|primero|corrigid\w*"
    r"|corrigé\w*|avant|trước|đã\s+sửa|раньше|исправ\w*|не)\b|修复|已解决|之前|修正|解決|수정"
)
_TEST_NAME = re.compile(r"\btest_\w+|\bTest[A-Z]\w+|::\w+|\w+\.(?:py|ts|tsx|js|go|rs|java|rb)\b")


def _list_sentences(sections: Sections, ids: Iterable[str] = REPORTING) -> Iterator[str]:
    for id in ids:
        for line in sections.get(id, ()):
            yield from (one.strip(" -*•\t") for one in SENTENCE.split(line) if one.strip(" -*•\t"))


def _find_false_check(sections: Sections, evidence: Evidence) -> Contradiction | None:
    """Find a check that is said to pass where its last run failed, or the reverse."""
    for sentence in _list_sentences(sections):
        for kind, subject in _KINDS.items():
            runs = [run for run in evidence.checks if run.kind == kind and run.ok is not None]
            if not runs or not subject.search(sentence):
                continue
            last = runs[-1]
            if _is_passing(sentence) and last.ok is False:
                return Contradiction("check", f"the last run of {last.text[:60]} failed: {sentence[:100]}")
            if _is_failing(sentence) and _has_passed_last(runs):
                return Contradiction("check", f"the last run of {last.text[:60]} passed: {sentence[:100]}")
    return None


def _is_passing(sentence: str) -> bool:
    every = re.search(r"(?i)\b(?:all|every|alle|todos|todas|tous|toutes|tất\s+cả|все)\b|全部|すべて|모든", sentence)
    return (
        bool(_PASSES.search(sentence))
        and not _PARTIAL.search(sentence)
        and bool(every or not _TEST_NAME.search(sentence))
    )


def _is_failing(sentence: str) -> bool:
    return bool(_FAILS.search(sentence)) and not _PAST.search(sentence)


def _has_passed_last(runs: Sequence[CheckRun]) -> bool:
    """Whether the last run of each command passed."""
    return all(run.ok for run in {run.text: run for run in runs}.values())


_PATH = re.compile(r"(?<![\w/.-])(?:[\w.@-]+/)*[\w@-][\w.@-]*\.[A-Za-z]{1,5}\b")
_CHANGED = re.compile(
    r"(?i)\b(?:edited|changed|modified|updated|created|deleted|removed|rewritten|rewrote|added|refactored"
    r"|renamed|wrote|written|patched|fixed\s+in"
    r"|geändert|bearbeitet|erstellt|gelöscht|entfernt|angepasst|modificad[oa]|cread[oa]|eliminad[oa]|editad[oa]"
    r"|criad[oa]|alterad[oa]|removid[oa]|modifié\w*|créé\w*|supprimé\w*"
    r"|изменен\w*|изменён\w*|создан\w*|удален\w*|удалён\w*)\b|\bđã\s+(?:sửa|tạo|xóa)|已修改|修改了|已创建|创建了|已删除|删除了"
    r"|変更した|作成した|削除した|수정함|수정했|생성했|삭제했"
)
_UNDONE = re.compile(
    r"(?i)\b(?:not|never|no|n['’]t|to\s+be|should|must|will|needs?|would|might|may|if|whether|without|yet"
    r"|pending|todo|before|once|when|by\s+the\s+user|user|upstream|last\s+week|previously|already"
    r"|nicht|noch|soll\w*|muss|werden|wird|sin|aún|debe|não|ainda|deve|pas|encore|doit|chưa|cần|не|ещё|нужно)\b"
    r"|[?？]|未|没|需要|まだ|ない|않|아직"
)


def _find_unchanged_file(sections: Sections, evidence: Evidence) -> Contradiction | None:
    """Find a file of the history that is said to be changed and that no call could have changed."""
    if evidence.rewrites:
        return None
    known = "\n".join((evidence.calls, *evidence.outputs))
    theirs = "\n".join(one for one in SENTENCE.split(evidence.user) if _CHANGED.search(one))
    for sentence in _list_sentences(sections, ("accomplished", "files", "discoveries")):
        verb = _CHANGED.search(sentence)
        if verb is None or _UNDONE.search(sentence):
            continue
        for found in _PATH.finditer(sentence):
            name = found.group().rsplit("/", 1)[-1]
            is_near = -40 < found.start() - verb.end() < 25 or 0 <= verb.start() - found.end() < 25
            if (
                is_near
                and name in known
                and not any(name in text for text in (evidence.touched, evidence.kept, theirs))
            ):
                return Contradiction("unchanged_file", f"no call changed {found.group()}: {sentence[:100]}")
    return None


_PROGRAMS = (
    r"terraform|tofu|kubectl|helm|docker|git|npm|pnpm|yarn|cargo|go|make|aws|gcloud|az|psql|mysql|alembic|flask"
    r"|rails|pip|poetry"
    r"|uv|npx|systemctl|ansible-playbook|vercel|fly|heroku|firebase|twine|gh|pulumi|serverless|cdk|python\d?|node"
)
_RAN = re.compile(
    rf"(?i)(?:\b(?:ran|executed|invoked|ausgeführt|ejecut[óo]|executou|exécuté|запустил\w*"
    rf"|выполнен\w*)\s+`?(?P<after>(?:{_PROGRAMS})\s+[a-z][\w:-]+)"
    rf"|\b(?P<before>(?:{_PROGRAMS})\s+[a-z][\w:-]+)`?(?:\s+\S+){{0,3}}?\s+(?:ran|was\s+run|has\s+been\s+run"
    r"|was\s+executed|completed|succeeded|wurde\s+ausgeführt|lief|se\s+ejecutó))"
)


def _find_unrun_command(sections: Sections, evidence: Evidence) -> Contradiction | None:
    """Find a command that is said to have been run and that stands in no call."""
    for sentence in _list_sentences(sections):
        if _UNDONE.search(sentence):
            continue
        for found in _RAN.finditer(sentence):
            command = (found["after"] or found["before"]).casefold()
            words = command.split()
            texts = (evidence.calls, evidence.kept, _list_positive(evidence.user))
            if not any(re.search(r"\b.{0,60}\b".join(map(re.escape, words)), text.casefold()) for text in texts):
                return Contradiction("not_run", f"no call ran {command}: {sentence[:100]}")
    return None


def _list_positive(user: str) -> str:
    """Return what the user said without what the user forbade."""
    return "\n".join(one for one in SENTENCE.split(user) if not is_negative(one))


_ACTS = tuple(
    (re.compile(rf"(?i)\b(?:{claim})\b"), re.compile(rf"(?i){proof}"))
    for claim, proof in (
        (
            r"(?:deployed|rolled\s+out|shipped)\s+(?:\w+\s+){0,4}(?:to|on|in)|ausgerollt|deployt|desplegad[oa]"
            r"|implantado|déployée?"
            r"|đã\s+triển\s+khai|развернут\w*",
            r"deploy|roll|apply|helm|kubectl|ship|release|publish|push|up\b|fly|vercel|firebase|heroku|ssh"
            r"|rsync|scp|sync",
        ),
        (r"published(?:\s+\w+){0,4}\s+(?:to|on|as)|veröffentlicht", r"publish|release|upload|push|post|deploy"),
        (r"pushed(?:\s+\w+){0,4}\s+(?:to|as)|gepusht", r"push|--set-upstream|gt submit|create.?pr|gh pr|sync"),
        (r"merged\s+(?:\w+\s+){0,4}into", r"merge|rebase|cherry|pull"),
    )
)


def _find_unrun_act(sections: Sections, evidence: Evidence) -> Contradiction | None:
    """Find a deployment, a push or a release that is said to be done and that no call or word of the user can be."""
    for sentence in _list_sentences(sections, ("accomplished", "discoveries", "decisions")):
        for claim, proof in _ACTS:
            if claim.search(sentence) and not _UNDONE.search(sentence) and "nothing" not in sentence.casefold():
                texts = (evidence.calls, _list_positive(evidence.user), evidence.kept)
                if not any(map(proof.search, texts)):
                    return Contradiction("not_run", f"no call did this: {sentence[:120]}")
    return None


_ORDER = re.compile(
    r"(?i)\b(?:ai|llm|language\s+model|coding)\s*(?:assistants?|agents?|models?|tools?)\b"
    r"|\bassistants?\s+(?:must|should|have\s+to|are\s+required)"
    r"|\bagents?\s+(?:must|should|have\s+to|are\s+required)|\bignore\s+(?:all\s+|any\s+)?(?:the\s+)?(?:previous"
    r"|prior|above|earlier)"
    r"|\b(?:system|admin(?:istrator)?)\s*(?:note|message|override|prompt)\b|\bif\s+you\s+are\s+an?\s+(?:ai"
    r"|assistant|llm|agent)"
)
_COMMAND = re.compile(r"`([^`\n]{6,200})`")
_SUSPECTS = re.compile(
    r"(?i)\b(?:not\s+(?:to\s+be\s+)?follow\w*|ignor\w+|inject\w*|untrusted|suspicious|malicious"
    r"|is\s+no\s+instruction|disregard\w*|tells?|told|holds|says|claims|asks|wants|contains|found|nicht"
    r"|no\s+seguir)\b"
)


def _find_injected_order(sections: Sections, evidence: Evidence) -> Contradiction | None:
    """Find an order that only a tool's output gives to whoever reads it."""
    orders = [one for text in evidence.outputs for one in SENTENCE.split(text) if _ORDER.search(one)][:40]
    spoken = "\n".join((evidence.user, evidence.calls))
    for sentence in _list_sentences(
        sections, ("goal", "instructions", "constraints", "next", "questions", "accomplished")
    ):
        if is_negative(sentence) or _SUSPECTS.search(sentence):
            continue
        commands = [one for one in _COMMAND.findall(sentence) if " " in one and one not in spoken]
        words = extract_topic(sentence)
        for order in orders:
            is_same = len(words) >= 3 and len(words & extract_topic(order)) >= LEAST_ORDERED * len(words)
            is_users = len(words & extract_topic(evidence.user)) >= 0.7 * len(words)
            if any(one in order for one in commands) or (is_same and not is_users):
                return Contradiction("injected", f"only a tool's output asks for this: {sentence[:120]}")
    return None
