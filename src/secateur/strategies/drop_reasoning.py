"""Drop reasoning: the model's older thinking goes, oldest first and without a gap.

Rule: reasoning of the turn that is still running stays, whatever the policy says (API rules A51, A52), and so does
what may not be removed alone (R3, R4, G10). What is dropped begins at the first message: reasoning removed from the
start voids none of what is left (A54), a gap in the middle would.
"""

from collections.abc import Iterator

from secateur.bounds import find_boundary, find_turn_start
from secateur.budget import Budget
from secateur.model import Edit, Remove, Transcript
from secateur.strategy import Strategy


class DropReasoning(Strategy, frozen=True, kw_only=True, tag="drop_reasoning"):
    """All reasoning before the boundary, and before the last user turn."""

    edits = frozenset({"reasoning"})
    leaves = "earlier reasoning"

    signed: bool = True  # also what the provider signed; False: only what it gave as plain text

    def __call__(self, transcript: Transcript, budget: Budget) -> Iterator[Edit]:
        stop = min(find_boundary(transcript, budget.protect).stop, find_turn_start(transcript))
        for message in transcript.messages[:stop]:
            for part in message.parts:
                if part.kind != "reasoning" or part.key in budget.edited_by:
                    continue
                if (
                    part.joined_to_next
                    or part.key in budget.protect.part_keys
                    or (part.fingerprint and not self.signed)
                ):
                    return
                if all(one.kind == "reasoning" for one in message.parts) and _has_bound_reasoning(transcript):
                    return  # a message that goes as a whole is an edit of what is before the rest
                yield Remove(part.key, strategy="drop_reasoning")


def _has_bound_reasoning(transcript: Transcript) -> bool:
    """Whether some reasoning is valid only after its exact prefix."""
    return any(part.prefix_bound for message in transcript.messages for part in message.parts)
