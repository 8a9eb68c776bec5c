"""Who writes summaries: models of providers and of your own servers, by name, in the order they are asked.

    writers = parse("anthropic:claude-haiku-4-5", "http://127.0.0.1:8080/v1#qwen2.5", "extractive")

Rule: only the listed summarizers are asked, and nothing is sent to any other vendor. `extractive` needs no model and
always works: it is the last resort, listed or not. Providers' clients are loaded with the first question.
"""

from collections.abc import Callable, Iterable
from importlib.util import find_spec

from secateur.errors import ConfigError
from secateur.registry import Plugin, Registry, make_callable_check
from secateur.summarizers.builtin import EXTRACTIVE, Extractive, Function, SamePrefix
from secateur.summarizers.endpoint import is_local
from secateur.summarizers.names import VENDORS, Windows, parse_endpoint
from secateur.summarizers.protocol import Failed, Summarizer
from secateur.summarizers.provider import Provider

__all__ = [
    "SUMMARIZERS",
    "Extractive",
    "Failed",
    "Function",
    "SamePrefix",
    "Summarizer",
    "require_local",
    "parse",
    "list_summarizer_plugins",
]

Opens = Callable[[str], Summarizer]


def parse(*names: str, local_only: bool = False, window_of: Windows | None = None) -> tuple[Summarizer, ...]:
    """Parse the names of summarizers, in order.

    With `local_only`, one that would send anything to another machine is an error. `window_of` knows the windows of
    models. Raises ConfigError for an unknown name, a missing key, and a client that is not installed.
    """
    made = tuple(_make_summarizer(name.strip(), window_of or _ignore_model) for name in names)
    if local_only:
        require_local(made)
    return made


def require_local(listed: Iterable[Summarizer]) -> None:
    """Raise ConfigError if one of these sends a conversation to another machine."""
    for one in listed:
        if one.host and not is_local(f"//{one.host}"):
            raise ConfigError(f"{one.name} would send the conversation to {one.host}, and `local_only` forbids that")


def _make_summarizer(name: str, window_of: Windows) -> Summarizer:
    if name == EXTRACTIVE:
        return Extractive()
    vendor = name.partition(":")[0]
    opens = None if vendor in _REGISTRY.built_in else _REGISTRY.get(vendor)
    if opens is not None:
        return opens(name)
    to = parse_endpoint(name, window_of)
    for package in (VENDORS[to.provider].package, "httpx2"):
        if not _is_installed(package):
            raise ConfigError(f"{name} needs the package {package}: pip install 'secateur[summarizers]'")
    return Provider(to)


def _ignore_model(model: str) -> None:
    """No table, no window."""


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # of a package whose parent is missing
        return False


SUMMARIZERS: dict[str, str] = {
    EXTRACTIVE: "No model: what code knows of the history, and the agent's own most telling sentences.",
    **{name: f"{vendor.title}: `{name}:MODEL`." for name, vendor in VENDORS.items()},
    "http": "Any server that speaks the Chat Completions API: `http://HOST:PORT/v1#MODEL`, or `https`.",
}

_REGISTRY: Registry[Opens] = Registry(
    "summarizers",
    dict.fromkeys((*SUMMARIZERS, "https"), "secateur.summarizers:parse"),
    make_callable_check("the name of a summarizer"),
)


def list_summarizer_plugins() -> tuple[Plugin, ...]:
    """The plugins of this kind, including unusable ones."""
    return _REGISTRY.list_plugins()
