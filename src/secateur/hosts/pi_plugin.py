"""Pi: an extension in the user's folder of extensions, which Pi loads by itself.

Rule: one file, ours as a whole. Pi's own settings are not touched.
"""

from secateur.arrival import MIN_CHARS
from secateur.hosts.changes import FileChange, OwnFile
from secateur.hosts.host import InstallableHost, InstallOptions
from secateur.hosts.plugin_files import build_plugin, find_bridge_problems, make_bridge_command
from secateur.policy import load

_FOLDER = "PI_CODING_AGENT_DIR"


def plan(options: InstallOptions) -> tuple[FileChange, ...]:
    """The extension."""
    chosen = load(options.resolve_policy(HOST.default_policy))
    constants = {
        "COMMAND": make_bridge_command(options, HOST.name, "pi_messages", HOST.default_policy),
        "CANCELS": chosen.compaction is not None and chosen.compaction.on_bad_summary == "cancel",
        "SHORTENS": MIN_CHARS if options.shorten_results else 0,
    }
    path = options.find_folder(_FOLDER, ".pi/agent") / "extensions" / "secateur.js"
    return (OwnFile(str(path), build_plugin("pi.js", constants)),)


def find_problems(options: InstallOptions) -> list[str]:
    """List why the extension would not work."""
    return find_bridge_problems(make_bridge_command(options, HOST.name, "pi_messages", HOST.default_policy))


HOST = InstallableHost(
    name="pi",
    title="Pi",
    program="pi",
    package="npm install -g @mariozechner/pi-coding-agent",
    acts="prunes each request and answers compactions; Pi's session files keep every entry",
    plan=plan,
    can_shorten=True,
    find_problems=find_problems,
    next_step="start Pi again; `secateur doctor` then shows when it last asked",
)
