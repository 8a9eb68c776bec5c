"""How the work stands: checks, failures, commits, plans, and what the agent said last."""
