"""Real agents in front of a scripted provider, directly and behind the proxy."""
