"""What OpenAI's Responses API rejects (rules R)."""
