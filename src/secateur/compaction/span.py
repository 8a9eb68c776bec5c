"""What a compaction replaces, what of it must be kept (facts, earlier prose, verbatim results), and the edits of the
plan.

Rule: facts come from the raw messages; a summarizer reads the messages of the view. An earlier summary is taken apart,
never read as if someone had said it. A range begins and ends where messages of the raw history do, whatever the view
shows; what an earlier compaction inserted right beside a range, outside the cut, is repeated, since a new range hides
it. Nothing here asks a model.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from secateur.bounds import find_call
from secateur.compaction.conversation import CARRIED, SUMMARY, ViewEntry, get_text
from secateur.compaction.cut import HistoryCut, Span
from secateur.compaction.former import clean_host_summary, mark_former, take_steps
from secateur.compaction.former_lines import select_demands, select_telling
from secateur.compaction.ledger import Ledger, build_ledger, merge, read_back, render_ledger, settle_states
from secateur.compaction.ledger.repository.places import name_place
from secateur.compaction.ledger.said import FENCED
from secateur.compaction.marks import drop_marked
from secateur.compaction.settings import Compaction
from secateur.compaction.summary import Sections, merge_sections, parse_sections
from secateur.compaction.template import DEMANDING, STATES
from secateur.decoding import prepare_type
from secateur.model import Edit, Message, NewMessage, Part, Replace, Transcript
from secateur.protect import Protection, is_named_tool, is_protected_tool
from secateur.redact import redact
from secateur.text.own_text import CARRIED_BEGINS, SUMMARY_BEGINS
from secateur.text.placeholder import find_main_argument
from secateur.tool_kinds import detect_tool_kind


def replace_segments(
    cut: HistoryCut, rows: Sequence[ViewEntry], raw: Sequence[Message], items: tuple[NewMessage, ...]
) -> Iterator[Edit]:
    """Yield edits for the ranges to replace: the first becomes `items`, the others nothing."""
    for number, span in enumerate(find_segments(cut, rows)):
        yield replace_span(span, rows, raw, items if number == 0 else ())


def replace_span(
    span: Span, rows: Sequence[ViewEntry], raw: Sequence[Message], items: Iterable[NewMessage], by: str = "compact"
) -> Replace:
    """Replace one range of rows with `items`."""
    first, last = span
    i, j = rows[first].first, rows[last - 1].last
    before = tuple(
        row.new for row in reversed(list(takewhile(_make_place_test(i), _iterate_backward(rows, first)))) if row.new
    )
    behind = tuple(row.new for row in takewhile(_make_place_test(j), _iterate_forward(rows, last)) if row.new)
    after = raw[i - 1].key if i else ""
    return Replace(after, raw[j - 1].key, (*before, *items, *behind), strategy=by)


def find_segments(cut: HistoryCut, rows: Sequence[ViewEntry]) -> Iterator[Span]:
    """Yield the runs to replace that represent raw messages; a mere insertion cannot be hidden."""
    for first, last in cut.iterate_segments():
        if rows[first].first < rows[last - 1].last:
            yield first, last


def _make_place_test(place: int) -> Callable[[ViewEntry], bool]:
    """Return a test of whether a row is an insertion at a place; such rows are adjacent."""
    return lambda row: row.first == row.last == place


def _iterate_backward(rows: Sequence[ViewEntry], first: int) -> Iterator[ViewEntry]:
    return (rows[number] for number in range(first - 1, -1, -1))


def _iterate_forward(rows: Sequence[ViewEntry], last: int) -> Iterator[ViewEntry]:
    return (rows[number] for number in range(last, len(rows)))


class Kept(Struct, frozen=True):
    """What an earlier summary contains: prose by section, and facts."""

    sections: Sections = {}
    ledger: Ledger = Ledger()


class Given(Struct, frozen=True, kw_only=True):
    """Everything that is replaced."""

    rows: tuple[ViewEntry, ...]
    messages: tuple[Message, ...]  # those of the raw history that no earlier summary replaces, as received
    kept: Kept
    ledger: Ledger  # what was known, and what these messages add, as things are at the end of the whole history
    carried: tuple[NewMessage, ...]  # follow the summary verbatim
    tokens: int
    later: tuple[Message, ...] = ()  # of the raw history, behind these
    elsewhere: tuple[str, ...] = ()  # sections whose content may stand in messages that are kept

    @property
    def said(self) -> tuple[str, ...]:
        """The user's messages in it, those that an earlier summary kept, and the newest of all."""
        kept = (*self.kept.ledger.requests, *self.ledger.requests[-1:])
        mine = [one for one in self.messages if one.role == "user" and one.origin == "user"]
        return tuple(filter(None, map(get_text, mine))) + tuple(one.text for one in kept)

    @property
    def texts(self) -> tuple[str, ...]:
        """Every text in it, as received and as it was kept."""
        own = [part.text for message in self.messages for part in message.parts if part.text]
        prose = [line for lines in self.kept.sections.values() for line in lines]
        facts = [line for lines in render_ledger(self.ledger).values() for line in lines]
        return (*own, *prose, *facts)

    @property
    def kept_texts(self) -> tuple[str, ...]:
        """Every line that earlier summaries hold, and that bears out what a later one says."""
        facts = render_ledger(self.kept.ledger)
        held = tuple(line for some in (self.kept.sections, facts) for lines in some.values() for line in lines)
        return drop_marked(held)


