"""What an earlier summary says that later work has overtaken, and what of it still holds.

Rule: prose of an earlier summary is as of then, and a line of a host's summary says so. Its next steps, and what it
says of its present (what fails, what is to be done, which choices there are), are left out once the agent has answered
what was open then; where it still works on that, they stay. Left out are also failing checks once checks have passed
and none fails, files that are gone, and what another line says as well.
Messages that the user wrote then are none of his wishes once he wrote others, unless they forbid or demand.
"""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

from secateur.compaction.former_lines import (
    WORD,
    is_lasting,
    is_message,
    is_order,
    is_way,
    is_wish,
    keep_one_each,
    keep_telling,
    without_repeats,
)
from secateur.compaction.ledger import Ledger
from secateur.compaction.ledger.demand_lines import REPLACED_BY, REPLACES, quote_replaced
from secateur.compaction.ledger.entries import AS_OF_THEN, Constraint, FileEntry, PlanItem
from secateur.compaction.ledger.said import split_sentences
from secateur.compaction.ledger.user.demand_units import join_fragments
from secateur.compaction.ledger.user.demands import is_demand
from secateur.compaction.ledger.user.force import select_constraints
from secateur.compaction.ledger.user.opposed_rules import ACTS, find_ban, is_wanted, quote_rule
from secateur.compaction.ledger.user.retractions import find_denial, find_removal
from secateur.compaction.overtaken import Statement, list_overtaken, trace_work
from secateur.compaction.summary import HEADING_CHARS, Sections, normalize_heading, strip_bullet
from secateur.compaction.template import FORMERLY, STATES, list_headings
from secateur.model import Message
from secateur.toolcalls.actions import collapse_whitespace

SINCE = "- since an earlier summary, the user: "
AGAINST = " — against a rule of the project: "
MOST_GOALS = 2  # lines of the earlier goal, beside what the user asked for since
MOST_STEPS = 6  # of what was to be done then


def with_former_states(kept: Mapping[str, Sequence[str]], ledger: Ledger) -> Sections:
    """Return kept prose with what was true then marked as that, without what was overtaken.

    Where nobody has asked for anything since, the goal is what it was.
    """
    is_answered = ledger.before != "open"
    made = {id: tuple(lines) for id, lines in kept.items() if id not in STATES}
    for id in ("instructions", "constraints") if ledger.requests else ():
        if id in made:
            made[id] = tuple(line for line in made[id] if not (is_order(line) or is_message(line)))
    if goal := keep_telling(kept.get("goal", ())):
        ways = [line for line in goal[1:] if is_way(line)]
        made["constraints"] = (*made.get("constraints", ()), *map(mark_former, ways))
        goal = [line for line in goal if line not in ways]
        goal = [*goal[:1], *(line for line in goal[1:] if not (ledger.requests and is_order(line)))]
        made["goal"] = (
            tuple(map(mark_former, goal[:MOST_GOALS]))
            if ledger.requests
            else tuple(f"- {strip_bullet(line)}" for line in goal)
        )
    if not is_answered:
        made["next"] = tuple(map(mark_former, _select_steps(kept.get("next", ()))))
    if ledger.requests:
        _move_rules(made, "instructions", is_lasting)
    _move_rules(made, "goal", _is_ruling)
    for id in ("discoveries", "accomplished"):
        _move_rules(made, id, lambda line: _RULES.search(line) is not None or _is_ruling(line))
    made["files"] = keep_one_each(made.get("files", ()), (ledger.root, ledger.folder))
    has_passed = _has_passed(ledger)
    is_committed = bool(ledger.commits) or "commit" in ledger.delivered
    kept_lines = {
        id: lines if id == "constraints" else tuple(_select_lines(lines, is_answered, has_passed, is_committed))
        for id, lines in without_repeats(made).items()
    }
    sentences = [said for one in ledger.requests for said in join_fragments(split_sentences(one.text))]
    listed = {collapse_whitespace(one.text) for one in select_constraints(ledger.constraints, ledger.requests)}
    for id in ("constraints", "accomplished", "discoveries"):
        kept_lines[id] = tuple(
            told
            for line in kept_lines.get(id, ())
            if (told := _put_revocation(line, id == "constraints", sentences, listed))
        )
    kept_lines["constraints"] = tuple(_put_ban(line, ledger.constraints) for line in kept_lines["constraints"])
    kept_lines["constraints"] = tuple(sorted(kept_lines["constraints"], key=lambda line: line.startswith(FORMERLY)))
    return {id: lines for id, lines in kept_lines.items() if lines}


def _select_steps(lines: Sequence[str]) -> list[str]:
    """Select the first steps of an earlier summary, without those that say most of another one again."""
    steps: list[str] = []
    words: list[frozenset[str]] = []
    for line in keep_telling(lines):
        own = frozenset(WORD.findall(line.removeprefix(FORMERLY).casefold()))
        if not any(len(own & one) >= _SAME_STEP * len(own) for one in words if own):
            steps.append(line)
            words.append(own)
    return steps[:MOST_STEPS]


