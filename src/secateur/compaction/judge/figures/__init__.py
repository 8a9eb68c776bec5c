"""Rules on the figures, names and values of a summary."""
