"""What a summary's claims are compared with: what the user said, what was called, how the checks ended.

Rule: taken from the whole history as received, because a claim may rest on what the summary does not replace. The rules
that compare claims with it are elsewhere.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from secateur.compaction.judge.acting import (
    is_edited_last,
    is_planned_last,
    list_checks,
    list_failed,
    list_strings,
    list_written,
    name_act,
)
from secateur.compaction.judge.claims import CLAUSE, SENTENCE, Claim, Strength, TruthReason, extract_words
from secateur.compaction.judge.ground.passages import PassageIndex, build_passages
from secateur.compaction.ledger import Constraint, FileEntry, PlanItem, ValueChange
from secateur.compaction.ledger.files.touched import trace_files
from secateur.compaction.ledger.files.values import list_blocks, list_replacements, list_values
from secateur.compaction.ledger.runs.checks import is_refused, judge_run
from secateur.compaction.ledger.said import get_agent_text, get_user_text
from secateur.compaction.ledger.user.constraints import extract_constraints
from secateur.compaction.ledger.work.plans import extract_plans
from secateur.model import Message
from secateur.toolcalls.actions import Action, build_action, list_actions
from secateur.toolcalls.commands import Check, iterate_runs

OUTPUT_CHARS = 8_000  # of a check
QUESTION_CHARS = 1_500  # of the text before a user's answer


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


class CommandRun(Struct, frozen=True):
    """One run of one command line."""

    text: str
    ok: bool
    output: str = ""  # its beginning and end


class Unit(Struct, frozen=True):
    """Something that the history tells in one place, and the words that say what it is about."""

    text: str
    words: frozenset[str]
    run: CommandRun | None = None


class Evidence(Struct, frozen=True, kw_only=True):
    """The history, sorted by who said or did what."""

    replies: tuple[UserReply, ...] = ()
    agent: str = ""
    last_words: str = ""  # of the agent
    rests: bool = False  # the agent called nothing after its last words
    calls: str = ""  # the arguments of all calls
    touched: str = ""  # calls that may change files, and their results
    outputs: tuple[str, ...] = ()  # results of tools
    foreign: tuple[str, ...] = ()  # of these, what orders nothing: all but the project's own instructions for agents
    checks: tuple[CheckRun, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    kept: str = ""  # what earlier summaries and the ledger say
    user: str = ""  # everything the user said
    clauses: tuple[str, ...] = ()  # of it, those with words that say what they are about
    changes: tuple[tuple[str, str], ...] = ()  # values that edits gave to constants, old and new
    edits: tuple[tuple[str, str], ...] = ()  # old and new text
    runs: tuple[CommandRun, ...] = ()
    tasks: tuple[PlanItem, ...] = ()  # of the agent's own plan
    written: bool = False  # an edit went through
    acts: str = ""  # the calls that may act outside of files, and the names of the others
    planned_last: bool = False  # the plan was told after all work, so that it is up to date
    story: str = ""  # all of it as received
    contents: tuple[str, ...] = ()  # texts that edits put into files
    looked_up: str = ""  # what commands and files showed
    values: tuple[ValueChange, ...] = ()  # constants that edits gave another value
    rewrites: bool = False  # a formatter or a generator ran that may change any file
    files: tuple[FileEntry, ...] = ()  # that calls worked with, and how
    edited_last: bool = False  # an edit went through behind the last commit
    standing: str = ""  # what the agent said since the last call that may have changed anything, or ran a check
    passages: PassageIndex = PassageIndex()  # all of it, to be found by what a claim says
    failed: tuple[tuple[str, str], ...] = ()  # tools without a command line whose last call failed, and what it said
    is_passive: bool = False  # no call can have changed anything: all of them only looked or checked

    @property
    def units(self) -> tuple[Unit, ...]:
        """What was said sentence by sentence, and each run of a command with the end of its output."""
        return _list_units(self.agent, self.user, self.runs)

    @property
    def texts(self) -> tuple[str, ...]:
        """All of the history."""
        return (self.user, self.agent, self.calls, self.kept, *self.outputs)


class ClaimRule(Struct, frozen=True):
    """One way in which the history can contradict a claim."""

    reason: TruthReason
    explain: Callable[[Claim, Evidence], str]  # what the history says instead; "" where it does not contradict
    sections: tuple[str, ...] = ()  # whose claims it judges; (): of all
    strength: Strength = "plain"


def collect_evidence(messages: Sequence[Message], kept: Sequence[str] = ()) -> Evidence:
    """Collect the evidence of a history. `kept`: what is known beside it."""
    actions = list_actions(messages)
    runs = tuple(run for run in iterate_runs(actions) if not is_refused(run))
    idle = {run.action.call.key for run in runs if run.looks or run.check}
    idle |= {one.call.key for one in actions if one.kind in ("read", "search", "plan")}
    acting = [one for one in actions if one.call.key not in idle]
    values = list_values(actions)
    replies = (
        *_list_replies(messages),
        *(UserReply(one.said, one.call.text[-QUESTION_CHARS:]) for one in actions if _is_answer(one)),
    )
    return Evidence(
        replies=replies,
        agent="\n".join(filter(None, map(get_agent_text, messages))),
        last_words=_get_last_words(messages),
        rests=_is_resting(messages),
        calls="\n".join(f"{one.call.tool} {one.call.text}" for one in actions),
        touched="\n".join(f"{one.call.text}\n{one.said if one.kind != 'edit' else ''}" for one in acting),
        outputs=tuple(one.said for one in actions if not _is_answer(one)),
        foreign=tuple(
            one.said
            for one in actions
            if not _is_answer(one) and not (one.call.key in idle and _INSTRUCTIONS.search(one.call.text))
        ),
        checks=tuple(
            CheckRun(
                run.text,
                kind,
                verdict.ok if verdict.ok or kind == (run.check or kind) else None,
                run.action.said[-OUTPUT_CHARS:],
            )
            for run in runs
            if (kinds := list_checks(run)) and (verdict := judge_run(run))
            for kind in kinds
        ),
        constraints=extract_constraints(messages),
        kept="\n".join(kept),
        user="\n".join(one.text for one in replies),
        clauses=tuple(_list_clauses(replies)),
        changes=tuple((one.old, one.new) for one in values if one.old),
        values=values,
        story="\n".join(_iterate_texts(messages)),
        contents=tuple(text for one in actions if one.kind == "edit" and one.ok for text in list_written(one)),
        looked_up="\n".join(one.said for one in actions if one.kind in ("read", "run", "search")),
        acts="\n".join(map(name_act, actions)),
        planned_last=is_planned_last(actions),
        edits=tuple(
            (old, new)
            for one in actions
            if one.kind == "edit" and one.ok
            for old, new in (*list_replacements(one), *list_blocks(one))
        ),
        runs=tuple(
            CommandRun(run.text, judge_run(run).ok is not False, run.action.said[-OUTPUT_CHARS:]) for run in runs
        ),
        tasks=extract_plans(actions)[0],
        written=any(one.kind == "edit" and one.ok and one.result for one in actions),
        rewrites=any(run.ok and _REWRITING.search(run.text) for run in runs),
        files=trace_files(actions).files,
        edited_last=is_edited_last(actions),
        standing=_join_standing(messages, frozenset(one.call.key for one in (*acting, *(run.action for run in runs)))),
        passages=build_passages(messages, kept),
        failed=list_failed(actions),
        is_passive=not acting,
    )


@lru_cache(maxsize=2)
def _list_units(agent: str, user: str, runs: tuple[CommandRun, ...]) -> tuple[Unit, ...]:
    said = (Unit(one, extract_words(one)) for one in SENTENCE.split(f"{agent}\n{user}") if one)
    texts = ((run, f"{run.text}\n{run.output[-600:]}") for run in runs)
    return (*said, *(Unit(text, extract_words(text.replace("-", " ") + text), run) for run, text in texts))


_INSTRUCTIONS = re.compile(
    r"(?i)(?<![\w-])(?:(?:AGENTS|CLAUDE|GEMINI|CONTRIBUTING|SKILL|copilot-instructions)(?:\.[\w-]+)*\.mdc?|\.cursorrules)\b"
)
_ASKING = re.compile(r"(?i)ask|question|clarif|approv|confirm|permission")
_REWRITING = re.compile(
    r"(?i)--fix|--write|\bfmt\b|\bformat\b|\bgenerate\b|\bcodegen\b|makemigrations|migrate:|:migrate|migrate\s+(?:dev|save)"
    r"|migrations?\s+(?:add|create|generate)|--autogenerate|\bcheckout\b(?!\s+-b)|\bgit\s+(?:apply|am)\b|\bmerge\b|\bpull\b"
    r"|\brebase\b|\bstash\b|--update|(?:jest|vitest|snap\w*|test)\b[^\n;&|]{0,80}\s-u\b"
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


def _list_clauses(replies: Sequence[UserReply]) -> Iterator[str]:
    for reply in replies:
        yield from filter(extract_words, CLAUSE.split(reply.text))


def _get_last_words(messages: Sequence[Message]) -> str:
    for message in reversed(messages):
        if text := get_agent_text(message):
            return text[-QUESTION_CHARS:]
    return ""


def _join_standing(messages: Sequence[Message], deeds: frozenset[str]) -> str:
    """Return what the agent said since the last call of which nobody could know the outcome before."""
    found: list[str] = []
    for message in reversed(messages):
        if any(part.kind == "tool_call" and part.key in deeds for part in message.parts):
            break
        found.append(get_agent_text(message))
    return "\n".join(filter(None, reversed(found)))


def _is_resting(messages: Sequence[Message]) -> bool:
    """Whether the agent called no tool since its last words."""
    for message in reversed(messages):
        has_called = any(part.kind == "tool_call" for part in message.parts)
        if has_called or get_agent_text(message):
            return not has_called
    return False


def _iterate_texts(messages: Sequence[Message]) -> Iterator[str]:
    for message in messages:
        for part in message.parts:
            given = build_action(part, None).given if part.kind == "tool_call" else {}
            yield "\n".join(list_strings(given)) if given else part.text


def _is_answer(action: Action) -> bool:
    """Whether a call put a question to the user, so that its result is what the user said."""
    return action.kind == "other" and bool(_ASKING.search(action.call.tool))
