"""The recall tool that the proxy itself offers and serves (`--recall served`), for clients that have none.

`offer` puts the tool, and the rounds that clients have not seen, into requests; `relay` serves the model's calls while
the client's response continues; `turn_log` keeps what was hidden, so that later requests have it at the same place. One
file for each message format says how that looks there.

Rule: the client sees one turn of the model without these calls; the provider sees every call with its result, in the
same bytes in each request. Nothing is offered where it cannot be kept.
"""
