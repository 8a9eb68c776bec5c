"""The AI SDK (npm package `ai`): a middleware in the folder of a project, for its program to import.

Rule: two files, ours as a whole, in the folder where `secateur install` is run; each project has its own. The program's
own files are not touched: it imports `secateur` where it wraps its model.
"""

from secateur.hosts.changes import FileChange, OwnFile
from secateur.hosts.host import InstallableHost, InstallOptions
from secateur.hosts.plugin_files import build_plugin, find_bridge_problems, make_bridge_command, read_source

_FORMAT = "openai_chat"  # of what the middleware shows of a prompt
_TIMEOUT_MS, _SUMMARY_MS = 20_000, 150_000  # for a request; one that a model summarizes takes longer


def plan(options: InstallOptions) -> tuple[FileChange, ...]:
    """The middleware, and its types for TypeScript."""
    constants = {
        "COMMAND": _make_command(options),
        "TIMEOUT": _SUMMARY_MS if options.summarizers else _TIMEOUT_MS,
    }
    folder = options.find_project()
    return (
        OwnFile(str(folder / "secateur.mjs"), build_plugin("ai-sdk.js", constants)),
        OwnFile(str(folder / "secateur.d.mts"), read_source("ai-sdk.d.mts")),
    )


def find_problems(options: InstallOptions) -> list[str]:
    """List why the middleware would not work."""
    return find_bridge_problems(_make_command(options))


def _make_command(options: InstallOptions) -> tuple[str, ...]:
    return make_bridge_command(options, HOST.name, _FORMAT, HOST.default_policy)


HOST: InstallableHost = InstallableHost(
    name="ai-sdk",
    title="the AI SDK",
    program="node",
    package="install Node.js 20 or newer",
    acts="prunes each request of a model that it wraps; the program's own messages stay as they are",
    plan=plan,
    find_problems=find_problems,
    is_per_project=True,
    compacts=False,
    next_step='import { secateur } from "./secateur.mjs", then wrapLanguageModel({ model, middleware: secateur() })',
)
