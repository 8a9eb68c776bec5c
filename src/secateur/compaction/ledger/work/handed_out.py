"""Work that calls handed to other agents, and commands that they left running, as far as nothing shows their end.

Rule: a start counts where its result names what was started: an agent or a task by its id, a worker or a session of a
terminal by the name that the command gave it. A look, or a local step of git, is no work. It has ended where a later
result or a notice of the host says so behind that name, or a call stops it; a check that ran on, also after two more
messages of the user. Work that is sent to an agent again is open again.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from secateur.compaction.ledger.runs.checks import judge_run
from secateur.compaction.ledger.runs.failed_acts import quote_line
from secateur.compaction.ledger.said import STOP, get_user_text
from secateur.model import Message, Part
from secateur.redact import redact
from secateur.toolcalls.actions import Action, clip_text, collapse_whitespace
from secateur.toolcalls.commands import ExecutedCommand, find_session
from secateur.toolcalls.file_effects import list_command_lines

MOST_HANDED = 6
PAST_MESSAGES = 2  # of the user, after which a check that ran on has ended, whoever looked
WHAT_CHARS = 100  # of what was handed out
_SEARCHED = 20_000  # characters of a text
_BEHIND = 400  # characters behind an id, in which its state stands


def list_handed_out(
    messages: Sequence[Message], done: Iterable[Action], ran: Iterable[ExecutedCommand]
) -> Iterator[str]:
    """Yield what was handed out of which nothing shows the end, the newest last."""
    actions = {action.result.key: action for action in done if action.result}
    runs: dict[str, list[ExecutedCommand]] = {}
    for run in ran:
        runs.setdefault(run.action.key, []).append(run)
    left: dict[str, str] = {}
    checks: dict[str, int] = {}  # that run on, with how many messages of the user followed
    for message in messages if actions else ():
        if checks and get_user_text(message):
            checks = {name: count + 1 for name, count in checks.items()}
            left = {name: what for name, what in left.items() if checks.get(name, 0) < PAST_MESSAGES}
        for part in message.parts:
            action = actions.get(part.key)
            started = dict(_list_started(action, runs.get(part.key, []))) if action and action.ok else {}
            for name in [*left] if not started and _may_tell(message, part) else ():
                if _is_ended(name, part.text[-_SEARCHED:]) or (action and _is_stopped(name, action)):
                    del left[name]
            if any(run.check for run in runs.get(part.key, ())):
                checks |= dict.fromkeys(started, 0)
            again = {_strip_session(what) for what in started.values()}  # the same command runs anew
            left = {
                name: what
                for name, what in left.items()
                if name not in started and not (_RUNS_ANEW.search(what) and _strip_session(what) in again)
            } | started
    yield from [*dict.fromkeys(left.values())][-MOST_HANDED:]


def _strip_session(what: str) -> str:
    return _RUNS_ANEW.sub("", what)


def _may_tell(message: Message, part: Part) -> bool:
    return part.kind == "tool_result" or (part.kind == "text" and message.origin == "harness")


def _list_started(action: Action, runs: Sequence[ExecutedCommand]) -> Iterator[tuple[str, str]]:
    """Yield the names of what a call started, each with what it is to do."""
    for words in (words for run in runs for words in run.does):
        if name := _name_worker(words):
            yield name, f"{redact(name)} ({words[0]})"
    if hit := _find_start(action.said[:_SEARCHED]):
        yield hit[1] or hit[2] or hit[3], _describe(action)
    elif "session_id" not in action.given and not _is_past(runs) and (session := find_session(action)):
        yield session, f"{_describe(action)} (session {session})"
    elif _SENDS.search(action.call.tool):
        names = (action.given.get(key) for key in ("target", "to", "id", "agent_id"))
        yield from ((name, _describe(action)) for name in names if isinstance(name, str) and _ID.fullmatch(name))


def _find_start(said: str) -> re.Match[str] | None:
    """Return where an output names what was started; each form of that has one of three words, which most lack."""
    may_name = '"agent_id":' in said or "agentId: " in said or "background with ID: " in said
    return _STARTED.search(said) if may_name else None


def _is_past(runs: Sequence[ExecutedCommand]) -> bool:
    """Whether a check has failed already, or all that a call ran ends at once: it looks, or records what is there."""
    has_failed = any(run.check and judge_run(run).ok is False for run in runs)
    return has_failed or (bool(runs) and all(run.looks or _RECORDS.match(run.line) for run in runs))


def _name_worker(words: Sequence[str]) -> str:
    """Return the name of the worker or of the session that a command starts; "" if it starts none."""
    if words[:2] == ("workmux", "add") and not {"-h", "--help"} & {*words}:
        named = [word for option, word in zip(words[2:], words[3:], strict=False) if option == "--name"]
        return next((word for word in (*named, *words[2:]) if not word.startswith("-")), "")
    if words[:1] == ("tmux",) and words[1:2] in (("new",), ("new-session",)) and any(_DETACHED.match(w) for w in words):
        return next((word for option, word in zip(words, words[1:], strict=False) if _NAMED.fullmatch(option)), "")
    return ""


def _describe(action: Action) -> str:
    """Return what a call handed out: its own short description, the command, or the first sentence of the prompt."""
    if lines := list_command_lines(action):
        return f"`{clip_text(quote_line(lines[0]), WHAT_CHARS)}`"
    given = {name.lower(): value for name, value in action.given.items() if isinstance(value, str) and value.strip()}
    said = next((given[name] for name in ("description", "title", "message", "prompt", "task") if name in given), "")
    first = collapse_whitespace(redact(STOP.split(said.strip())[0].partition("\n")[0]))
    return f"“{clip_text(first, WHAT_CHARS)}”" if first else action.call.tool


def _is_ended(name: str, text: str) -> bool:
    """Whether a text says behind a name, in the same line or record, that it has ended."""
    is_id = _ID.fullmatch(name) is not None
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        line = text[end : at + _BEHIND]
        is_whole = not (_IS_CUT_BEFORE.search(text[max(at - 1, 0) : at]) or _IS_CUT_BEHIND.match(line))
        if (is_id or is_whole) and _ENDED.search(line if is_id else line.partition("\n")[0]):
            return True
        at = text.find(name, end)
    return False


def _is_stopped(name: str, action: Action) -> bool:
    """Whether a call stops or removes what bears a name, or reads the end of a session that does."""
    if str(action.given.get("session_id", "")) == name and action.exit is not None:
        return True
    lines = list_command_lines(action)
    if lines:
        return action.ok and any(_STOPS_WORKER.search(line) and name in line for line in lines)
    return action.ok and _STOPS.search(action.call.tool) is not None and name in action.call.text


_STARTED = re.compile(
    r"\"agent_id\":\s?\"([\w-]{6,60})\"|\blaunched\b[^\n]{0,80}\s{1,4}agentId: (\w{6,60})"
    r"|\brunning in (?:the )?background with ID: (\w{3,60})"
)
_RUNS_ANEW = re.compile(r" \(session \d{1,12}\)$")
_RECORDS = re.compile(r"git (?:-\S+ \S+ )?(?:add|commit|status|restore|reset|checkout|switch|stash|tag|branch)\b")
_SENDS = re.compile(r"(?i)^send_?(?:input|message)$")
_ID = re.compile(r"(?=\D*\d)[\w-]{6,60}")
_ENDED = re.compile(
    r"(?i)(?<=[\s\"'>])(?<!\bnot\s)(?:completed|done|finished|merged|closed|failed|killed|errored|exited|stopped|shutdown)"
    r"(?=[\s\"'<,:.(;]|$)"
)
_IS_CUT_BEFORE = re.compile(r"[\w./-]")  # the name is the end of a path or of a longer name
_IS_CUT_BEHIND = re.compile(r"[\w/-]|\.\w")
_STOPS = re.compile(r"(?i)kill|stop|close|cancel|terminate")
_STOPS_WORKER = re.compile(r"\b(?:workmux (?:remove|rm|close|merge)|tmux kill-session|tmux kill-server)\b")
_DETACHED = re.compile(r"-[a-zA-Z]*d")
_NAMED = re.compile(r"-[a-zA-Z]*s")
