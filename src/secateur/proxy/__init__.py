"""The proxy: it stands between an agent and its provider, and prunes requests on their way.

Rule: bytes that no edit touches are the client's own, in both directions, and a failure of ours is never the client's
failure. What is pruned is decided by the engine alone. `serve` starts it; nothing else of this room is for callers.
"""
