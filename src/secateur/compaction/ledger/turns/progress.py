"""What followed each message of the user: what calls changed, ran and committed, in order, and the agent's reply.

Rule: a request has the steps up to the user's next message. The reply is quoted and stands beside what calls show; it
is not taken as the state.
"""

from collections.abc import Iterable, Sequence, Set

from msgspec.structs import replace

from secateur.compaction.ledger.entries import Ledger, Progress, UserRequest
from secateur.compaction.ledger.files.touched import FileHistory
from secateur.compaction.ledger.repository.commits import COMMITTED
from secateur.compaction.ledger.said import clean_words, get_closing_text, split_sentences
from secateur.compaction.ledger.turns.outcomes import CHANGES
from secateur.compaction.ledger.turns.replies import MOST_CHARS as REPLY_CHARS
from secateur.compaction.ledger.turns.replies import condense_reply
from secateur.compaction.ledger.turns.step_choice import limit_steps
from secateur.compaction.ledger.turns.steps import list_steps
from secateur.model import Message
from secateur.toolcalls.actions import Action
from secateur.toolcalls.commands import ExecutedCommand

MOST_STEPS = 24  # of one turn that are kept
_FEWEST_WORDS = 4  # of a commit that says what was done: its hash and its subject


def add_progress(
    requests: Sequence[UserRequest],
    messages: Sequence[Message],
    done: Sequence[Action],
    ran: Iterable[ExecutedCommand],
    history: FileHistory | None = None,
) -> tuple[tuple[UserRequest, ...], Progress | None]:
    """Return the requests with what followed each of them, and what came before the first.

    `history`: what became of the files.
    """
    history = history or FileHistory((), ())
    turns = _split_turns(messages, [one.key for one in requests])
    runs: dict[str, list[ExecutedCommand]] = {}
    for run in ran:
        runs.setdefault(run.action.key, []).append(run)
    places = {part.key: number for number, turn in enumerate(turns) for one in turn for part in one.parts}
    actions: list[list[Action]] = [[] for _ in turns]
    for action in done:
        actions[places.get(action.call.key, places.get(action.key, len(turns) - 1))].append(action)
    scratch = frozenset(one.path for one in history.files if one.scratch)
    known = {
        one.path for one in history.files if one.use in ("changed", "restored")
    }  # from turn to turn those of others, too
    made = [
        Progress(
            limit_steps(tuple(list_steps(mine, runs, scratch, known, history.settled)), MOST_STEPS), _find_reply(turn)
        )
        for mine, turn in zip(actions, turns, strict=True)
    ]
    before, *after = (one if one.steps or one.reply else None for one in made)
    shown = [replace(one, progress=progress) for one, progress in zip(requests, after, strict=True)]
    return tuple(shown), before


def join_progress(earlier: Progress | None, later: Progress | None) -> Progress | None:
    """Join what followed one message of the user in two spans."""
    if earlier is None or later is None:
        return earlier or later
    known, new = earlier.steps, later.steps
    if known[len(known) - len(new) :] == new:
        return earlier if earlier.reply or not later.reply else replace(earlier, reply=later.reply)
    return Progress(limit_steps((*earlier.steps, *later.steps), MOST_STEPS), later.reply or earlier.reply)


def limit_progress(progress: Progress | None, most: int, reply_chars: int) -> Progress | None:
    """Limit the steps to those that tell most, and the reply to its beginning."""
    if progress is None:
        return None
    steps = limit_steps(progress.steps, most)
    reply = condense_reply(progress.reply, reply_chars) if reply_chars else ""
    return Progress(steps, reply) if most or reply else None


def list_told_steps(requests: Iterable[UserRequest]) -> list[str]:
    """Return the steps that followed these requests."""
    return [step for one in requests if one.progress for step in one.progress.steps]


def list_commits_of(one: UserRequest) -> list[str]:
    """Return the commits that were made for a request, each as it is listed."""
    return [step.removeprefix(COMMITTED) for step in list_told_steps([one]) if step.startswith(COMMITTED)]


def is_told_by(commits: Set[str], one: UserRequest) -> bool:
    """Whether all that there is to tell of a request is what the subjects of these commits say."""
    if one.state != "done" or not one.key or one.progress is None or one.progress.reply:
        return False
    made = list_commits_of(one)
    is_telling = all(len(commit.split()) >= _FEWEST_WORDS for commit in made)
    return is_telling and 0 < len(made) == len(one.progress.steps) and commits >= set(made)


def list_replies(ledger: Ledger) -> list[str]:
    """Return the sentences of the agent's replies."""
    replies = (one.progress.reply for one in ledger.requests if one.progress)
    return [sentence for reply in replies for sentence in split_sentences(reply)]


def measure_request(one: UserRequest) -> int:
    """Return the characters that a request takes, with what followed it."""
    progress = one.progress
    return len(one.text) + (sum(map(len, progress.steps)) + len(progress.reply) if progress else 0)


def has_changed(progress: Progress | None, since_commit: bool = False) -> bool:
    """Whether something was changed or committed after a request; or, since the newest commit of it, changed."""
    verbs = [one.split(" ", 1)[0] for one in progress.steps] if progress else []
    if since_commit and COMMITTED.strip() in verbs:
        verbs = verbs[len(verbs) - verbs[::-1].index(COMMITTED.strip()) :]
    return any(verb in (*CHANGES, COMMITTED.strip()) for verb in verbs)


def _split_turns(messages: Sequence[Message], keys: Sequence[str]) -> list[list[Message]]:
    """Split the messages before each one with the next of these keys."""
    turns: list[list[Message]] = [[]]
    for message in messages:
        if len(turns) <= len(keys) and message.key == keys[len(turns) - 1]:
            turns.append([])
        turns[-1].append(message)
    return turns


def _find_reply(turn: Sequence[Message]) -> str:
    """Return the agent's last words in a turn that ended with them."""
    for message in reversed(turn):
        if message.role == "assistant" and message.parts:
            if any(part.kind == "tool_call" for part in message.parts):
                return ""
            if words := clean_words(get_closing_text(message)):
                return condense_reply(words, REPLY_CHARS)
    return ""
