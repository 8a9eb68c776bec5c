"""What a recorded session cost, and what it would have cost under a policy: requests, prompt cache, bill.

Rule: a recording is data; nothing here calls a provider, and nothing about an agent's behaviour is guessed: it is
assumed to act as it did. Import what you need from the modules: importing this package does no work.
"""
