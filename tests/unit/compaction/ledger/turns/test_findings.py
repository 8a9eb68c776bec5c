"""Findings of a review and proposals stay in quoted words before what explains them."""

from secateur.compaction.ledger.turns.findings import has_findings
from secateur.compaction.ledger.turns.last_words import condense_words

GOOD = "\n".join(f"- The shelf {n} cannot fall, as it did not before, and holds its jars well." for n in range(12))
WHY = "It was not so before, and it cannot be seen from the door. " * 4
FAULTS = ("**1. The ladder has lost a rung**", "**2. Two jars have one label**", "**3. The lamp smokes**")
NITS = ("- The broom stands in the way.", "- A window is dusty.")
REVIEW = "\n\n".join((
    "## Review of the pantry",
    f"### What is good\n\n{GOOD}",
    "### Issues",
    *(f"{fault}\n\n{WHY}\n\nFix: make it as it was, number {n}." for n, fault in enumerate(FAULTS)),
    "### Minor nits\n\n" + "\n".join(NITS),
    "### Summary\n\nThe rung is the only real fault.",
))  # fmt: skip


def test_each_finding_stays_with_what_mends_it_before_what_is_good() -> None:
    assert len(REVIEW) > 1_600
    kept = condense_words(REVIEW, 900)
    for fault in (*FAULTS, *NITS):
        assert fault in kept
    for number in range(3):
        assert f"Fix: make it as it was, number {number}." in kept
    assert "The shelf 3" not in kept


def test_a_review_is_told_from_a_report_and_from_proposals() -> None:
    assert has_findings(REVIEW)
    assert has_findings("- High: the lamp smokes.")
    assert not has_findings("### Options\n\n1. Oil\n2. Wax")
    assert not has_findings("### Issues fixed\n\n- The lamp smoked.")
    assert not has_findings("### What is good\n\n- The lamp is bright.")
