"""Kits: tests that hold any plugin to what secateur promises, to be inherited from in the author's own test suite.

    from secateur.testing import StoreKit

    class TestMine(StoreKit):
        def opened(self, folder):
            return MyStore(folder / "mine.db")

Rule: only what the protocols and base classes promise is asked, by values and answers. No test runner is imported, and
no fixture of ours is needed. Our own parts are held to the same kits.
"""

from secateur.testing.decisions import ScheduleKit, StrategyKit
from secateur.testing.formats import FormatKit
from secateur.testing.named_things import CommandKit, CounterKit, PresetKit
from secateur.testing.rules import RuleKit
from secateur.testing.stores import StoreKit
from secateur.testing.summarizers import SummarizerKit

__all__ = [
    "CommandKit",
    "CounterKit",
    "FormatKit",
    "PresetKit",
    "RuleKit",
    "ScheduleKit",
    "StoreKit",
    "StrategyKit",
    "SummarizerKit",
]
