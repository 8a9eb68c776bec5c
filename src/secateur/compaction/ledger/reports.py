"""What the agent reports as done: the items of the report with which it ended its newest turn of work.

Rule: an item is a heading, a bullet or a numbered point that begins with a deed, or that a lead-in such as "What
changed:" opens; of each the first sentence, quoted. Items under a lead-in that speaks of what is left, skipped or
proposed are not deeds, and the details under an item are left out. One item alone is no report. A report that the
user's next words contradict or take back does not count.
"""

import re
from collections.abc import Iterator, Sequence

from secateur.compaction.ledger.entries import Quote
from secateur.compaction.ledger.said import CONTRADICTS, FENCED, STOP, get_agent_text, get_user_text
from secateur.model import Message
from secateur.redact import redact
from secateur.tool_kinds import detect_tool_kind
from secateur.toolcalls.actions import clip_text, collapse_whitespace

MOST_REPORTED = 8  # items
ITEM_CHARS = 300
_FEWEST = 2  # items of a report
_SEARCHED = 20_000  # characters of a text


def list_reported(messages: Sequence[Message]) -> tuple[Quote, ...]:
    """Return the items of the newest report of work; none where the user contradicted it."""
    found: tuple[Quote, ...] = ()
    has_worked = False
    for at, message in enumerate(messages):
        if calls := [part for part in message.parts if part.kind == "tool_call"]:
            has_worked = has_worked or any(detect_tool_kind(one.tool, one.text) in ("edit", "run") for one in calls)
        elif has_worked and (text := get_agent_text(message)):
            items = tuple(dict.fromkeys(find_items(text)))
            found = tuple(Quote(one, message.key) for one in items[:MOST_REPORTED]) if len(items) >= _FEWEST else found
        elif found and at and messages[at - 1].key == found[0].key and CONTRADICTS.match(get_user_text(message)):
            found = ()
    return found


def find_items(text: str) -> Iterator[str]:
    """Yield the first sentence of each item of a text that tells of a deed."""
    is_open = is_left_out = False  # under a lead-in of deeds; under an item, or a lead-in of anything else
    for line in FENCED.sub("\n", text[:_SEARCHED]).split("\n"):
        if not (hit := _ITEM.match(line)):
            if line.strip() and _is_lead_in(line):
                is_open, is_left_out = _OPENS.search(line) is not None, _LEFT.search(line) is not None
            continue
        item = _clean(line[hit.end() :])
        is_heading = hit["heading"] is not None
        is_deed = _DEED.match(item) is not None and not item.endswith((":", "?"))
        if is_heading:
            is_left_out = is_deed or _LEFT.search(item) is not None
            is_open = not is_left_out and _OPENS.search(item) is not None
        is_told = is_deed and (is_heading or not is_left_out)
        if (is_told or (is_open and not is_heading)) and not _UNDONE.search(item):
            yield item


def _is_lead_in(line: str) -> bool:
    return line.rstrip().rstrip("*_").endswith((":", "：")) or _BOLD.fullmatch(line.strip()) is not None


def _clean(item: str) -> str:
    text = collapse_whitespace(redact(STOP.split(item.strip())[0])).strip()
    return text if len(text) <= ITEM_CHARS else f"{clip_text(text, ITEM_CHARS)} …"


_ITEM = re.compile(r"(?P<heading>#{1,5}\s+(?:\d{1,2}[.)]\s+)?)|[-*•+]\s+(?:\[x\]\s+)?|\d{1,2}[.)]\s+|[✅✓✔]\s*")
_BOLD = re.compile(r"\*\*[^*]{1,80}\*\*")
_DEED = re.compile(
    r"(?i)[\W_]*(?:(?:i|we)(?:['’]ve| have)?\s+)?(?:(?:successfully|now|also|just)\s+)*(?:added|fixed|updated|removed"
    r"|renamed|moved|replaced|created|implemented|changed|refactored|extracted|introduced|extended|modified|simplified"
    r"|improved|deleted|dropped|merged|split|wired|converted|consolidated|deduplicated|documented|committed|pushed"
    r"|resolved|corrected|rewrote|migrated|cleaned up|made|switched|enabled|disabled|restored|reverted)\b"
)
_OPENS = re.compile(
    r"(?i)\bwhat (?:got |was |i |we )?(?:\w+ )?(?:fixed|changed|done|added|did|landed)\b"
    r"|\bwhat['’]s (?:done|new|changed)\b"
    r"|^\W*(?:summary of )?(?:the )?(?:changes?|fixes|completed|done|fixed|added|accomplished)(?: made)?\W*$"
)
_LEFT = re.compile(
    r"(?i)\b(?:not|n['’]t|left|remain\w*|skip\w*|next|to-?do|open|pending|propos\w*|options?|could|would|should|plan\w*"
    r"|later|follow-?ups?|limitations?|known|before|deferred|out of scope|suggest\w*|questions?|tests? plan|if)\b"
)
_UNDONE = re.compile(
    r"(?i)\b(?:not (?:yet|done|started|fixed)|n['’]t (?:yet|done)|todo|should|would|could"
    r"|still (?:to|needs?|open|fails?))\b|\?$"
)
