"""Options that a person states once: in the environment, a project's file or the user's own file.

    SECATEUR_POLICY, SECATEUR_MODEL
    secateur.toml, or [tool.secateur] of pyproject.toml, in this folder or the nearest one above
    secateur/secateur.toml in the user's configuration folder

Rule: a command line comes before the environment, that before the project's file, and that before the user's. A file
states only what changes a report or a view (`StatedSettings`): never where content is stored or sent, since a project
that someone else wrote has such a file too. Commands that have none of these options read no file.
"""

import os
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import Struct

from secateur.cli.names import POLICY
from secateur.decoding import prepare_type
from secateur.errors import ConfigError

FILE = "secateur.toml"
VARIABLES = {"policy": "SECATEUR_POLICY", "model": "SECATEUR_MODEL"}
_META = "secateur.settings"  # in the context of the program: where each setting comes from


class StatedSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The settings that a file can contain."""

    policy: str | None = None  # a preset, or a policy file; its path is relative to this file
    model: str | None = None  # as --model
    window: int | None = None  # as --window, in tokens
    counter: str | None = None  # as --counter
    protect: tuple[str, ...] = ()  # as --protect


class Setting(Struct, frozen=True):
    """One setting, and where it comes from."""

    value: Any
    source: str


def find_settings(folder: Path, environ: Mapping[str, str]) -> dict[str, Setting]:
    """The settings that hold in a folder, by the name of their option. Raises ConfigError for a file that is wrong."""
    found: dict[str, Setting] = {}
    for path, table in (_find_user_file(environ), _find_project_file(folder)):
        if path is not None:
            found |= _read_table(path, table)
    for name, variable in VARIABLES.items():
        if value := environ.get(variable, "").strip():
            found[name] = Setting(value, variable)
    return found


def apply_settings(ctx: click.Context, command: click.Command) -> None:
    """Make the settings the defaults of a command's options, and note where they come from."""
    wanted = {each.name for each in command.params if isinstance(each, click.Option)}
    policies = {each.name for each in command.params if each.type is POLICY and not each.multiple}
    wanted = (wanted & set(StatedSettings.__struct_fields__)) - ({"policy"} - policies)
    if not wanted or command.name is None:
        return
    found = {name: one for name, one in find_settings(Path.cwd(), os.environ).items() if name in wanted}
    ctx.meta[_META] = found
    ctx.default_map = {command.name: {name: one.value for name, one in found.items()}}


def find_origin(name: str) -> str:
    """The origin of the value of an option of the running command; "" for its default."""
    ctx = click.get_current_context(silent=True)
    source = ctx.get_parameter_source(name) if ctx else None
    if source is click.core.ParameterSource.COMMANDLINE:
        return f"--{name}"
    if ctx is not None and source is click.core.ParameterSource.DEFAULT_MAP:
        setting = ctx.meta.get(_META, {}).get(name)
        return setting.source if setting else ""
    return ""


def _find_user_file(environ: Mapping[str, str]) -> tuple[Path | None, dict[str, Any]]:
    top = environ.get("APPDATA", "") if sys.platform == "win32" else environ.get("XDG_CONFIG_HOME", "")
    path = (Path(top) if top else Path.home() / ".config") / "secateur" / FILE
    return (path, _load(path)) if path.is_file() else (None, {})


def _find_project_file(folder: Path) -> tuple[Path | None, dict[str, Any]]:
    """The nearest file, upward from a folder."""
    for top in (folder, *folder.parents):
        if (path := top / FILE).is_file():
            return path, _load(path)
        project = top / "pyproject.toml"
        table = _load(project).get("tool", {}) if project.is_file() and b"[tool.secateur" in _read(project) else {}
        if "secateur" in table:
            return project, table["secateur"]
    return None, {}


def _read_table(path: Path, table: dict[str, Any]) -> Iterator[tuple[str, Setting]]:
    try:
        stated = msgspec.convert(table, prepare_type(StatedSettings))
    except msgspec.ValidationError as error:
        names = ", ".join(StatedSettings.__struct_fields__)
        raise ConfigError(f"{path}: {error}: it can contain {names}") from error
    for name in StatedSettings.__struct_fields__:
        value = getattr(stated, name)
        if value in (None, ()):
            continue
        if name == "policy" and value.endswith((".toml", ".json", ".json5")):
            value = str(path.parent / value)
        yield name, Setting(value, str(path))


def _load(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_read(path).decode())
    except ValueError as error:
        raise ConfigError(f"{path} is not TOML: {error}") from error


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
