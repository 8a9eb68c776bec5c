"""A receipt has one status and one reason: why something was done, or why nothing was; never both, never neither."""

from collections import Counter

from laws.validity import Outcome, case, requests

CASES = 150


def test_a_receipt_says_what_was_done_or_why_nothing_was() -> None:
    told, met = Outcome(), Counter[str]()
    for seed in range(CASES):
        one = case(seed)
        for number, came in enumerate(requests(one, told)):
            receipt, where = came.view.receipt, one.told(number, came.turn.line)
            assert receipt.status == ("opened" if receipt.opened else "unchanged"), where
            assert bool(receipt.reason) is receipt.opened, where
            assert bool(receipt.skipped_reason) is not receipt.opened, where
            assert bool(receipt.edits) is receipt.opened, where
            assert receipt.error == "", where
            summed = receipt.compaction is not None and receipt.compaction.done
            assert summed <= receipt.opened, where
            assert summed == any(edit.strategy in ("compact", "digest") for edit in receipt.edits), where
            met[receipt.status] += 1
            met["summed up"] += summed
            met["repaired"] += bool(receipt.repairs)
    assert told.findings == []
    assert min(met[what] for what in ("opened", "unchanged", "summed up")) > 20
