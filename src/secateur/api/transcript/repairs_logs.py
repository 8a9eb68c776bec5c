"""Repairs a session file of lines, so that its host can load it and send the session again.

Rule: first each line becomes one entry, then calls are paired with results, then the tree of ids is made whole; each
pass reads the file as the one before left it. Records name lines as they were numbered when the file came in.
"""

from collections.abc import Iterator
from itertools import groupby

from msgspec import Struct

from secateur.api import check
from secateur.api.json_checks import replace_surrogates
from secateur.api.repair_run import RepairRecord, quote, register_repair
from secateur.api.transcript.host_claude_code import ClaudeCodeHost
from secateur.api.transcript.host_codex import CodexHost
from secateur.api.transcript.host_pi import PiHost
from secateur.api.transcript.hosts import Entries, LogCalls, LoggedCall, LogHost, pair_calls
from secateur.api.transcript.torn_lines import find_tree_edits, split_lines
from secateur.formats import get_format
from secateur.formats.logs import open_log
from secateur.jsontext import Lines
from secateur.model import Message, Part, Path
from secateur.patch import Op, apply

HOSTS: dict[str, LogHost] = {
    "claude_code": ClaudeCodeHost(),
    "codex": CodexHost(),
    "pi": PiHost(),
    "openclaw": PiHost(),
}
FILE_RULES = {  # what no API sees, but the host that loads the file
    "F1": "a line is one entry",
    "F2": "the parent of a line is in the file",
    "F3": "a line, a part and a call have an id of their own",
}
_TURNS = 3  # a repaired tree may show calls that were lost; more than one such turn was never seen


class LogRepair(Struct, eq=False):
    """A session file under repair."""

    lines: Lines
    numbers: list[int]  # for each line the number (from 0) of the line where it was when the file came in
    name: str
    torn: bytes = b""
    records: list[RepairRecord] = []
    remaining: list[RepairRecord] = []

    @property
    def host(self) -> LogHost | None:
        """The host that wrote the file, if its files can be repaired."""
        return HOSTS.get(self.name)

    def list_entries(self) -> Entries:
        """Return the lines that hold objects."""
        return open_log(self.lines, self.name).entries

    def record(self, rule: str, line: int, what: str) -> None:
        """Record a change that serves a rule."""
        self.records.append(RepairRecord(rule, f"line {self.numbers[line] + 1}", what))

    def apply_ops(self, ops: list[Op], inserts: dict[int, list[object]] | None = None) -> None:
        """Apply edits to lines, and insert new lines after others."""
        new = [Op((), values, (after + 1, after + 1)) for after, values in (inserts or {}).items()]
        found = apply(self.lines, [*ops, *new])
        assert isinstance(found, Lines)
        self.lines = found
        for after in sorted(inserts or {}, reverse=True):
            self.numbers[after + 1 : after + 1] = [self.numbers[after]] * len((inserts or {})[after])


def repair_log(lines: Lines, name: str) -> LogRepair:
    """Repair a session file of this format.

    If new results do not become a part of the active branch, the file is repaired again without them: their calls are
    then reported as still broken, and repairing once more adds nothing.
    """
    log = _run_passes(lines, name, True)
    answered = [one for one in log.records if one.rule == "L1"]
    return log if len(set(answered)) == len(answered) else _run_passes(lines, name, False)


def _run_passes(lines: Lines, name: str, pair: bool) -> LogRepair:
    log = LogRepair(lines, list(range(len(lines.open().starts))), name)
    repair_lines.run(log)
    repair_characters.run(log)
    for _ in range(_TURNS if log.host else 0):
        before = len(log.records)
        for one in (repair_values, repair_pairs, repair_tree) if pair else (repair_values, repair_tree):
            one.run(log, log.host)
        if len(log.records) == before:
            break
    log.remaining += _find_remaining(log)
    return log


def _find_remaining(log: LogRepair) -> Iterator[RepairRecord]:
    """What the rules for session files still find, apart from calls that the host never sends."""
    messages = get_format(log.name).read(log.lines).messages
    entries = log.list_entries()
    for found in check("transcript", messages):
        part = _get_call_at(messages, found.path)
        if found.severity == "error" and (part is None or log.host is None or log.host.is_sent(entries, part)):
            yield RepairRecord(found.rule, found.where, found.text)


