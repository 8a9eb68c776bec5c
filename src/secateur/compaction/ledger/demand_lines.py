"""The demands of the user and the rules of the project as lines, and the demands that such lines say.

Rule: a demand that was taken back has no line of its own: the line of the sentence that replaced it begins to quote it.
Where that sentence is not listed itself, its line is marked as the one that superseded something.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from msgspec.structs import replace

from secateur.compaction.ledger.course import MARK, format_bullet, quote_question, split_question
from secateur.compaction.ledger.entries import Constraint, Ledger, Scope, UserRequest, mark
from secateur.compaction.ledger.said import STOP
from secateur.compaction.ledger.user.demand_units import strip_conclusion
from secateur.compaction.ledger.user.force import is_repeated
from secateur.compaction.ledger.user.goals import list_goals
from secateur.compaction.ledger.user.opposed_rules import ACTS, list_opposed, parse_opposed, quote_opposed
from secateur.toolcalls.actions import clip_command, collapse_whitespace

OPPOSED = "these rules oppose each other, and nobody settled it"
REPLACES = " — replaces: “"
REPLACED_BY = " — replaced by: "  # in older summaries, behind the demand that was taken back
REPLACED_CHARS = 80  # of a demand that was taken back
MANY_LINES = 6  # of a request of which those that are demands are listed as such only
_FEWEST_WORDS = 5  # of what is left of a line
_NEXT = "” · “"
_DEMAND = re.compile(r"\[(\S*), (superseded )?(standing|request|project)(?:: ([^\]\n]+))?\] (.*)", re.S)
_PLAIN = re.compile(rf"\[({MARK.pattern})()()()\] (.*)", re.S)  # the word for the usual scope is left out


def list_constraints(ledger: Ledger) -> list[Constraint]:
    """Return the demands that nothing else says as well, and what replaced one.

    Others say a goal, an open request, a part of another request, and what was put off.
    """
    goals = list_goals(ledger)
    demands = {collapse_whitespace(one.text) for one in ledger.constraints}
    shown = [
        one
        for one in ledger.requests
        if one in goals or one.state == "open" or collapse_whitespace(one.text) not in demands
    ]
    heirs = {collapse_whitespace(one.replaced_by) for one in ledger.constraints}
    later = [one.text for one in ledger.standing if one.kind == "later"]

    def is_told(one: Constraint) -> bool:
        text = collapse_whitespace(one.text)
        return text not in heirs and (is_repeated(one, shown) or any(text in clause for clause in later))

    return [one for one in ledger.constraints if not is_told(one)]


def drop_listed(one: UserRequest, demands: Sequence[Constraint]) -> UserRequest:
    """Return a request of many lines without the lines and sentences that are listed as constraints."""
    lines = one.text.split("\n")
    if len(lines) < MANY_LINES:
        return one
    told = (line.strip() for demand in demands if not demand.replaced_by for line in demand.text.split("\n"))
    listed = frozenset(told) - {""}
    left = [_drop_sentences(line, listed) for line in lines if strip_conclusion(line.strip()) not in listed]
    return replace(one, text="\n".join(left).strip()) if any(map(str.strip, left)) else one


def _drop_sentences(line: str, listed: frozenset[str]) -> str:
    """Return a line without these sentences; one that says next to nothing else, as it is."""
    sentences = STOP.split(line)
    kept = [said for said in sentences if strip_conclusion(said.strip()) not in listed]
    left = " ".join(kept)
    return left if len(left.split()) >= _FEWEST_WORDS and len(kept) < len(sentences) else line


def render_constraints(ledger: Ledger, constraints: Sequence[Constraint]) -> Iterator[str]:
    """Render the demands in force with what each replaced; rules that oppose each other stand together in one line."""
    for act in ACTS:
        if quoted := quote_opposed(ledger.constraints, act):
            yield f"- {OPPOSED}: {quoted}"
    opposed = [one for act in ACTS for one in list_opposed(ledger.constraints, act)]
    replaced = _group_replaced(constraints)
    for one in constraints:
        if not one.replaced_by and one not in opposed:
            old = replaced.pop(collapse_whitespace(one.text), [])
            yield _render_demand(one, f"{one.text}{quote_question(one)}{quote_replaced([one.text for one in old])}")
    for heir, old in replaced.items():
        yield _render_demand(old[0], f"{heir}{quote_replaced([one.text for one in old])}", "superseded ")


def _render_demand(one: Constraint, text: str, state: str = "") -> str:
    scope = f"{one.scope}: {one.source}" if one.source else one.scope
    is_plain = scope == "request" and not state and MARK.fullmatch(mark(one.key)) is not None
    return format_bullet(f"[{mark(one.key)}] {text}" if is_plain else f"[{mark(one.key)}, {state}{scope}] {text}")


def _group_replaced(constraints: Iterable[Constraint]) -> dict[str, list[Constraint]]:
    """Return the demands that were taken back by the sentence that now holds in their place."""
    later = {collapse_whitespace(one.text): collapse_whitespace(one.replaced_by) for one in constraints}
    groups: dict[str, list[Constraint]] = {}
    for one in constraints:
        heir = collapse_whitespace(one.replaced_by)
        seen: set[str] = set()
        while later.get(heir) and heir not in seen:
            seen.add(heir)
            heir = later[heir]
        if heir:
            groups.setdefault(heir, []).append(one)
    return groups


def quote_replaced(old: Iterable[str]) -> str:
    """Quote how demands begin that were taken back; "" where there are none."""
    quoted = [clip_command(collapse_whitespace(text), REPLACED_CHARS) or "…" for text in old]
    return f"{REPLACES}{_NEXT.join(quoted)}”" if quoted else ""


def parse_constraints(texts: Iterable[str], has_plain: bool = True) -> Iterator[Constraint]:
    """Yield the demands that bullets say, and those that they replaced; `has_plain`: also those without a scope."""
    for text in texts:
        if text.startswith(f"{OPPOSED}: "):
            yield from parse_opposed(text.removeprefix(f"{OPPOSED}: "))
        elif found := _DEMAND.fullmatch(text) or (_PLAIN.fullmatch(text) if has_plain else None):
            one = Constraint(found[5], cast(Scope, found[3] or "request"), found[1], source=found[4] or "")
            yield from _parse_replaced(one, is_superseded=bool(found[2]))


def _parse_replaced(line: Constraint, is_superseded: bool) -> Iterator[Constraint]:
    said, _, quoted = line.text.rpartition(REPLACES)
    if said and quoted.endswith("”"):
        by = split_question(said)[0]
        if not is_superseded:
            yield _add_question(replace(line, text=said))
        for text in quoted.removesuffix("”").split(_NEXT):
            key = line.key if is_superseded else ""
            yield replace(line, text=text, key=key, replaced_by=collapse_whitespace(by))
        return
    said, _, later = line.text.rpartition(REPLACED_BY) if is_superseded else (line.text, "", "")
    yield _add_question(replace(line, text=said, replaced_by=later))


def _add_question(one: Constraint) -> Constraint:
    said, asked = split_question(one.text)
    return replace(one, text=said, answers=asked)
