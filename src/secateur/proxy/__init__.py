"""The proxy: it is between an agent and its provider, and prunes requests on their way.

Rule: bytes that no edit touches are the client's own, in both directions, and a failure of ours is never the client's
failure. What is pruned is decided by the engine alone. `server.serve` runs a proxy, `background.start_in_thread` runs
one beside other work; both take `settings.ProxySettings`.
"""

import logging

logging.getLogger("secateur.proxy").addHandler(logging.NullHandler())  # whoever wants warnings adds a handler
