"""A session file, mended so that its host loads it and can send again.

Rule: first every line is one entry, then pairs, then the tree of ids; each step reads the file as the one before left
it. What was written down is told by the lines as they came in.
"""

from collections.abc import Iterator
from itertools import groupby

from msgspec import Struct

from secateur.api import check
from secateur.api.repair_run import Mended, quoted
from secateur.api.surrogates import halves
from secateur.api.transcript.host_claude_code import ClaudeCode
from secateur.api.transcript.host_codex import Codex
from secateur.api.transcript.host_pi import Pi
from secateur.api.transcript.hosts import Entries, Host
from secateur.api.transcript.line_tree import mend_tree
from secateur.api.transcript.log_calls import Asked, Pairs, paired
from secateur.api.transcript.torn_lines import sorted_out
from secateur.formats import named
from secateur.formats.logs import opened
from secateur.jsontext import Lines
from secateur.model import Message, Part, Path
from secateur.patch import Op, apply

HOSTS: dict[str, Host] = {"claude_code": ClaudeCode(), "codex": Codex(), "pi": Pi(), "openclaw": Pi()}
_PASSES = 3  # a mended tree may show calls that were lost; more than one such turn was never seen


class Bench(Struct, eq=False):
    """A session file on the bench. `numbers`: the line (0-based) on which each line stood when the file came in."""

    lines: Lines
    numbers: list[int]
    name: str
    torn: bytes = b""
    mended: list[Mended] = []
    left: list[Mended] = []

    def entries(self) -> Entries:
        """The lines that hold objects."""
        return opened(self.lines, self.name).entries

    def say(self, rule: str, line: int, what: str) -> None:
        """Record a mend."""
        self.mended.append(Mended(rule, f"line {self.numbers[line] + 1}", what))

    def change(self, ops: list[Op], inserts: dict[int, list[object]] | None = None) -> None:
        """Carry out edits of lines, and put new lines behind others."""
        new = [Op((), values, (after + 1, after + 1)) for after, values in (inserts or {}).items()]
        found = apply(self.lines, [*ops, *new])
        assert isinstance(found, Lines)
        self.lines = found
        for after in sorted(inserts or {}, reverse=True):
            self.numbers[after + 1 : after + 1] = [self.numbers[after]] * len((inserts or {})[after])


def mend_log(lines: Lines, name: str) -> Bench:
    """Mend a session file of this format. Where new results do not come to stand on the branch, none are written: the
    calls are told as broken still, and mending again does not add to them."""
    bench = _mended(lines, name, True)
    answered = [one for one in bench.mended if one.rule == "L1"]
    return bench if len(set(answered)) == len(answered) else _mended(lines, name, False)


def _mended(lines: Lines, name: str, pairs: bool) -> Bench:
    found = sorted_out(lines)
    bench = Bench(Lines.of(found.data) if found.told else lines, list(found.numbers), name, found.torn)
    bench.mended += [Mended(rule, f"line {line + 1}", what) for line, rule, what in found.told]
    _mend_strings(bench)
    host = HOSTS.get(name)
    for _ in range(_PASSES if host else 0):
        assert host is not None
        before = len(bench.mended)
        _mend_values(bench, host)
        if pairs:
            _mend_pairs(bench, host)
        _mend_tree(bench, host)
        if len(bench.mended) == before:
            break
    bench.left += _broken(bench, host)
    return bench


def _broken(bench: Bench, host: Host | None) -> Iterator[Mended]:
    """What the rules of a recorded conversation still find, calls that the host never sends aside."""
    messages = named(bench.name).read(bench.lines).messages
    entries = bench.entries()
    for found in check("transcript", messages):
        part = _part_at(messages, found.path)
        if found.severity == "error" and (part is None or host is None or host.sent(entries, part)):
            yield Mended(found.rule, found.where, found.text)


def _part_at(messages: tuple[Message, ...], path: Path) -> Part | None:
    """The call that a finding is about, if it is about one."""
    at, part = (path[1], path[3]) if len(path) > 3 else (None, None)
    found = messages[at].parts[part] if isinstance(at, int) and isinstance(part, int) else None
    return found if found is not None and found.kind == "tool_call" else None


def _mend_strings(bench: Bench) -> None:
    ops: list[Op] = []
    for line, entry in bench.entries().items():
        found = list(halves(entry, (line,)))
        ops += found
        if found:
            bench.say("L8", line, f"{len(found)} texts with half a character: it became U+FFFD")
    bench.change(ops)


def _mend_values(bench: Bench, host: Host) -> None:
    entries = bench.entries()
    found = host.inside(entries, named(bench.name).read(bench.lines))
    for op, rule, what in found:
        bench.say(rule, int(op.path[0]), what)
    bench.change([op for op, _, _ in found])


def _mend_pairs(bench: Bench, host: Host) -> None:
    """Ids first, since new results bear them; then orphans, then results that are missing."""
    entries = bench.entries()
    pairs = _pairs(bench, host, entries)
    ops = _renamed(bench, host, pairs)
    for orphan in pairs.orphans:
        op = host.told(entries, orphan)
        line = int(orphan.path[0])
        if op is not None:
            bench.say("L2", line, f"the result of call {quoted(orphan.call_id)}, which is not there, became text")
            ops.append(op)
    inserts: dict[int, list[object]] = {}
    for _, some in groupby(pairs.open, key=lambda one: one.message.key):
        open_ = list(some)
        round_ = [one for one in pairs.asked if one.message.key == open_[0].message.key]
        made = host.answered(entries, open_, round_)
        for one in open_ if made is not None else ():
            bench.say("L1", int(one.call.path[0]), f"call {quoted(one.call.call_id)} had no result: a new line says so")
        if made is not None:
            inserts.setdefault(made.after, []).extend(made.lines)
            ops += made.ops
    bench.change(ops, {after: values for after, values in inserts.items() if values})


def _pairs(bench: Bench, host: Host, entries: Entries) -> Pairs:
    return paired(named(bench.name).read(bench.lines), host.unique, lambda call: host.sent(entries, call))


def _renamed(bench: Bench, host: Host, pairs: Pairs) -> list[Op]:
    ops: list[Op] = []
    for one in pairs.asked:
        if one.name:
            ops.append(Op(host.id_of(one.call), one.name))
            ops += [Op(host.id_of(one.result), one.name)] if one.result else []
            bench.say("F3", _line(one), f"the id {quoted(one.call.call_id)} was taken: it is now {quoted(one.name)}")
    return ops


def _line(one: Asked) -> int:
    return int(one.call.path[0])


def _mend_tree(bench: Bench, host: Host) -> None:
    if host.tree is None:
        return
    found = list(mend_tree(bench.entries(), *host.tree))
    for op, what in found:
        bench.say("F2", int(op.path[0]), what)
    bench.change([op for op, _ in found])
