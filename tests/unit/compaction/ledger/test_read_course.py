"""The fixed phrases of older summaries are read as those of today."""

from secateur.compaction.ledger import read_back
from secateur.compaction.ledger.entries import Progress
from secateur.compaction.ledger.read_course import replace_older


def test_heads_of_older_summaries_are_those_of_today() -> None:
    lines = ["- called since, ok: make", "- not listed, for room: requests 12, commits 3", "- it was called since then"]
    assert list(replace_older(lines)) == [
        "- then called, ok: make",
        "- left out to save room: 12 requests, 3 commits",
        "- it was called since then",
    ]
    whole = "- also asked before [bcdfgh]: [cdfghj] “And b.”\n- changed, and no call committed: a.py"
    assert list(replace_older([whole])) == [
        "- the user also wrote before [bcdfgh]: [cdfghj] “And b.”\n- not committed: a.py"
    ]


def test_a_ledger_is_read_from_the_phrases_of_an_older_summary() -> None:
    ledger = read_back(
        {
            "goal": ["- [bcdfgh, open] Fix the parser."],
            "accomplished": [
                "- also asked before [bcdfgh]: [cdfghj] “And name the columns.”",
                "- [bcdfgh, open] (under Goal)\n    → changed parser.py",
            ],
            "next": ["- changed, and no call committed: parser.py", "- asked for, and no call did it: push — Push it."],
        }
    )
    assert [(one.text, one.state) for one in ledger.requests] == [
        ("And name the columns.", "done"),
        ("Fix the parser.", "open"),
    ]
    assert ledger.requests[1].progress == Progress(("changed parser.py",))
    assert ledger.uncommitted == ("parser.py",)
    assert [one.kind for one in ledger.undelivered] == ["push"]
