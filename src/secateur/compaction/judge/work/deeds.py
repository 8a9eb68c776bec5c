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
from secateur.compaction.judge.work.deed_kinds import KINDS, DeedKind

_FAILED_OUTPUT = re.compile(
    r"(?im)^\s*! \[(?:remote )?rejected\]|^error: failed to push|^fatal:|^CONFLICT |merge failed|nothing to commit"
)
_COMMITTED = re.compile(r"(?m)^\[[\w/.-]+(?: \([^)\n]*\))? [0-9a-f]{7,}\]")
_NOT_YET = build_pattern(
    r"(?:still|yet|remains?)\s+to\s+be|half|has\s+yet\s+to|have\s+yet\s+to|outstanding|pending|awaits?|waits?|missing|none|not\s+yet|"
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
    is_listed = False
    for at, clause in enumerate(clauses):
        following = clauses[at + 1] if at + 1 < len(clauses) and not _has_deed(clauses[at + 1]) else ""
        before = clauses[at - 1] if at else ""
        is_open = is_ahead(before) or is_denied(before)
        is_item = len(before.split()) <= LISTED and any(kind.noun.match(_OR.sub("", clause)) for kind in KINDS)
        is_listed = is_item and (is_open or is_listed)
        if is_listed or (is_open and any(kind.done.match(clause) for kind in KINDS)):
            continue  # what is said before holds of it too
        for kind in KINDS:
            noun = kind.noun.search(before) if DONE.match(clause) and not kind.noun.search(clause) else None
            said = f"{noun.group()} {clause}" if noun else clause  # `the migration is written and run`
            if (is_done := _read_state(kind, said, following)) is not None:
                yield Deed(kind.name, is_done, clause)


_OR = re.compile(r"(?i)^(?:or|nor|oder|noch|ou|ni|o)\s+")
LISTED = 3  # words of the beginning of a list: `no commit, push or tag was made`
# A file, an option or code that is called like a deed: `committed.go`, `-tags=integration`, `result.Pushed = 3`
_NAMES = re.compile(
    r"`[^`\n]*[=(){}<>][^`\n]*`|(?<!\S)(?:-{1,2}[a-z][\w-]*=\S+|[\w./-]{1,80}\.(?:py|tsx?|jsx?|go|rs|rb|java|md|ya?ml|json|toml|sh)\b)"
)


def _has_deed(clause: str) -> bool:
    """Whether a clause tells of a deed of its own, so that it says nothing of the one before."""
    return any(kind.noun.search(clause) or kind.done.search(clause) for kind in KINDS)


def _read_state(kind: DeedKind, clause: str, following: str) -> bool | None:
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
    before = rest[max(0, noun.start() - NEAR_BEFORE) : noun.start()]
    is_before = DONE.search(before) is not None and _WHEN.search(before) is None
    return is_behind or (is_before and not USER.search(rest))


_WHEN = re.compile(r"(?i)\b(?:after|before|until|upon|per|each|every|nach|vor|bei|après|avant|después|antes)\b")
NEAR, NEAR_BEFORE = 40, 16  # characters between a noun and a word of completion, behind it and before it


def _explain_undone(claim: Claim, evidence: Evidence) -> str:
    """Say that a deed was not done that a claim has as done."""
    if claim.is_question or claim.is_quoted or claim.is_reported:
        return ""
    for deed in read_deeds(claim.text):
        if not deed.is_done or is_earlier(deed.clause) or USER.search(deed.clause):
            continue
        kind = next(one for one in KINDS if one.name == deed.kind)
        runs = [run for run in evidence.runs if kind.proof.search(run.text)]
        if not any(_has_succeeded(kind, run) for run in runs) and not _is_told_done(kind, evidence, bool(runs)):
            if kind.name == "migration" and not kind.proof.search(evidence.story):
                continue  # from one thing to another, and not of a database
            return f"the last run of {runs[-1].text[:60]} failed" if runs else f"no call made a {kind.name}"
    return ""


def _has_succeeded(kind: DeedKind, run: CommandRun) -> bool:
    if kind.name == "commit" and _COMMITTED.search(run.output):
        return True
    return run.ok and not _FAILED_OUTPUT.search(run.output)


def _is_told_done(kind: DeedKind, evidence: Evidence, has_runs: bool) -> bool:
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
        line for line in text.split("\n") if any(kind.noun.search(line) or kind.done.search(line) for kind in KINDS)
    )
    return tuple(deed for line in lines for deed in read_deeds(line))


def _explain_done(claim: Claim, evidence: Evidence) -> str:
    """Quote the command that did what a claim has as not done."""
    if claim.is_question or claim.is_quoted or claim.section in ("goal", "constraints", "instructions"):
        return ""
    for deed in read_deeds(claim.text):
        kind = next(one for one in KINDS if one.name == deed.kind)
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


def _is_denied_last(kind: DeedKind, evidence: Evidence) -> bool:
    """Whether the agent's last words deny a deed as well."""
    told = [deed.is_done for deed in _read_all(evidence.last_words) if deed.kind == kind.name]
    return bool(told) and not all(told)


def _is_repository_act(run: CommandRun) -> bool:
    return run.ok and any(kind.proof.search(run.text) for kind in KINDS)


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
