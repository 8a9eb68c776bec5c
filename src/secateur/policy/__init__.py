"""Policies: what goes, what stays, when, and how it is counted, as plain data.

Rule: one language for every system. A preset is a TOML file in `presets/`; a policy of one's own is a TOML file, a
dict or a `Policy`, and may extend another by `extends`. What a policy cannot say is refused with its place and the
nearest valid name. Nothing here looks at a conversation.
"""

import tomllib
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import msgspec
from msgspec import structs

from secateur.defaults import POLICY as DEFAULT
from secateur.errors import ConfigError
from secateur.placeholder import checked
from secateur.policy import toml
from secateur.policy.advice import advice
from secateur.policy.explain import explained, nearest
from secateur.policy.language import TAGS, Policy, decoded_type
from secateur.registry import Plugin, Registry
from secateur.strategies import HardClear
from secateur.strategy import RESULTS
from secateur.tokens import counter

__all__ = ["DEFAULT", "PRESETS", "Policy", "advice", "as_toml", "load", "names", "plugins", "protecting", "source"]

_OURS = (DEFAULT, "digests")
PRESETS = (*_OURS, "kilocode", "opencode", "hermes", "pi-auto-compressor", "openclaw", "anthropic", "observe")


def load(policy: "str | PathLike[str] | Policy | dict[str, Any]") -> Policy:
    """A policy by preset name, by the path of a file, from a dict, or as it is.

    A file that ends in .json or .json5 is read as OpenClaw's own configuration, any other as TOML. Raises ConfigError.
    """
    if isinstance(policy, Policy):
        return _fitting(policy)
    if isinstance(policy, dict):
        return _made(policy, "the policy")
    name = _path(policy)
    if name in PRESETS:
        return _made(tomllib.loads(source(name)), f"preset {name}")
    path = Path(name)
    if path.suffix in (".json", ".json5"):
        from secateur.policy.openclaw_config import read

        return _fitting(read(path, load("openclaw")))
    added = None if path.suffix == ".toml" else _REGISTRY.get(name)
    if added is not None:
        return _made(tomllib.loads(added), f"preset {name}")
    if path.suffix == ".toml" or path.is_file():
        return _made({"name": path.stem, **_parsed(path)}, f"policy {path}")
    raise ConfigError(f"no policy {name!r}{nearest(name, names())}: give a TOML file, or one of {', '.join(names())}")


def names() -> tuple[str, ...]:
    """The presets: those that are built in, and those of plugins that can be used."""
    return (*PRESETS, *_REGISTRY.added())


def plugins() -> tuple[Plugin, ...]:
    """The plugins of this kind, also those that cannot be used."""
    return _REGISTRY.plugins()


def source(name: str) -> str:
    """A preset as it was written, with its comments."""
    added = None if name in PRESETS else _REGISTRY.get(name)
    if added is not None:
        return added
    return Path(__file__).with_name("presets").joinpath(f"{name}.toml").read_text("utf-8")


def as_toml(policy: Policy) -> str:
    """The policy as TOML that loads back to the same policy; what is left at its default is left out."""
    return toml.written(msgspec.to_builtins(policy))


def protecting(policy: Policy, tools: tuple[str, ...]) -> Policy:
    """The policy with more tools (globs) whose results stay (SEEDS 0.3)."""
    if not tools:
        return policy
    kept = tuple(dict.fromkeys((*policy.protect.tools, *tools)))
    return structs.replace(policy, protect=structs.replace(policy.protect, tools=kept))


def _path(policy: Any) -> str:
    """The name or the path that a caller gave."""
    name = fspath(policy) if isinstance(policy, str | PathLike) else policy
    if not isinstance(name, str):
        raise ConfigError(f"a policy is a name, a path, a dict or a Policy, not a {type(policy).__name__}")
    if "\0" in name:
        raise ConfigError(f"no policy is called {name!r:.80}: a name has no NUL characters")
    return name


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the policy {path} cannot be read: {error}") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"the policy {path} is not TOML: {error}") from error


def _made(data: dict[str, Any], place: str) -> Policy:
    """A policy from plain data, laid over the policy that it extends."""
    data = {"name": data.get("extends", "custom"), **data}
    base = data.pop("extends", None)
    if base is not None:
        data = _over(msgspec.to_builtins(load(base)), data)
    type_ = decoded_type(data)
    try:
        made = msgspec.convert(data, type_)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{place}: {explained(error, data, type_)}") from error
    return _fitting(Policy(**{name: getattr(made, name) for name in Policy.__struct_fields__}))


def _over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """Tables are laid over each other, unless the upper one says anew what it is; all else is replaced."""
    merged = dict(below)
    for name, value in above.items():
        inner = merged.get(name)
        if isinstance(inner, dict) and isinstance(value, dict) and not value.keys() & set(TAGS):
            value = _over(inner, value)
        merged[name] = value
    return merged


def _fitting(policy: Policy) -> Policy:
    """The policy, if its parts fit each other."""
    counter(policy.counter)
    if policy.compaction and policy.compaction.counter:
        counter(policy.compaction.counter)
    clearing = [one for one in policy.prune if isinstance(one, HardClear)]
    for template in filter(None, [text for one in clearing for text in (one.placeholder, one.error_placeholder)]):
        checked(template)
    other = [type(one).__struct_config__.tag for one in policy.prune if one.edits - RESULTS]
    if policy.results_only and other:
        raise ConfigError(
            f"policy {policy.name} is results_only, but {', '.join(map(str, other))} edits more: drop one"
        )
    return policy


def _admit(name: str, package: Any) -> str:
    """The text of `NAME.toml` in the package of a plugin, if it is a policy."""
    from importlib.resources import files

    text = files(package).joinpath(f"{name}.toml").read_text("utf-8")
    _made(tomllib.loads(text), f"preset {name}")
    return text


_REGISTRY: Registry[str] = Registry("presets", dict.fromkeys(PRESETS, "secateur.policy.presets"), _admit)
