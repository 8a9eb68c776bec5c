"""A schedule: edits wait until enough tokens come free together, whatever they cost."""

from secateur.plugins import NOTHING, Count, Decision, Proposal, Schedule


class EnoughFreed(Schedule, frozen=True, kw_only=True, tag="enough_freed"):
    """Edits are made at the first request at which they free at least `least_tokens`."""

    least_tokens: Count = 1_000

    def decide(self, proposal: Proposal) -> Decision:
        if not proposal.edits:
            return Decision(skipped_reason=NOTHING)
        if proposal.freed < self.least_tokens:
            freed = f"{proposal.freed:,} tokens would come free"
            return Decision(skipped_reason=f"{freed}, and the policy waits for {self.least_tokens:,}")
        return Decision(proposal.edits)
