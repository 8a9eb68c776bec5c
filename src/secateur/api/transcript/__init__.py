"""Rules on a conversation that apply to any API, whichever host recorded it (rules L), checked on the transcript."""
