"""Where things are looked up by name: what is built in, and what other distributions bring by entry points.

A registry knows the built-in things of one kind as references ("package.module:attribute"), which is also how a
plugin is registered: by an entry point in the group `secateur.KIND`. Entry points are read once per process, when a
name is looked up that is not built in or when all names are listed, and never at import.

Rules: a plugin that cannot be loaded is an error for whoever names it, and a warning that names its distribution for
everyone else. A plugin cannot take the name of something built in. Where two distributions bring the same name,
neither is used. `SECATEUR_PLUGINS=off` disables all plugins.
"""

import os
import warnings
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from secateur.errors import ConfigError

if TYPE_CHECKING:  # importing it costs more than everything else here
    from importlib.metadata import EntryPoint

KINDS = (
    "formats",
    "strategies",
    "schedules",
    "presets",
    "rules",
    "stores",
    "summarizers",
    "counters",
    "commands",
)
SWITCH = "SECATEUR_PLUGINS"

T = TypeVar("T")


class PluginWarning(UserWarning):
    """A plugin is installed and cannot be used."""


class Plugin(NamedTuple):
    """One entry point, and why it cannot be used ("": it can). A tuple, so that `--help` need not load msgspec."""

    kind: str
    name: str
    reference: str
    distribution: str
    version: str
    problem: str = ""

    @property
    def origin(self) -> str:
        """The distribution and its version."""
        return f"{self.distribution} {self.version}".strip()


class Registry(Generic[T]):
    """Everything of one kind, by name: what is built in first, then plugins in the order of their names."""

    def __init__(self, kind: str, built_in: Mapping[str, str], admit: Callable[[str, Any], T]) -> None:
        """`built_in` maps names to references. `admit(name, loaded)` checks what an entry point refers to and returns
        what the registry hands out; it raises ConfigError with the reason if it is not of this kind."""
        self.kind = kind
        self.built_in = built_in
        self._admit = admit
        self._values: dict[str, T] = {}
        self._found: Mapping[str, tuple[EntryPoint, ...]] | None = None
        self._plugins: dict[str, Plugin] = {}
        self._loaded: dict[str, T] = {}
        self._points: dict[str, EntryPoint] = {}

    def list_names(self) -> tuple[str, ...]:
        """The names of everything available. Plugins are listed without being loaded."""
        return (*self.built_in, *(name for name, plugin in self._scan().items() if not plugin.problem))

    def get(self, name: str) -> T | None:
        """What has this name; None if nothing has. Raises ConfigError if it is a plugin that cannot be used."""
        if name in self._values:
            return self._values[name]
        if name in self.built_in:
            return self._values.setdefault(name, self._admit(name, _resolve(self.built_in[name])))
        plugin = self._scan().get(name)
        return None if plugin is None else self._load(plugin)

    def get_or_warn(self, name: str) -> T | None:
        """Like `get`, but an unusable plugin gives a warning and None."""
        try:
            return self.get(name)
        except ConfigError as error:
            warn(str(error))
            return None

    def load_plugins(self) -> dict[str, T]:
        """The usable plugins, loaded. One that cannot be loaded is left out with a warning."""
        loaded = {name: self.get_or_warn(name) for name, plugin in self._scan().items() if not plugin.problem}
        return {name: value for name, value in loaded.items() if value is not None}

    def load_all(self) -> dict[str, T]:
        """Everything usable, loaded."""
        built_in = {name: value for name in self.built_in if (value := self.get(name)) is not None}
        return built_in | self.load_plugins()

    def list_plugins(self) -> tuple[Plugin, ...]:
        """Every plugin of this kind, including unusable ones with the reason. This loads them."""
        return tuple(self._try_plugin(plugin) for plugin in self._scan().values())

    def _try_plugin(self, plugin: Plugin) -> Plugin:
        if plugin.problem:
            return plugin
        try:
            self._load(plugin)
        except ConfigError as error:
            return Plugin(plugin.kind, plugin.name, plugin.reference, plugin.distribution, plugin.version, str(error))
        return plugin

    def _scan(self) -> dict[str, Plugin]:
        """The plugins of this kind by name, found once."""
        found = find(self.kind)
        if found is not self._found:
            self._found, self._loaded = found, {}
            self._points = {name: points[0] for name, points in found.items()}
            self._plugins = {
                name: _make_plugin(self.kind, points, name in self.built_in) for name, points in found.items()
            }
            for plugin in self._plugins.values():
                if plugin.problem:
                    warn(plugin.problem)
        return self._plugins

    def _load(self, plugin: Plugin) -> T:
        if plugin.problem:
            raise ConfigError(plugin.problem)
        if plugin.name not in self._loaded:
            try:
                self._loaded[plugin.name] = self._admit(plugin.name, self._points[plugin.name].load())
            except Exception as error:  # whatever the module of a plugin raises
                reason = str(error) if isinstance(error, ConfigError) else f"{type(error).__name__}: {error}"
                raise ConfigError(
                    f"{_format_title(plugin)} cannot be used: {reason}. Update or uninstall {plugin.distribution}, "
                    f"or set {SWITCH}=off"
                ) from error
        return self._loaded[plugin.name]


