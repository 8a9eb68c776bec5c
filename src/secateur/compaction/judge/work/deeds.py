"""Whether a summary says truly what left the working copy: commits, pushes, merges, tags, deployments, pull requests.

Rule: a clause is read into a deed and whether it is done, whatever its wording: a participle, a noun with a word of
completion (`the push is through`), a state (`is on origin`, `unpushed`). The same reading of the user's and the agent's
words, and the runs of commands, are the facts. A deed that is said to be done is false where no fact can be it; one
that is said not to be done is false where its last run went through and nothing came behind it.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from secateur.compaction.judge.claims import DEMANDING, Claim
from secateur.compaction.judge.clauses import is_ahead, is_denied, is_earlier, split_clauses, strip_harmless
from secateur.compaction.judge.evidence import ClaimRule, CommandRun, Evidence
from secateur.compaction.judge.lexicon import DONE, FAILS, USER, build_pattern


class _Kind(Struct, frozen=True):
    """One kind of deed."""

    name: str
    done: re.Pattern[str]  # says alone that it was done
    noun: re.Pattern[str]  # says so with a word of completion beside it
    undone: re.Pattern[str]  # says alone that it was not done
    proof: re.Pattern[str]  # a command or a tool that can do it


_NEVER = re.compile(r"(?!)")
_KINDS = (
    _Kind(
        "push",
        build_pattern(
            r"pushed|sent\s+to\s+(?:origin|the\s+remote)|(?:is|are|now|already|lives?|reached)\s+on\s+(?:origin|the\s+remote)"
            r"|on\s+origin|gepush(?:t|ed)|hochgeladen\s+nach\s+origin|(?:auf|nach|bei)\s+origin|poussée?s?|envoyée?s?\s+(?:sur|vers)\s+origin"
            r"|sur\s+origin|pushée?s?|empujad[oa]s?|subid[oa]s?\s+a\s+origin|en\s+origin|запушен\w*|отправлен\w*\s+в\s+origin",
            r"已经?推送|推送了|推送到|プッシュ(?:した|済み?|しました)|푸시(?:했|됨|완료)",
        ),
        build_pattern(r"push(?:es)?|envoi|pousser", "推送|プッシュ|푸시"),
        build_pattern(r"unpushed|un-pushed|only\s+local\w*|local\s+only|nur\s+lokal|locally\s+only|kept\s+local|ungepusht"),
        re.compile(r"\bgit\b[^\n;&|]*\bpush\b|\bgt submit\b|\bgh pr create\b|\bjj git push\b|push_files|push_branch"),
    ),
    _Kind(
        "commit",
        build_pattern(
            r"committed|checked\s+in(?=\s*(?:$|[,.;:)]|(?:as|to|with|on|by|at|under)\b))|committet|commitet|eingecheckt|commit(?:té|tée|tés)|commitead[oa]s?|закоммичен\w*",
            r"已经?提交|提交了|コミット(?:した|済み?|しました)|커밋(?:했|됨)",
        ),
        build_pattern(r"commit|check-?in", "提交|コミット|커밋"),
        build_pattern(r"uncommitted|un-committed|not\s+checked\s+in|uncommited|non\s+committée?s?"),
        re.compile(
            r"\bgit\b[^\n;&|]*\b(?:merge|cherry-pick|revert|am)\b|\bjj describe\b|\bgt (?:create|modify)\b|\bcommit\b"
        ),
    ),
    _Kind(
        "merge",
        build_pattern(r"(?:was|were|been|is|has|got)\s+merged|merged\s+(?:back\s+)?(?:in)?to\s+\S+|gemergt|gemerged|fusionnée?\s+dans|fusionad[oa]\s+en"),
        build_pattern(r"merge|fusion(?:\s+dans)?|合并"),
        build_pattern(r"unmerged"),
        re.compile(r"\bmerge\b|\brebase\b|\bcherry-pick\b|\bgit\b[^\n;&|]*\bpull\b"),
    ),
    _Kind(
        "deployment",
        build_pattern(
            r"deployed|redeployed|rolled\s+out|applied\s+to\s+(?:the\s+)?(?:cluster|production|prod|staging|server)"
            r"|(?:is|are|now|went|gone)\s+live|in\s+production\s+now|ausgerollt|deployt|deployed"
            r"|déployée?s?|mise?s?\s+en\s+production|desplegad[oa]s?|implantad[oa]s?|развернут\w*",
            r"已经?部署|部署了|已经?上线|デプロイ(?:した|済み?|しました)|本番に反映(?:した|済み)|배포(?:했|됨)",
        ),
        build_pattern(
            r"deploy(?:ment)?|roll-?out|apply|mise\s+en\s+ligne|déploiement|despliegue|implantação|it\s+live|ausrollen|bereitstellung",
            "部署|上线|デプロイ|適用|배포",
        ),
        build_pattern(r"undeployed|not\s+live"),
        re.compile(
            r"(?<![\w/.-])(?:re)?deploy\w*(?![\w/.])|\bapply\b|\broll-?out\b|\bhelm\s+(?:upgrade|install)|\brelease\b|\bfly\b|\bvercel\b"
            r"|\bfirebase\b|\bheroku\b|\bssh\b|\brsync\b|\bscp\b|\bcompose\b[^\n]*\bup\b|\bship\w*\b|\bpublish\w*\b|\bpulumi\s+up\b|\bcdk\b"
        ),
    ),
    _Kind(
        "tag",
        build_pattern(
            r"(?:was|were|been|is|and)\s+tagged|getaggt|étiquetée?|etiquetad[oa]",
            r"タグ[^。、]{0,14}?(?:付けた|付け済み|打った)|已打标签",
        ),
        build_pattern(r"(?:git\s+|release\s+|version\s+)?tags?(?=\s+(?:v?\d|is|was|has|set|:)|\s*[:=])"),
        build_pattern(r"untagged"),
        re.compile(r"\bgit\b[^\n;&|]*\btag\b|\bgh release\b|\bnpm version\b|--tags?\b|create_tag|create_release"),
    ),
    _Kind(
        "migration",
        build_pattern(r"migration\s+(?:was|has\s+been)\s+(?:run|executed|applied)", "迁移已经?执行"),
        build_pattern(r"migrations?|migraci[óo]n(?:es)?|migrationen|миграци\w*", "迁移|マイグレーション"),
        _NEVER,
        re.compile(r"(?i)migrat|alembic|flyway|liquibase|\bdb:|\bpsql\b[^\n]*-f|\bmysql\b[^\n]*<|upgrade head"),
    ),
    _Kind(
        "pull request",
        build_pattern(r"(?:pull|merge)\s+request\s+#?\d*\s*(?:is|was|has\s+been)\s+(?:open(?:ed)?|created|submitted|up)|PR\s+#?\d*\s*(?:is|was|has\s+been)\s+(?:open(?:ed)?|created)"
                      r"|(?:opened|created|submitted)\s+(?:a|the)\s+(?:\w+\s+)?(?:(?:pull|merge)\s+request|PR)"),
        build_pattern(r"(?:pull|merge)\s+request|PR"),
        _NEVER,
        re.compile(r"\bgh pr\b|pull.?request|\bglab mr\b|\bgt submit\b|create.?pr|merge_request"),
    ),
)  # fmt: skip
_FAILED_OUTPUT = re.compile(
    r"(?im)^\s*! \[(?:remote )?rejected\]|^error: failed to push|^fatal:|^CONFLICT |merge failed|nothing to commit"
)
_COMMITTED = re.compile(r"(?m)^\[[\w/.-]+(?: \([^)\n]*\))? [0-9a-f]{7,}\]")
_NOT_YET = build_pattern(
    r"(?:still|yet|remains?)\s+to\s+be|has\s+yet\s+to|have\s+yet\s+to|outstanding|pending|awaits?|waits?|missing|none|not\s+yet|"
    r"steht\s+(?:noch\s+)?aus|stehen\s+(?:noch\s+)?aus|fehlt|noch\s+nicht|reste\s+à|à\s+faire|pendiente\w*|ninguno|aucune?|keine?r?",
    r"尚未|还没|待|未|まだ",
)
_NONE_OF = re.compile(
    r"(?i)\b(?:no|not\s+a|keine?n?|aucune?|pas\s+de|ning[úu]n\w*|sin|nenhum\w*|нет|没有?|无)\s*(?:\w+\s+){0,2}$"
)
_NONE = re.compile(
    r"(?i)(?:(?:is|was|ist|est|está)\s+)?(?:still\s+|noch\s+)?(?:none|no|nein|nichts|aucune?|ningun[oa]|nenhum[a]?"
    r"|not\s+(?:yet\s+)?(?:done|made|created)|pending|outstanding|missing|faltan?|ausstehend)\b|无|なし|未"
)
_TOLD = build_pattern(
    r"asked|wants?|wanted|said|says|told|ordered|requested|allowed|may|can|refus\w+|declin\w+|forb\w+|instruct\w+|order"
)


class Deed(Struct, frozen=True):
    """What a clause says of one deed."""

    kind: str
    is_done: bool
    clause: str


@lru_cache(maxsize=1_024)
def read_deeds(text: str) -> tuple[Deed, ...]:
    """Return the deeds that a text tells of, clause by clause."""
    return tuple(_read_clauses(text))


def _read_clauses(text: str) -> Iterator[Deed]:
    clauses = tuple(map(strip_harmless, split_clauses(_NAMES.sub(" ", text))))
    for at, clause in enumerate(clauses):
        following = clauses[at + 1] if at + 1 < len(clauses) and not _has_deed(clauses[at + 1]) else ""
        before = clauses[at - 1] if at else ""
        if (is_ahead(before) or is_denied(before)) and any(kind.done.match(clause) for kind in _KINDS):
            continue  # what is said before holds of it too
        for kind in _KINDS:
            noun = kind.noun.search(before) if DONE.match(clause) and not kind.noun.search(clause) else None
            said = f"{noun.group()} {clause}" if noun else clause  # `the migration is written and run`
            if (is_done := _read_state(kind, said, following)) is not None:
                yield Deed(kind.name, is_done, clause)


# A file or an option that is called like a deed: `committed.go`, `-tags=integration`
_NAMES = re.compile(
    r"(?<!\S)(?:-{1,2}[a-z][\w-]*=\S+|[\w./-]{1,80}\.(?:py|tsx?|jsx?|go|rs|rb|java|md|ya?ml|json|toml|sh)\b)"
)


def _has_deed(clause: str) -> bool:
    """Whether a clause tells of a deed of its own, so that it says nothing of the one before."""
    return any(kind.noun.search(clause) or kind.done.search(clause) for kind in _KINDS)


def _read_state(kind: _Kind, clause: str, following: str) -> bool | None:
    """Whether a clause has a deed as done or as not done; None where it does not say."""
    if kind.undone.search(clause):
        return None if is_denied(kind.undone.sub(" ", clause)) else False
    done, noun = kind.done.search(clause), kind.noun.search(clause)
    is_label = noun is not None and noun.end() == len(clause)
    if (done or noun) and (FAILS.search(clause) or (is_label and FAILS.match(following))):
        return False
    rest = f"{clause} {following}" if is_label and not done else clause
    if done:
        return _read_rest(rest, is_complete=True)
    if noun:
        is_none = _NONE_OF.search(rest[: noun.start()]) or _NONE.match(rest[noun.end() :].lstrip(" :："))
        is_stated = is_none or not (is_denied(rest) or _NOT_YET.search(rest))
        return _read_rest(rest, is_complete=_is_complete(rest, noun)) if is_stated else None
    return None


def _read_rest(rest: str, *, is_complete: bool) -> bool | None:
    """Whether the words around a deed have it as done, as not done, or as neither."""
    if is_denied(rest) or _NOT_YET.search(rest):
        return False
    is_told = is_ahead(rest) or _TOLD.search(rest) or rest.rstrip().endswith("?")
    return True if is_complete and not is_told else None


def _is_complete(rest: str, noun: re.Match[str]) -> bool:
    """Whether a word of completion is near the noun of a deed."""
    found = None if USER.search(rest) else DONE.search(rest, noun.end())
    is_behind = found is not None and found.start() - noun.end() < NEAR
    is_before = DONE.search(rest[max(0, noun.start() - NEAR_BEFORE) : noun.start()]) is not None
    return is_behind or (is_before and not USER.search(rest))


NEAR, NEAR_BEFORE = 40, 16  # characters between a noun and a word of completion, behind it and before it


def _explain_undone(claim: Claim, evidence: Evidence) -> str:
    """Say that a deed was not done that a claim has as done."""
    if claim.is_question or claim.is_quoted or claim.is_reported:
        return ""
    for deed in read_deeds(claim.text):
        if not deed.is_done or is_earlier(deed.clause) or USER.search(deed.clause):
            continue
        kind = next(one for one in _KINDS if one.name == deed.kind)
        runs = [run for run in evidence.runs if kind.proof.search(run.text)]
        if not any(_has_succeeded(kind, run) for run in runs) and not _is_told_done(kind, evidence, bool(runs)):
            if kind.name == "migration" and not kind.proof.search(evidence.story):
                continue  # from one thing to another, and not of a database
            return f"the last run of {runs[-1].text[:60]} failed" if runs else f"no call made a {kind.name}"
    return ""


def _has_succeeded(kind: _Kind, run: CommandRun) -> bool:
    if kind.name == "commit" and _COMMITTED.search(run.output):
        return True
    return run.ok and not _FAILED_OUTPUT.search(run.output)


def _is_told_done(kind: _Kind, evidence: Evidence, has_runs: bool) -> bool:
    """Whether other tools, earlier summaries, the user or the agent have a deed as done."""
    if any(deed.kind == kind.name and deed.is_done for deed in _read_all(evidence.user)):
        return True
    if any(deed.kind == kind.name for deed in _read_all(evidence.kept)) or kind.proof.search(evidence.kept):
        return True
    agent = [deed.is_done for deed in _read_all(evidence.agent) if deed.kind == kind.name]
    if agent and agent[-1]:
        return True
    is_other_tool = not has_runs and kind.proof.search(evidence.acts) is not None
    return is_other_tool and not (agent and not agent[-1])


@lru_cache(maxsize=8)
def _read_all(text: str) -> tuple[Deed, ...]:
    lines = (
        line for line in text.split("\n") if any(kind.noun.search(line) or kind.done.search(line) for kind in _KINDS)
    )
    return tuple(deed for line in lines for deed in read_deeds(line))


def _explain_done(claim: Claim, evidence: Evidence) -> str:
    """Quote the command that did what a claim has as not done."""
    if claim.is_question or claim.is_quoted or claim.section in ("goal", "constraints", "instructions"):
        return ""
    for deed in read_deeds(claim.text):
        kind = next(one for one in _KINDS if one.name == deed.kind)
        if deed.is_done or kind.name not in ("push", "commit", "tag") or is_earlier(deed.clause):
            continue
        if _BY.search(deed.clause) or _LIMITED.search(deed.clause) or FAILS.search(deed.clause):
            continue
        runs = [run for run in evidence.runs if _is_repository_act(run)]
        own = [at for at, run in enumerate(runs) if kind.proof.search(run.text)]
        is_newest = own and (
            kind.name != "push" or not any(_COMMITTED.search(one.output) for one in runs[own[-1] + 1 :])
        )
        if (
            is_newest
            and _has_succeeded(kind, runs[own[-1]])
            and not evidence.edited_last
            and not _is_denied_last(kind, evidence)
        ):
            return f"it was done: {runs[own[-1]].text[:80]}"
    return ""


def _is_denied_last(kind: _Kind, evidence: Evidence) -> bool:
    """Whether the agent's last words deny a deed as well."""
    told = [deed.is_done for deed in _read_all(evidence.last_words) if deed.kind == kind.name]
    return bool(told) and not all(told)


def _is_repository_act(run: CommandRun) -> bool:
    return run.ok and any(kind.proof.search(run.text) for kind in _KINDS)


_BY = build_pattern(r"force|forced|separate|further|other|another|more|new|additional|second|own", "另|別|其他")
_LIMITED = re.compile(
    r"(?i)[\w-]+\.[a-z]{1,4}\b|\b(?:to|into|in|auf|nach|sur|a)\s+(?:main|master|develop|trunk|upstream|production)\b|\b(?:docs?|tests?)\b"
)

RULES = (
    ClaimRule(
        "not_run",
        _explain_undone,
        ("accomplished", "discoveries", "files", "decisions", "resolved", "next", "questions", *DEMANDING),
    ),
    ClaimRule(
        "unfinished_work", _explain_done, ("accomplished", "discoveries", "decisions", "resolved", "next", "questions")
    ),
)
