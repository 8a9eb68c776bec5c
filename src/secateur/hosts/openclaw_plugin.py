"""OpenClaw: a plugin in the user's folder of extensions, and the slot that selects it as the context engine.

Rule: three files, ours as a whole, and two members of OpenClaw's configuration. The engine prunes between turns alone:
OpenClaw gives it what was before the current turn. Within a turn, new results can be shortened before OpenClaw stores
them, if that is asked for. Compactions stay OpenClaw's own.
"""

import json
from pathlib import Path

from secateur.arrival import MIN_CHARS
from secateur.errors import ConfigError
from secateur.hosts.changes import FileChange, JsonMembers, OwnFile
from secateur.hosts.host import InstallableHost, InstallOptions
from secateur.hosts.plugin_files import build_plugin, find_bridge_problems, make_bridge_command

_FOLDER, _CONFIG = "OPENCLAW_STATE_DIR", "OPENCLAW_CONFIG_PATH"
_FORMAT = "pi_messages"  # OpenClaw's messages are Pi's
_SELECTED = {"plugins": {"slots": {"contextEngine": "secateur"}, "entries": {"secateur": {"enabled": True}}}}
_MANIFEST = {
    "id": "secateur",
    "kind": "context-engine",
    "name": "secateur",
    "description": "Prunes what was before the current turn on its way to the model.",
    "configSchema": {"type": "object", "additionalProperties": False, "properties": {}},
}
_PACKAGE = {"name": "secateur-openclaw", "version": "1.0.0", "type": "module", "main": "index.js"}


def plan(options: InstallOptions) -> tuple[FileChange, ...]:
    """The plugin's files, and what selects it. Raises ConfigError."""
    if options.summarizers:
        raise ConfigError("OpenClaw writes its own summaries: install without --summarizer")
    folder = options.find_folder(_FOLDER, ".openclaw") / "extensions" / "secateur"
    package = {**_PACKAGE, "openclaw": {"extensions": ["./index.js"]}}
    shortens = options.shorten_results
    manifest = _MANIFEST | ({"contracts": {"agentToolResultMiddleware": ["openclaw"]}} if shortens else {})
    constants = {"COMMAND": _make_command(options), "SHORTENS": MIN_CHARS if shortens else 0}
    return (
        OwnFile(str(folder / "index.js"), build_plugin("openclaw.js", constants)),
        OwnFile(str(folder / "openclaw.plugin.json"), json.dumps(manifest, indent=2) + "\n"),
        OwnFile(str(folder / "package.json"), json.dumps(package, indent=2) + "\n"),
        JsonMembers(str(_find_config(options)), _SELECTED),
    )


def find_problems(options: InstallOptions) -> list[str]:
    """List why the engine would not work."""
    problems = find_bridge_problems(_make_command(options))
    path = _find_config(options)
    try:
        plugins = json.loads(path.read_bytes())["plugins"]
        allowed, denied = plugins.get("allow"), plugins.get("deny") or ()
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return problems  # a changed file is reported elsewhere
    if (isinstance(allowed, list) and allowed and "secateur" not in allowed) or "secateur" in denied:
        problems.append(
            f"OpenClaw does not load it: add secateur to `plugins.allow` in {path}, or out of `plugins.deny`"
        )
    return problems


def _find_config(options: InstallOptions) -> Path:
    stated = options.environment.get(_CONFIG, "")
    return (
        Path(stated).expanduser().absolute() if stated else options.find_folder(_FOLDER, ".openclaw") / "openclaw.json"
    )


def _make_command(options: InstallOptions) -> tuple[str, ...]:
    return make_bridge_command(options, HOST.name, _FORMAT, HOST.default_policy)


HOST: InstallableHost = InstallableHost(
    name="openclaw",
    title="OpenClaw",
    program="openclaw",
    package="npm install -g openclaw",
    acts="prunes what was before the current turn; OpenClaw's transcript keeps every message",
    plan=plan,
    can_shorten=True,
    find_problems=find_problems,
    next_step="restart the gateway; `secateur doctor` then shows when OpenClaw last asked",
)
