"""Rules on what a summary says of the user: wishes, bans, choices and approvals."""
