"""How sample sessions are made: tools that really run, a scripted conversation, one writer per native format."""
