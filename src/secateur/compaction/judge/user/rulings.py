"""Whether a summary orders or allows what the user ruled out, wants left as it is or does without the agent.

Rule: the user's messages are read into rulings: what each clause is about, by its stems, and whether it is wanted,
banned, to be kept, or the user's own work. A claim that orders or permits is false where all rulings that are the most
like it are against it. Who restates a ban uses a word of denial, limit or condition, and such a claim stands.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from secateur.compaction.judge.claims import DEMANDING, SENTENCE, Claim, is_reported, quote
from secateur.compaction.judge.clauses import is_denied, split_clauses
from secateur.compaction.judge.evidence import ClaimRule, Evidence, UserReply
from secateur.compaction.judge.ground.passages import get_claim_stems
from secateur.compaction.judge.ground.stems import get_stems
from secateur.compaction.judge.lexicon import (
    ACCEPTS,
    ALTERS,
    DENIES,
    FORBIDS,
    INSTEAD,
    REFUSES,
    REMOVES,
    USER,
    WANTS,
    build_pattern,
)

LEAST_LIKE = 0.35  # of a ruling and a claim that are about the same
NEARLY = 0.75  # of how like a claim the nearest ruling is: others so near count as well

Kind = Literal["wanted", "banned", "kept", "own", "bound"]


class Ruling(Struct, frozen=True):
    """What the user said of one thing."""

    stems: frozenset[str]
    kind: Kind
    text: str


def _explain_against(claim: Claim, evidence: Evidence) -> str:
    """Quote the ruling of the user that a claim goes against."""
    return _judge(claim, split_clauses(claim.text), evidence)


def _explain_wanted(claim: Claim, evidence: Evidence) -> str:
    """Judge the clauses that say what is allowed or what the user wants, in whatever section."""
    wanted = [one for one in split_clauses(claim.text) if USER.search(one) and _WANTED.search(one)]
    allowed = [one for one in split_clauses(claim.text) if _ALLOWS.search(one)]
    stripped = tuple(_WANTED.sub(" ", USER.sub(" ", one)) for one in wanted)
    return _judge(claim, (*stripped, *allowed), evidence)


def _judge(claim: Claim, clauses: Sequence[str], evidence: Evidence) -> str:
    text = "; ".join(clauses)
    if claim.is_quoted or claim.is_question or is_reported(text) or _is_guarded(text) or _is_said(claim, evidence):
        return ""
    for clause in clauses:
        ordered = _OVER.split(INSTEAD.split(clause)[0])[0]
        near = _find_nearest(ordered, evidence)
        if near and all(_is_against(one, ordered) for one in near):
            return quote("the user", near[0].text)
    return ""


def _is_guarded(text: str) -> bool:
    """Whether a text denies, forbids, limits or puts a condition."""
    return any(one.search(text) for one in (DENIES, FORBIDS, REFUSES, _GUARDS))


def _is_said(claim: Claim, evidence: Evidence) -> bool:
    """Whether a claim is in the user's own words, from the beginning of a clause on."""
    said = " ".join(claim.text.split()).casefold().rstrip(" .!")
    own = " ".join(evidence.user.split()).casefold()
    return re.search(rf"(?:^|[.,;:!?。，；]\s*){re.escape(said)}", own) is not None


def _is_against(ruling: Ruling, clause: str) -> bool:
    """Whether a ruling is against what a clause orders: what is to be kept must not be changed."""
    if ruling.kind == "kept":
        return is_altering(clause, ruling.text)
    if ruling.kind == "banned" and REMOVES.search(clause):
        return REMOVES.search(ruling.text) is not None
    return ruling.kind in ("banned", "own")


def is_altering(clause: str, kept: str) -> bool:
    """Whether a clause changes what is to be kept, and not into the state that it is to be kept in."""
    states = {one.casefold() for one in _STATE.findall(kept)}
    return ALTERS.search(clause) is not None and not states & {one.casefold() for one in _STATE.findall(clause)}


_STATE = build_pattern(r"off|on|out|open|closed|aus|an|auf|zu")


def _find_nearest(clause: str, evidence: Evidence) -> list[Ruling]:
    """Return the rulings that are the most like a clause, the nearest first."""
    stems = get_claim_stems(clause)
    rulings = read_rulings(evidence.replies)
    likes = [evidence.passages.measure_likeness(stems, one.stems) for one in rulings]
    most = max(likes, default=0.0)
    ranked = sorted(zip(likes, range(len(rulings)), strict=True), key=lambda one: (-one[0], one[1]))
    return [rulings[at] for like, at in ranked if most >= LEAST_LIKE and like >= NEARLY * most]


@lru_cache(maxsize=2)
def read_rulings(replies: tuple[UserReply, ...]) -> tuple[Ruling, ...]:
    return tuple(one for reply in replies for one in _iterate_rulings(reply))


def _iterate_rulings(reply: UserReply) -> Iterator[Ruling]:
    for sentence in SENTENCE.split(reply.text):
        for clause in split_clauses(sentence) if not sentence.rstrip().endswith(("?", "？")) else ():
            wanted, _, other = INSTEAD.sub("\0", clause, count=1).partition("\0")
            yield from _build(wanted, _tell_kind(clause if not other else wanted))
            yield from _build(other, "banned")
    if _YES.match(reply.text):
        yield from _build(SENTENCE.split(reply.before.strip())[-1], "wanted")


