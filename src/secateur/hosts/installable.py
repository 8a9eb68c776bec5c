"""The hosts that secateur can be put into: one file and one line each."""

from secateur.hosts import pi_plugin
from secateur.hosts.installation import InstallableHost

HOSTS: dict[str, InstallableHost] = {host.name: host for host in (pi_plugin.HOST,)}
