"""The one recipe behind "never break a session": a seed makes a case, a case is played request by request, and whatever
an API would refuse of a view, though it took the request, is a finding.

A case is a story in one API's words, told in growing requests under one policy; sessions are kept by an engine, or
their plan is handed from call to call, now and then to another policy; now and then the client rewinds. Between the
requests of the main line others come under the same name: the same again, a fork from an earlier point and what
follows in it, a side call of few messages, a compaction that was asked for. Half of the cases are compacted where their
policy says so; what nothing makes short enough (`StillTooLong`) is held to the same rules, since whoever fails open
sends it, and half of these are. Besides the rules of the API, which see one body, four things are held that
no single body shows: calls and results stay unchanged, but for those a summary stands for; what is signed stays
whole or goes; what a model thinks while a tool runs stays, unless it is void or its round is summed up; and
reasoning that is bound to its prefix (API rule A54) is never behind another one. The rules' own gate has to stay
out of it where the request was sound: how often it took edits back is counted too.
"""

import json
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any, NamedTuple

from laws.prefixes import Provider, answers, running, sealed
from laws.shapes import SHAPES, Shape, style
from laws.shapes.style import Style
from laws.stories import Said, Story, story
from laws.trials import TRIALS, Trial, drawn
from secateur import Engine, View, fit
from secateur.api import check
from secateur.compaction.outcome import CompactionSkipped
from secateur.errors import SecateurError, StillTooLong
from secateur.model import Replace
from secateur.plan import REFUSED, Plan
from secateur.policy import load

PROFILES = (None, None, "strict", "mistral", "deepseek", "moonshot", "gemini")
MAIN = "main"
_NOW = 1_700_000_000_000  # ms
_OBSERVE = load("observe")  # read once: it makes a view for most requests


class Aside(NamedTuple):
    """What happens behind a request of the main line, before its next one."""

    after: int  # the number of that request
    what: str  # again | fork | side | compact
    count: int  # where a fork parts from the main line


class Turn(NamedTuple):
    """One request: the line it belongs to, what it says, and whether a compaction is asked for."""

    line: str
    main: int  # the number of the main line's request that it is, or comes behind
    body: dict[str, Any]
    compact: bool = False


class Came(NamedTuple):
    """A request as it was handed in, the view of it, as a body too, and whether that was sent."""

    turn: Turn
    request: Any
    view: View
    shown: dict[str, Any]
    was_sent: bool
    is_sound: bool  # the API would refuse nothing of the request


class Line(NamedTuple):
    """What is known of one line of requests: its provider's memory, and what was sent of it, each with its plan."""

    provider: Provider
    sent: tuple[tuple[list[Any], Plan], ...] = ()

    def plan_before(self, messages: list[Any], sticky: bool) -> Plan:
        """The plan under which was said what is new here: of the last request, since edits hold.

        Where they do not, that of the longest request that these messages continue from: a rewind showed other edits.
        """
        made = [(len(said), n) for n, (said, _) in enumerate(self.sent) if sticky or messages[: len(said)] == said]
        return self.sent[max(made, key=lambda one: one[1] if sticky else one)[1]][1] if made else Plan()


class Case(NamedTuple):
    """Everything a seed decides."""

    seed: int
    shape: Shape
    trial: Trial
    then: Trial  # what continues with the plan; mostly the same
    story: Story
    style: Style
    kept: bool  # an engine keeps the session and reads bytes; else objects, and the plan is handed on
    profile: str | None
    cuts: tuple[int, ...]  # messages of the story in each request; less than before: the client rewound
    window: int
    compact: bool
    asides: tuple[Aside, ...] = ()

    def told(self, number: int, line: str = MAIN) -> str:
        """Which request of which case: `case(seed)` makes it again."""
        return f"case {self.seed}, {self.shape.format} under {self.trial.name}, request {number} ({line})"


