"""Clear media: old pictures and documents give way to a line that names them.

Rule: each medium is replaced where it stands, so that the text around it stays. Results that a policy protects keep
their media; so do the newest `keep` media, wherever they are.
"""

from collections.abc import Iterator

from msgspec import Struct

from secateur.bounds import boundary, eligible
from secateur.budget import Budget
from secateur.model import Edit, Message, Part, Rewrite, Transcript
from secateur.protect import Count


class ClearMedia(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag="clear_media", tag_field="do"
):
    """All media before the boundary but the newest `keep` of the conversation become a short text."""

    keep: Count = 1

    def __call__(self, transcript: Transcript, budget: Budget) -> Iterator[Edit]:
        inside = boundary(transcript, budget.protect)
        newest = self.keep
        for number in range(len(transcript.messages) - 1, inside.start - 1, -1):
            message = transcript.messages[number]
            for part in reversed(message.parts):
                if part.kind != "media":
                    continue
                newest -= 1
                if newest < 0 and number in inside and self._may_go(transcript, number, part, budget):
                    yield Rewrite(part.key, _said(part), by="clear_media")

    def _may_go(self, transcript: Transcript, number: int, part: Part, budget: Budget) -> bool:
        if part.pinned or part.key in budget.edited or part.key in budget.protect.keys:
            return False
        outer = _holder(transcript.messages[number], part)
        return outer is None or eligible(transcript, number, outer, budget.protect)


def _holder(message: Message, medium: Part) -> Part | None:
    """The result that the medium stands inside."""
    return next((part for part in message.parts if medium.within and part.key == medium.within), None)


def _said(part: Part) -> str:
    """The medium's type and name, as far as its reader told them."""
    return f"[media removed: {' '.join(part.text.split())[:120]}]" if part.text.strip() else "[media removed]"
