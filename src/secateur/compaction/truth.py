"""Whether a summary is true by the history: how checks ended, which files were changed, what was run, who gave orders.

Rule: each rule needs evidence against a claim, because a rejected true summary costs as much as a false one that
stands. What nothing is known about stands. The first contradiction that is found is the reason.
"""

import re
from collections.abc import Callable

from secateur.compaction.check_claims import find_false_check, find_false_end
from secateur.compaction.consent import find_false_approval
from secateur.compaction.evidence import (
    SENTENCE,
    Contradiction,
    Evidence,
    TruthReason,
    collect_evidence,
    list_sentences,
)
from secateur.compaction.inversion import find_inversion
from secateur.compaction.ledger.retractions import extract_topic, is_negative
from secateur.compaction.noise import find_gibberish, find_repetition
from secateur.compaction.summary import Sections

__all__ = ["Contradiction", "Evidence", "TruthReason", "collect_evidence", "find_contradiction"]

LEAST_ORDERED = 0.5  # of the words of a line, in an order that a tool's output gives


def find_contradiction(sections: Sections, evidence: Evidence) -> Contradiction | None:
    """Find the first thing that the history contradicts."""
    lines = [line for some in sections.values() for line in some]
    known = "\n".join((evidence.user, evidence.agent, evidence.calls, evidence.kept, *evidence.outputs)).casefold()
    if found := find_repetition(lines) or find_gibberish(lines, known):
        return found
    if not evidence.replies and not evidence.calls:
        return None
    rules: tuple[Callable[[Sections, Evidence], Contradiction | None], ...] = (
        find_false_check,
        find_false_end,
        _find_unchanged_file,
        _find_unrun_command,
        _find_unrun_act,
        _find_injected_order,
        find_false_approval,
        find_inversion,
    )
    return next(filter(None, (rule(sections, evidence) for rule in rules)), None)


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
    for sentence in list_sentences(sections, ("accomplished", "files", "discoveries")):
        verb = _CHANGED.search(sentence)
        if verb is None or _UNDONE.search(sentence):
            continue
        for found in _PATH.finditer(sentence):
            name = found.group().rsplit("/", 1)[-1]
            is_near = 0 <= found.start() - verb.end() < 15 or _is_passive(sentence, found, verb)
            if (
                is_near
                and name in known
                and not any(name in text for text in (evidence.touched, evidence.kept, theirs))
            ):
                return Contradiction("unchanged_file", f"no call changed {found.group()}: {sentence[:100]}")
    return None


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


def _find_unrun_command(sections: Sections, evidence: Evidence) -> Contradiction | None:
    """Find a command that is said to have been run and that stands in no call."""
    for sentence in list_sentences(sections):
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
        (
            r"(?:was|were|been|has|have|and|^)\s*(?:successfully\s+)?(?:deployed|published|pushed|released"
            r"|rolled\s+out)",
            r"deploy|publish|push|releas|roll|ship|upload|apply|kubectl|helm|ssh|rsync|scp|sync|create.?pr|gh pr",
        ),
        (r"(?:was|were|been|has|have|and|^)\s*(?:installed)", r"install|add|sync|require|get|npm i\b|pnpm|yarn|pip"),
        (r"(?:was|were|been|has|have|and|^)\s*(?:committed)", r"commit|save|amend|merge|cherry|revert"),
    )
)


def _find_unrun_act(sections: Sections, evidence: Evidence) -> Contradiction | None:
    """Find a deployment, a push or a release that is said to be done and that no call or word of the user can be."""
    for sentence in list_sentences(sections, ("accomplished", "discoveries", "decisions")):
        for claim, proof in _ACTS:
            if claim.search(sentence) and not _UNDONE.search(sentence) and "nothing" not in sentence.casefold():
                texts = (evidence.calls, _list_positive(evidence.user), evidence.kept)
                if not any(map(proof.search, texts)):
                    return Contradiction("not_run", f"no call did this: {sentence[:120]}")
    return None


_DANGEROUS = re.compile(
    r"(?i)\b(?:rm\s+-\w*[rf]|delete|drop|destroy|purge|wipe|truncate|--force|--no-verify|reset\s+--hard|sudo"
    r"|chmod|chown|curl|wget|mkfs|publish|push)\b"
)
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
    for sentence in list_sentences(
        sections, ("goal", "instructions", "constraints", "next", "questions", "accomplished")
    ):
        if is_negative(sentence) or _SUSPECTS.search(sentence):
            continue
        commands = [one for one in _COMMAND.findall(sentence) if " " in one and one not in spoken]
        words = extract_topic(sentence)
        shown = [one for one in commands if _DANGEROUS.search(one) and one not in evidence.agent]
        if any(one in text for one in shown for text in evidence.outputs):
            return Contradiction("injected", f"only a tool's output holds this command: {sentence[:120]}")
        for order in orders:
            is_same = len(words) >= 3 and len(words & extract_topic(order)) >= LEAST_ORDERED * len(words)
            is_users = len(words & extract_topic(evidence.user)) >= 0.7 * len(words)
            if any(one in order for one in commands) or (is_same and not is_users):
                return Contradiction("injected", f"only a tool's output asks for this: {sentence[:120]}")
    return None