@cache
def find(kind: str) -> Mapping[str, tuple["EntryPoint", ...]]:
    """The entry points of the group `secateur.KIND`, by name; several where distributions share a name."""
    return _scan_entry_points().get(kind, _NONE)


def forget() -> None:
    """Read the entry points again at the next lookup: for tests, and for programs that install plugins."""
    find.cache_clear()
    _scan_entry_points.cache_clear()


def is_off() -> bool:
    """Whether plugins are disabled."""
    return os.environ.get(SWITCH, "").strip().lower() in ("off", "0", "no", "false")


def warn(text: str) -> None:
    """Warn of a plugin that cannot be used, once per text."""
    warnings.warn(text, PluginWarning, stacklevel=2)


_NONE: Mapping[str, tuple["EntryPoint", ...]] = {}


@lru_cache(maxsize=1)
def _scan_entry_points() -> dict[str, dict[str, tuple["EntryPoint", ...]]]:
    """All our entry points, by kind and name."""
    if is_off():
        return {}
    from importlib.metadata import entry_points

    points = entry_points()
    found: dict[str, dict[str, tuple[EntryPoint, ...]]] = {}
    for kind in KINDS:
        for point in sorted(points.select(group=f"secateur.{kind}"), key=lambda point: point.name):
            named = found.setdefault(kind, {})
            named[point.name] = (*named.get(point.name, ()), point)
    return found


def make_callable_check(argument: str) -> Callable[[str, Any], Any]:
    """The `admit` of a registry of functions; `argument` says in a few words what they are called with."""

    def check(name: str, loaded: Any) -> Any:
        if not callable(loaded):
            raise ConfigError(f"{loaded!r:.80} cannot be called with {argument}")
        return loaded

    return check


def make_subclass_check(base: type[T]) -> Callable[[str, Any], type[T]]:
    """The `admit` of a registry of Structs: each is a subclass of `base` whose tag is its name."""

    def check(name: str, loaded: Any) -> type[T]:
        if not (isinstance(loaded, type) and issubclass(loaded, base)):
            raise ConfigError(f"{loaded!r:.80} is not a subclass of secateur.plugins.{base.__name__}")
        tag = loaded.__struct_config__.tag  # type: ignore[attr-defined]
        if tag != name:
            raise ConfigError(f"its tag is {tag!r}, and its entry point is called {name!r}")
        return loaded

    return check


def _make_plugin(kind: str, points: tuple["EntryPoint", ...], is_taken: bool) -> Plugin:
    first = points[0]
    distribution, version = _get_origin(first)
    plugin = Plugin(kind, first.name, first.value, distribution, version)
    if is_taken:
        problem = f"{_format_title(plugin)} is not used: {first.name!r} is built in. Its author has to rename it"
    elif len(points) > 1:
        origins = " and ".join(" ".join(_get_origin(point)) for point in points)
        problem = f"the plugin {first.name!r} (secateur.{kind}) is not used: {origins} both bring it. Uninstall one"
    else:
        return plugin
    return Plugin(kind, first.name, first.value, distribution, version, problem)


def _format_title(plugin: Plugin) -> str:
    return f"the plugin {plugin.name!r} (secateur.{plugin.kind}) of {plugin.origin}"


def _get_origin(point: "EntryPoint") -> tuple[str, str]:
    dist = point.dist
    return (dist.name, dist.version) if dist is not None else ("an unknown distribution", "")


def _resolve(reference: str) -> Any:
    module, _, attribute = reference.partition(":")
    loaded = import_module(module)
    return getattr(loaded, attribute) if attribute else loaded
