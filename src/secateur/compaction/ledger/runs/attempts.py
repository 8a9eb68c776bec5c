"""Approaches that were given up: changes that the agent took back, with its own reason.

Rule: an attempt is a change of a file that a later call took back to the last commit, and the agent said in the same
message why; or one that a later edit replaced by just what was there before, where the agent said what it tried or why
that failed, and did not make the change again. What was tried and why it failed are quoted; what was taken back to the
last commit without a reason is only counted, beside others.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from secateur.compaction.ledger.entries import Attempt
from secateur.compaction.ledger.files.own_words import find_intent
from secateur.compaction.ledger.files.rewrites import list_replaced
from secateur.compaction.ledger.said import get_agent_text, split_sentences
from secateur.model import Message
from secateur.redact import redact
from secateur.toolcalls.actions import Action, clip_text, collapse_whitespace
from secateur.toolcalls.file_effects import list_file_effects

MOST_ATTEMPTS = 6
MOST_PATHS = 4  # of those without a reason
REASON_CHARS = 240
_SEARCHED = 4_000  # characters at the end of a message


def list_attempts(messages: Sequence[Message], done: Iterable[Action]) -> tuple[Attempt, ...]:
    """Return the attempts that were taken back with a reason, the newest last, then how many had none."""
    numbers = {part.key: number for number, message in enumerate(messages) for part in message.parts}
    tried: dict[str, tuple[str, str]] = {}  # by a file's name: its path, and what was tried there
    found: list[Attempt] = []
    edits = _Edits()
    untold: list[tuple[str, str]] = []  # the path of each that was taken back without a reason, and the key of the call
    for action in done:
        if not action.result or action.kind not in ("run", "edit", "other"):
            continue
        message = messages[numbers[action.call.key]]
        found += _describe(edits.take_back(action, find_intent(message)), message, action.call.key, is_exact=True)
        for effect in list_file_effects(action):
            name = posixpath.basename(effect.path)
            if effect.use == "restored":
                back = [tried.pop(one) for one in ([name] if name else list(tried)) if one in tried]
                told = list(_describe(back, message, action.call.key))
                found += told
                untold += [] if told else [(path, action.call.key) for path, _ in back]
            elif effect.use == "changed":
                tried[name] = (effect.path, find_intent(message) or tried.get(name, ("", ""))[1])
    found = [one for one in found if one.key not in edits.redone]
    if not (found and untold):
        return tuple(found[-MOST_ATTEMPTS:])
    return (*found[1 - MOST_ATTEMPTS :], _count_untold(untold, len(found) + len(untold)))


class _Edits:
    """What edits put in place of what, until another edit puts it back."""

    def __init__(self) -> None:
        self.redone: set[str] = set()  # calls that took back what a later one did again
        self._intents: dict[tuple[str, str, str], str] = {}
        self._backs: dict[tuple[str, str, str], str] = {}  # what was taken back, with the key of the call

    def take_back(self, action: Action, intent: str) -> Sequence[tuple[str, str]]:
        """Note an edit; return the path and the intent of each earlier one that it takes back."""
        back: list[tuple[str, str]] = []
        for one in list_replaced(action) if action.ok else ():
            old, new = collapse_whitespace(one.old), collapse_whitespace(one.new)
            done, undone = (one.path, old, new), (one.path, new, old)
            if done in self._backs:
                self.redone.add(self._backs.pop(done))
            if undone in self._intents:
                back.append((one.path, self._intents.pop(undone)))
                self._backs[undone] = action.call.key
            elif old and new:
                self._intents[done] = intent
        return back


def _count_untold(untold: Sequence[tuple[str, str]], total: int) -> Attempt:
    paths = " · ".join([*dict.fromkeys(path for path, _ in untold)][-MOST_PATHS:])
    return Attempt(
        collapse_whitespace(redact(f"{len(untold)} of {total}, no reason beside the call: {paths}")), untold[-1][1]
    )


def _describe(back: Sequence[tuple[str, str]], message: Message, key: str, is_exact: bool = False) -> Iterator[Attempt]:
    """Yield what was taken back; `is_exact`: by an edit of just that, so that what was tried tells it without a why."""
    why = _find_reason(message)
    said = next((intent for _, intent in reversed(back) if intent), "")
    if back and (why or (is_exact and said and not _PASSING.search(said))):
        paths = ", ".join(dict.fromkeys(path for path, _ in back))
        text = f"{paths}{f'; tried: “{said}”' if said else ''}{f'; why: “{why}”' if why else ''}"
        yield Attempt(collapse_whitespace(redact(text)), key)


def _find_reason(message: Message) -> str:
    """Return the sentences by which the agent says that a change failed, up to where it takes it back."""
    kept: list[str] = []
    for sentence in split_sentences(get_agent_text(message)[-_SEARCHED:]):
        said = collapse_whitespace(sentence)
        if _REVERTS.search(said):
            break
        if _WITHDRAWS.match(said):
            kept.clear()
        if _FAILS.search(said) and not _PLANS.search(said) and len(said) <= REASON_CHARS:
            kept.append(said)
    else:
        return ""
    return clip_text(" ".join(kept[-2:]), REASON_CHARS)


_WITHDRAWS = re.compile(
    r"(?i)(?:actually|wait|hmm+|oh)[,.!…\s—–-]+(?:(?:actually|wait|hmm+)[,.!…\s—–-]+)?"
    r"(?:no\b|that['’]s (?:not|wrong)\b)|no,? wait\b"
)
_REVERTS = re.compile(
    r"(?i)\b(?:revert|restor|undo|roll(?:ing)? ?back|start(?:ing)? over|take (?:it|that|this) back"
    r"|reset)\w*"
)
_FAILS = re.compile(
    r"(?i)\b(?:did ?n[o'’]t|does ?n[o'’]t|didn['’]t|doesn['’]t|isn['’]t|is not|not|wrong|fail\w*|still|break\w*"
    r"|broke\w*"
    r"|errors?|too (?:much|many|complex|broad)|causes?|because|worse|never|no (?:effect|debug|longer))\b"
)
_PASSING = re.compile(r"(?i)\b(?:debug\w*|log(?:s|ging)?|prints?|trac\w+|temporar\w+)\b")  # meant to go again
_PLANS = re.compile(r"(?i)\b(?:let me|let['’]s|i['’]ll|maybe|perhaps|i need|i think|actually|what if|\?$)")
