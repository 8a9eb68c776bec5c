"""Sentences of the agent's last words that the calls behind them refute.

Rule: only plain claims (no doubt, condition, plan or exception in the sentence) of four kinds, each against what calls
show: that tests pass, while the last run of a test failed and nothing ran well behind it; that something was fixed,
while no call changed a file of the project; that something was committed or pushed, while no call did. Beside them,
names of code that only stand in the example before the task, and what the agent says that it did of which no call of
the session could have done anything: tests that passed, processes that were stopped, a pull request that was opened.
A claim that no call can judge is left alone, and so is one of a session whose beginning a summary took the place of.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence

from secateur.compaction.ledger.entries import Ledger
from secateur.compaction.ledger.runs.checks import judge_run
from secateur.compaction.ledger.runs.failed_acts import LINE_CHARS, quote_line
from secateur.compaction.ledger.said import get_agent_text, get_user_text, split_sentences
from secateur.compaction.ledger.turns.replies import BULLET
from secateur.model import Message
from secateur.redact import redact
from secateur.toolcalls.actions import clip_text, collapse_whitespace
from secateur.toolcalls.commands import ExecutedCommand

MOST_NAMES = 3  # of code that only the example has
_SEARCHED = 20_000  # characters of the last words


def list_refuted(messages: Sequence[Message], ran: Sequence[ExecutedCommand], ledger: Ledger) -> Iterator[str]:
    """Yield each claim of the agent's last words that calls refute, quoted, with what they show."""
    said = ledger.last_words
    if said is None or said.is_answered:
        return
    sentences = [
        line
        for sentence in split_sentences(said.text[:_SEARCHED])
        for line in sentence.split("\n")
        if not _DOUBTS.search(line)
    ]
    facts = {
        _SAYS_PASSED: _find_failed_test(ran),
        _SAYS_FIXED: _find_nothing_changed(ledger),
        _SAYS_PUSHED: "no call pushed anything" if ledger.unpushed and not _has_left(ledger, messages) else "",
        _SAYS_COMMITTED: "no call made a commit" if _is_uncommitted(ledger, messages) else "",
    }
    for claims, fact in facts.items():
        claim = next(filter(claims.search, sentences), "") if fact else ""
        if claim:
            yield f"“{_quote(claim)}” — {fact}"
    yield from _list_unsupported(sentences, messages, ran)
    if names := _list_names_of_example(said.text, messages):
        yield f"{', '.join(names)} — only the example before the task has {'it' if len(names) == 1 else 'them'}"


def _list_unsupported(
    sentences: Sequence[str], messages: Sequence[Message], ran: Sequence[ExecutedCommand]
) -> Iterator[str]:
    """Yield what the agent says that it did, where no call of the session bears a word of it."""
    if _has_helpers(messages) or any(one.origin == "summary" for one in messages):
        return
    calls = [
        f"{part.tool} {part.text[:_SEARCHED]}"
        for message in messages
        for part in message.parts
        if part.kind == "tool_call"
    ]
    for claims, evidence, fact in _DEEDS:
        claim = next(filter(claims.search, sentences), "")
        if claim and not any(map(evidence.search, calls)):
            yield f"“{_quote(claim)}” — {fact}"
    tested = next(filter(_SAYS_PASSED.search, sentences), "")
    if tested and not any(run.check for run in ran) and not any(map(_TESTS.search, calls)):
        yield f"“{_quote(tested)}” — no call ran a test"
    deed = next((one for one in sentences if _SAYS_DONE.search(one) and not _RECALLS.search(one)), "")
    if deed and calls and not _has_called(messages):
        yield f"“{_quote(deed)}” — no call was made since the user's last message"


def _has_called(messages: Sequence[Message]) -> bool:
    """Whether the agent called anything since the user's newest message."""
    for message in reversed(messages):
        if get_user_text(message):
            return False
        if any(part.kind == "tool_call" for part in message.parts):
            return True
    return True


def _quote(sentence: str) -> str:
    return clip_text(collapse_whitespace(BULLET.sub("", sentence)), LINE_CHARS)


def _find_failed_test(ran: Sequence[ExecutedCommand]) -> str:
    """Say that the last run of a test failed; "" if anything that is no mere look ran well behind it."""
    for run in reversed(ran):
        if not run.action.result or (run.looks and not run.check):
            continue
        ok = judge_run(run).ok
        if run.check == "test" and ok is False:
            return f"the last test run failed: {quote_line(run.line)}"
        if ok is not False:
            return ""
    return ""


def _find_nothing_changed(ledger: Ledger) -> str:
    """Say that no file of the project is changed; "" where one is, or may be, and where none was tried."""
    changed = [one for one in ledger.files if one.use in ("created", "changed", "deleted", "moved") and not one.scratch]
    if ledger.commits or any(one.use != "created" or not _is_trial(one.path) for one in changed):
        return ""
    if any(one.use == "restored" for one in ledger.files):
        return "every change was taken back"
    has_tried = any(one.use == "created" for one in ledger.files)
    return "no call changed a file that was there before" if has_tried else ""


def _is_trial(path: str) -> bool:
    return _TRIAL.search(posixpath.basename(path)) is not None


def _has_left(ledger: Ledger, messages: Sequence[Message]) -> bool:
    return "push" in ledger.delivered or _has_helpers(messages)


