"""The proxy between an agent and its provider, which prunes requests on their way.

Rule: bytes that no edit touches are the client's own, in both directions, and an error of the proxy never becomes the
client's error. The engine alone decides what is pruned. `server.serve` runs a proxy, `background.start_in_thread` runs
one in a thread; both take `settings.ProxySettings`.
"""

import logging

logging.getLogger("secateur.proxy").addHandler(logging.NullHandler())  # applications that want warnings add a handler
