"""Which summaries are believed: true ones in the styles of several hosts, and ones that lie, over small histories.

    python benchmarks/judging.py [--set first|contradictions|types|wordings|retellings|handovers|shifts|reports|jobs]
                                 [--half open|kept] [--show] [--least N]

The cases are in benchmarks/measures/summaries, a file for each history, written before the judge or by someone who had
not read it; `why` says what makes a lie one. One half, `kept`, is for the figures alone: whoever works on the judge
reads the other half. A true summary has to stand (`GOOD`); a lie must not be passed on (`BAD`). The exit status is 1
below a bar. `--show` lists what went wrong; with `--half open` it lists only cases that may be read. `--least` marks
more sentences, or fewer. Of each half it is printed how many lies of each kind are told (`lie_kinds`).

The set `first` is in the folders `open` and `kept`. The set `contradictions` is in a folder of its name: most of its
lies are fluent and wrong in one fact. Its histories are shared by both halves, and a hash decides the half of a case
(`draw_half`). A lie is not passed on if the summary is rejected, whatever the reason, or has lost its false line; true
summaries lose lines as well, and these are counted. A judge that rejects everything passes no lie on: what it can tell
is counted by the lies whose true summary stands. Rejections for a lack of headings say nothing about truth. The set
`types` is all open: lies of each type (files, checks, counts, values, approvals, bans, order, quotations, versions,
hashes, branches, hosts, who decided), and true summaries in many forms and languages. The set `wordings`, all open as
well, says things in as many ways as possible: passive, nominal, in fragments and tables, of the past, and by what is
not the case. The set `retellings` has two halves again: short histories, each retold in eight styles (a terse list,
prose, the headings of five hosts, first person plural, English learned late), and lies that alter one statement of such
a text. The set `shifts` is like it, with eight other histories: exchanged comparisons, measures that went the other
way, work that is said to be done, and prohibitions that became steps, in words that no other set has. The set `reports`
has no lies: five true summaries of each of eight histories, in numbered sections, under headings, in prose and in
notes, against a judge that refuses much. The set `jobs` has two halves: twelve sessions of several kinds of work (a
fix, a refactoring, an upgrade, a deployment, a review, and others, three of them not in English), each summed up in the
styles of hosts, with reasons and next steps as a sensible model adds them. Its lies are those that harm whoever trusts
them: checks, deliveries, approvals, bans, orders out of the output of tools, decisions that were replaced, and crude
failures.
"""

import argparse
import hashlib
import json
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lie_kinds import name_kind
from msgspec import Struct

from secateur import documents
from secateur.compaction.ask import Ask
from secateur.compaction.conversation import CompactionInput
from secateur.compaction.judge.ground import backing
from secateur.compaction.ledger import render_ledger
from secateur.compaction.marks import is_marked
from secateur.compaction.outcome import Compacted
from secateur.compaction.prose import read_summary
from secateur.compaction.restated import without_restated
from secateur.compaction.settings import Compaction, Continuation
from secateur.compaction.trigger import Load
from secateur.summarizers.builtin import Function
from secateur.summarizers.run import CompactionTask, compact_history
from secateur.tokens import estimate

GOOD, BAD = 0.95, 0.90  # of the true summaries stand, of the lies are not passed on
FOLDER = Path(__file__).parent / "measures" / "summaries"
SETS = {
    "first": FOLDER,
    "contradictions": FOLDER / "contradictions",
    "types": FOLDER / "types",
    "wordings": FOLDER / "wordings",
    "retellings": FOLDER / "retellings",
    "handovers": FOLDER / "handovers",
    "shifts": FOLDER / "shifts",
    "reports": FOLDER / "reports",
    "jobs": FOLDER / "jobs",
}
HALVES = ("open", "kept")


class Case(Struct, frozen=True):
    """One summary of one history."""

    history: str
    what: str  # its style, or its lie
    is_true: bool
    text: str
    turns: tuple[dict[str, Any], ...]
    why: str = ""  # it is a lie
    base: str = ""  # the true summary that the lie alters


class Verdict(Struct, frozen=True):
    """What became of one summary."""

    reason: str = ""  # for the rejection; "" for a summary that stands
    dropped: tuple[str, ...] = ()  # lines that are not in the view, although the summary stands
    restated: tuple[str, ...] = ()  # lines that gave way to the user's own words in the view
    marked: tuple[str, ...] = ()  # sentences that stand with a mark
    lines: int = 0  # of the model in the view
    marked_lines: int = 0  # among them


