"""Who writes summaries: models of providers and of servers of one's own, by name, in the order they are asked.

    writers = parse("anthropic:claude-haiku-4-5", "http://127.0.0.1:8080/v1#qwen2.5", "extractive")

Rule: nothing goes to a vendor that is not listed, and nothing but what is listed is asked. `extractive` needs no model
and always works: it is the last rung, listed or not. Clients of providers are loaded when the first question is put.
"""

from collections.abc import Callable, Iterable
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec

from secateur.errors import ConfigError
from secateur.summarizers.endpoint import is_local
from secateur.summarizers.names import VENDORS, Windows, endpoint
from secateur.summarizers.own import EXTRACTIVE, Extractive, Function
from secateur.summarizers.protocol import Failed, Summarizer
from secateur.summarizers.provider import Provider

__all__ = ["SUMMARIZERS", "Extractive", "Failed", "Function", "Summarizer", "local", "parse"]

Opens = Callable[[str], Summarizer]


def parse(*names: str, local_only: bool = False, window_of: Windows | None = None) -> tuple[Summarizer, ...]:
    """The summarisers of these names, in order.

    With `local_only` one that would send anything to another machine is an error. `window_of` knows the windows of
    models. Raises ConfigError for a name that stands for nothing, a missing key, and a client that is not installed.
    """
    made = tuple(_one(name.strip(), window_of or _unknown) for name in names)
    if local_only:
        local(made)
    return made


def local(listed: Iterable[Summarizer]) -> None:
    """Raises ConfigError if one of these sends a conversation to another machine."""
    for one in listed:
        if one.host and not is_local(f"//{one.host}"):
            raise ConfigError(f"{one.name} would send the conversation to {one.host}, and `local_only` forbids that")


def _one(name: str, window_of: Windows) -> Summarizer:
    if name == EXTRACTIVE:
        return Extractive()
    others = _others()
    if (of := name.partition(":")[0]) in others and of not in VENDORS:
        return others[of](name)
    to = endpoint(name, window_of)
    for package in (VENDORS[to.provider].package, "tenacity", "httpx2"):
        if not _installed(package):
            raise ConfigError(f"{name} needs the package {package}: pip install 'secateur[summarizers]'")
    return Provider(to)


def _unknown(model: str) -> None:
    """No table, no window."""


def _installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # of a package whose parent is missing
        return False


def _others() -> dict[str, Opens]:
    return {point.name: partial(_other, point) for point in entry_points(group="secateur.summarizers")}


def _other(point: EntryPoint, name: str) -> Summarizer:
    made: Summarizer = point.load()(name)
    return made


SUMMARIZERS: dict[str, str] = {
    EXTRACTIVE: "No model: what code knows of the history, and the agent's own most telling sentences.",
    **{name: f"{vendor.title}: `{name}:MODEL`." for name, vendor in VENDORS.items()},
    "http": "Any server that speaks the Chat Completions API: `http://HOST:PORT/v1#MODEL`, or `https`.",
}
