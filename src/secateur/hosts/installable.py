"""The hosts that secateur can be put into: one line each, and one file for those that are made alike."""

from secateur.hosts import (
    ai_sdk_plugin,
    claude_code_plugin,
    codex_plugin,
    openclaw_plugin,
    opencode_plugin,
    pi_plugin,
)
from secateur.hosts.host import InstallableHost

HOSTS: dict[str, InstallableHost] = {
    host.name: host
    for host in (
        ai_sdk_plugin.HOST,
        claude_code_plugin.HOST,
        codex_plugin.HOST,
        opencode_plugin.KILO,
        openclaw_plugin.HOST,
        opencode_plugin.HOST,
        pi_plugin.HOST,
    )
}
