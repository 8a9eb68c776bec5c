"""Whether what a summary has as the next step is done already.

Rule: an edit, a call since the last edit, or what the agent said last must show it. A change is done where one edit put
in (or took out) a name or a value of the claim, and the claim names nothing that the edit does not hold. What the agent
announces or asks in its last words is still to come, and what may be repeated (tests, reviews, questions) is no step
that can be over.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from secateur.compaction.judge.claims import SENTENCE, Claim, is_done
from secateur.compaction.judge.clauses import is_ahead, is_denied, is_earlier, split_clauses
from secateur.compaction.judge.evidence import ClaimRule, Evidence
from secateur.compaction.judge.ground.passages import get_claim_stems
from secateur.compaction.judge.ground.stems import get_stems
from secateur.compaction.judge.lexicon import build_pattern

LEAST_HELD = 0.7  # of the stems of a step, in the edit that did it
LEAST_TOLD = 0.75  # of the stems of a step, in the call or the sentence that did it
LEAST_ANNOUNCED = 0.5  # of the stems of a step that is still to come
FEWEST_STEMS = 2
MOST_EDITS = 40  # of a history: among more of them, one is like any step


class _Made(Struct, frozen=True):
    """What an edit put in or took out, and all that it holds."""

    changed: frozenset[str]
    held: frozenset[str]
    text: str


def _explain_done_step(claim: Claim, evidence: Evidence) -> str:
    """Name the edit, the call or the sentence by which a next step was done."""
    if claim.is_question or claim.is_reported or claim.is_negative or is_done(claim.text):
        return ""
    if _CONDITION.search(claim.text):
        return ""
    for clause in split_clauses(claim.text):
        stems = get_claim_stems(clause)
        if len(stems) < FEWEST_STEMS or _REPEATS.search(clause):
            continue
        if _is_announced(stems, evidence):
            continue
        why = _find_edit(clause, evidence) or _find_act(stems, evidence) or _find_report(stems, evidence)
        if why:
            return f"{why} did this"
    return ""


# What may be done again, or what nobody but the user does
_REPEATS = build_pattern(
    r"tests?|suite|specs?|wait\w*|await\w*|ask\w*|re-?run\w*|run|verify|verif\w*|check\w*|confirm\w*|review\w*|commit\w*|push\w*|report\w*|look\w*|read|"
    r"document\w*|again|once\s+more|also|more|rest|remaining|other|others|further|else|still|warten?|frage\w*|prüfe\w*|testen?|erneut|nochmal|attend\w*|vérif\w*|encore|relanc\w*|"
    r"espera\w*|pregunt\w*|verific\w*|de\s+nuevo|aguard\w*|pergunt\w*|novamente|testes?|teste|pruebas?|проверить|ждать|снова|chờ|kiểm\s+tra",
    r"测试|確認|テスト|等待|检查|再|もう一度|待|确认|테스트|확인|다시",
)
_CONDITION = build_pattern(
    r"if|when|once|after|until|unless|as\s+soon\s+as|wenn|sobald|falls|nach|quand|dès|si|cuando|quando|после|когда|khi"
)
_CHANGES = re.compile(
    r"(?i)^\W*(?:\d+\.\s*)?(?:then\s+|next,?\s+|now\s+)?(?:to\s+)?(?:chang|set|rais|lower|bump|switch|replac|import|add|drop|remov|renam|swap|increas|reduc|decreas|upgrad|downgrad"
    r"|pin|mov|introduc|delet|shorten|extend|enabl|disabl|redo|fix\s+the\s+link|use\s|ersetz|erhöh|setz|senk|änder|hinzufüg|remplac|ajout|suppri|chang|augment|pass(?:er|ez)\s"
    r"|cambi|añad|agreg|quit|elimin|sub[ei]|baj|troc|mud|adicion|remov|aument|reduz|substitu|замен|добав|удал|измен)\w*"
)
_ANCHOR = re.compile(r"`[^`\n]+`|[\w@-]+(?:[./_-][\w@-]+)+|\b\w*\d[\w.]*\b|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*")


def _is_announced(stems: frozenset[str], evidence: Evidence) -> bool:
    """Whether the agent's last words have a step as still to come, or leave it open."""
    return any(len(stems & one) >= LEAST_ANNOUNCED * len(stems) for one in _list_announced(evidence.standing))


@lru_cache(maxsize=2)
def _list_announced(standing: str) -> tuple[frozenset[str], ...]:
    sentences = SENTENCE.split(standing)
    return tuple(
        get_stems(one)
        for one in sentences
        if is_ahead(one) or is_denied(one) or _LEFT.search(one) or one.rstrip().endswith(("?", "？"))
    )


_LEFT = build_pattern(
    r"left|remains?|remaining|open|missing|still|yet|fails?|failing|complains?|offen|fehlt|noch|reste\w*|manque|falta\w*|queda\w*|ainda|resta\w*|осталось|còn|chưa",
    "未|还|まだ|残|남",
)


def _find_edit(clause: str, evidence: Evidence) -> str:
    """Return the edit that put in or took out what a clause names."""
    if not _CHANGES.match(clause):
        return ""
    said = _CHANGES.sub(" ", clause)
    anchors = [get_stems(one) for one in _ANCHOR.findall(said)]
    stems = get_stems(said)
    for made in _list_made(evidence):
        is_named = stems & made.changed and all(one <= made.held for one in anchors)
        if is_named and len(stems & made.held) >= LEAST_HELD * len(stems):
            return f"an edit ({made.text})"
    return ""


def _list_made(evidence: Evidence) -> tuple[_Made, ...]:
    return _read_made(evidence.placed_edits) if len(evidence.placed_edits) <= MOST_EDITS else ()


@lru_cache(maxsize=2)
def _read_made(edits: tuple[tuple[str, str, str], ...]) -> tuple[_Made, ...]:
    """Return what edits changed that no later edit of the same file changed back."""
    found: list[_Made] = []
    for at, (path, old, new) in enumerate(edits):
        was, now = get_stems(old), get_stems(new)
        is_back = any(later == path and get_stems(text) >= was - now for later, _, text in edits[at + 1 :] if was - now)
        if not is_back:
            found.append(_Made(was ^ now, was | now | get_stems(path), path))
    return tuple(found)


def _find_act(stems: frozenset[str], evidence: Evidence) -> str:
    """Return the call since the last edit that holds next to all words of a step."""
    for one in evidence.final_acts:
        if len(stems & get_claim_stems(one)) >= LEAST_TOLD * len(stems):
            return f"a call ({one[:60]})"
    return ""


def _find_report(stems: frozenset[str], evidence: Evidence) -> str:
    """Return the clause of the agent's last words that tells a step as done."""
    for one in _list_reported(evidence.standing):
        if len(stems & get_claim_stems(one)) >= LEAST_TOLD * len(stems):
            return f"the agent ({one[:60]!r})"
    return ""


@lru_cache(maxsize=2)
def _list_reported(standing: str) -> tuple[str, ...]:
    return tuple(_iterate_reported(standing))


def _iterate_reported(standing: str) -> Iterator[str]:
    """Yield the clauses that tell something as done."""
    for sentence in SENTENCE.split(standing):
        for one in split_clauses(sentence) if not sentence.rstrip().endswith(("?", "？")) else ():
            if is_done(one) and not (is_denied(one) or is_ahead(one) or is_earlier(one) or _LEFT.search(one)):
                yield one


RULES = (ClaimRule("unfinished_work", _explain_done_step, ("next",)),)
