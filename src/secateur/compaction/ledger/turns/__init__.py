"""What happened in each turn: its steps, and the agent's reply."""
