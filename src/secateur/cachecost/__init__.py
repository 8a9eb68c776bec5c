"""The cost of a session's requests with a prompt cache: one account, by which schedules, digests and reports decide.

Rule: numbers only. The cache is a model of the provider's (`prompt_cache`), the requests follow from history and plan
(`request_log`), and the ledger adds up what they cost with and without edits. The simulator has a cache of its own, and
a law compares the two.
"""
