"""What one compaction is given and what it found, for every rung that may write its summary."""

from msgspec import Struct

from secateur.compaction.conversation import CompactionInput, get_text
from secateur.compaction.former import with_former_states, without_gone_files, without_overtaken
from secateur.compaction.outcome import RejectedSummary, Rung
from secateur.compaction.settings import Compaction
from secateur.compaction.span import Given
from secateur.compaction.summary import Sections, Written, merge_sections, write_within_budget
from secateur.compaction.template import Template


class Work(Struct, frozen=True):
    """One compaction's givens."""

    scene: CompactionInput
    settings: Compaction
    given: Given
    template: Template
    most: int  # tokens of the summary

    def write_summary(self, new: Sections) -> Written:
        """Write the summary with this prose and what was kept."""
        given, count = self.given, self.scene.count
        kept = with_former_states(without_overtaken(given.kept.sections, given.messages), given.ledger)
        prose = merge_sections(without_gone_files(kept, given.ledger.files), new)
        return write_within_budget(self.template, prose, given.ledger, self.most, count, given.elsewhere)


class Found(Struct, frozen=True):
    """A summary that was taken."""

    rung: Rung
    written: Written
    attempts: tuple[RejectedSummary, ...] = ()
    by: str = ""
    dropped: tuple[str, ...] = ()  # of a model's lines, those that the source does not hold
    marked: tuple[str, ...] = ()  # of a model's sentences, those that stand with a mark
    asks: int = 0


def list_user_texts(scene: CompactionInput, taken: Given) -> tuple[str, ...]:
    """Return the user's texts in the replaced span, or else in all of the history: they show the language."""
    mine = (one for one in scene.raw if one.role == "user" and one.origin == "user")
    return taken.said or tuple(filter(None, map(get_text, mine)))
