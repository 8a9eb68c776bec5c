"""Whether a summary contradicts what the agent said since it last did anything, or tells of changes without a call.

What the agent said before a call may be overtaken by it; what it said behind the last one still holds. Where every call
only looked or checked, nothing was changed.
"""

import re

from secateur.compaction.judge.claims import Claim, extract_words, is_negative, is_planned, quote
from secateur.compaction.judge.clauses import is_ahead, split_clauses
from secateur.compaction.judge.evidence import ClaimRule, Evidence
from secateur.compaction.judge.ground.passages import get_claim_stems
from secateur.compaction.judge.lexicon import FAILS, USER, build_pattern
from secateur.compaction.judge.work.states import STATEMENT, is_denial

_PAST_SECTIONS = ("accomplished", "discoveries", "files", "decisions", "resolved")


def _explain_untouched(claim: Claim, evidence: Evidence) -> str:
    """Quote the agent where it said that a thing is as it was, and a claim says that it was changed."""
    if claim.is_reported or claim.is_wished or claim.is_earlier:
        return ""
    for clause in STATEMENT.split(evidence.standing):
        found = _UNTOUCHED.search(clause)
        topic = extract_words(_NUMBERS.sub(" ", clause[: found.start()])) if found else frozenset[str]()
        is_about = bool(topic) and topic <= claim.words and not _STAYS.search(claim.text)
        for said in (claim.text, *split_clauses(claim.text)) if is_about else ():
            if topic <= extract_words(said) and _ALTERS.search(said) and not (is_denial(said) or is_ahead(said)):
                return quote("the agent", clause)
    return ""


_NUMBERS = re.compile(r"\d+")
_UNTOUCHED = build_pattern(
    r"(?:is|are|was|were|remains?|stays?|left)\s+(?:still\s+|all\s+)?(?:untouched|unchanged|as\s+(?:it|they)\s+(?:is|are|was|were)|there|in\s+place|intact)"
    r"|(?:was|were|has|have)\s+not\s+(?:been\s+)?(?:touched|changed|modified|edited)|(?:ist|sind|bleib\w+)\s+(?:unberührt|unverändert)"
    r"|(?:est|sont)\s+(?:inchangée?s?|intacte?s?)|sigue[n]?\s+(?:igual|intact\w+)"
)
_STAYS = build_pattern(r"still|remains?|stays?|left|kept|weiterhin|bleib\w*|toujours|reste\w*|siguen?|todavía|ainda")
_ALTERS = build_pattern(
    r"(?:chang|modifi|edit|updat|alter|adapt|delet|remov|eras|drop|deploy|clean|clear|fix|repair|convert|replac|migrat|appl|releas"
    r"|rewrit|rewrot|overwr|purg|wip)\w*|rolled\s+out|(?:ge)?änder\w*|geändert|gelöscht|entfernt|behoben|angepasst|ausgerollt|bereinigt"
    r"|modifiée?s?|supprimée?s?|corrigée?s?|cambiad[oa]s?|borrad[oa]s?|eliminad[oa]s?|corregid[oa]s?|изменен\w*|удален\w*",
    r"修改|删除|变更|変更|削除|변경|삭제",
)


def _explain_change_without_calls(claim: Claim, evidence: Evidence) -> str:
    """Say that no call can have changed anything, where a claim tells of a change that the agent made."""
    if not evidence.is_passive or evidence.kept or USER.search(claim.text) or claim.is_reported or claim.is_earlier:
        return ""
    is_told = any(map(_is_made, split_clauses(claim.text)))
    has_told = is_told and any(map(_is_made, split_clauses(evidence.agent)))  # of calls that are not in the history
    return "no call changed anything" if is_told and not has_told else ""


def _is_made(clause: str) -> bool:
    """Whether a clause tells plainly of a change that was made."""
    return _MADE.search(clause) is not None and not (is_planned(clause) or is_negative(clause) or is_ahead(clause))


def _explain_failed_tool(claim: Claim, evidence: Evidence) -> str:
    """Quote the error of a tool whose last call failed, where a claim has as done what its name says."""
    if claim.is_reported or claim.is_quoted or claim.is_question or claim.is_pending:
        return ""
    for clause in split_clauses(claim.text) if evidence.failed else ():
        is_told = _ACTED.search(clause) and not (is_denial(clause) or is_planned(clause) or is_ahead(clause))
        if not is_told or FAILS.search(clause) or USER.search(clause):
            continue
        stems = get_claim_stems(clause)
        for tool, said in evidence.failed:
            own = get_claim_stems(tool)
            if len(own) >= FEWEST_NAMED and own <= stems:
                return f"{tool} failed last, {quote('it', said)}"
    return ""


FEWEST_NAMED = 2  # words of a tool's name that say what it does
_ACTED = build_pattern(
    r"\w{3,}ed|was|were|has|have|had|is|are|made|sent|wrote|put|set|wurden?|ist|sind|hat|haben|ge\w{2,}t|été|est|sont|ont"
    r"|fue|fueron|han?|foi|foram|\w{3,}ou|был[аои]?|\w{3,}(?:ан|ен)[аоы]?|đã",
    "已|了|完成|した|済|ました|했|됐|되었",
)
_MADE = build_pattern(
    r"(?:was|were|is|are|has|have|been|agent|assistant|we|i|it)\s+(?:now\s+|then\s+|also\s+|been\s+)*(?:repaired|fixed|mended|corrected|edited|modified"
    r"|rewritten|rewrote|refactored|implemented|patched|inserted|renamed|deleted|(?:wrote|written)(?=.{0,80}?(?:disk|file|\w\.\w)))|(?!(?:is|are|be|being|gets?|and|or)\s)\w{1,60}\s{1,4}(?:added|edited|modified|implemented|rewritten|refactored|patched)"
    r"|did\s+(?:write(?=.{0,80}?(?:disk|file|\w\.\w))|edit|change|fix|repair|implement|modify)|behoben|repariert|umgeschrieben|eingebaut|hinzugefügt|corrigée?s?|ajoutée?s?|corregid[oa]s?|añadid[oa]s?",
    r"修复了|已修复|修改了|修正した|追加した|수정했",
)

RULES = (
    ClaimRule("unfinished_work", _explain_failed_tool, _PAST_SECTIONS, strength="certain"),
    ClaimRule("unfinished_work", _explain_untouched, strength="certain"),
    ClaimRule("unchanged_file", _explain_change_without_calls, _PAST_SECTIONS),
)
