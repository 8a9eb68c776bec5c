"""The summary's text: prose and facts under the template's headings, within its budget.

Rule: facts are written by code and stand there whatever a model wrote; prose has the room that they leave. A secret is
taken out of all of it. Whether the text may replace anything is not decided here.
"""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from secateur.compaction.ledger import Ledger, fit_ledger, render_ledger
from secateur.compaction.ledger.render import NOTHING_OPEN
from secateur.compaction.settings import Compaction
from secateur.compaction.summary import Sections, fit_sections, render_sections
from secateur.compaction.template import SECTIONS, Template
from secateur.own_text import SUMMARY_BEGINS
from secateur.redact import redact

MOST_TOKENS = 12_000  # of a summary, where a policy states a share (Hermes' max_summary_tokens)
UNKNOWN_WINDOW_TOKENS = 4_000
FACTS_SHARE = 0.6  # of the budget: the rest is the prose's


class Written(Struct, frozen=True):
    """A summary's text, the prose that had room in it, and the facts that must stand in it."""

    text: str
    prose: Sections
    facts: tuple[str, ...]
    forgotten: int = 0


def is_empty(made: Written) -> bool:
    """Whether a summary says nothing: nothing stands under its headings, or only that nothing is open."""
    prose = any(line.strip() for lines in made.prose.values() for line in lines)
    return not prose and not any(fact != NOTHING_OPEN for fact in made.facts)


def compute_summary_budget(settings: Compaction, window: int) -> int:
    """Return the most tokens that a summary may take."""
    tokens = settings.max_summary_tokens
    if isinstance(tokens, int):
        return tokens
    if window <= 0:
        return UNKNOWN_WINDOW_TOKENS
    return max(settings.min_summary_tokens, min(MOST_TOKENS, int(tokens * window)))


def write_within_budget(
    template: Template, prose: Mapping[str, Sequence[str]], ledger: Ledger, most: int, count: Callable[[str], int]
) -> Written:
    """Write the summary in about `most` tokens at most."""
    facts = {
        id: tuple(map(redact, lines))
        for id, lines in render_ledger(fit_ledger(ledger, int(most * FACTS_SHARE), count)).items()
    }
    used = sum(count(line) + 1 for lines in facts.values() for line in lines)
    frame = count(render_sections(template, {})) + count(SUMMARY_BEGINS)
    fit = fit_sections({id: tuple(map(redact, lines)) for id, lines in prose.items()}, most - used - frame, count)
    both = {id: (*facts.get(id, ()), *fit.sections.get(id, ())) for id in (*SECTIONS, *fit.sections)}
    text = f"{SUMMARY_BEGINS}\n\n{render_sections(template, both)}"
    return Written(text, fit.sections, tuple(line for lines in facts.values() for line in lines), fit.forgotten)