def _is_uncommitted(ledger: Ledger, messages: Sequence[Message]) -> bool:
    is_made = ledger.commits or "commit" in ledger.delivered or _has_helpers(messages)
    return bool(ledger.uncommitted) and not is_made


def _has_helpers(messages: Sequence[Message]) -> bool:
    """Whether other agents worked, whose calls are not here."""
    calls = (part.tool for message in messages for part in message.parts if part.kind == "tool_call")
    return any(_HELPER.search(tool) for tool in calls)


def _list_names_of_example(said: str, messages: Sequence[Message]) -> list[str]:
    """Return the names of code in the last words that stand in a demonstration, and in no message of the task."""
    start = next((at for at, one in enumerate(messages) if one.role == "user" and one.origin == "user"), 0)
    if not any(one.role == "assistant" and one.origin == "harness" for one in messages[:start]):
        return []
    names = dict.fromkeys(_NAME.findall(said))
    shown = "\n".join(part.text for message in messages[:start] for part in message.parts)
    own = "\n".join(
        part.text
        for message in messages[start:]
        for part in message.parts
        if part.kind != "reasoning" and not (part.kind == "text" and get_agent_text(message))
    )
    return [redact(name) for name in names if name in shown and name not in own][:MOST_NAMES]


_TRIAL = re.compile(r"(?i)(?:^|[_.-])(?:tests?|debug|tmp|scratch|repro(?:duce)?|try|check|verify|demo)(?=[_.\d-])")
_DOUBTS = re.compile(
    r"(?i)\b(?:not|no|never|n['’]t|cannot|fail\w*|broken|except|but|however|although|should|would|could|will|may|might"
    r"|once|if|when|until|unless|before|after|previous\w*|unrelated|existing|to (?:fix|commit|push|be)|need\w*"
    r"|let['’]?s|let me|ready|want|next|please|locally|partly|mostly|most|some|only|yet|expect\w*|plan\w*|other)\b|\?$"
)
_SAYS_PASSED = re.compile(
    r"(?i)\b(?:all|the|every|full|\d+)\b[^.!?\n]{0,40}\b(?:tests?|specs?|suite)\b[^.!?\n]{0,30}"
    r"\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?)\b"
)
_SAYS_FIXED = re.compile(
    r"(?i)\b(?:bug|issue|problem|error|it|this|that)\b[^.!?\n]{0,40}\b(?:is|was|are|were|has been|have been)"
    r" (?:now |successfully |correctly )?(?:fixed|resolved|solved)\b"
    r"|\b(?:i|we)(?:['’]ve| have)? (?:now |successfully )?(?:fixed|resolved|solved|modified)\b"
    r"|\b(?:the|our|this) fix works\b"
)
_SAYS_PUSHED = re.compile(r"(?i)(?:^|\b(?:and|i|is|are|was|were|been|i['’]ve)\s+)pushed\b")
_SAYS_COMMITTED = re.compile(r"(?i)(?:^|\b(?:and|i|is|are|was|were|been|i['’]ve)\s+)committed\b")
_SAID = r"(?i)\b(?:i|we)(?:['’]ve| have)?(?: (?:now|also|just|already|successfully))? "
_DEEDS = (  # what the agent says, by what calls would show it, and what is told where none does
    (
        re.compile(rf"{_SAID}(?:killed|stopped|terminated|shut down)\b"),
        re.compile(r"(?i)kill|stop|terminat|shut|close|cancel|abort|down|quit|exit|\\u0003|write_stdin"),
        "no call stopped anything",
    ),
    (
        re.compile(
            rf"{_SAID}(?:opened|created|raised|filed) (?:a|the|an?other) (?:\w+ )?(?:pull request|pr|issue|ticket)\b"
        ),
        re.compile(r"(?i)\bpr\b|pull|merge_request|issue|ticket|\bbd\b|\btk\b|jira|linear|curl|http|api"),
        "no call opened one",
    ),
    (
        re.compile(rf"{_SAID}(?:deployed|published|released|uploaded)\b"),
        re.compile(r"(?i)deploy|publish|releas|upload|push|apply|sync|ship|curl|http|api|\bscp\b|cp\b"),
        "no call published anything",
    ),
)
_TESTS = re.compile(r"(?i)test|spec|check|verif|valid|assert|python|node|run|exec|make|npm|bash|sh\b|submit")
_SAYS_DONE = re.compile(
    rf"{_SAID}(?:fixed|updated|added|removed|deleted|renamed|changed|created|booked|cancelled|canceled|processed|refunded|issued"
    r"|sent|submitted|applied|installed|configured|enabled|disabled|reset|restarted|scheduled|upgraded|transferred)\b"
)
_RECALLS = re.compile(
    r"(?i)\b(?:above|earlier|before|previously|already|so far|as of|in (?:the|my|that|this)|which|that i|what i|where i"
    r"|when i|because|since|how i|why i|the \w+ (?:i|we)|here(?:['’]s| is)|summary|recap|added to your understanding)\b"
)
_HELPER = re.compile(r"(?i)task|agent|spawn|deleg|workflow|mcp")
_NAME = re.compile(r"\b(?:[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+|_{0,2}[a-z0-9]+(?:_[a-z0-9]+)+|_[a-z]\w{3,}|[\w/]+\.py)\b")
