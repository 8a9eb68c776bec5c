"""Vectors for the rules of each API: histories that break one rule, and histories that break none."""
