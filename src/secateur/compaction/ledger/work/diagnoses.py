"""What the agent took for the cause of what still fails, quoted.

Rule: the newest such sentence behind the user's last message, and only where the last command of known outcome failed,
or where the work goes on and no command tells how it stands. Guesses do not count. It is told as the agent's view, not
as a finding.
"""

import re
from collections.abc import Sequence

from secateur.compaction.ledger.entries import Ledger, UserRequest
from secateur.compaction.ledger.said import FENCED, get_agent_text, get_user_text, split_sentences
from secateur.model import Message
from secateur.redact import redact
from secateur.toolcalls.actions import clip_text, collapse_whitespace

MOST_CHARS, FEWEST_CHARS = 320, 45  # of a sentence
MOST_MESSAGES = 40  # at the end: what was thought before them is mostly overtaken
_SEARCHED = 6_000  # characters of a message


def find_diagnosis(messages: Sequence[Message], ledger: Ledger) -> str:
    """Return the agent's newest sentence on the cause of what still fails; "" where nothing does."""
    if not ledger.requests or not _is_unsolved(ledger.requests[-1]):
        return ""
    said = ledger.last_words.text if ledger.last_words else ""
    for message in reversed(messages[-MOST_MESSAGES:]):
        if get_user_text(message):
            return ""
        text = get_agent_text(message)[:_SEARCHED]
        for sentence in reversed(list(split_sentences(FENCED.sub("\n", text))) if _TELLS.search(text) else []):
            line = redact(collapse_whitespace(sentence))
            if len(line) >= FEWEST_CHARS and _TELLS.search(line) and not _VAGUE.search(line):
                return "" if line in collapse_whitespace(said) else f"“{clip_text(line, MOST_CHARS)}”"
    return ""


def _is_unsolved(one: UserRequest) -> bool:
    """Whether the last command behind a request failed, or no command tells how open work stands."""
    outcomes = [step for step in one.progress.steps if " → " in step] if one.progress else []
    if not outcomes:
        return one.state == "open" and one.progress is not None
    return " → failed" in outcomes[-1] and ", then ok" not in outcomes[-1]


_TELLS = re.compile(
    r"(?i)\bi (?:now )?(?:see|found|understand|know) (?:what )?the (?:real |actual |root )?"
    r"(?:issue|problem|bug|cause)\b"
    r"|\bthe (?:real |actual |main |root |underlying |core )?(?:issue|problem|cause|bug|reason|error)"
    r" (?:here |now |with \S{1,60} )?(?:is|was|lies|comes from)\b"
    r"|\broot cause\b|\bkey insight\b|\bculprit\b|\bturns out\b"
)
_VAGUE = re.compile(r"(?i)\b(?:likely|might|may|maybe|perhaps|probably|could|related to|seems?)\b|[?:]$")
