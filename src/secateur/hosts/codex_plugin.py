"""Codex: a server for what was removed, in its configuration, and a profile whose requests go through the proxy.

Rule: the configuration gets one table at its end, and the profile is a file of ours; nothing is used by default that
could fail without us: `codex` alone asks its provider directly.
"""

import json
import shutil
import tomllib
from pathlib import Path

from secateur.errors import ConfigError
from secateur.hosts.changes import BEGIN, END, FileChange, OwnFile, TextBlock
from secateur.hosts.host import InstallableHost, InstallOptions
from secateur.hosts.launch import TENANT
from secateur.hosts.plugin_files import find_failure, find_server_problems
from secateur.proxy.settings import PORT

PROXY = "SECATEUR_PROXY"
_FOLDER = "CODEX_HOME"
_CHECK_S = 20
_SERVER = """\
[mcp_servers.secateur]
command = {program}
args = {arguments}
env_vars = ["SECATEUR_STORE", "XDG_DATA_HOME"]
env = {{ SECATEUR_HOST = "codex" }}
"""
_PROFILE = """\
# Written by `secateur install codex`, for `codex --profile secateur`: requests go through the proxy, which
# `secateur serve --mode prune --tenant {tenant}` starts.
model_provider = "secateur"

[model_providers.secateur]
name = "secateur"
base_url = {url}
env_key = "OPENAI_API_KEY"
wire_api = "responses"
"""


def plan(options: InstallOptions) -> tuple[FileChange, ...]:
    """The server's table and the profile. Raises ConfigError if the table cannot be added."""
    if options.policy or options.summarizers:
        raise ConfigError("options for Codex's requests belong to `secateur serve`, not to the installation")
    folder = options.find_folder(_FOLDER, ".codex")
    config = folder / "config.toml"
    program, *arguments = options.command
    listed = _quote([*arguments, "mcp", "--tenant", TENANT])
    server = _SERVER.format(program=_quote(program), arguments=listed)
    _check_config(config, server)
    address = options.environment.get(PROXY, "") or f"http://127.0.0.1:{PORT}"
    profile = _PROFILE.format(url=_quote(f"{address.rstrip('/')}/v1"), tenant=TENANT)
    return TextBlock(str(config), server), OwnFile(str(folder / "secateur.config.toml"), profile)


def find_problems(options: InstallOptions) -> list[str]:
    """List why it would not work: Codex is asked whether it knows the server, and the server is started."""
    is_there = shutil.which(HOST.program) is not None  # a missing Codex is reported separately
    said = find_failure((HOST.program, "mcp", "get", "secateur"), b"", _CHECK_S) if is_there else ""
    problems = [f"Codex does not read its server: {said}; then run `secateur install codex` again"] if said else []
    return problems + find_server_problems(options.command)


def _quote(value: str | list[str]) -> str:
    """A string or an array of them, in TOML: as in JSON, but no character as two escapes."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _check_config(path: Path, added: str) -> None:
    """Raise ConfigError where Codex could not read its configuration with these lines behind it."""
    try:
        own = path.read_text("utf-8")
    except FileNotFoundError:
        return
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(f"{path} cannot be read ({why}): correct it, then run this again") from error
    head, begin, rest = own.partition(f"{BEGIN}\n")
    own = head + rest.partition(f"{END}\n")[2] if begin else own
    try:
        known = tomllib.loads(own)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not TOML ({error}): correct it, then run this again") from error
    try:
        tomllib.loads(f"{own}\n{added}")
    except tomllib.TOMLDecodeError as error:
        named = "has a server of that name" if "secateur" in str(known.get("mcp_servers")) else f"({error})"
        raise ConfigError(
            f"no table [mcp_servers.secateur] can be added to {path}: it {named}; remove it there"
        ) from error


HOST = InstallableHost(
    name="codex",
    title="Codex",
    program="codex",
    package="npm install -g @openai/codex",
    acts="reads back what was removed; `codex --profile secateur` sends requests through the proxy",
    plan=plan,
    find_problems=find_problems,
    default_policy="balance",
    variables=(PROXY,),
    next_step=f"`secateur serve --mode prune --tenant {TENANT}`, then `codex --profile secateur`",
)