def _move_rules(sections: dict[str, tuple[str, ...]], id: str, is_rule: Callable[[str], bool]) -> None:
    """Move the lines of a section that are rules to the demands."""
    if rules := [line for line in sections.get(id, ()) if is_rule(line)]:
        sections[id] = tuple(line for line in sections[id] if line not in rules)
        sections["constraints"] = (*sections.get("constraints", ()), *map(mark_former, rules))


def _is_ruling(line: str) -> bool:
    """Whether a line quotes a demand of the user, of which it says that the user settled something by it."""
    if hit := _QUOTED_RULING.search(line):
        return any(map(is_demand, split_sentences(hit[1]))) and not is_order(hit[1])
    return (hit := _QUOTED.search(line)) is not None and is_wish(hit[1])


def _put_revocation(line: str, is_demand: bool, sentences: Sequence[str], listed: Set[str]) -> str:
    """Return a line unless the user later took it back; then, of a demand, the user's words that replace it.

    Words that are `listed` as a demand of now stand there alone. An order to remove what was to be kept leaves no
    demand: it is a request, and is told as one.
    """
    if not line.startswith(FORMERLY) or REPLACES in line:
        return line
    said, _, later = line.removeprefix(FORMERLY).partition(REPLACED_BY)
    if find_removal(said, sentences):
        return ""
    if not (denial := later or find_denial(said, sentences)):
        return line
    return f"{SINCE}{denial}{quote_replaced([said])}" if is_demand and denial not in listed else ""


def _put_ban(line: str, demands: Sequence[Constraint]) -> str:
    """Return a line that wants what a rule of the project forbids, with that rule; another line as it is."""
    said = Constraint(line.removeprefix(FORMERLY), "project")
    act = next((act for act in ACTS if is_wanted(said, act)), None) if line.startswith(FORMERLY) else None
    ban = find_ban(demands, act) if act and AGAINST not in line else None
    return f"{line}{AGAINST}{quote_rule(ban)}" if ban else line


def mark_former(line: str) -> str:
    """Return a line that says of itself that an earlier summary said it."""
    return line if line.startswith(FORMERLY) else f"{FORMERLY}{strip_bullet(line)}"


def clean_host_summary(text: str) -> str:
    """Return a host's summary with its unknown headings opening no section of the user's words, elements as bullets."""
    known = list_headings()
    lines = [_strip_tags(line, known) for line in text.split("\n")]
    return "\n".join(_OTHER if _is_other_heading(line, known) else line for line in lines if not _SUB.match(line))


def _strip_tags(line: str, known: Mapping[str, str]) -> str:
    """Return a line without the tags around it; a tag that names a section, or has a value, stays said."""
    found = _TAGGED.fullmatch(line) if len(line) <= HEADING_CHARS else None
    if found is None:
        return "" if _COMMENT.match(line) else line
    if normalize_heading(found["tag"]) in known:
        return f"## {found['tag']}\n{found['text']}"
    label = found["value"] or ("" if found["tag"].lower() in _ITEM_TAGS else found["tag"])
    return f"- {label.lower()}: {found['text']}" if label else f"- {found['text']}"


def take_steps(text: str) -> tuple[str, tuple[PlanItem, ...]]:
    """Take out of a host's summary the steps of the plan that state how far they are."""
    steps: dict[str, PlanItem] = {}
    left = []
    for line in text.split("\n"):
        hit = _STEP.match(line) if len(line) <= HEADING_CHARS else None
        if hit is None or (status := _NOT_LETTERS.sub("", hit["status"] or hit["box"]).casefold()) not in _STATUSES:
            left.append(line)
            continue
        said = _ARROW.sub("", _END_TAG.sub("", hit["text"])).strip()
        is_done = _STATUSES[status]
        if said:
            steps[said] = PlanItem(said if is_done else f"{said} {AS_OF_THEN}", "done" if is_done else "open")
    return "\n".join(left), tuple(steps.values())


def without_overtaken(sections: Mapping[str, Sequence[str]], messages: Sequence[Message]) -> Sections:
    """Return kept prose without the lines about code that these messages, which came behind it, changed."""
    work = trace_work(messages)
    kept: Sections = {}
    for id, lines in sections.items():
        said = [Statement(strip_bullet(line.removeprefix(FORMERLY)), -1, id == "accomplished") for line in lines]
        gone = list_overtaken(said, work) if id in _OF_WORK else frozenset()
        if id == "next":  # each step for itself: one that is done says nothing about the others
            gone = frozenset(at for at, one in enumerate(said) if list_overtaken([one], work))
        if left := tuple(line for at, line in enumerate(lines) if at not in gone):
            kept[id] = left
    return kept


