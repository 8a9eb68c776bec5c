"""What the user asked for by name and that no call did: a commit, a push, a pull request, a merge, a ticket.

Rule: only what is asked for in so many words, at the beginning of a clause; not what is denied, asked about, or bound
to a condition, nor what the user interrupted at once to speak of something else. What the calls of later messages did
is taken from the commands and tools themselves, never from what the agent says of them; of a chain that failed, what
its output shows done is done. One entry for each kind, the newest; quoted.
"""

import re
from collections.abc import Iterable, Sequence

from secateur.compaction.ledger.entries import Undelivered
from secateur.compaction.ledger.runs.failed_acts import has_run_failed, list_failed_programs
from secateur.compaction.ledger.said import get_user_text, split_sentences
from secateur.compaction.ledger.user.requests import is_substantial
from secateur.compaction.ledger.user.taken_back import is_retracting, list_banned_acts
from secateur.model import Message
from secateur.redact import redact
from secateur.text.host_texts import is_interruption
from secateur.toolcalls.actions import Action, clip_text, collapse_whitespace
from secateur.toolcalls.commands import ExecutedCommand

MAX_CHARS = 160  # of the user's sentence, and of a tool's name
_SEARCHED = 2_000  # characters of a message: a longer one is a document


def extract_deliveries(
    messages: Sequence[Message], done: Sequence[Action], ran: Iterable[ExecutedCommand]
) -> tuple[tuple[Undelivered, ...], tuple[str, ...]]:
    """Return what was asked for and not done, and the kinds of everything that was done."""
    kinds = _list_kinds(done, ran)
    found: dict[str, Undelivered] = {}
    withdrawn = _find_withdrawn(messages)
    for message in messages:
        if text := get_user_text(message):
            if _TAKES_BACK.match(text) or is_retracting(text):
                found.clear()
            for act in list_banned_acts(text):
                found.pop(act, None)
            if message.key in withdrawn:
                continue
            found |= {kind: Undelivered(kind, said, message.key) for kind, said in _find_requests(text)}
        for part in message.parts:
            for kind in kinds.get(part.key, ()) if part.kind == "tool_call" else ():
                found.pop(kind, None)
    return tuple(found.values()), tuple(dict.fromkeys(kind for one in kinds.values() for kind in sorted(one)))


def _find_withdrawn(messages: Sequence[Message]) -> set[str]:
    """Return the keys of messages that the user interrupted before the agent did anything, to say something else."""
    withdrawn: set[str] = set()
    newest = interrupted = ""  # the message that nothing followed yet; the one that was interrupted
    for message in messages:
        if text := get_user_text(message):
            withdrawn |= {interrupted} if interrupted and is_substantial(text) else set()
            newest, interrupted = message.key, ""
        elif message.role == "assistant":
            newest = ""
        elif newest and any(part.kind == "text" and is_interruption(part.text) for part in message.parts):
            interrupted = newest
    return withdrawn


def _list_kinds(done: Iterable[Action], ran: Iterable[ExecutedCommand]) -> dict[str, set[str]]:
    """Return the kinds of deliveries that calls made, by the key of the call."""
    kinds: dict[str, set[str]] = {}
    for run in ran:
        if any(pattern.search(run.line) for pattern in _DID.values()):
            did = {kind for kind, pattern in _DID.items() if pattern.search(run.line)}
            if did and has_run_failed(run):
                left = [line for words in list_failed_programs(run) if not _QUIET.match(line := " ".join(words))]
                did = {kind for kind in did if not any(_DID[kind].search(line) for line in left)}
            kinds.setdefault(run.action.call.key, set()).update(did)
    for action in done:
        if action.kind != "run" and action.ok:
            tool = action.call.tool[:MAX_CHARS].lower()
            kinds[action.call.key] = {kind for kind, one in _TOOLS.items() if one.search(tool)}
    return kinds


def _find_requests(text: str) -> Iterable[tuple[str, str]]:
    if len(text) > _SEARCHED:
        return
    for sentence in split_sentences(text):
        if _BOUND.search(sentence) or (sentence.endswith(("?", "？")) and not _POLITE.search(sentence)):
            continue
        for kind, pattern in _ASKED.items():
            if pattern.search(sentence):
                yield kind, clip_text(collapse_whitespace(redact(sentence)), MAX_CHARS)


