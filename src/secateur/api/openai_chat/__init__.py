"""What OpenAI's Chat Completions, and the servers that speak it, reject (rules O)."""