def without_gone_files(sections: Mapping[str, Sequence[str]], files: Sequence[FileEntry]) -> Sections:
    """Return the prose without lines about files that were deleted or moved away since."""
    left = {posixpath.basename(one.path) for one in files if one.use not in _GONE}
    left |= {posixpath.basename(one.to) or posixpath.basename(one.path) for one in files if one.use == "moved"}
    gone = {posixpath.basename(one.path) for one in files if one.use in _GONE} - left - {""}
    if not gone:
        return {id: tuple(lines) for id, lines in sections.items()}
    named = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, sorted(gone)))})(?![\w-])")
    kept = {
        id: tuple(line for line in lines if named.search(line) is None or REPLACES in line)
        for id, lines in sections.items()
    }
    return {id: lines for id, lines in kept.items() if lines}


def _is_other_heading(line: str, known: Mapping[str, str]) -> bool:
    found = _TOP.match(line) if len(line) <= HEADING_CHARS else None
    return found is not None and normalize_heading(found[1].strip(" #*")) not in known


def _has_passed(ledger: Ledger) -> bool:
    """Whether checks passed and none fails."""
    outcomes = [one.ok for one in ledger.commands if one.check and not one.scratch]
    return True in outcomes and False not in outcomes


def _select_lines(lines: Iterable[str], is_answered: bool, has_passed: bool, is_committed: bool) -> Iterator[str]:
    for line in lines:
        if (
            not line.startswith(FORMERLY)
            or REPLACES in line
            or not (is_answered and _PRESENT.search(line))
            and not (has_passed and _FAILS.search(line))
            and not (is_committed and _UNCOMMITTED.search(line))
        ):
            yield line


_COMMENT = re.compile(r"\s*<!--[^\n]*-->\s*$")
_STEP = re.compile(
    r"\s*(?:<\w{3,12} status=[\"'](?P<status>[A-Za-z _-]{2,20})[\"']>"
    r"|(?:[-*•]|\d{1,2}[.)])\s+\[(?P<box>[A-Za-z _-]{2,20})\])"
    r"\s*(?P<text>\S.*)$"
)
_STATUSES = {
    **dict.fromkeys(("done", "completed", "complete", "finished"), True),
    **dict.fromkeys(("todo", "inprogress", "pending", "open", "notstarted"), False),
}  # of a step → whether it is done
_NOT_LETTERS = re.compile(r"[^A-Za-z]")
_END_TAG = re.compile(r"</\w+>\s*$")
_ARROW = re.compile(r"\s*<-+[^<>\n]{0,60}$")
_UNCOMMITTED = re.compile(r"(?i)\b(?:staged|uncommitted|unstaged|not (?:yet )?committed|ready to commit)\b")
_RULES = re.compile(
    r"(?i)\b(?:required|mandatory|must|always)\b[^\n]{0,120}\b(?:before|after)\s+(?:(?:each|every|any|all)\s+)?(?:commit|push|merg)"
)
_OF_WORK = ("discoveries", "accomplished", "files")
_GONE = ("deleted", "moved")
_SAME_STEP = 0.6  # of a step's words: hosts list what is to be done under several headings
_TAGGED = re.compile(
    r"\s*<(?P<tag>[A-Za-z][\w-]{0,30})(?:\s+\w+=\"(?P<value>[^\"\n]{1,30})\")?>(?P<text>[^\n]+)</(?P=tag)>\s*"
)
_ITEM_TAGS = frozenset({"constraint", "knowledge", "action", "item", "fact", "note", "li", "step", "rule", "file"})
_OTHER = "## Discoveries"
_TOP = re.compile(r"^\s{0,3}#{1,2}\s+(\S.*)$")
_SUB = re.compile(r"^\s{0,3}#{3,6}\s")
_QUOTED_RULING = re.compile(
    r"(?i)\buser\b[^\"“\n]{0,60}\b(?:clarified|decided|ruled|specified|insisted|settled|stated|confirmed)\b[^\"“\n]{0,60}"
    r"[\"“]([^\"”\n]{20,600})[\"”]"
)
_QUOTED = re.compile(r"(?i)\buser\b\s+(?:told|said)\b[^\"“\n]{0,40}[\"“]([^\"”\n]{20,600})[\"”]")
_PRESENT = re.compile(
    r"(?i)\b(?:now|current(?:ly)?|right now|at the moment|at this point|in progress|pending|next steps?|todo|to do"
    r"|remain(?:s|ing)|not yet|still|options?|alternatively|needs? to|must now|should (?:be|now"
    r"|probably)|will (?:be|need)"
    r"|needs? (?:clarif\w+|fixing|work|updating)|waiting|blocked|about to|going to|working on|jetzt|noch|derzeit"
    r"|actuellement|encore|ahora|todavía|agora|ainda|сейчас|ещё)\b|目前|现在|尚未|还需|現在|まだ|현재|아직"
    r"|^- as of an earlier summary: (?:or |update |run |move |create |add |fix )"
)
_FAILS = re.compile(r"(?i)\b(?:tests?|build|lint|checks?|suite|compil\w+)\b.{0,80}\b(?:fail\w*|broken|errors?|red)\b"
                    r"|\bfailing\b|\bfails\b|\bexpected\b.{0,60}\bgot\b")  # fmt: skip
