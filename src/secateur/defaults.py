"""What holds at every door where no one says otherwise: the library, the command line, the docs.

Rule: one name, said once, and nothing is loaded for it; help and completion ask for it too.
"""

POLICY = "balance"  # a preset: it acts where that pays
