"""A summary's text: read into sections, merged with what was kept, and written with its facts within the budget.

Rule: prose is kept line by line under stable section ids; a line that was kept stays until room is short, and then the
oldest is removed first, and counted. Sections about the present are replaced by newer ones. Facts are written by code
(`ledger`), whatever a model wrote, and prose has the room that they leave. Secrets are removed from all of it. Nothing
here judges a summary (`accept`).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from secateur.compaction.ledger import Ledger, fit_ledger, render_ledger
from secateur.compaction.ledger.course import MARK
from secateur.compaction.ledger.work.verdict import is_verdict
from secateur.compaction.marks import NOTE, is_marked, strip_marks
from secateur.compaction.settings import Compaction
from secateur.compaction.template import DEMANDING, FORMERLY, SECTIONS, STATES, Template, list_headings
from secateur.redact import redact
from secateur.text.own_text import SUMMARY_BEGINS, replace_surrogates

Sections = dict[str, tuple[str, ...]]
NONE = "(none)"  # the text under a heading without content
ELSEWHERE = "(see the messages that are kept)"  # the same, where these may have what belongs there
_NESTED = "    - "  # begins one of several below one lead

_HEADING = re.compile(
    r"^\s{0,3}(?:#{1,3}\s+(?:\d{1,2}[.)]\s+)?(?P<hash>.+?)\s*#*|\*\*(?:\d{1,2}[.)]\s+)?(?P<bold>[^*]+?):?\*\*:?"
    r"|\d{1,2}[.)]\s+(?:\*\*)?(?P<number>[^*:]+?):(?:\*\*)?|\s{0,8}<(?P<tag>[a-z_]+)>)\s*$"
)
_REMARK = re.compile(r"\s*(?:\([^)]*\)|:\s.*)$")  # "## Completed Work (WP1-WP16)", "## Current Task: Files"
_EMPTY = re.compile(r"^[-*•\s]*[(\[]?\s*(?:none|n/a|nothing|empty|không có|无|ninguno|ninguna)\s*[)\]]?[.\s]*$", re.I)
_BULLET = re.compile(r"^\s*(?:[-*•+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_FENCE = re.compile(
    r"^\s*(?:```|</?(?:template|summary|context_summary)>|</?[a-z_]+>\s*$"
    r"|If you need specific details from before compaction|Please continue the conversation from where)"
)

_POSES = re.compile(rf"^(\s*- )(?:(?:also asked[^\n:]{{0,40}}: )?\[(?:[^\s\]]*, [^\]\n]{{1,200}}|{MARK.pattern})\] )+")
HEADING_CHARS = 1_000  # of a line; a longer one is not a heading
MOST_TOKENS = 12_000  # of a summary, where a policy states a share (Hermes' max_summary_tokens)
UNKNOWN_WINDOW_TOKENS = 4_000
FACTS_SHARE = 0.8  # of the budget: the rest is the prose's


class Fitted(Struct, frozen=True):
    """Sections within their budget, and how many lines had to go for that."""

    sections: Sections
    forgotten: int = 0


def parse_sections(text: str, more: Mapping[str, str] = MappingProxyType({})) -> Sections:
    """Parse the lines under each known heading by section ID; text before the first heading is dropped.

    `more`: headings, in lower case, that open another section here than elsewhere.
    """
    named, found = {**list_headings(), **more}, dict[str, list[str]]()
    here: list[str] | None = None
    for line in _split_former(text.splitlines()):
        id = _match_heading(line, named)
        if id is not None:
            here = found.setdefault(id, [])
        elif here is not None and line.strip() and not is_void(line):
            here.append(line.rstrip())
    return {id: tuple(lines) for id, lines in found.items()}


def strip_bullet(line: str) -> str:
    """Return a line without its bullet, its number or its box."""
    return _BULLET.sub("", line).strip()


def is_void(line: str) -> bool:
    """Whether a line holds nothing: a fence, a closing tag, or the word that a section is empty."""
    return strip_bullet(line) == ELSEWHERE or _FENCE.match(line) is not None or _EMPTY.match(line) is not None


def render_sections(template: Template, sections: Mapping[str, Sequence[str]], elsewhere: Sequence[str] = ()) -> str:
    """Render the sections under the template's headings; sections without one go under their home.

    `elsewhere`: the sections whose content may stand in messages that are kept.
    """
    placed: dict[str, list[str]] = {id: [] for id in template.ids}
    for id, lines in sections.items():
        home = template.get_home(id)
        placed[home if home in placed else template.get_home("discoveries")] += lines
    empty = {id: (ELSEWHERE,) for id in elsewhere}
    void = (NONE,) if template.shows_empty else ()
    bodies = {one.heading: placed[one.id] or empty.get(one.id, void) for one in template.sections}
    return "\n\n".join("\n".join((f"## {heading}", *_group_former(body))) for heading, body in bodies.items() if body)


def _group_former(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines, neighbors that an earlier summary said under one lead."""
    for is_former, grouped in groupby(lines, lambda line: line.startswith(FORMERLY) and "\n" not in line):
        group = list(grouped)
        if is_former and len(group) > 1:
            yield FORMERLY.rstrip()
            yield from (f"{_NESTED}{line.removeprefix(FORMERLY)}" for line in group)
        else:
            yield from group


