"""A store's answers for people and models: what was removed from a session's views and why, and the bytes themselves.

Rule: this package reads through the store protocol and changes nothing; missing records are not guessed. Its callers
decide how an answer is shown.
"""
