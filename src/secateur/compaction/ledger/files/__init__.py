"""What became of files: which were read and changed, and what they contain now."""
