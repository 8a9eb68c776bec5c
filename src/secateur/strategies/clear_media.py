"""Clear media: a line that names them replaces old images and documents.

Rule: each medium is replaced in place, so that the text around it stays. Results that a policy protects keep their
media; so do the newest `keep` media, wherever they are. With a limit in number or in bytes, the oldest are removed only
until the view is within it: providers reject requests by either, however few tokens they have (API rules A25-A28).
"""

from collections.abc import Iterator

from secateur.bounds import find_boundary, is_eligible
from secateur.budget import Budget
from secateur.model import Edit, Message, Part, Rewrite, Transcript
from secateur.protect import Count
from secateur.strategy import Strategy


class ClearMedia(Strategy, frozen=True, kw_only=True, tag="clear_media"):
    """Media before the boundary but the newest `keep` of the conversation become a short text."""

    edits = frozenset({"media"})
    leaves = "a description remains"

    keep: Count = 1
    max_media: Count | None = None  # media that the view may hold; None: as few as `keep` and protection allow
    max_media_bytes: Count | None = None  # bytes of their data, encoded as they are sent

    def __call__(self, transcript: Transcript, budget: Budget) -> Iterator[Edit]:
        inside = find_boundary(transcript, budget.protect)
        media = [
            (number, part)
            for number, message in enumerate(transcript.messages)
            for part in message.parts
            if part.kind == "media" and part.key not in budget.edited_by
        ]
        count, size = len(media), sum(part.size for _, part in media)
        for number, part in media[: len(media) - self.keep]:
            if self._is_within_limits(count, size):
                return
            if number in inside and self._may_go(transcript, number, part, budget):
                count, size = count - 1, size - part.size
                yield Rewrite(part.key, _format_placeholder(part), strategy="clear_media")

    def _is_within_limits(self, count: int, size: int) -> bool:
        """Whether limits are set and met."""
        limits = [(self.max_media, count), (self.max_media_bytes, size)]
        return any(most is not None for most, _ in limits) and all(most is None or now <= most for most, now in limits)

    def _may_go(self, transcript: Transcript, number: int, part: Part, budget: Budget) -> bool:
        if part.pinned or part.key in budget.edited_by or part.key in budget.protect.part_keys:
            return False
        outer = _find_container(transcript.messages[number], part)
        return outer is None or is_eligible(transcript, number, outer, budget.protect)


def _find_container(message: Message, medium: Part) -> Part | None:
    """The result that contains the medium."""
    return next((part for part in message.parts if medium.container_key and part.key == medium.container_key), None)


def _format_placeholder(part: Part) -> str:
    """A placeholder with the medium's type and name, as far as known."""
    return f"[media removed: {' '.join(part.text.split())[:120]}]" if part.text.strip() else "[media removed]"
