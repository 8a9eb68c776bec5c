"""Recorded sessions of other projects, played again, and what independent readers make of them."""
