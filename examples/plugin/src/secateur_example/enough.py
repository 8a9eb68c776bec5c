"""A schedule: edits wait until enough tokens come free together, whatever they cost."""

from secateur.plugins import NOTHING, Choice, Count, Offer, Schedule


class EnoughFreed(Schedule, frozen=True, kw_only=True, tag="enough_freed"):
    """Edits are made at the first request at which they free at least `least_tokens`."""

    least_tokens: Count = 1_000

    def chosen(self, offer: Offer) -> Choice:
        if not offer.edits:
            return Choice(gate=NOTHING)
        if offer.freed < self.least_tokens:
            return Choice(
                gate=f"{offer.freed:,} tokens would come free, and the policy waits for {self.least_tokens:,}"
            )
        return Choice(offer.edits)
