"""Proofs that a plug of someone else keeps our promises, to be run in his own tests.

    from secateur.testing import StoreKit

    class TestMine(StoreKit):
        def opened(self, folder):
            return MyStore(folder / "mine.db")

Rule: only what the protocols promise is asked, by values and answers; no fixture of ours, and no test runner imported.
"""

from secateur.testing.decisions import ScheduleKit, StrategyKit
from secateur.testing.formats import FormatKit
from secateur.testing.stores import StoreKit

__all__ = ["FormatKit", "ScheduleKit", "StoreKit", "StrategyKit"]
