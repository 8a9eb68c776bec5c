"""Rules on what stands together in the history: a clause and the passages that are most like it."""
