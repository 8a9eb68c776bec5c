"""Fitting: what happens when a view that was pruned is still too long, and what a host may say about it.

Rule: a compaction is one epoch of the plan, opened whole or not at all; the view it makes is never sent before it was
looked at. Whoever asks has an answer within the deadline. Nothing here reads a document or writes one.
"""

from secateur.fitting.options import NO_OPTIONS, CompactionSetup, CompactOptions

__all__ = ["NO_OPTIONS", "CompactOptions", "CompactionSetup"]