def _build(text: str, kind: Kind) -> Iterator[Ruling]:
    stems = get_stems(_FRAME.sub(" ", text))
    if not all(one[0].isdigit() for one in stems):
        yield Ruling(stems, kind, text)


def _tell_kind(clause: str) -> Kind:
    if _BOUND.search(clause):
        return "bound"
    if _OWN.search(clause):
        return "own"
    if is_denied(clause) or REFUSES.search(clause) or _BANS.search(clause):
        return "banned"
    return "kept" if FORBIDS.search(clause) or _KEEPS.search(clause) else "wanted"


_ASKED = r"asks?|asked|told|expects?|expected"
_WANTED = re.compile(rf"{WANTS.pattern}|{ACCEPTS.pattern.removeprefix('(?i)')}|\b(?:{_ASKED})\b")
_ALLOWS = build_pattern(
    r"may|allowed|permitted|welcome|free\s+to|(?:fine|ok|okay)\s+with|darf|dürfen|erlaubt|autorisée?s?|peu(?:t|vent)|puede[ns]?|permitid[oa]s?|pode[m]?|можно",
    "可以|允许|てよい|許可|허용",
)
_OVER = re.compile(r"(?i)\s(?:over|and\s+not|and\s+against|gegenüber)\s")
_BOUND = build_pattern(
    r"unless|before|without|if|when|only|yet|(?:more|less|fewer|longer|later|mehr|weniger)\s+(?:than|als)|plus\s+de|más\s+de|mais\s+de|at\s+most|at\s+least|bevor|ohne|wenn|nur|noch|avant|sans|seulement|encore|antes|sin|sólo|solo|aún|todavía|sem|só|ainda",
    "まだ|还没|尚",
)
_OWN = re.compile(
    r"(?i)\bI(?:['’]ll|\s+will|\s+do)?\s+(?:\w+\s+){0,3}?(?:myself|me\b)|\b(?:ich|mach\w*)\b.*\bselbst\b|\bselbst\b.*\bich\b|ich\s+selbst"
    r"|moi-même|yo\s+mism[oa]|eu\s+mesm[oa]|я\s+сам\w?|私が|自分で|我自己|제가"
)
_BANS = build_pattern(
    r"forbid\w*|forbidden|prohibit\w*|banned|taboo|off[\s-]limits|hands\s+off|frozen|out\s+of\s+(?:scope|bounds|the\s+question)|avoid|refrain"
    r"|leave\s+(?:\S+\s+){1,4}out|verboten|tabu|finger\s+weg|interdit\w*|prohibid[oa]s?|proibid[oa]s?|запре\w+",
    "禁止|严禁|금지",
)
_KEEPS = build_pattern(
    r"leave|must\s+stay|exactly|alone|lass\w*|behalt\w*|garde\w*|laisse\w*|conserve\w*|deja|mant\w+|deixa\w*|mantenha|остав\w+|сохрани\w*|giữ"
)
_MYSELF = build_pattern(r"myself|selbst|moi-même|mism[oa]|mesm[oa]|сам\w?")
_FRAME = re.compile(
    "|".join(f"(?:{one.pattern.removeprefix('(?i)')})" for one in (FORBIDS, _BANS, _KEEPS, _MYSELF)).replace(
        "(?i)", ""
    ),
    re.I,
)
_YES = re.compile(
    r"(?i)\W*(?:yes|yep|ok(?:ay)?|sure|go\s+ahead|agreed|good|fine|ja|gut|oui|d['’]accord|sí|vale|sim|да)\b"
)
# What limits, bounds or hands over, so that a claim with it may restate a ban
_GUARDS = build_pattern(
    r"unless|until|before|after|once|if|whether|when|while|only|first|wait\w*|await\w*|ask(?:s|ing)?|except|instead|rather|at\s+most|at\s+least|below|under|up\s+to|maximum"
    r"|minimum|untouched|unchanged|intact|read-only|own|himself|herself|themselves|by\s+(?:the\s+user|hand|[A-Z]\w+)|user['’]s|(?:the\s+)?user\s+(?:will|does|publish\w*|commit\w*)"
    r"|business|review\w*|decid\w*|still|remain\w*|ignor\w*|disregard\w*|off|out|taken\s+back|withdrawn|skip\w*|omit\w*|left|postponed|put\s+off|later|fixed|guarded|against|too|takes?|zu"
    r"|bis|bevor|nach|nachdem|sobald|wenn|falls|nur|erst|zuerst|höchstens|mindestens|selbst|weiterhin|beibehalten|behält|gesetzt|vertagt"
    r"|avant|après|si|quand|seulement|d['’]abord|lui-même|antes|después|si|cuando|sólo|solo|primero|antes|depois|se|quando|только|если|после",
    r"如果|除非|之前|待|だけ|なら|まで|前に|自分|ユーザーが|그대로|만\b|自己",
)
RULES = (
    ClaimRule("inverted", _explain_against, (*DEMANDING, "next")),
    ClaimRule("inverted", _explain_wanted),
)
