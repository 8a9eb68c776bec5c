"""The agent's reply at the end of a turn, shortened to the sentences that say what was done, found or asked.

Rule: whole sentences in their order: what was not done or stays open before what was done. Exclamations, headings,
tables and code are left out; the items of a list stand in one sentence with the line that opens it, but those that say
what was not done each stand for themselves. Nothing is made up; a mark stands where sentences are left out between
others, and a sentence that has no room ends behind a clause, with another mark.
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import accumulate

from secateur.compaction.ledger.said import FENCED, split_sentences, strip_opening
from secateur.memoizing import memoize_texts
from secateur.toolcalls.actions import clip_text, collapse_whitespace

MOST_CHARS = 320
CUT = " […]"
_SEARCHED = 8_000
_TERM = re.compile(r"(?<![\w.-])(?:[A-Za-z]{2,}(?:[-_][A-Za-z]{2,})+|[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w+)(?![\w-])")


def condense_reply(text: str, max_chars: int) -> str:
    """Return the sentences of a reply that have room: what was not done, a question at its end, and the first ones."""
    text = strip_opening(text)
    if len(text) <= max_chars and "\n" not in text:
        return text
    parts = [list(_list_sentences(part)) for part in text.split(CUT)]
    sentences = [one for part in parts for one in part]
    if not sentences:
        return clip_text(collapse_whitespace(FENCED.sub(" ", text)), max_chars)
    kept = _choose_ends(sentences, max_chars)
    room = max_chars - sum(len(sentences[at]) + 1 + len(CUT) for at in kept)
    told = {at: one for at, one in enumerate(sentences) if at in kept}
    for at in (number for number in range(len(sentences)) if number not in kept):
        if len(sentences[at]) > room:
            if sum(map(len, told.values())) < SHORT_SHARE * max_chars or not at:
                told[at] = _clip(sentences[at], room)
            break
        told[at] = sentences[at]
        room -= len(sentences[at]) + 1
    return _join({at: one for at, one in sorted(told.items()) if one}, list(accumulate(map(len, parts))))


def _choose_ends(sentences: Sequence[str], max_chars: int) -> set[int]:
    """Choose a question at the end, and what a reply says was not done or stays open, the plainest first."""
    end = len(sentences) - 1
    kept = {end} if _is_question(sentences[end]) and len(sentences[end]) < max_chars / 2 else set()
    room = max_chars * (1 - FIRST_SHARE) - sum(len(sentences[at]) for at in kept)
    ranks = {at: _rank_reservation(sentences[at]) for at in range(1, len(sentences)) if at not in kept}
    for at in sorted(ranks, key=lambda at: (-ranks[at], -at)):
        if ranks[at] and len(sentences[at]) + len(CUT) < room:
            kept.add(at)
            room -= len(sentences[at]) + len(CUT)
    return kept


@memoize_texts(4_096)  # a reply is condensed to several lengths
def _rank_reservation(sentence: str) -> int:
    return 2 if _LEFT.search(sentence) else 1 if _RESERVES.search(sentence) else 0


def _is_question(sentence: str) -> bool:
    return sentence.endswith(("?", "？"))


def _join(told: Mapping[int, str], cuts: Sequence[int]) -> str:
    """Join sentences by their numbers, with a mark where some are left out; before those at `cuts`, some were."""
    made = ""
    before = -1
    for at, one in told.items():
        is_cut = at != before + 1 or at in cuts or made.endswith(BROKEN)
        made += f"{CUT if made and is_cut and not made.endswith(BROKEN) else ''} {one}"
        before = at
    return made.strip()


def keep_reservations(reply: str, later: Set[str] = frozenset()) -> str:
    """Return what a reply says of what was not done, and the question at its end; what was done is told by calls.

    A question that says nothing without what stood before it is left out, and so is what a later commit names: `later`
    are the terms of these.
    """
    sentences = [one for part in reply.split(CUT) for one in split_sentences(part)]
    kept = [one for one in sentences[:-1] if _rank_reservation(one)]
    kept += [one for one in sentences[-1:] if _rank_reservation(one) or (_is_question(one) and not _VAGUE.match(one))]
    return " ".join(one for one in kept if later.isdisjoint(list_terms(one)))


def list_terms(text: str) -> set[str]:
    """Return the compound terms and the names of a text, as `other-kind` and `canReplicate`."""
    return {term.casefold() for term in _TERM.findall(text)}


def drop_closing_question(reply: str) -> str:
    """Return a reply without the question with which it ends."""
    *before, last = [one for part in reply.split(CUT) for one in split_sentences(part)] or [""]
    if not last.endswith(("?", "？")):
        return reply
    return reply.removesuffix(last).strip().removesuffix(CUT.strip()).strip() if before else ""


def _list_sentences(text: str) -> Iterator[str]:
    plain = _INDENTED.sub("", text[:_SEARCHED])
    for sentence in split_sentences(plain if plain.strip() else text[:_SEARCHED]):
        lead, *items = (BULLET.sub("", collapse_whitespace(line)) for line in sentence.split("\n"))
        lead = _AGREES.sub("", lead)
        if lead == "[code]" or _HEADING.match(lead) or _EXCLAIMS.fullmatch(lead) or lead == CUT.strip():
            continue
        apart = [] if _LEFT.search(lead) else list(filter(_LEFT.search, items))
        listed = [one.rstrip(".;,") for one in items if one and one not in apart]
        said = f"{lead} {'; '.join(listed)}".strip() + "." * bool(listed and apart)
        if not said.endswith((":", "：")) and _LETTERS.search(said):
            yield said
        yield from apart


def _clip(text: str, max_chars: int) -> str:
    """Cut a sentence behind a clause, or between words where the clauses are too long."""
    if len(text) <= max_chars:
        return text
    kept = text[: max_chars - len(BROKEN)]
    clauses = [hit for hit in _CLAUSE.finditer(kept) if hit.start() >= LEAST_SHARE * max_chars]
    ends = [hit.start() for hit in clauses if hit[0] == ";"] or [hit.start() for hit in clauses]
    kept = kept[: ends[-1]] if ends else clip_text(text, max_chars - len(BROKEN))
    kept = kept[: kept.rindex("`")] if kept.count("`") % 2 else kept  # no name in code is cut
    return f"{kept.rstrip(' ,;:–—-')}{BROKEN}" if kept else ""


BROKEN = " …"  # ends a sentence that has no room
SHORT_SHARE, LEAST_SHARE = 0.4, 0.4  # of the room: below, the next sentence begins; what a cut sentence keeps
FIRST_SHARE = 0.3  # of the room, that what was not done leaves to the first sentence
_CLAUSE = re.compile(r"[,;:](?=\s)|\s[–—-](?=\s)|\s\((?=\w)")
_INDENTED = re.compile(r"(?m)^ {4,}(?![-*•+\d\s])[^\n]*\n?")  # code
_LEFT = re.compile(  # something was not done, or stays open
    r"(?i)\b(?:was|were|is|are|has|have|been|yet)(?: not|n['’]t)(?: yet| been){0,2}"
    r" (?:run|tested|verified|pushed|committed|done|fixed|started|covered|included|merged|deployed|finished)\b"
    r"|\b(?:did not|didn['’]t|have not|haven['’]t) (?:yet )?"
    r"(?:run|test|commit|push|verify|start|spawn|touch|change|open|merge)(?:ed)?\b"
    r"|\bno (?:commits?|push|pull request|tests?)\b[^.]{0,60}\b(?:was|were|has been|made|run|done|performed)\b"
    r"|\bstill (?:\w+ )?(?:open|fails?|failing|needs?|missing|blocked|pending)\b|\bremains? (?:open|to be|blocked|`)"
    r"|\b(?:left|remains?|still) (?:to do|open)\b|\bin[_ ]progress\b|\b(?:seems?|is|are|was|were) unrelated\b"
    r"|^\W*(?:skipped|blocked|blockers?|remaining|deferred|not (?:done|included)|open|left)\b[^.:]{0,40}:"
)
_RESERVES = re.compile(
    r"(?i)\bnot (?:yet |been )?(?:run|tested|verified|pushed|committed|done|fixed|started|covered|included|possible)\b"
    r"|n['’]t (?:run|test|push|commit|verify|cover|include|been)\b|\bno (?:commit|push|tests?)\b"
    r"|\bstill (?:open|fails?|needs?|missing)\b|\bleft (?:open|out|untouched|as is)\b"
    r"|\b(?:remains|remaining (?:work|issues?|tasks?|items?|gaps?)|untouched|skipped|blocked|unrelated|deferred"
    r"|limitations?|caveats?|did not|could not|couldn['’]t|failed)\b"
)
_VAGUE = re.compile(
    r"(?i)\W*(?:so,? )?(?:(?:which|what)(?: one| option| of these)? (?:would|do|should) (?:you|we|I)"
    r" (?:prefer|like|think|do|choose|want)"
    r"|(?:does|is) (?:that|this) (?:make sense|look (?:good|right)|ok(?:ay)?|right|fine|help)"
    r"|how does (?:that|this) (?:sound|look)|(?:sound|look)s? (?:good|right)"
    r"|(?:shall|should|can|may) I (?:proceed|go ahead|continue)|any (?:other )?questions"
    r"|(?:want|would you like) me to (?:proceed|go ahead|continue|do (?:that|this|it|so)))\W*$"
)
BULLET = re.compile(r"^\s*(?:[-*•+]|\d{1,2}[.)]|[✅✓✔])\s+")
_HEADING = re.compile(r"#{1,6}\s|\||\*\*[^*]{1,80}\*\*:?$|-{3,}$")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_AGREES = re.compile(
    r"(?i)^(?:(?:that['’]s an? )?(?:good|great|excellent|nice|fair|sharp) "
    r"(?:question|point|idea|catch|observation|call)"
    r"|perfect|great|got it|makes sense|right|understood|done|excellent|sure|absolutely)\s*(?:[-–—!:,]|\.(?=\s|$))\s*"
)
_EXCLAIMS = re.compile(
    r"(?i)\W*(?:(?:perfect|done|great|excellent|good|ok|okay|all (?:done|set)|got it|sure|yes|fixed|nice|right"
    r"|absolutely|understood)\W*){1,3}"
)