class Outcome:
    """What cases came to."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str, str]] = Counter()  # (what, format, policy)
        self.findings: list[str] = []
        self.taken_back: list[str] = []  # where the gate had to act

    def note(self, case: Case, what: str, times: int = 1) -> None:
        self.counts[what, case.shape.format, case.trial.name] += times

    def found(self, case: Case, number: int, text: str, line: str = MAIN) -> None:
        self.note(case, "violations")
        self.findings.append(f"{case.told(number, line)}: {text}")

    def add(self, other: "Outcome") -> None:
        """Take over what other cases came to."""
        self.counts += other.counts
        self.findings += other.findings
        self.taken_back += other.taken_back

    def total(self, what: str) -> int:
        return sum(times for (name, _, _), times in self.counts.items() if name == what)


def case(seed: int) -> Case:
    """The case of a seed: formats and policies in turn, all else drawn."""
    rng = Random(f"case {seed}")
    shape = SHAPES[seed % len(SHAPES)]
    trial = TRIALS[seed // len(SHAPES) % len(TRIALS)] or drawn(seed)
    then = (rng.choice(TRIALS) or drawn(seed)) if rng.random() < 0.1 else trial
    told = story(rng.randrange(1 << 40), trial.bulk)
    profile = rng.choice(PROFILES) if shape.family == "openai_chat" else None
    window = rng.choice((50, 300, 1_000, 4_000)) * trial.bulk
    kept, ends = rng.random() < 0.6, cuts(told, rng)
    compact, made = rng.random() < 0.5, style(shape, seed)
    return Case(seed, shape, trial, then, told, made, kept, profile, ends, window, compact, asides(told, ends, seed))


def cuts(told: Story, rng: Random) -> tuple[int, ...]:
    """Where requests end: before the assistant speaks, and at the end."""
    said = told.said
    places = [n for n in range(1, len(said)) if said[n].by == "assistant" and said[n - 1].by != "assistant"]
    chosen = sorted(rng.sample(places, min(len(places), rng.choice((0, 1, 2, 3)))))
    if len(chosen) > 1 and rng.random() < 0.1:
        chosen.append(chosen[0])
    return (*chosen, len(said))


def asides(told: Story, ends: tuple[int, ...], seed: int) -> tuple[Aside, ...]:
    """What comes between the requests of the main line."""
    rng = Random(f"asides {seed}")
    if rng.random() < 0.3:
        return ()
    found = []
    for number, count in enumerate(ends):
        asked = [n for n in range(1, count + 1) if told.said[n - 1].by == "user"]
        for what in rng.sample(("again", "fork", "side", "compact"), rng.choice((0, 0, 1, 2))):
            found.append(Aside(number, what, rng.choice(asked or [1])))
    return tuple(found)


def play(one: Case, outcome: Outcome) -> None:
    """Play a case, request by request."""
    outcome.note(one, "cases")
    lines: dict[str, Line] = {MAIN: Line(Provider(one.shape, one.style.model))}
    for number, came in enumerate(requests(one, outcome)):
        turn = came.turn
        line = lines.get(turn.line) or deepcopy(lines[MAIN])
        noted(one, number, came, outcome)
        for text in judged(one, line, came):
            outcome.found(one, number, text, turn.line)
        sent = (*line.sent, (turn.body[one.shape.array], came.view.plan))
        lines[turn.line] = line._replace(sent=sent) if came.was_sent else line


def noted(one: Case, number: int, came: Came, outcome: Outcome) -> None:
    """Count what became of a request."""
    turn, view, sound = came.turn, came.view, came.is_sound
    gate = REFUSED in view.receipt.skipped_reason and view.receipt.skipped_reason
    gate = gate or (
        isinstance(view.compaction, CompactionSkipped) and view.compaction.reason == "gate" and view.compaction.text
    )
    outcome.note(one, "requests")
    outcome.note(one, "aside", turn.line != MAIN or turn.compact)
    outcome.note(one, "edited", came.shown != turn.body)
    outcome.note(one, "taken back", bool(gate and sound))
    outcome.note(one, "sound", sound)
    outcome.note(one, "compacted", compacted(view.plan))
    if gate and sound:
        outcome.taken_back.append(f"{one.told(number, turn.line)}: {gate}")


def judged(one: Case, line: Line, came: Came) -> Iterator[str]:
    """What its API, and a provider that remembers this line, would say of a view."""
    turn, body, shown, summed = came.turn, came.turn.body, came.shown, compacted(came.view.plan)
    if shown != body:  # what was sent as it came is refused and changed as little
        yield from refused(one, came)
        yield from changed(one, body, shown, summed)
        if not line.provider.binds and not still_runs(body[one.shape.array], shown[one.shape.array], summed):
            yield "what the model said in the turn that is still running changed"
    if line.provider.binds and came.was_sent:
        sticky = (one.then if turn.main else one.trial).sticky
        meanwhile = native(projected(one, came.request, line.plan_before(body[one.shape.array], sticky)))
        yield from line.provider.takes(*(some[one.shape.array] for some in (body, meanwhile, shown)))


def turns(one: Case) -> Iterator[Turn]:
    """The requests of a case, in the order in which they come."""
    for number, count in enumerate(one.cuts):
        body = one.shape.body(one.story, count, one.style)
        yield Turn(MAIN, number, body)
        for aside in one.asides:
            if aside.after != number:
                continue
            if aside.what == "again":
                yield Turn(MAIN, number, body)
            elif aside.what == "compact":  # mostly while the agent waits: it has answered, and nothing was asked yet
                ends = answered(one.story, count) if aside.count % 3 else count
                yield Turn(MAIN, number, one.shape.body(one.story, ends, one.style), True)
            else:
                for told in parted(one.story, aside):
                    yield Turn(f"{aside.what} {number}", number, one.shape.body(told, len(told.said), one.style))


def answered(told: Story, count: int) -> int:
    """Where the story stands when the agent has answered what it was asked before."""
    said = [*told.said, Said("user", [])]
    behind = count + 1 < len(said) and (said[count].by, said[count + 1].by) == ("assistant", "user")
    return count + behind


def parted(told: Story, aside: Aside) -> Iterator[Story]:
    """Stories that leave the main line: a side call asks one thing of the beginning, a fork continues."""
    asked = Said("user", [{"is": "text", "text": "by the way, in json: what is it called"}])
    if aside.what == "side":
        yield told._replace(said=[asked])
        return
    said = [*told.said[: aside.count - 1], asked]
    yield told._replace(said=said)
    answer = Said("assistant", [{"is": "text", "text": "it is called so"}])
    yield told._replace(said=[*said, answer, Said("user", [{"is": "text", "text": "then go on"}])])


def requests(one: Case, outcome: Outcome) -> Iterator[Came]:
    """Each request, as a body and as it is handed in, the view of it, and whether that was sent."""
    engines = {trial.name: engine(one, trial) for trial in (one.trial, one.then)}
    plans: dict[str, Plan | None] = {MAIN: None}
    for number, turn in enumerate(turns(one)):
        trial = one.then if turn.main else one.trial
        serving, request, was_sent = (
            engines[trial.name],
            json.dumps(turn.body).encode() if one.kept else turn.body,
            True,
        )
        given = {"session": "s" if one.kept else "", "plan": plans.get(turn.line, plans[MAIN])}
        given |= {"idle_s": trial.idle_s, "now_ms": _NOW + number * 1_000_000}
        try:
            view = serving.compact(request, **given) if turn.compact else serving.fit(request, **given)
        except StillTooLong as error:
            outcome.note(one, "too long")
            was_sent = (one.seed + number) % 2 == 0
            view = serving.sent(error) if was_sent and one.kept else error.view
        except SecateurError as error:
            outcome.found(one, number, f"refused by ourselves: {error!r}", turn.line)
            return
        if was_sent:
            plans[turn.line] = None if one.kept and one.then is one.trial else view.plan
        shown = native(view)
        if trial.sticky and not made_alone(one, request, view, shown):
            outcome.found(one, number, "the plan alone makes another view", turn.line)
        yield Came(turn, request, view, shown, was_sent, not errors(one, turn.body))


def projected(one: Case, request: Any, plan: Plan) -> View:
    """The view that a plan alone makes."""
    return fit(request, policy=_OBSERVE, plan=plan, format=one.shape.format, model=one.style.model)


def made_alone(one: Case, request: Any, view: View, shown: dict[str, Any]) -> bool:
    """Whether the plan alone makes the same view; breakpoints that were added are no part of it."""
    alone = projected(one, request, view.plan)
    if not view.receipt.breakpoints:
        return bool(alone.request == view.request)
    return bool(unmarked(native(alone)) == unmarked(shown))


def unmarked(value: Any) -> Any:
    """A body without its cache markers."""
    if isinstance(value, dict):
        return {name: unmarked(inner) for name, inner in value.items() if name != "cache_control"}
    if isinstance(value, list):
        return [unmarked(inner) for inner in value if not (isinstance(inner, dict) and "cachePoint" in inner)]
    return value


def native(view: View) -> Any:
    return json.loads(view.request) if isinstance(view.request, bytes) else view.request


def engine(one: Case, trial: Trial) -> Engine:
    return Engine(trial.policy, one.style.model, window=one.window, format=one.shape.format, compact=one.compact)


def refused(one: Case, came: Came) -> Iterator[str]:
    """What the API would refuse of a view, where it refused nothing of the request."""
    if came.is_sound:
        yield from (f"{error.rule} at {error.where}, {error.text}" for error in errors(one, came.shown))


def errors(one: Case, body: dict[str, Any]) -> list[Any]:
    given = body | {"model": one.style.model}
    found = check(one.shape.family, body[one.shape.array], given, profile=one.profile)
    return [error for error in found if error.severity == "error"]


def compacted(plan: Plan) -> bool:
    """Whether a summary may stand for a part of the history."""
    return any(isinstance(edit, Replace) for epoch in plan.epochs for edit in epoch.edits)


def still_runs(before: list[Any], after: list[Any], summed: bool) -> bool:
    """Whether what the model said in the running turn is as it was.

    Rounds may be summed up, but for the newest; and what asks it to go on then ends the turn. Where what stood between
    two turns was summed up, the running one begins earlier: with rounds that are as they were, too.
    """
    came, shown = running(before), running(after)  # newest first
    if not summed:
        return came == shown
    spoken = [one for one in reversed(before) if not answers(one)]
    return kept_in_order(spoken, shown, summed) and (not came or came[:1] == shown[:1] or not answers(after[-1]))


def kept_in_order(came: list[Any], shown: list[Any], summed: bool) -> bool:
    """Whether all of this is there still, or what is left of it in the same order, where some is summed up."""
    rest = iter(came)
    return all(one in rest for one in shown) if summed else came == shown


def changed(one: Case, body: dict[str, Any], shown: dict[str, Any], summed: bool) -> Iterator[str]:
    """What may not change and did."""
    before, after = body[one.shape.array], shown[one.shape.array]
    if not kept_in_order(sealed(one.shape, before).ids, sealed(one.shape, after).ids, summed):
        yield "calls and results are not what they were"
    strange = sealed(one.shape, after).signed - sealed(one.shape, before).signed
    if strange:
        yield f"something signed was changed: {sorted(strange)[0][:200]}"
    rest = {name: value for name, value in body.items() if name != one.shape.array}
    if {name: value for name, value in shown.items() if name != one.shape.array} != rest:
        yield "a field beside the messages changed"
