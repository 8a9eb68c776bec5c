"""The agent's reply at the end of a turn, shortened to the sentences that say what was done, found or asked.

Rule: whole sentences in their order. Exclamations, headings, tables and code are left out; of a list the opening line
and its first items stand in one sentence. Nothing is made up; a mark stands where sentences are left out between
others, and a sentence that has no room ends behind a clause, with another mark.
"""

import re
from collections.abc import Iterator, Sequence

from secateur.compaction.ledger.said import FENCED, split_sentences
from secateur.toolcalls.actions import clip_text, collapse_whitespace

MOST_CHARS = 320
CUT = " […]"
_SEARCHED = 8_000


def condense_reply(text: str, max_chars: int) -> str:
    """Return the sentences of a reply that have room: the first ones, a reservation, and a question at its end."""
    if len(text) <= max_chars and "\n" not in text:
        return text
    sentences = list(_list_sentences(text))
    if not sentences:
        return clip_text(collapse_whitespace(FENCED.sub(" ", text)), max_chars)
    last = sentences[-1] if sentences[-1].endswith(("?", "？")) and len(sentences[-1]) < max_chars / 2 else ""
    told = sentences[: -1 if last else None]
    reserve = next((one for one in reversed(told[1:]) if len(one) < max_chars / 3 and _RESERVES.search(one)), "")
    kept = _take_first(told, max_chars - len(last) - len(reserve) - 2 * len(CUT))
    ends = [one for one in (reserve, last) if one and one not in kept]
    if not kept and not ends:
        return _clip(sentences[0], max_chars)
    if len(kept) < len(sentences) and sum(map(len, kept)) < SHORT_SHARE * max_chars and not ends:
        kept += filter(None, [_clip(sentences[len(kept)], max_chars - len(" ".join(kept)) - 1)])
    whole = kept + ends == sentences[: len(kept)] + sentences[len(sentences) - len(ends) :]
    gap = CUT if kept and ends and not (whole and len(kept) + len(ends) == len(sentences)) else ""
    return f"{' '.join(kept)}{gap} {' '.join(ends)}".strip()


def _take_first(sentences: Sequence[str], room: int) -> list[str]:
    kept: list[str] = []
    for one in sentences:
        room -= len(one) + 1
        if room < 0:
            break
        kept.append(one)
    return kept


def keep_reservations(reply: str) -> str:
    """Return what a reply says of what was not done, and the question at its end; what was done is told by calls."""
    sentences = [one for part in reply.split(CUT) for one in split_sentences(part)]
    kept = [one for one in sentences[:-1] if _RESERVES.search(one)]
    kept += [one for one in sentences[-1:] if _RESERVES.search(one) or one.endswith(("?", "？"))]
    return " ".join(kept)


def _list_sentences(text: str) -> Iterator[str]:
    plain = _INDENTED.sub("", text[:_SEARCHED])
    for sentence in split_sentences(plain if plain.strip() else text[:_SEARCHED]):
        lead, *items = (BULLET.sub("", collapse_whitespace(line)) for line in sentence.split("\n"))
        lead = _AGREES.sub("", lead)
        if lead == "[code]" or _HEADING.match(lead) or _EXCLAIMS.fullmatch(lead) or lead == CUT.strip():
            continue
        said = f"{lead} {'; '.join(one.rstrip('.;,') for one in items if one)}".strip()
        if not said.endswith((":", "：")) and _LETTERS.search(said):
            yield said


def _clip(text: str, max_chars: int) -> str:
    """Cut a sentence behind a clause, or between words where the clauses are too long."""
    if len(text) <= max_chars:
        return text
    kept = text[: max_chars - len(BROKEN)]
    ends = [hit.start() for hit in _CLAUSE.finditer(kept) if hit.start() >= LEAST_SHARE * max_chars]
    kept = kept[: ends[-1]] if ends else clip_text(text, max_chars - len(BROKEN))
    return f"{kept.rstrip(' ,;:–—-')}{BROKEN}" if kept else ""


BROKEN = " …"  # ends a sentence that has no room
SHORT_SHARE, LEAST_SHARE = 0.4, 0.4  # of the room: below, the next sentence begins; what a cut sentence keeps
_CLAUSE = re.compile(r"[,;:](?=\s)|\s[–—-](?=\s)|\s\((?=\w)")
_INDENTED = re.compile(r"(?m)^ {4,}(?![-*•+\d\s])[^\n]*\n?")  # code
_RESERVES = re.compile(
    r"(?i)\bnot (?:yet |been )?(?:run|tested|verified|pushed|committed|done|fixed|started|covered|included|possible)\b"
    r"|n['’]t (?:run|test|push|commit|verify|cover|include|been)\b|\bno (?:commit|push|tests?)\b"
    r"|\bstill (?:open|fails?|needs?|missing)\b|\bleft (?:open|out|untouched|as is)\b"
    r"|\b(?:remain(?:s|ing)?|untouched|skipped|blocked|unrelated|deferred|limitations?|caveats?|did not"
    r"|could not|couldn['’]t|failed|fails)\b"
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
