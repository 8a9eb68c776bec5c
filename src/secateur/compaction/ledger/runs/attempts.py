"""Approaches that were given up: changes that the agent took back, with its own reason.

Rule: an attempt is a change of a file that a later call took back to the last commit, and the agent said in the same
message why. Both what it tried and why it failed are quoted; those without a reason are only counted, beside others.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from secateur.compaction.ledger.entries import Attempt
from secateur.compaction.ledger.files.own_words import find_intent
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
    untold: list[tuple[str, str]] = []  # the path of each that was taken back without a reason, and the key of the call
    for action in done:
        if not action.result or action.kind not in ("run", "edit", "other"):
            continue
        message = messages[numbers[action.call.key]]
        for effect in list_file_effects(action):
            name = posixpath.basename(effect.path)
            if effect.use == "restored":
                back = [tried.pop(one) for one in ([name] if name else list(tried)) if one in tried]
                told = list(_describe(back, message, action.call.key))
                found += told
                untold += [] if told else [(path, action.call.key) for path, _ in back]
            elif effect.use == "changed":
                tried[name] = (effect.path, find_intent(message) or tried.get(name, ("", ""))[1])
    if not (found and untold):
        return tuple(found[-MOST_ATTEMPTS:])
    return (*found[1 - MOST_ATTEMPTS :], _count_untold(untold, len(found) + len(untold)))


def _count_untold(untold: Sequence[tuple[str, str]], total: int) -> Attempt:
    paths = " · ".join([*dict.fromkeys(path for path, _ in untold)][-MOST_PATHS:])
    return Attempt(
        collapse_whitespace(redact(f"{len(untold)} of {total}, no reason beside the call: {paths}")), untold[-1][1]
    )


def _describe(back: Sequence[tuple[str, str]], message: Message, key: str) -> Iterator[Attempt]:
    why = _find_reason(message)
    if back and why:
        paths = ", ".join(dict.fromkeys(path for path, _ in back))
        said = next((intent for _, intent in reversed(back) if intent), "")
        text = f"{paths}{f'; tried: “{said}”' if said else ''}; why: “{why}”"
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
_PLANS = re.compile(r"(?i)\b(?:let me|let['’]s|i['’]ll|maybe|perhaps|i need|i think|actually|what if|\?$)")
