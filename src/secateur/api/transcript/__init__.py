"""What any API would reject of a conversation, whichever host recorded it (rules L), checked on the transcript."""
