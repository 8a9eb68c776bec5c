"""opencode, and Kilo, which is made of it: a plugin in the user's folder of plugins, which they load by themselves.

Rule: one file, ours as a whole. The host's own settings are not touched: the plugin switches its pruner off while it
runs.
"""

from secateur.hosts.changes import FileChange, OwnFile
from secateur.hosts.host import InstallableHost, InstallOptions
from secateur.hosts.plugin_files import build_plugin, find_bridge_problems, make_bridge_command

_FOLDER = "XDG_CONFIG_HOME"
_FORMAT = "opencode"
_ACTS = "prunes each request and supplies the facts for summaries; {}'s database keeps every part"
_NEXT = "start {} again; `secateur doctor` then shows when it last asked"


def plan_plugin(options: InstallOptions, host: InstallableHost) -> tuple[FileChange, ...]:
    """The plugin."""
    constants = {"COMMAND": make_bridge_command(options, host.name, _FORMAT, host.default_policy), "HOST": host.name}
    path = options.find_folder(_FOLDER, ".config") / host.name / "plugin" / "secateur.js"
    return (OwnFile(str(path), build_plugin("opencode.js", constants)),)


def find_problems(options: InstallOptions, host: InstallableHost) -> list[str]:
    """List why the plugin would not work."""
    return find_bridge_problems(make_bridge_command(options, host.name, _FORMAT, host.default_policy))


HOST: InstallableHost = InstallableHost(
    name="opencode",
    title="opencode",
    program="opencode",
    package="npm install -g opencode-ai",
    acts=_ACTS.format("opencode"),
    plan=lambda options: plan_plugin(options, HOST),
    find_problems=lambda options: find_problems(options, HOST),
    next_step=_NEXT.format("opencode"),
)
KILO: InstallableHost = InstallableHost(
    name="kilo",
    title="Kilo",
    program="kilo",
    package="npm install -g @kilocode/cli",
    acts=_ACTS.format("Kilo"),
    plan=lambda options: plan_plugin(options, KILO),
    find_problems=lambda options: find_problems(options, KILO),
    next_step=_NEXT.format("Kilo"),
)
