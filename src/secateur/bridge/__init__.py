"""One process for a host's session that its plugin calls in JSON lines, instead of starting Python for each event.

Rule: the host is never stopped: every line is answered, an error says what to do, and the process ends when its
standard input does.
"""
