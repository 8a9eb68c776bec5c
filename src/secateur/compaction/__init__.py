"""Compaction: history between head and tail becomes one checked summary."""