Judged = tuple[Case, Verdict]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--set", choices=tuple(SETS), action="append", dest="sets", help="all without it")
    options.add_argument("--half", choices=HALVES, action="append", help="both without it")
    options.add_argument("--show", action="store_true", help="list each summary that was judged wrongly, and why")
    options.add_argument("--least", type=float, default=backing.LEAST, help="sum of signs that marks a sentence")
    asked = options.parse_args()
    backing.LEAST = asked.least
    missed = False
    every: dict[str, list[Judged]] = {}
    for name in asked.sets or SETS:
        for half in asked.half or HALVES:
            if judged := [(case, judge(case)) for case in read_cases(SETS[name] / half)]:
                missed |= report(f"{name}, {half}", judged, show=asked.show)
                every.setdefault(half, []).extend(judged)
    for half, judged in every.items():
        report(f"all, {half}", judged)
        report_kinds(f"all, {half}", [(case, verdict) for case, verdict in judged if not case.is_true])
    return 1 if missed else 0


def report(title: str, judged: list[Judged], *, show: bool = False) -> bool:
    """Print one half of a set; whether a bar was missed."""
    good = [verdict for case, verdict in judged if case.is_true]
    bad = [(case, verdict) for case, verdict in judged if not case.is_true]
    stand = [verdict for verdict in good if not verdict.reason]
    form = sum(verdict.reason.startswith("sections:") for verdict in good)
    cut, lines = sum(bool(verdict.dropped) for verdict in stand), sum(verdict.lines for verdict in stand)
    marked = sum(verdict.marked_lines for verdict in stand)
    accepted = _share(len(stand), len(good))
    print(f"{title}: {accepted} true summaries accepted (bar {GOOD:.0%}; {form} refused for headings)")
    print(f"{title}: {cut} of these have lost a line; {_share(marked, lines)} lines are marked")
    refused = sum(bool(verdict.reason) for _, verdict in bad)
    dropped = sum(is_told(case, verdict) for case, verdict in bad)
    told = sum(is_told(case, verdict) or has_marked_its_lie(case, verdict) for case, verdict in bad)
    if bad:
        print(f"{title}: {_share(refused, len(bad))} lies refused")
        print(f"{title}: {_share(dropped, len(bad))} refused, or the false line is dropped")
        print(f"{title}: {_share(told, len(bad))} refused, dropped, or the false line is marked (bar {BAD:.0%})")
    report_beside(judged, title)
    for case, verdict in judged if show else ():
        show_case(case, verdict)
    return len(stand) < GOOD * len(good) or told < BAD * len(bad)


def report_kinds(title: str, judged: list[Judged]) -> None:
    """Print for each kind of lie how many are told."""
    kinds = [name_kind(case.base, case.text) for case, _ in judged]
    for kind, total in Counter(kinds).most_common():
        some = [one for one, own in zip(judged, kinds, strict=True) if own == kind]
        told, right = (sum(judges(*one) for one in some) for judges in (is_told, is_right))
        print(f"{title}: {kind:<28} {_share(told, total)} refused or dropped, {_share(right, total)} marked as well")


def _share(some: int, total: int) -> str:
    return f"{some} of {total} ({some / total:.1%})" if total else "0 of 0"


def show_case(case: Case, verdict: Verdict) -> None:
    """Print what went wrong with a summary, or why a false one was refused."""
    about = f"{case.history}, {case.what}"
    if not is_right(case, verdict):
        print(f"   {about}: {verdict.reason or f'it stands ({case.why})'}")
    elif verdict.reason:
        print(f"   refused: {about}: {verdict.reason[:160]}")
    for sentence in verdict.marked if case.is_true else ():
        print(f"   marked, and true: {about}: {sentence[:160]}")


def is_right(case: Case, verdict: Verdict) -> bool:
    """Whether a true summary stands, or a false statement is not passed on as a fact."""
    return not verdict.reason if case.is_true else is_told(case, verdict) or has_marked_its_lie(case, verdict)


def is_told(case: Case, verdict: Verdict) -> bool:
    """Whether a summary is refused, or has lost its false line."""
    return bool(verdict.reason) or has_lost_its_lie(case, verdict)


def report_beside(judged: list[Judged], title: str) -> None:
    """Print how many lies are told whose true summary stands."""
    stand = {case.text for case, verdict in judged if case.is_true and not verdict.reason}
    beside = [(case, verdict) for case, verdict in judged if case.base.strip() in stand]
    if beside:
        right = sum(is_right(case, verdict) for case, verdict in beside)
        print(f"{title}: {_share(right, len(beside))} lies are told whose true summary stands")


def has_lost_its_lie(case: Case, verdict: Verdict) -> bool:
    """Whether a line or a sentence that the true summary does not have is not in the view."""
    return _has_new(case, (*verdict.dropped, *verdict.restated))


def has_marked_its_lie(case: Case, verdict: Verdict) -> bool:
    """Whether a sentence that the true summary does not have is marked."""
    return _has_new(case, verdict.marked)


def _has_new(case: Case, lines: tuple[str, ...]) -> bool:
    return bool(case.base) and any((text := line.strip(" -*")) and text not in case.base for line in lines)


