"""Acts: what the calls of an agent did, told from their arguments and results.

Rule: a tool's name decides nothing that its arguments can say. Only what is certain is told: what a command might have
done is left out. What the acts mean for a summary, for pruning or for a figure is decided above.
"""
