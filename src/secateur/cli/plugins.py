"""`secateur plugins`: what installed distributions add to secateur, what of it cannot be used, and what can be added.

Rule: every plugin is loaded here, so that its status is what a command that needs it would meet.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any

from msgspec import Struct

from secateur import api, formats, policy, registry, summarizers
from secateur.api.registry import ADDED
from secateur.cli import options
from secateur.cli.exit_codes import FINDINGS, SUCCESS
from secateur.cli.installed import get_version
from secateur.cli.options import Options, make_option
from secateur.cli.output import tables
from secateur.cli.output.terminal import clean, print_blocks, print_json
from secateur.registry import Plugin, PluginWarning
from secateur.schedule import SCHEDULES
from secateur.stores import STORES
from secateur.strategy import STRATEGIES
from secateur.tokens import COUNTERS

SCHEMA = "secateur.plugins/1"
_EPILOG = """\
\b
Examples:
  secateur plugins
  secateur plugins --all
  secateur plugins --json | jq '.plugins[] | select(.status != "loaded")'

\b
SECATEUR_PLUGINS=off disables all plugins.
Exit codes: 0 success, 1 a plugin cannot be used, 2 usage.
"""


class PluginRow(Struct, frozen=True):
    """One thing that has a name."""

    kind: str
    name: str
    distribution: str
    version: str
    status: str  # loaded, built in, or why it cannot be used


class PluginsReport(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    enabled: bool
    kinds: tuple[str, ...]  # what can be added: entry points of the group secateur.KIND
    plugins: tuple[PluginRow, ...]


class PluginsOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur plugins`."""

    every: Annotated[bool, make_option("--all", is_flag=True, help="List built-in ones too.")]
    as_json: options.AsJson


@options.make_command("plugins", PluginsOptions, _EPILOG)
def command(args: PluginsOptions) -> int:
    """List the plugins of installed distributions: kind, name, distribution, version and status."""
    found = tuple(list_plugins())
    rows = (*(list_built_in() if args.every else ()), *found)
    if args.as_json:
        print_json(PluginsReport(enabled=not registry.is_off(), kinds=registry.KINDS, plugins=rows))
    else:
        print_blocks(*_render(rows))
    return FINDINGS if list_problems(found) else SUCCESS


def list_plugins() -> Iterator[PluginRow]:
    """Every plugin, by kind and name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PluginWarning)  # the status says it
        for kind in registry.KINDS:
            for plugin in _get_finders()[kind]():
                yield PluginRow(kind, plugin.name, plugin.distribution, plugin.version, plugin.problem or "loaded")


def list_built_in() -> Iterator[PluginRow]:
    """Everything that is built in, by kind."""
    for kind, names in _list_built_in().items():
        for name in names:
            yield PluginRow(kind, name, "secateur", get_version(), "built in")


def list_problems(rows: Iterable[PluginRow]) -> list[str]:
    """Why plugins cannot be used, one sentence each."""
    return [row.status for row in rows if row.status != "loaded"]


def make_plugin_table(rows: Iterable[PluginRow]) -> Any:
    """The rows as a table."""
    shown = [(row.kind, clean(row.name), clean(f"{row.distribution} {row.version}"), clean(row.status)) for row in rows]
    return tables.make_list(shown, "Plugins", ("kind", "name", "distribution", "status"))


def _get_finders() -> Mapping[str, Callable[[], tuple[Plugin, ...]]]:
    from secateur.cli.program import REGISTRY

    return {
        "formats": formats.list_format_plugins,
        "strategies": STRATEGIES.list_plugins,
        "schedules": SCHEDULES.list_plugins,
        "presets": policy.list_preset_plugins,
        "rules": ADDED.list_plugins,
        "stores": STORES.list_plugins,
        "summarizers": summarizers.list_summarizer_plugins,
        "counters": COUNTERS.list_plugins,
        "commands": REGISTRY.list_plugins,
    }


def _list_built_in() -> Mapping[str, tuple[str, ...]]:
    from secateur.cli.program import COMMANDS

    rules = (rule.id for family in api.FAMILIES for rule in api.list_rules(family) if not rule.family)
    return {
        "formats": tuple(formats.FORMATS),
        "strategies": tuple(STRATEGIES.built_in),
        "schedules": tuple(SCHEDULES.built_in),
        "presets": policy.PRESETS,
        "rules": tuple(dict.fromkeys(rules)),
        "stores": tuple(STORES.built_in),
        "summarizers": tuple(summarizers.SUMMARIZERS),
        "counters": tuple(COUNTERS.built_in),
        "commands": tuple(COMMANDS),
    }


def _render(rows: tuple[PluginRow, ...]) -> list[Any]:
    can = f"Distributions can add {', '.join(registry.KINDS)}: entry points of the group secateur.KIND."
    if registry.is_off():
        can = f"Plugins are disabled: {registry.SWITCH} is off."
    if not rows:
        return ["No plugins are installed." if not registry.is_off() else "No plugins are used.", can]
    return [make_plugin_table(rows), can]
