"""What gives way in a compaction, and what of it must not be lost: facts, prose kept before, and verbatim results.

Rule: facts come from the messages as they came, what a summarizer reads from the messages as the view shows them. An
earlier summary is taken apart, never read as if somebody had said it. Nothing here asks a model or makes an edit.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from secateur.bounds import find_call
from secateur.compaction.cut import HistoryCut
from secateur.compaction.edits import segments
from secateur.compaction.ledger import Ledger, ledger_of, merge, read_back, rendered
from secateur.compaction.rows import CARRIED, SUMMARY, ViewEntry, text_of
from secateur.compaction.settings import Compaction
from secateur.compaction.summary import Sections, merged, parsed
from secateur.model import Message, NewMessage, Part, Transcript
from secateur.own_text import CARRIED_BEGINS, SUMMARY_BEGINS
from secateur.placeholder import main_argument
from secateur.protect import Protection, is_protected_tool
from secateur.redact import redact
from secateur.roles import role_of


class Kept(Struct, frozen=True):
    """What an earlier summary says: prose by section, and facts."""

    sections: Sections = {}
    ledger: Ledger = Ledger()


class Given(Struct, frozen=True, kw_only=True):
    """Everything that gives way."""

    rows: tuple[ViewEntry, ...]
    messages: tuple[Message, ...]  # those of the raw history that no earlier summary stands for, as they came
    kept: Kept
    ledger: Ledger  # what was known, and what these messages add
    carried: tuple[NewMessage, ...]  # stand verbatim behind the summary
    tokens: int

    @property
    def said(self) -> tuple[str, ...]:
        """What the user said in it."""
        mine = [one for one in self.messages if one.role == "user" and one.origin == "user"]
        return tuple(filter(None, map(text_of, mine))) + tuple(one.text for one in self.kept.ledger.requests)

    @property
    def texts(self) -> tuple[str, ...]:
        """Every text in it, as it came and as it was kept."""
        own = [part.text for message in self.messages for part in message.parts if part.text]
        prose = [line for lines in self.kept.sections.values() for line in lines]
        facts = [line for lines in rendered(self.kept.ledger).values() for line in lines]
        return (*own, *prose, *facts)


def given(
    cut: HistoryCut, rows: Sequence[ViewEntry], raw: Sequence[Message], settings: Compaction, protect: Protection
) -> Given:
    """What this cut takes."""
    mine = tuple(row for first, last in segments(cut, rows) for row in rows[first:last])
    told = [row for row in mine if row.is_fresh or row.is_digest]
    kept = _kept(mine)
    messages = tuple(message for row in told for message in raw[row.first : row.last])
    return Given(
        rows=mine,
        messages=messages,
        kept=kept,
        ledger=merge(kept.ledger, ledger_of(messages)),
        carried=tuple(newest(carried(mine, raw, settings, protect))),
        tokens=sum(row.tokens for row in mine),
    )


def meta_of(template: str, prose: Mapping[str, Sequence[str]], ledger: Ledger) -> dict[str, Any]:
    """What a summary is made of, for the next one: it stays in the plan."""
    made = {"template": template, "sections": {id: list(lines) for id, lines in prose.items()}}
    return {SUMMARY: {**made, "ledger": msgspec.to_builtins(ledger)}}


def carried(
    rows: Sequence[ViewEntry], raw: Sequence[Message], settings: Compaction, protect: Protection, tools: bool = False
) -> Iterator[NewMessage]:
    """What stands verbatim: carried before, system messages, results of tools with such a role and pinned parts.

    With `tools` also results of tools that the policy protects by name.
    """
    history = Transcript((), tuple(raw))
    for row in rows:
        if row.is_carried:
            yield row.new or NewMessage("user", text_of(row.message), "harness", {CARRIED: "result"})
        elif row.message.role == "system" and row.is_fresh:
            yield NewMessage("system", text_of(raw[row.first]), "harness", {CARRIED: "system"})
        elif row.is_fresh:
            for part in raw[row.first].parts:
                call = find_call(history, row.first, part) if part.kind == "tool_result" else None
                named = (
                    tools and part.kind == "tool_result" and bool(part.text) and is_protected_tool(protect, part.tool)
                )
                if named or _stands(part, call, settings, protect):
                    yield _verbatim(part, call)


def newest(items: Iterator[NewMessage]) -> Iterator[NewMessage]:
    """Each text once, where it was said last."""
    last: dict[str, NewMessage] = {}
    for item in items:
        last.pop(item.text, None)
        last[item.text] = item
    yield from last.values()


def _kept(rows: Sequence[ViewEntry]) -> Kept:
    """What the summaries among these rows say, the later laid over the earlier; digests are read as they came."""
    made = Kept()
    for row in rows:
        if row.is_summary and not row.is_digest:
            one = _taken_apart(row)
            made = Kept(merged(made.sections, one.sections), merge(made.ledger, one.ledger))
    return made


def _taken_apart(row: ViewEntry) -> Kept:
    """A summary's prose and facts: from its meta; from its text if we wrote it; of a host's own, its text alone."""
    told = row.new.meta.get(SUMMARY) if row.new else None
    if told is not None:
        ledger = msgspec.convert(told["ledger"], Ledger)
        return Kept({id: tuple(lines) for id, lines in told["sections"].items()}, ledger)
    text = redact(text_of(row.message))  # as a whole: a key of several lines is not known by one of them
    if not text.lstrip().startswith(SUMMARY_BEGINS):
        lines = tuple(line for line in text.splitlines() if line.strip())
        return Kept(parsed(text) or ({"discoveries": lines} if lines else {}))
    sections = parsed(text)
    ledger = read_back(sections)
    facts = {line for lines in rendered(ledger).values() for entry in lines for line in entry.split("\n")}
    prose = {id: tuple(line for line in lines if line not in facts) for id, lines in sections.items()}
    return Kept({id: lines for id, lines in prose.items() if lines}, ledger)


def _stands(part: Part, call: Part | None, settings: Compaction, protect: Protection) -> bool:
    if part.key in protect.part_keys:
        return bool(part.text)
    if part.kind != "tool_result" or part.is_error or not part.text:
        return False
    return bool(settings.keep_tool_kinds) and role_of(part.tool, call.text if call else "") in settings.keep_tool_kinds


def _verbatim(part: Part, call: Part | None) -> NewMessage:
    about = main_argument(call.text) if call else ""
    said = f"{part.tool or part.kind} {about}".strip()
    return NewMessage("user", f"{CARRIED_BEGINS}{said}]\n{part.text}", "harness", {CARRIED: part.tool or part.kind})
