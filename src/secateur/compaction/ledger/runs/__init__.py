"""Commands and how they ended: checks, errors, failed acts, and approaches that were given up."""
