"""Hosts that ask through hooks: their events in, their answers out, each host one file.

Rule: an event is always answered, in the host's own shape; what goes wrong here never stops the host.
"""
