"""Whether a summary says of files, packages and deployments what the calls did.

Rule: a claim is false only where no call, no earlier summary and no word of the user can have done it.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from secateur.compaction.judge.claims import (
    CLAUSE,
    DEMANDING,
    REPORTING,
    SENTENCE,
    Claim,
    extract_words,
    is_negative,
    is_planned,
    is_reported,
    split_items,
)
from secateur.compaction.judge.evidence import ClaimRule, Evidence

_PATH = re.compile(r"(?<![\w/.-])(?:[\w.@-]+/)*[\w@-][\w.@-]*\.[A-Za-z]{1,5}\b")
_CHANGED = re.compile(
    r"(?i)\b(?:edited|changed|modified|updated|created|deleted|removed|rewritten|rewrote|added|refactored"
    r"|renamed|wrote|written|patched|adapted|adjusted|corrected|amended|fixed\s+in|documented|extended|cleaned"
    r"|overwritten"
    r"|geändert|bearbeitet|erstellt|gelöscht|entfernt|angepasst|geschrieben|ergänzt|überschrieben|angelegt"
    r"|modificad[oa]|cread[oa]|eliminad[oa]|editad[oa]|escrit[oa]|añadid[oa]"
    r"|criad[oa]|alterad[oa]|removid[oa]|escrit[oa]|modifiée?s?|créée?s?|supprimée?s?|écrite?s?|ajoutée?s?"
    r"|изменен\w*|изменён\w*|создан\w*|удален\w*|удалён\w*|написан\w*)\b|\bđã\s+(?:sửa|tạo|xóa|viết)"
    r"|已修改|修改了|已创建|创建了|已删除|删除了|已写|写好|已完成|已更新|更新了|已添加"
    r"|(?:変更|作成|削除|修正|追加|更新)(?:した|済み|しました)|수정함|수정했|생성했|삭제했|작성했|추가했"
)


def _explain_unchanged_file(claim: Claim, evidence: Evidence) -> str:
    """Name a file that is said to be changed and that no call could have changed."""
    if evidence.rewrites or _LAST.search(claim.text):
        return ""
    for item in split_items(claim.text):
        if is_planned(item) or is_reported(item):
            continue
        for path in _list_changed(item, claim):
            name = path.rsplit("/", 1)[-1]
            is_known = name in evidence.touched or name in evidence.kept
            if not is_known and not _is_changed_by_user(name, evidence.user):
                return f"no call changed {path}"
    return ""


_LAST = re.compile(
    r"(?i)\b(?:last|zuletzt|dernière\s+fois|última\s+vez)\s+(?:changed|edited|modified|geändert|modifi\w*)"
    r"|\b[0-9a-f]*\d[0-9a-f]*[a-f][0-9a-f]{4,}\b"
)


def _is_changed_by_user(name: str, user: str) -> bool:
    return name in user and any(name in one and _CHANGED.search(one) for one in SENTENCE.split(user))


def _list_changed(item: str, claim: Claim) -> Iterator[str]:
    """Yield the files that a part of a claim says to be changed."""
    verbs = list(_CHANGED.finditer(item))
    paths = list(_PATH.finditer(item))
    for path in paths:
        if _MEMBER.fullmatch(path.group()):
            continue
        if any(0 <= path.start() - verb.end() < 15 or _is_passive(item, path, verb) for verb in verbs):
            yield path.group()
    opens = claim.section == "accomplished" and paths and item == split_items(claim.text)[0]
    if opens and _OPENING.match(item) and not _READ.search(claim.text):
        yield paths[0].group()


# A member of a class, and no file: `Figure.clear`
_MEMBER = re.compile(
    r"[A-Z]\w*\.(?!(?:md|py|kts?|java|tsx?|jsx?|cs|swift|vue|rb|go|rs|toml|ya?ml|json|txt|sql|html?|css|sh)$)\w+|[a-z]\w*\.[A-Z]\w*"
)


def _is_passive(item: str, path: re.Match[str], verb: re.Match[str]) -> bool:
    """Whether a path is what was changed: `a.py was edited`, `a.py (edited)`, and at the beginning `a.py edited`."""
    between = item[path.end() : verb.start()]
    return verb.start() >= path.end() and len(between) < 25 and bool(path.start() <= 1 or _BEING.search(between))


_BEING = re.compile(
    r"(?i)\b(?:was|were|is|has\s+been|wurde|ist|fue|foi|a\s+été|est)\b|[:(–—（：]|\s-\s|^\s*[已をが]|^\s+$"
)
_OPENING = re.compile(rf"^(?:\[[xX]\]\s*)?[`*]*{_PATH.pattern}[`*]*(?::\d+)?(?:\s*[:：]|\s+(?=[a-z]))")
_READ = re.compile(
    r"(?i)\b(?:exists?|remains?|stays?|still|unused|unchanged|untouched|kept|read|reads|review\w*|looked"
    r"|inspect\w*|found|shows?|contains?|holds?|has|uses?|fails?|failing|pass\w*|line"
    r"|gelesen|enthält|steht|lu|contient|leído|contiene)\b|\d+\s+(?:failed|passed)|读|失败|通过|読|失敗"
)


def _explain_failed_run(claim: Claim, evidence: Evidence) -> str:
    """Name a command that is said to have succeeded and that failed whenever it was run, or last."""
    if not _SUCCEEDED.search(claim.text) or claim.is_planned or _FAILED.search(claim.text):
        return ""
    named = {word for word in claim.words if not _SUCCEEDED.search(word)}
    runs = [
        one.run for one in evidence.units if one.run and len(named & extract_words(one.run.text.replace("-", " "))) >= 2
    ]
    if runs and not runs[-1].ok:
        return f"the last run of {runs[-1].text[:60]} failed"
    return ""


_SUCCEEDED = re.compile(
    r"(?i)\b(?:succe(?:eded|eds|ssful\w*|ss)|erfolgreich|geklappt|réussi\w*|éxito|exitos[oa]|sucesso|thành\s+công"
    r"|успешн\w*)\b"
    r"|成功|성공"
)
_FAILED = re.compile(r"(?i)\b(?:fail\w*|errors?|unsuccessful\w*|without\s+success|fehl\w*|échou\w*)\b|失败|失敗|실패")


@lru_cache(maxsize=2)
def _list_positive(user: str) -> str:
    """Return what the user said without what the user forbade."""
    return "\n".join(one for one in SENTENCE.split(user) if not is_negative(one))


_ACTS = tuple(
    (re.compile(rf"(?i)(?<![A-Za-z])(?:{claim})(?![A-Za-z])"), re.compile(rf"(?i){proof}"))
    for claim, proof in (
        (
            r"(?:deployed|rolled\s+out|shipped)\s+(?:\w+\s+){0,4}(?:to|on|in)|ausgerollt|deployt|desplegad[oa]"
            r"|implantado|déployée?"
            r"|đã\s+triển\s+khai|развернут\w*|已部署|部署了|デプロイ(?:した|済み)",
            r"deploy|roll|apply|helm|kubectl|ship|release|publish|push|up\b|fly|vercel|firebase|heroku|ssh"
            r"|rsync|scp|sync",
        ),
        (r"published(?:\s+\w+){0,4}\s+(?:to|on|as)|veröffentlicht", r"publish|release|upload|push|post|deploy"),
        (
            r"pushed(?:\s+\w+){0,4}\s+(?:to|as)|gepusht|push\s*(?:した|済み)|已推送|并推送|推送了|プッシュ(?:した|済み)",
            r"push|--set-upstream|gt submit|create.?pr|gh pr|sync",
        ),
        (
            r"(?:opened|created)\s+(?:a|the)\s+(?:\w+\s+)?(?:pull|merge)\s+request|(?:opened|created)\s+(?:a"
            r"|the)\s+PR\b",
            r"pr\b|pull|mr\b|merge",
        ),
        (r"コミットした|已提交|提交了|커밋했", r"commit|amend"),
        (r"merged\s+(?:\w+\s+){0,4}into", r"merge|rebase|cherry|pull"),
        (
            r"(?:was|were|been|has|have|and|^)\s*(?:successfully\s+)?(?:deployed|published|pushed|released"
            r"|rolled\s+out)",
            r"deploy|publish|push|releas|roll|ship|upload|apply|kubectl|helm|ssh|rsync|scp|sync|create.?pr|gh pr",
        ),
        (
            r"(?:was|were|been|has|have|had|and|^|agent|we|I)\s*(?:then\s+)?(?:installed)|installierte"
            r"|installiert(?!\s+werden)|a\s+installé|instaló|ha\s+instalado|instalou|установил\w*|安装了|インストール(?:した"
            r"|しました)",
            r"\b(?:pip\d?|npm|pnpm|yarn|cargo|apt|apt-get|brew|gem|bundle|poetry|uv|conda|composer|go|apk|dnf|yum"
            r"|mix|opam|dotnet|terraform|rustup|corepack)\s+(?:\S+\s+){0,3}?"
            r"(?:install|add|get|i|ci|require|sync|restore|init|tool|component|prepare)\b|\byarn\b"
            r"|successfully installed|\binstall\w*\b",
        ),
        (
            r"(?:files?|folders?|director(?:y|ies)|\.\w{2,4}\b)[^.;,]{0,40}?\s(?:was|were|been)\s+(?:deleted"
            r"|removed)|(?:dateien?|ordner)\b[^.;,]{0,40}?\s(?:wurden?|sind|ist)\s+gelöscht"
            r"|(?:fichiers?)\b[^.;,]{0,40}?\s(?:a|ont)\s+été\s+supprimée?s?|(?:archivos?"
            r"|ficheros?)\b[^.;,]{0,40}?\s(?:se\s+)?(?:han?|fue(?:ron)?)\s+(?:sido\s+)?(?:borrad|eliminad)\w+",
            r"\brm\b|\bdel\b|unlink|delete|remove|rmtree|\bclean\b|\bmv\b|prune|purge|drop",
        ),
        (r"(?:was|were|been|has|have|and|^)\s*(?:committed)", r"commit|save|amend|merge|cherry|revert"),
    )
)


def _explain_unrun_act(claim: Claim, evidence: Evidence) -> str:
    """Say that a deployment, a push or a release that is said to be done can be no call and no word of the user."""
    if "nothing" in claim.text.casefold():
        return ""
    proofs = (evidence.acts, evidence.kept, _list_positive(evidence.user))
    for clause in CLAUSE.split(claim.text):
        for said, proof in _ACTS if clause and not is_planned(clause) else ():
            if said.search(clause) and not any(map(proof.search, proofs)):
                return "no call did this"
    return ""


RULES = (
    ClaimRule("unchanged_file", _explain_unchanged_file, REPORTING),
    ClaimRule("not_run", _explain_failed_run, REPORTING),
    ClaimRule("not_run", _explain_unrun_act, ("accomplished", "discoveries", "decisions", *DEMANDING)),
)