def collect_span(
    cut: HistoryCut, rows: Sequence[ViewEntry], raw: Sequence[Message], settings: Compaction, protect: Protection
) -> Given:
    """Return what this cut takes."""
    taken = [number for first, last in find_segments(cut, rows) for number in range(first, last)]
    mine = tuple(rows[number] for number in taken)
    told = [row for row in mine if row.is_fresh or row.is_digest]
    kept = _merge_summaries(mine)
    messages = tuple(message for row in told for message in raw[row.first : row.last])
    ledger = settle_states(merge(kept.ledger, build_ledger(messages)), merge(kept.ledger, build_ledger(raw)))
    others = (rows[number] for number in sorted({*range(len(rows))} - {*taken}))
    return Given(
        rows=mine,
        messages=messages,
        kept=kept,
        ledger=ledger,
        carried=tuple(keep_newest(collect_carried(mine, raw, settings, protect))),
        tokens=sum(row.tokens for row in mine),
        later=_list_later(messages, raw),
        elsewhere=_find_elsewhere(others, ledger),
    )


def add_place(given: Given, folder: str, branch: str) -> Given:
    """Return what is replaced, its facts with the folder and the branch that the host names."""
    return replace(given, ledger=name_place(given.ledger, folder, branch))


def _list_later(messages: Sequence[Message], raw: Sequence[Message]) -> tuple[Message, ...]:
    """Return the messages of the whole history behind the last of these."""
    newest = messages[-1].key if messages else ""
    return tuple(raw[next((at + 1 for at in reversed(range(len(raw))) if raw[at].key == newest), len(raw)) :])


def _find_elsewhere(kept: Iterable[ViewEntry], ledger: Ledger) -> tuple[str, ...]:
    """Return the sections about the user's words if rows that are kept may have these, and the ledger does not.

    The ledger has no request where all that the user said is one message that continues an earlier session.
    """
    has_words = any(
        row.is_summary or (row.message.origin == "user" and row.message.role == "user" and not ledger.requests)
        for row in kept
    )
    return ("goal", "instructions", "constraints") if has_words else ()


def build_summary_meta(template: str, prose: Mapping[str, Sequence[str]], ledger: Ledger) -> dict[str, Any]:
    """Return what a summary is made of, for the next one; it stays in the plan."""
    made = {"template": template, "sections": {id: list(lines) for id, lines in prose.items()}}
    return {SUMMARY: {**made, "ledger": msgspec.to_builtins(ledger)}}


