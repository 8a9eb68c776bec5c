"""Policies: what goes, what stays, when, and how it is counted, as plain data.

Rule: one language for every system. A preset is a TOML file in `presets/`; a policy of one's own is a TOML file, a
dict or a `Policy`, and may extend another by `extends`. What a policy cannot say is refused with its place and the
nearest valid name. Nothing here looks at a conversation.
"""

import tomllib
from functools import lru_cache
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import msgspec
from msgspec import structs

from secateur.decoding import prepare_type
from secateur.defaults import POLICY as DEFAULT
from secateur.errors import ConfigError
from secateur.policy import explain
from secateur.policy.advice import give_advice
from secateur.policy.explain import explain_error, suggest_nearest
from secateur.policy.language import TAGS, Policy, build_policy_type
from secateur.registry import Plugin, Registry
from secateur.strategies import HardClear
from secateur.strategy import RESULTS
from secateur.text.placeholder import validate_template
from secateur.tokens import get_counter

__all__ = [
    "DEFAULT",
    "INTENTS",
    "PRESETS",
    "Policy",
    "give_advice",
    "as_toml",
    "load",
    "list_preset_names",
    "list_preset_plugins",
    "with_protected_tools",
    "with_target_tokens",
    "read_source",
]

INTENTS = (DEFAULT, "focus", "frugal", "careful")  # named by what people want
PRESETS = (
    *INTENTS,
    "digests",
    "kilocode",
    "opencode",
    "hermes",
    "pi-auto-compressor",
    "openclaw",
    "anthropic",
    "observe",
)


def load(policy: "str | PathLike[str] | Policy | dict[str, Any]") -> Policy:
    """A policy by preset name, by the path of a file, from a dict, or as it is.

    A file that ends in .json or .json5 is read as OpenClaw's own configuration, any other as TOML. Raises ConfigError.
    """
    if isinstance(policy, Policy):
        return _validate_policy(policy)
    if isinstance(policy, dict):
        return _build_policy(policy, "the policy")
    name = _parse_policy_name(policy)
    if name in PRESETS:
        return _load_preset(name)
    path = Path(name)
    if path.suffix in (".json", ".json5"):
        from secateur.policy.openclaw_config import read

        return _validate_policy(read(path, load("openclaw")))
    added = None if path.suffix == ".toml" else _REGISTRY.get(name)
    if added is not None:
        return _build_policy(tomllib.loads(added), f"preset {name}")
    if path.suffix == ".toml" or path.is_file():
        return _build_policy({"name": path.stem, **_parse_file(path)}, f"policy {path}")
    known = list_preset_names()
    raise ConfigError(
        f"no policy {name!r}{suggest_nearest(name, known)}: give a TOML file, or one of {', '.join(known)}"
    )


def list_preset_names() -> tuple[str, ...]:
    """The names of the presets: the built-in ones and those of usable plugins."""
    return (*PRESETS, *_REGISTRY.load_plugins())


def list_preset_plugins() -> tuple[Plugin, ...]:
    """The plugins of this kind, including unusable ones."""
    return _REGISTRY.list_plugins()


def read_source(name: str) -> str:
    """The text of a preset, with its comments."""
    added = None if name in PRESETS else _REGISTRY.get(name)
    if added is not None:
        return added
    return Path(__file__).with_name("presets").joinpath(f"{name}.toml").read_text("utf-8")


def as_toml(policy: Policy) -> str:
    """The policy as TOML that loads back to the same policy; what is left at its default is left out."""
    return explain.dump_toml(msgspec.to_builtins(policy))


def with_protected_tools(policy: Policy, tools: tuple[str, ...]) -> Policy:
    """The policy with more tools (globs) whose results stay, also behind a summary (SEEDS 0.3)."""
    if not tools:
        return policy
    kept = tuple(dict.fromkeys((*policy.protect.tools, *tools)))
    policy = structs.replace(policy, protect=structs.replace(policy.protect, tools=kept))
    if (compaction := policy.compaction) is None:
        return policy
    kept = tuple(dict.fromkeys((*compaction.keep_tools, *tools)))
    return structs.replace(policy, compaction=structs.replace(compaction, keep_tools=kept))


def with_target_tokens(policy: Policy, tokens: int | None) -> Policy:
    """The policy with a bound on its views; None leaves its own."""
    return policy if tokens is None else structs.replace(policy, target_tokens=tokens)


@lru_cache
def _load_preset(name: str) -> Policy:
    """A built-in preset: it names no plugin, so it is the same for every engine of a process."""
    return _build_policy(tomllib.loads(read_source(name)), f"preset {name}")


def _parse_policy_name(policy: Any) -> str:
    """The name or path given by the caller."""
    name = fspath(policy) if isinstance(policy, str | PathLike) else policy
    if not isinstance(name, str):
        raise ConfigError(f"a policy is a name, a path, a dict or a Policy, not a {type(policy).__name__}")
    if "\0" in name:
        raise ConfigError(f"invalid policy name {name!r:.80}: a name cannot contain NUL characters")
    return name


def _parse_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"the policy {path} cannot be read: {error.strerror or error}: check the path") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"the policy {path} cannot be read: {error}: convert it to UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"the policy {path} is not TOML: {error}") from error


def _build_policy(data: dict[str, Any], place: str) -> Policy:
    """Build a policy from plain data, merged over the policy that it extends."""
    data = {"name": data.get("extends", "custom"), **data}
    base = data.pop("extends", None)
    if base is not None:
        data = _merge_tables(msgspec.to_builtins(load(base)), data)
    arrival = data.get("on_arrival")
    if isinstance(arrival, dict) and "type" not in arrival:  # one setting is enough for excerpts (SEEDS S.7)
        data["on_arrival"] = {"type": "excerpt", **arrival}
    type_ = build_policy_type(data)
    try:
        made = msgspec.convert(data, prepare_type(type_))
    except msgspec.ValidationError as error:
        raise ConfigError(f"{place}: {explain_error(error, data, type_)}") from error
    return _validate_policy(Policy(**{name: getattr(made, name) for name in Policy.__struct_fields__}))


def _merge_tables(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """Merge tables recursively, unless the upper one sets a new type; other values are replaced."""
    merged = dict(below)
    for name, value in above.items():
        inner = merged.get(name)
        if isinstance(inner, dict) and isinstance(value, dict) and not value.keys() & set(TAGS):
            value = _merge_tables(inner, value)
        merged[name] = value
    return merged


def _validate_policy(policy: Policy) -> Policy:
    """Return the policy if its parts are compatible."""
    get_counter(policy.counter)
    if policy.compaction and policy.compaction.counter:
        get_counter(policy.compaction.counter)
    clearing = [one for one in policy.prune if isinstance(one, HardClear)]
    for template in filter(None, [text for one in clearing for text in (one.placeholder, one.error_placeholder)]):
        validate_template(template)
    other = [type(one).__struct_config__.tag for one in policy.prune if one.edits - RESULTS]
    if policy.results_only and other:
        raise ConfigError(
            f"policy {policy.name} is results_only, but {', '.join(map(str, other))} also edits other parts: remove it,"
            " or set results_only = false"
        )
    return policy


def _load_plugin_preset(name: str, package: Any) -> str:
    """The text of `NAME.toml` in a plugin's package, if it is a valid policy."""
    from importlib.resources import files

    text = files(package).joinpath(f"{name}.toml").read_text("utf-8")
    _build_policy(tomllib.loads(text), f"preset {name}")
    return text


_REGISTRY: Registry[str] = Registry("presets", dict.fromkeys(PRESETS, "secateur.policy.presets"), _load_plugin_preset)