def _get_call_at(messages: tuple[Message, ...], path: Path) -> Part | None:
    """Return the call at the place of a violation, if there is one."""
    at, part = (path[1], path[3]) if len(path) > 3 else (None, None)
    found = messages[at].parts[part] if isinstance(at, int) and isinstance(part, int) else None
    return found if found is not None and found.kind == "tool_call" else None


@register_repair("F1")
def repair_lines(log: LogRepair) -> None:
    """Put each entry on a line of its own, and cut off what is not an entry."""
    found = split_lines(log.lines)
    log.torn = found.torn
    for line, rule, what in found.done:
        log.record(rule, line, what)
    if found.done:
        log.lines, log.numbers = Lines.of(found.data), list(found.numbers)


@register_repair("L8")
def repair_characters(log: LogRepair) -> None:
    """Put U+FFFD in the place of each half of a surrogate pair."""
    ops: list[Op] = []
    for line, entry in log.list_entries().items():
        found = list(replace_surrogates(entry, (line,)))
        ops += found
        if found:
            log.record("L8", line, f"{len(found)} texts with half a character: it became U+FFFD")
    log.apply_ops(ops)


@register_repair("L6", "L7")
def repair_values(log: LogRepair, host: LogHost) -> None:
    """Give empty texts a text, and calls arguments that are an object."""
    entries = log.list_entries()
    found = host.find_edits(entries, get_format(log.name).read(log.lines))
    for op, rule, what in found:
        log.record(rule, int(op.path[0]), what)
    log.apply_ops([op for op, _, _ in found])


@register_repair("F3", "L1", "L2")
def repair_pairs(log: LogRepair, host: LogHost) -> None:
    """Give each call an id of its own, turn results without a call into text, and add the results that are missing."""
    entries = log.list_entries()
    pairs = _pair(log, host, entries)
    ops = _rename(log, host, pairs)
    for orphan in pairs.orphans:
        op = host.convert_orphan(entries, orphan)
        line = int(orphan.path[0])
        if op is not None:
            log.record("L2", line, f"the result of call {quote(orphan.call_id)} has no call and became text")
            ops.append(op)
    inserts: dict[int, list[object]] = {}
    for _, some in groupby(pairs.open, key=lambda one: one.message.key):
        open_ = list(some)
        round_ = [one for one in pairs.asked if one.message.key == open_[0].message.key]
        made = host.insert_results(entries, open_, round_)
        for one in open_ if made is not None else ():
            log.record(
                "L1", int(one.call.path[0]), f"call {quote(one.call.call_id)} had no result: a new line now says so"
            )
        if made is not None:
            inserts.setdefault(made.after, []).extend(made.lines)
            ops += made.ops
    log.apply_ops(ops, {after: values for after, values in inserts.items() if values})


def _pair(log: LogRepair, host: LogHost, entries: Entries) -> LogCalls:
    return pair_calls(
        get_format(log.name).read(log.lines), host.has_unique_ids, lambda call: host.is_sent(entries, call)
    )


def _rename(log: LogRepair, host: LogHost, pairs: LogCalls) -> list[Op]:
    ops: list[Op] = []
    for one in pairs.asked:
        if one.name:
            ops.append(Op(host.find_id(one.call), one.name))
            ops += [Op(host.find_id(one.result), one.name)] if one.result else []
            log.record(
                "F3", _get_line(one), f"the id {quote(one.call.call_id)} is already used: it is now {quote(one.name)}"
            )
    return ops


def _get_line(one: LoggedCall) -> int:
    return int(one.call.path[0])


@register_repair("F2")
def repair_tree(log: LogRepair, host: LogHost) -> None:
    """Hang lines whose parent is lost on the line before, and give each line an id of its own."""
    if host.tree_fields is None:
        return
    found = list(find_tree_edits(log.list_entries(), *host.tree_fields))
    for op, what in found:
        log.record("F2", int(op.path[0]), what)
    log.apply_ops([op for op, _ in found])