def collect_carried(
    rows: Sequence[ViewEntry], raw: Sequence[Message], settings: Compaction, protect: Protection, tools: bool = False
) -> Iterator[NewMessage]:
    """Yield what stays verbatim: carried before, system messages, results of kept tools, pinned parts.

    With `tools` also results of tools that the policy protects by name.
    """
    history = Transcript((), tuple(raw))
    for row in rows:
        if row.is_carried:
            yield row.new or NewMessage("user", get_text(row.message), "harness", {CARRIED: "result"})
        elif row.message.role == "system" and row.is_fresh:
            yield NewMessage("system", get_text(raw[row.first]), "harness", {CARRIED: "system"})
        elif row.is_fresh:
            for part in raw[row.first].parts:
                call = find_call(history, row.first, part) if part.kind == "tool_result" else None
                named = (
                    tools and part.kind == "tool_result" and bool(part.text) and is_protected_tool(protect, part.tool)
                )
                if named or _is_kept(part, call, settings, protect):
                    yield _carry_verbatim(part, call)


def keep_newest(items: Iterator[NewMessage]) -> Iterator[NewMessage]:
    """Yield each text once, at its last occurrence."""
    last: dict[str, NewMessage] = {}
    for item in items:
        last.pop(item.text, None)
        last[item.text] = item
    yield from last.values()


def _merge_summaries(rows: Sequence[ViewEntry]) -> Kept:
    """Merge what the summaries in these rows say, later over earlier; digests are read as they are."""
    made = Kept()
    for row in rows:
        if row.is_summary and not row.is_digest:
            one = _parse_summary(row)
            made = Kept(merge_sections(made.sections, one.sections), merge(made.ledger, one.ledger))
    return made


def _parse_summary(row: ViewEntry) -> Kept:
    """Return a summary's prose and facts from its meta or, if it is ours, its text; of a host's the text alone.

    What a host's summary says is as of then, and code in it may have changed since: the files themselves say.
    """
    told = row.new.meta.get(SUMMARY) if row.new else None
    if told is not None:
        ledger = msgspec.convert(told["ledger"], prepare_type(Ledger))
        return Kept({id: tuple(lines) for id, lines in told["sections"].items()}, ledger)
    text = redact(get_text(row.message))  # as a whole: a key of several lines is not known by one of them
    if not text.lstrip().startswith(SUMMARY_BEGINS):
        text, steps = take_steps(FENCED.sub("\n", text))
        text = clean_host_summary(text)
        lines = tuple(line for line in text.splitlines() if line.strip())
        found = parse_sections(text, _PRESENT) or ({"discoveries": lines} if lines else {})
        telling = {
            id: lines if id in STATES else select_demands(lines) if id in DEMANDING else select_telling(lines)
            for id, lines in found.items()
        }
        return Kept(
            {id: lines if id in STATES else tuple(map(mark_former, lines)) for id, lines in telling.items() if lines},
            Ledger(tasks=steps),
        )
    sections = parse_sections(text)
    ledger = read_back(sections)
    facts = {line for lines in render_ledger(ledger).values() for entry in lines for line in entry.split("\n")}
    prose = {id: tuple(line for line in lines if line not in facts) for id, lines in sections.items()}
    return Kept({id: lines for id, lines in prose.items() if lines}, ledger)


# What a host's earlier summary says about its present is outdated.
_PRESENT = {"current work": "next", "current state": "next"}


def _is_kept(part: Part, call: Part | None, settings: Compaction, protect: Protection) -> bool:
    if part.key in protect.part_keys:
        return bool(part.text)
    if part.kind != "tool_result" or not part.text:
        return False
    if is_named_tool(settings.keep_tools, part.tool):
        return True
    return not part.is_error and (
        bool(settings.keep_tool_kinds)
        and detect_tool_kind(part.tool, call.text if call else "") in settings.keep_tool_kinds
    )


def _carry_verbatim(part: Part, call: Part | None) -> NewMessage:
    about = find_main_argument(call.text) if call else ""
    said = f"{part.tool or part.kind} {about}".strip()
    return NewMessage("user", f"{CARRIED_BEGINS}{said}]\n{part.text}", "harness", {CARRIED: part.tool or part.kind})
