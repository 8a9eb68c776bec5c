"""What an agent's tool calls did, derived from their arguments and results.

Rule: a tool's name decides nothing that its arguments can show. Only certain effects are reported, never possible ones.
What a call means for a summary, for pruning or for a figure is decided on higher floors.
"""
