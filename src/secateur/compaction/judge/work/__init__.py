"""Rules on what a summary says of the work: checks, commits, files and how they ended."""
