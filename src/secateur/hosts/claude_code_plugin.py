"""Claude Code: a plugin in the user's folder of skills, which Claude Code loads by itself.

Rule: three files, ours as a whole. The user's settings, memory and servers are not touched.
"""

import json
import shlex
from typing import Any

from secateur.errors import ConfigError
from secateur.hosts.changes import FileChange, OwnFile
from secateur.hosts.host import InstallableHost, InstallOptions
from secateur.hosts.launch import TENANT
from secateur.hosts.plugin_files import find_failure, find_server_problems
from secateur.policy import load

_FOLDER = "CLAUDE_CONFIG_DIR"
_EVENTS = {"PostToolUse": "Bash", "PreCompact": "manual|auto", "SessionStart": "compact"}  # name: which of them
_HOOK_S = 60  # the longest that Claude Code waits
_MANIFEST = {"name": "secateur", "description": "Shortens long outputs, keeps facts, reads back what was removed."}


def plan(options: InstallOptions) -> tuple[FileChange, ...]:
    """The plugin's manifest, its hooks and its server. Raises ConfigError."""
    if options.summarizers:
        raise ConfigError("Claude Code writes its own summaries: install without --summarizer")
    folder = options.find_folder(_FOLDER, ".claude") / "skills" / "secateur"
    hook = {"type": "command", "command": shlex.join(_make_hook_command(options)), "timeout": _HOOK_S}
    hooks = {event: [{"matcher": which, "hooks": [hook]}] for event, which in _EVENTS.items()}
    program, *arguments = options.command
    server = {"command": program, "args": [*arguments, "mcp", "--tenant", TENANT]}
    return (
        OwnFile(str(folder / ".claude-plugin" / "plugin.json"), _dump(_MANIFEST)),
        OwnFile(str(folder / "hooks" / "hooks.json"), _dump({"hooks": hooks})),
        OwnFile(str(folder / ".mcp.json"), _dump({"mcpServers": {"recall": server}})),
    )


def find_problems(options: InstallOptions) -> list[str]:
    """List why the plugin would not work: its hooks and its server are started as Claude Code starts them."""
    event = json.dumps({"hook_event_name": "doctor"}).encode()
    try:
        load(options.resolve_policy(HOST.default_policy))
        said = find_failure(_make_hook_command(options), event, _HOOK_S)
    except ConfigError as error:
        said = str(error)
    problems = [f"its hooks do not work: {said}; then run `secateur install {HOST.name}` again"] if said else []
    return problems + find_server_problems(options.command)


def _make_hook_command(options: InstallOptions) -> tuple[str, ...]:
    return (*options.command, "hook", HOST.name, "--policy", options.resolve_policy(HOST.default_policy))


def _dump(value: Any) -> str:
    return json.dumps(value, indent=2) + "\n"


HOST = InstallableHost(
    name="claude-code",
    title="Claude Code",
    program="claude",
    package="npm install -g @anthropic-ai/claude-code",
    acts="shortens long outputs of Bash on arrival, brings facts back after /compact, and reads back what was removed",
    plan=plan,
    find_problems=find_problems,
    next_step="start Claude Code again; `/plugin` lists it as secateur@skills-dir",
)
