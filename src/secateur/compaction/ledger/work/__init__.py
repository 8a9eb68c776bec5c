"""How the work stands at the end: what is open, planned, claimed, handed out and handed in."""
