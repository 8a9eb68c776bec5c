"""Headings of a quoted text: those of which nothing is left go, and nothing that is left stands below another's.

Rule: a heading is a line of one, a bold line, or a line that ends with a colon. What it leads to is its list, or else
what follows it up to the next heading.
"""

import re
from collections.abc import Sequence

from secateur.compaction.ledger.turns.findings import QuoteUnit
from secateur.compaction.ledger.user.brief_units import GAP

LISTED = re.compile(r"\s*(?:[-*•+]|\d{1,2}[.)])\s|\s{4,}\S|\s*\|")
OPENS = re.compile(r"^\s*#{1,6}\s|^\s*\*\*[^*]{1,80}\*\*:?\s*$|[:：]\W{0,3}$")


def is_bare(lines: Sequence[str], at: int) -> bool:
    """Whether a mark of what is left out stands right below a line, and nothing behind that is of its list or block."""
    below = [line for line in lines[at + 1 :] if line.strip()]
    if below and below[0].strip() != GAP:
        return False
    item = next((line for line in below if line.strip() != GAP), "")
    joined = next((line for line in lines[at + 1 :] if line.strip() != GAP), "")  # "": a blank line comes first
    return not LISTED.match(item) and (not joined.strip() or OPENS.search(joined) is not None)


def drop_bare_heads(units: Sequence[QuoteUnit], kept: set[int]) -> list[int]:
    """Drop headings, and lines that end with a colon, of whose list or else of what follows nothing is left."""
    heads = [at for at, one in enumerate(units) if OPENS.search(one.text)]
    for at, behind in reversed([*zip(heads, [*heads[1:], len(units)], strict=False)]):
        end = next((n for n in range(at + 1, behind) if not LISTED.match(units[n].text)), behind)
        end = end if end > at + 1 else behind
        is_leading = any(number in kept for number in range(at + 1, end)) or (behind == at + 1 and behind in kept)
        if 0 < at < len(units) - 1 and not is_leading:
            kept.discard(at)
    return sorted(kept)


def keep_heads(units: Sequence[QuoteUnit], kept: Sequence[int], room: int) -> list[int]:
    """Keep what would stand below another heading with its own one, or leave it out where that has no room."""
    heads = _find_heads(units)
    made: list[int] = []
    over = -1  # the heading that a reader sees above
    for at in kept:
        if _is_head(units[at]):
            over = at
        elif over >= 0 and heads[at] not in (-1, over):
            size = len(units[heads[at]].text) + len(GAP) + 2
            if size > room:
                continue
            room -= size
            over = heads[at]
            made.append(over)
        made.append(at)
    return made


def _find_heads(units: Sequence[QuoteUnit]) -> list[int]:
    """Return for each unit the number of the heading that it stands below; -1 if below none, or if it is one."""
    found: list[int] = []
    over = -1
    for at, one in enumerate(units):
        over = -1 if _is_head(one) else over
        found.append(over)
        over = at if _is_head(one) else over
    return found


def _is_head(unit: QuoteUnit) -> bool:
    return OPENS.search(unit.text) is not None