_BEGINS = (
    r"(?i)(?:^|[,;:.!(]\s*|[-*]\s"
    r"|\b(?:and|then|also|now|please|just|let['’]?s|go ahead and|can you|could you|ok|okay|yes|you can)[\s,]+)"
    r"(?:(?:also|then|now|just|please|finally)\s+)*"
)
_ENDS = r"\s*(?:$|[.,;!)]|(?:and|it|this|that|everything|your|to)\b"
_ONE = r"\s+(?:(?:a|an|the|another|new|draft|follow-?up)\s+)*"
_ASKED = {
    "commit": re.compile(rf"{_BEGINS}commit(?={_ENDS}|(?:these|all|with|as|the\s+(?:change|work|fix|result))))"),
    "push": re.compile(
        rf"{_BEGINS}(?:commit\s*(?:,|and|&|\+)\s*)?push(?={_ENDS}|the\s+(?:change|branch|commit|fix|tag)))"
    ),
    "pull request": re.compile(
        rf"{_BEGINS}(?:open|create|make|raise|submit|file|send){_ONE}(?:pr|mr|pull\s+request|merge\s+request)\b"
    ),
    "ticket": re.compile(rf"{_BEGINS}(?:open|create|file|add|make){_ONE}(?:ticket|issue|bug\s+report)\b"),
    "tag": re.compile(rf"{_BEGINS}tag\s+(?:it|this|the\s+(?:release|commit|version)|v?\d)"),
}
_QUIET = re.compile(r"git (?:tag|commit (?:\S{1,80} )*?(?:-q[a-z]*|--quiet))\b")  # prints nothing where it succeeds
_GIT = r"\bgit\b.{0,60}?\s"
_DID = {
    "commit": re.compile(
        rf"{_GIT}(?:commit|merge|cherry-pick|revert|am)\b|\b(?:jj|sl|hg|gt)\s+(?:commit|create|modify|describe)\b"
    ),
    "push": re.compile(
        rf"{_GIT}push\b(?![^;&|\n]{{0,200}}\s(?:--dry-run|-n|--delete|-d)\b)|\bgh\s+pr\s+(?:create|merge)\b|\bgt\s+submit\b|\bglab\s+mr\s+create\b|\bjj\s+git\s+push\b"
    ),
    "pull request": re.compile(
        r"\b(?:gh\s+pr|glab\s+mr|hub\s+pull-request|gt\s+submit|az\s+repos\s+pr)\b|/(?:pulls|merge_requests)\b"
    ),
    "ticket": re.compile(r"\b(?:gh|glab)\s+issue\s+create\b|/issues\b|\b(?:bd|jira|linear|acli)\b.{0,40}?\bcreate\b"),
    "tag": re.compile(rf"{_GIT}tag\b|\bgh\s+release\s+create\b|\bnpm\s+version\b"),
}
_TOOLS = {
    "commit": re.compile(r"commit|create_or_update_file|push_files"),
    "push": re.compile(r"push|create_pull_request"),
    "pull request": re.compile(r"pull_?request|merge_?request"),
    "ticket": re.compile(r"(?:create|add|new|save).*(?:issue|ticket)|(?:issue|ticket).*(?:create|add|write)"),
    "tag": re.compile(r"tag|release"),
}
_BOUND = re.compile(
    r"(?i)\b(?:never|not|n['’]t|without|before|after|when|whenever|if|once|until|unless|every|each|always|only|from\s+now\s+on"
    r"|later|ready\s+to|how\s+to|want\s+to|should\s+i|did\s+you|have\s+you|are\s+you"
    r"|(?:you|they)(?:['’]ll|\s+will)|assumes?)\b"  # what somebody would do
)
_POLITE = re.compile(
    r"(?i)^\W*(?:(?:ok|okay|great|thanks|now|and|yes)[\s,]+)*(?:can|could|would|will)\s+you\b|\bplease\b"
)
_TAKES_BACK = re.compile(r"(?i)\W*(?:stop|wait|no,|never\s?mind|cancel|don['’]t)\b")
