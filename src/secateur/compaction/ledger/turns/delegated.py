"""Work that a call handed to another agent, and that came back with its report.

Rule: the tool is one for agents or tasks, and its call has a prompt in words. The report is quoted, shortened; nothing
of it is taken as known. A start in the background has no report yet: a later call may wait for it, by the agent's id.
"""

import re
from collections.abc import Iterator
from typing import Any

from secateur.compaction.ledger.said import strip_file_links
from secateur.compaction.ledger.turns.replies import condense_reply
from secateur.errors import FormatError
from secateur.jsontext import loads
from secateur.redact import redact
from secateur.toolcalls.actions import Action, clip_text, collapse_whitespace, normalize_name

DELEGATED = "agent"  # how a step on such work begins
WHAT_CHARS, REPORT_CHARS = 80, 420
FEWEST_BLANKS = 4  # of a prompt, and of a report, in words


def list_reports(action: Action, handed: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield what calls handed to other agents, each with its report, where this call brought one.

    `handed`: what was handed to each agent by its id, to which this call may add.
    """
    tool, said = normalize_name(action.call.tool), action.said
    if action.kind not in ("other", "plan") or not _AGENT.search(tool):
        return
    prompt, message = (_get_words(action, name) for name in ("prompt", "message"))
    if (prompt or message) and (started := _STARTED_ID.match(said)):
        handed[started[1]] = _name_work(action, prompt or message)
    elif prompt and not _STARTED.search(said[:_SEARCHED]):
        yield from _quote_report(_name_work(action, prompt), _FRAME.sub("", said))
    elif _COLLECTED.match(said):
        for name, report in _read_collected(said).items():
            yield from _quote_report(handed.get(name, "another agent"), report)


def _get_words(action: Action, name: str) -> str:
    given = action.given.get(name)
    return given if isinstance(given, str) and given.count(" ") >= FEWEST_BLANKS else ""


def _name_work(action: Action, prompt: str) -> str:
    named = action.given.get("description")
    return clip_text(collapse_whitespace(redact(named if isinstance(named, str) and named else prompt)), WHAT_CHARS)


def _quote_report(what: str, report: str) -> Iterator[tuple[str, str]]:
    if report.strip().count(" ") >= FEWEST_BLANKS:
        yield what, redact(condense_reply(strip_file_links(report).strip(), REPORT_CHARS))


def _read_collected(said: str) -> dict[str, str]:
    """Return the reports by the ids of the agents that had ended when a call waited for them."""
    try:
        value: Any = loads(said.encode("utf-8", "surrogatepass"))
    except FormatError:
        return {}
    states = value.get("status") if isinstance(value, dict) else None
    ended = {name: state.get("completed") for name, state in dict(states or {}).items() if isinstance(state, dict)}
    return {name: report for name, report in ended.items() if isinstance(report, str)}


_SEARCHED = 1_000  # characters at the beginning of a result
_AGENT = re.compile(r"agent|task|delegate")
_STARTED = re.compile(r"(?i)\b(?:async agent launched|(?:running|launched|started|working) in (?:the )?background)\b")
_STARTED_ID = re.compile(r"\s*\{\s*\"agent_id\"\s*:\s*\"([\w-]{1,60})\"")
_COLLECTED = re.compile(r"\s*\{\s*\"status\"\s*:\s*\{")
_FRAME = re.compile(r"(?m)^(?:task_id|agentId): [^\n]*$|</?task_result>")
