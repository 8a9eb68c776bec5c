"""What a summary's claims are compared with: what the user said, what was called, how the checks ended.

Rule: taken from the whole history as it came, because a claim may rest on what the summary does not replace. What is
compared with it, and what follows, is decided in `truth`, `consent` and `noise`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from secateur.acts.calls import Action, list_actions
from secateur.acts.runs import Check, Ran, iterate_runs
from secateur.compaction.ledger import Constraint
from secateur.compaction.ledger.checks import judge_run
from secateur.compaction.ledger.constraints import extract_constraints
from secateur.compaction.ledger.said import get_agent_text, get_user_text
from secateur.compaction.summary import Sections
from secateur.model import Message

TruthReason = Literal[
    "check",
    "unchanged_file",
    "not_run",
    "injected",
    "approval",
    "unfinished_work",
    "inverted",
    "repetition",
    "gibberish",
]
OUTPUT_CHARS = 8_000  # of a check
QUESTION_CHARS = 1_500  # of the text before a user's answer

REPORTING = ("accomplished", "discoveries", "files", "questions", "decisions", "resolved", "next")
SENTENCE = re.compile(r"(?<=[^.\s][.!?])\s+(?=[^a-z\s])|(?<=\w\w\w[.!?])\s+|(?<=;)\s+|(?<=[。！？；])|\n")


class Contradiction(Struct, frozen=True):
    """Why a summary is not true."""

    reason: TruthReason
    text: str


class UserReply(Struct, frozen=True):
    """What the user said, and what the agent had said before."""

    text: str
    before: str = ""


class CheckRun(Struct, frozen=True):
    """One run of a test, a build or a linter."""

    text: str
    kind: Check
    ok: bool | None
    output: str = ""  # its end


class Evidence(Struct, frozen=True, kw_only=True):
    """The history, sorted by who said or did what."""

    replies: tuple[UserReply, ...] = ()
    agent: str = ""
    last_words: str = ""  # of the agent
    calls: str = ""  # the arguments of all calls
    touched: str = ""  # calls that may change files, and their results
    outputs: tuple[str, ...] = ()  # results of tools, other than the project's own instructions for agents
    checks: tuple[CheckRun, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    kept: str = ""  # what earlier summaries and the ledger say
    rewrites: bool = False  # a formatter or a generator ran that may change any file

    @property
    def user(self) -> str:
        """Everything the user said."""
        return "\n".join(one.text for one in self.replies)


def collect_evidence(messages: Sequence[Message], kept: Sequence[str] = ()) -> Evidence:
    """Collect the evidence of a history. `kept`: what is known beside it."""
    actions = list_actions(messages)
    runs = tuple(iterate_runs(actions))
    idle = {id(run.action) for run in runs if run.looks or run.check}
    acting = [one for one in actions if id(one) not in idle and one.role not in ("read", "search", "plan")]
    return Evidence(
        replies=(*_list_replies(messages), *_list_tool_replies(actions)),
        agent="\n".join(filter(None, map(get_agent_text, messages))),
        last_words=_get_last_words(messages),
        calls="\n".join(f"{one.call.tool} {one.call.text}" for one in actions),
        touched="\n".join(f"{one.call.text}\n{one.said if one.role != 'edit' else ''}" for one in acting),
        outputs=tuple(one.said for one in actions if not _INSTRUCTIONS.search(one.call.text) and not _is_answer(one)),
        checks=tuple(
            CheckRun(run.text, run.check, judge_run(run).ok, run.action.said[-OUTPUT_CHARS:])
            for run in runs
            if run.check
        ),
        constraints=extract_constraints(messages),
        kept="\n".join(kept),
        rewrites=any(map(_can_rewrite, runs)),
    )


def list_sentences(sections: Sections, ids: Iterable[str] = REPORTING) -> Iterator[str]:
    """Yield the sentences of these sections, without bullets."""
    for id in ids:
        for line in sections.get(id, ()):
            yield from (one.strip(" -*•\t") for one in SENTENCE.split(line) if one.strip(" -*•\t"))


_INSTRUCTIONS = re.compile(r"(?i)(?:AGENTS|CLAUDE|GEMINI|CONTRIBUTING|SKILL|\.cursorrules|copilot-instructions)[\w.-]*")
_ASKING = re.compile(r"(?i)ask|question|clarif|approv|confirm|permission")
_REWRITING = re.compile(
    r"(?i)--fix|--write|\bfmt\b|\bformat\b|\bgenerate\b|\bcodegen\b|\bmigrat|\bcheckout\b|\bapply\b|\bmerge\b|\bpull\b"
    r"|\brebase\b|\bstash\b|--update|-u\b"
)


def _list_replies(messages: Sequence[Message]) -> tuple[UserReply, ...]:
    found: list[UserReply] = []
    before = ""
    for message in messages:
        before = get_agent_text(message)[-QUESTION_CHARS:] or before
        if text := get_user_text(message):
            found.append(UserReply(text, before))
            before = ""
    return tuple(found)


def _get_last_words(messages: Sequence[Message]) -> str:
    for message in reversed(messages):
        if text := get_agent_text(message):
            return text[-QUESTION_CHARS:]
    return ""


def _list_tool_replies(actions: Sequence[Action]) -> tuple[UserReply, ...]:
    """Return what the user answered to questions that a tool put."""
    return tuple(UserReply(one.said, one.call.text[-QUESTION_CHARS:]) for one in actions if _is_answer(one))


def _is_answer(action: Action) -> bool:
    return action.role == "other" and bool(_ASKING.search(action.call.tool))


def _can_rewrite(run: Ran) -> bool:
    return _REWRITING.search(run.text) is not None
