"""What a store answers when a person or a model asks: what left a session's views and why, and the bytes themselves.

Rule: it reads through the protocol of stores and changes nothing; what a record does not hold is not guessed. How an
answer is shown is its callers' affair.
"""
