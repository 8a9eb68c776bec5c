"""Tools for the model, over the Model Context Protocol: what left its context, listed, read back, searched, pinned.

Rule: a server answers for one session of one tenant; what it says of others is nothing. The tools are plain functions
from a store to text (`tools`); only `server` knows the protocol's package, which is loaded when it serves.
"""
