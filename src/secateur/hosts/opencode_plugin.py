"""opencode: a plugin in the user's folder of plugins, which opencode loads by itself.

Rule: one file, ours as a whole. opencode's own settings are not touched: the plugin switches its pruner off while it
runs.
"""

from pathlib import Path

from secateur.hosts.changes import FileChange, OwnFile
from secateur.hosts.installation import InstallableHost, InstallOptions
from secateur.hosts.plugin_files import build_plugin, find_bridge_problems, make_bridge_command

_FORMAT = "opencode"


def find_config_folder(options: InstallOptions) -> Path:
    """The folder of this user's configuration files."""
    stated = options.environment.get("XDG_CONFIG_HOME", "")
    return Path(stated).expanduser() if stated else options.home / ".config"


def plan(options: InstallOptions) -> tuple[FileChange, ...]:
    """The plugin."""
    constants = {"COMMAND": make_bridge_command(options, HOST.name, _FORMAT, HOST.default_policy), "HOST": HOST.name}
    path = find_config_folder(options) / "opencode" / "plugin" / "secateur.js"
    return (OwnFile(str(path), build_plugin("opencode.js", constants)),)


def find_problems(options: InstallOptions) -> list[str]:
    """Why the plugin would not act."""
    return find_bridge_problems(make_bridge_command(options, HOST.name, _FORMAT, HOST.default_policy))


HOST = InstallableHost(
    name="opencode",
    title="opencode",
    program="opencode",
    package="npm install -g opencode-ai",
    acts="prunes each request and says what summaries are to hold; opencode's database keeps every part",
    plan=plan,
    find_problems=find_problems,
    next_step="start opencode again; `secateur doctor` then shows when it last asked",
    page="install-opencode",
)
