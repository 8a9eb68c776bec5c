"""Whether a summary says of files, commands and deployments what the calls did.

Rule: a claim is false only where no call, no earlier summary and no word of the user can have done it.
"""

import re

from secateur.compaction.judge.claims import REPORTING, SENTENCE, Claim
from secateur.compaction.judge.evidence import ClaimRule, Evidence
from secateur.compaction.ledger.retractions import is_negative

_PATH = re.compile(r"(?<![\w/.-])(?:[\w.@-]+/)*[\w@-][\w.@-]*\.[A-Za-z]{1,5}\b")
_CHANGED = re.compile(
    r"(?i)\b(?:edited|changed|modified|updated|created|deleted|removed|rewritten|rewrote|added|refactored"
    r"|renamed|wrote|written|patched|fixed\s+in"
    r"|geändert|bearbeitet|erstellt|gelöscht|entfernt|angepasst|modificad[oa]|cread[oa]|eliminad[oa]|editad[oa]"
    r"|criad[oa]|alterad[oa]|removid[oa]|modifié\w*|créé\w*|supprimé\w*"
    r"|изменен\w*|изменён\w*|создан\w*|удален\w*|удалён\w*)\b|\bđã\s+(?:sửa|tạo|xóa)|已修改|修改了|已创建|创建了|已删除|删除了"
    r"|変更した|作成した|削除した|수정함|수정했|생성했|삭제했"
)


def _explain_unchanged_file(claim: Claim, evidence: Evidence) -> str:
    """Name a file of the history that is said to be changed and that no call could have changed."""
    verb = _CHANGED.search(claim.text)
    if evidence.rewrites or verb is None or claim.is_planned:
        return ""
    known = "\n".join((evidence.calls, *evidence.outputs))
    theirs = "\n".join(one for one in SENTENCE.split(evidence.user) if _CHANGED.search(one))
    for found in _PATH.finditer(claim.text):
        name = found.group().rsplit("/", 1)[-1]
        is_near = 0 <= found.start() - verb.end() < 15 or _is_passive(claim.text, found, verb)
        if is_near and name in known and not any(name in text for text in (evidence.touched, evidence.kept, theirs)):
            return f"no call changed {found.group()}"
    return ""


def _is_passive(sentence: str, path: re.Match[str], verb: re.Match[str]) -> bool:
    """Whether a path is what was changed: `a.py was edited`, `a.py: edited`, and at the beginning `a.py edited`."""
    between = sentence[path.end() : verb.start()]
    return verb.start() >= path.end() and len(between) < 25 and bool(path.start() <= 1 or _BEING.search(between))


_BEING = re.compile(r"(?i)\b(?:was|were|is|has\s+been|wurde|ist|fue|foi|a\s+été)\b|[:(–—]|\s-\s")
_PROGRAMS = (
    r"terraform|tofu|kubectl|helm|docker|git|npm|pnpm|yarn|cargo|go|make|aws|gcloud|az|psql|mysql|alembic|flask"
    r"|rails|pip|poetry"
    r"|uv|npx|systemctl|ansible-playbook|vercel|fly|heroku|firebase|twine|gh|pulumi|serverless|cdk|python\d?|node"
)
_RAN = re.compile(
    rf"(?i)(?:\b(?:ran|executed|invoked|ausgeführt|ejecut[óo]|executou|exécuté|запустил\w*"
    rf"|выполнен\w*)\s+`?(?P<after>(?:{_PROGRAMS})\s+[a-z][\w:-]+)"
    rf"|\b(?P<before>(?:{_PROGRAMS})\s+[a-z][\w:-]+)`?(?:\s+\S+){{0,3}}?\s+(?:ran|was\s+run|has\s+been\s+run"
    r"|was\s+executed|completed|succeeded|finished|wurde\s+ausgeführt|lief|se\s+ejecutó))"
)


def _explain_unrun_command(claim: Claim, evidence: Evidence) -> str:
    """Name a command that is said to have been run and that occurs in no call."""
    if claim.is_planned:
        return ""
    for found in _RAN.finditer(claim.text):
        command = (found["after"] or found["before"]).casefold()
        words = r"\b.{0,60}\b".join(map(re.escape, command.split()))
        if not any(re.search(words, text.casefold()) for text in _list_sources(evidence)):
            return f"no call ran {command}"
    return ""


def _list_sources(evidence: Evidence) -> tuple[str, ...]:
    """Return what can prove that something was done."""
    return evidence.calls, evidence.kept, _list_positive(evidence.user)


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
        (
            r"(?:was|were|been|has|have|and|^)\s*(?:successfully\s+)?(?:deployed|published|pushed|released"
            r"|rolled\s+out)",
            r"deploy|publish|push|releas|roll|ship|upload|apply|kubectl|helm|ssh|rsync|scp|sync|create.?pr|gh pr",
        ),
        (r"(?:was|were|been|has|have|and|^)\s*(?:installed)", r"install|add|sync|require|get|npm i\b|pnpm|yarn|pip"),
        (r"(?:was|were|been|has|have|and|^)\s*(?:committed)", r"commit|save|amend|merge|cherry|revert"),
    )
)


def _explain_unrun_act(claim: Claim, evidence: Evidence) -> str:
    """Say that a deployment, a push or a release that is said to be done can be no call and no word of the user."""
    if claim.is_planned or "nothing" in claim.text.casefold():
        return ""
    for said, proof in _ACTS:
        if said.search(claim.text) and not any(map(proof.search, _list_sources(evidence))):
            return "no call did this"
    return ""


RULES = (
    ClaimRule("unchanged_file", _explain_unchanged_file, ("accomplished", "files", "discoveries")),
    ClaimRule("not_run", _explain_unrun_command, REPORTING),
    ClaimRule("not_run", _explain_unrun_act, ("accomplished", "discoveries", "decisions")),
)