def _split_former(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a summary, each that stands under such a lead with it."""
    is_led = False
    for line in lines:
        is_lead = line == FORMERLY.rstrip()
        is_led = is_lead or (is_led and line.startswith(_NESTED))
        if not is_lead:
            yield FORMERLY + line.removeprefix(_NESTED) if is_led else line


def merge_sections(kept: Mapping[str, Sequence[str]], new: Mapping[str, Sequence[str]]) -> Sections:
    """Merge kept and new sections: newer states replace older ones, other lines are added without repeats."""
    made: Sections = {}
    for id in dict.fromkeys((*kept, *new)):
        lines = [*kept.get(id, ()), *new.get(id, ())]
        if id in STATES and new.get(id):
            lines = list(new[id])
        said: dict[str, str] = {}
        for line in lines:
            key = _normalize_line(line)
            if key not in said or (is_marked(said[key]) and not is_marked(line)):
                said[key] = line
        if said:
            made[id] = tuple(said.values())
    return made


def _clean_prose(line: str) -> str:
    """Return a line of prose without secrets, and without a mark that would make it a request of the user's."""
    return _POSES.sub(r"\1", redact(replace_surrogates(line)))


def fit_sections(sections: Mapping[str, Sequence[str]], tokens: int, count: Callable[[str], int]) -> Fitted:
    """Fit the sections into the tokens by dropping the oldest line of the longest section that is not a state."""
    left = {id: list(lines) for id, lines in sections.items()}
    sizes = {id: [count(line) + 1 for line in lines] for id, lines in left.items()}
    forgotten = 0
    while sum(map(sum, sizes.values())) > tokens:
        long = max((id for id in left if left[id]), key=lambda id: (id not in STATES, sum(sizes[id])), default=None)
        if long is None:
            break
        left[long].pop(0)
        sizes[long].pop(0)
        forgotten += 1
    return Fitted({id: tuple(lines) for id, lines in left.items() if lines}, forgotten)


def _match_heading(line: str, named: Mapping[str, str]) -> str | None:
    match = _HEADING.match(line) if len(line) <= HEADING_CHARS else None
    if match is None:
        return None
    return named.get(normalize_heading(next(found for found in match.groups() if found is not None)))


def normalize_heading(text: str) -> str:
    """Normalize a heading as templates have them: without a remark, in lower case."""
    return _REMARK.sub("", text.strip()).rstrip(":").replace("_", " ").lower()


def _normalize_line(line: str) -> str:
    """Normalize a line for comparison: without its bullet, its marks, spacing and case."""
    return " ".join(_BULLET.sub("", strip_marks(line)).split()).casefold().rstrip(".")


class Written(Struct, frozen=True):
    """A summary's text, the prose that had room in it, and the facts that it must contain."""

    text: str
    prose: Sections
    facts: tuple[str, ...]
    forgotten: int = 0


def is_empty(made: Written) -> bool:
    """Whether a summary is empty: nothing is under its headings, or only where the session stands."""
    prose = any(line.strip() for lines in made.prose.values() for line in lines)
    return not prose and all(map(is_verdict, made.facts))


def compute_summary_budget(settings: Compaction, window: int) -> int:
    """Return the most tokens that a summary may take."""
    tokens = settings.max_summary_tokens
    if isinstance(tokens, int):
        return tokens
    if window <= 0:
        return UNKNOWN_WINDOW_TOKENS
    return max(settings.min_summary_tokens, min(MOST_TOKENS, int(tokens * window)))


def write_within_budget(
    template: Template,
    prose: Mapping[str, Sequence[str]],
    ledger: Ledger,
    most: int,
    count: Callable[[str], int],
    elsewhere: Sequence[str] = (),
) -> Written:
    """Write the summary in about `most` tokens at most; what a mark means is said beyond them."""
    facts = {
        id: tuple(map(redact, lines))
        for id, lines in render_ledger(fit_ledger(ledger, int(most * FACTS_SHARE), count)).items()
    }
    used = sum(count(line) + 1 for lines in facts.values() for line in lines)
    frame = count(render_sections(replace(template, shows_empty=True), {}, elsewhere)) + count(SUMMARY_BEGINS)
    told = _drop_restated({id: tuple(map(_clean_prose, lines)) for id, lines in prose.items()}, facts)
    fit = fit_sections(told, most - used - frame, count)
    both = {id: (*facts.get(id, ()), *fit.sections.get(id, ())) for id in (*SECTIONS, *fit.sections)}
    goal = fit.sections.get("goal", ())
    former = tuple(line for line in goal if line.startswith(FORMERLY))  # the newest stands first
    both["goal"] = (*(line for line in goal if line not in former), *facts.get("goal", ()), *former)
    begins = f"{SUMMARY_BEGINS} {NOTE}" if any(map(is_marked, chain(*fit.sections.values()))) else SUMMARY_BEGINS
    text = f"{begins}\n\n{render_sections(template, both, elsewhere)}"
    return Written(text, fit.sections, tuple(line for lines in facts.values() for line in lines), fit.forgotten)


def add_note(made: Written, note: str) -> Written:
    """Return a summary with a sentence at its head, for the agent that reads it."""
    return replace(made, text=made.text.replace(SUMMARY_BEGINS, f"{SUMMARY_BEGINS} {note}", 1))


def _drop_restated(prose: Sections, facts: Mapping[str, Sequence[str]]) -> Sections:
    if not any(prose.get(id) for id in DEMANDING):
        return prose
    from secateur.compaction.restated import without_restated  # only prose about demands pays for the judge's words

    return without_restated(prose, facts)