def judge(case: Case) -> Verdict:
    """Compact the history with this summary, and see whether it is taken."""
    transcript = documents.read(build_body(case.turns)).transcript
    load = Load(sum(estimate(part.text) for message in transcript.messages for part in message.parts))
    scene = CompactionInput(raw=transcript.messages, count=estimate, window=0, load=load, forced=True)
    settings = Compaction(keep_turns=1, keep_tokens=1, max_summary_tokens=2_000)

    def answer(_: Ask) -> str:
        return case.text

    task = CompactionTask(scene, settings, Continuation())
    outcome = compact_history(task, [Function("written", answer)], 20.0).outcome
    if isinstance(outcome, Compacted) and outcome.rung == "model":
        lines = [line for some in outcome.sections.values() for line in some]
        gone = list_restated(case, outcome)
        return Verdict("", outcome.dropped, gone, outcome.marked, len(lines), sum(map(is_marked, lines)))
    return Verdict(next((f"{one.reason}: {one.text}" for one in outcome.attempts), "") or f"no compaction: {outcome}")


def list_restated(case: Case, outcome: Compacted) -> tuple[str, ...]:
    """The lines of a summary that give way to the user's own words, which are in the view."""
    read = read_summary(case.text, [turn["user"] for turn in case.turns if "user" in turn])
    facts = {id: [one for one in some if one in outcome.summary] for id, some in render_ledger(outcome.ledger).items()}
    left = without_restated(read, facts)
    return tuple(line for id, lines in read.items() for line in lines if line not in left[id])


def read_cases(folder: Path) -> Iterator[Case]:
    """All cases of a folder. A lie that names a true summary (`of`, from 1) is that one with words replaced."""
    for path in sorted(folder.glob("*.toml")):
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        if has_shared_history := isinstance(table["history"], str):
            shared = (folder.parent / "histories" / table["history"]).resolve()
            table |= tomllib.loads(shared.read_text(encoding="utf-8"))
        good = table.get("good", ())
        for one in (*good, *table.get("bad", ())):
            case = build_case(table, one)
            source = good[one["of"] - 1] if "of" in one else one
            if has_shared_history and draw_half(table["name"], source) != folder.name:
                raise ValueError(f"{path.name}, {case.what}: move it to the other half")
            yield case


def build_case(table: dict[str, Any], one: dict[str, Any]) -> Case:
    """One case of a file; a lie says what is replaced, or brings a text of its own."""
    turns = tuple(lengthen(turn, table.get("longer", 1)) for turn in table["history"])
    if "style" in one:
        return Case(table["name"], one["style"], True, one["text"].strip(), turns)
    base = "" if "text" in one else table["good"][one["of"] - 1]["text"]
    text = base or one["text"]
    for old, new in one.get("replace", ()):
        if old not in text:
            raise ValueError(f"{table['name']}, {one['lie']}: {old!r} does not occur")
        text = text.replace(old, new)
    return Case(table["name"], one["lie"], False, text.strip(), turns, one.get("why", ""), base)


def lengthen(turn: dict[str, Any], factor: int) -> dict[str, Any]:
    """A turn whose output is repeated more often: long summaries need a long history."""
    return turn | {"times": turn["times"] * factor} if "times" in turn else turn


def draw_half(history: str, source: dict[str, Any]) -> str:
    """The half of a case, by a hash of its name. A lie is in the half of the true summary that it alters."""
    name = source.get("style") or source["lie"]
    return HALVES[hashlib.sha256(f"{history}/{name}".encode()).digest()[0] % 2]


def build_body(turns: tuple[dict[str, Any], ...]) -> bytes:
    """A Messages request with a history, and a newest message of the user behind it."""
    messages: list[dict[str, Any]] = []
    for number, turn in enumerate((*turns, {"user": "Status?"})):
        if "user" in turn:
            messages.append({"role": "user", "content": [{"type": "text", "text": turn["user"]}]})
        elif "assistant" in turn:
            messages.append({"role": "assistant", "content": [{"type": "text", "text": turn["assistant"]}]})
        else:
            more = "".join(turn.get("more", "").format(n=one) + "\n" for one in range(turn.get("times", 0)))
            failed = bool(turn.get("error") or turn.get("exit"))
            code = f"Exit code {turn['exit']}\n" if turn.get("exit") else ""
            call = {"type": "tool_use", "id": f"call_{number}", "name": turn["call"], "input": turn["input"]}
            result = {"type": "tool_result", "tool_use_id": f"call_{number}", "is_error": failed}
            result["content"] = code + more + turn["result"].lstrip("\n")
            messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    merged: list[dict[str, Any]] = []
    for message in messages:
        if merged and merged[-1]["role"] == message["role"]:
            merged[-1]["content"] += message["content"]
        else:
            merged.append(message)
    return json.dumps({"model": "claude-opus-4-5", "max_tokens": 1_000, "messages": merged}).encode()


if __name__ == "__main__":
    sys.exit(main())
