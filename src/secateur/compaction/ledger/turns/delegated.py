"""Work that a call handed to another agent, and that came back with its report.

Rule: the tool is one for agents or tasks, and its call has a prompt in words. The report is quoted, shortened; nothing
of it is taken as known. A start in the background has no report yet.
"""

import re

from secateur.compaction.ledger.turns.replies import condense_reply
from secateur.redact import redact
from secateur.toolcalls.actions import Action, clip_text, collapse_whitespace, normalize_name

DELEGATED = "agent"  # how a step on such work begins
WHAT_CHARS, REPORT_CHARS = 80, 420
FEWEST_BLANKS = 4  # of a prompt, and of a report, in words


def quote_delegated(action: Action) -> tuple[str, str] | None:
    """Quote what a call handed to another agent, and its report; None for any other call."""
    prompt = action.given.get("prompt")
    if not isinstance(prompt, str) or prompt.count(" ") < FEWEST_BLANKS or action.kind not in ("other", "plan"):
        return None
    if not _AGENT.search(normalize_name(action.call.tool)) or _STARTED.search(action.said[:_SEARCHED]):
        return None
    report = _FRAME.sub("", action.said).strip()
    if report.count(" ") < FEWEST_BLANKS:
        return None
    named = action.given.get("description")
    what = clip_text(collapse_whitespace(redact(named if isinstance(named, str) and named else prompt)), WHAT_CHARS)
    return what, redact(condense_reply(report, REPORT_CHARS))


_SEARCHED = 1_000  # characters at the beginning of a result
_AGENT = re.compile(r"agent|task|delegate")
_STARTED = re.compile(r"(?i)\b(?:async agent launched|(?:running|launched|started|working) in (?:the )?background)\b")
_FRAME = re.compile(r"(?m)^(?:task_id|agentId): [^\n]*$|</?task_result>")
