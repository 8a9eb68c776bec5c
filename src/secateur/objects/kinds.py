"""How objects of a class are read and copied: pydantic models, dataclasses, attrs classes, msgspec Structs; and whether
a value contains any, or consists of dicts, lists and scalars only.

Rule: names are those on the wire; values that the class would omit are omitted. A copy is of the same class, made
without validation, and keeps everything that was not named: unknown fields, private ones, which fields were set. Each
container is visited once, level by level; a value that contains itself is an error here, not later.
"""

import copy
import dataclasses
from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from secateur.errors import FormatError

Members = dict[str, Any]

_STRICT = ("anthropic", "openai")  # packages that send only what was set
_SPARSE = ("google.genai",)  # packages that never send null

SCALARS = frozenset({str, int, float, bool, type(None)})
MOST_LEVELS = 400  # providers take far less, and a recursive reader more
_ONCE = 64  # levels from which on a container that is at several places is looked at once


class Kind(NamedTuple):
    """One class's ways."""

    fields: dict[str, str]  # name on the wire → name of the attribute
    members: Callable[[Any], Members]  # what an object holds, by its names on the wire
    state: Callable[[Any], tuple[Any, ...] | None]  # what changes with it: dicts and sets; None if unknown
    changed: Callable[[Any, Members, frozenset[str]], Any]  # a copy with other attributes, and without some


def get_kind(made: type) -> Kind | None:
    """Return how to read and copy objects of this class; None if unknown."""
    return _find_kind(made)


@lru_cache(maxsize=2048)
def _find_kind(made: Hashable) -> Kind | None:
    assert isinstance(made, type)
    if hasattr(made, "model_copy") and isinstance(getattr(made, "__pydantic_fields__", None), dict):
        return _describe_pydantic(made)
    if hasattr(made, "__struct_encode_fields__"):
        return _describe_struct(made)
    if dataclasses.is_dataclass(made):
        fields = dataclasses.fields(made)
        empty = {one.name for one in fields if one.default is None}
        init = all(one.init for one in fields)
        return _describe_plain([one.name for one in fields], empty, dataclasses.replace if init else None)
    attributes = getattr(made, "__attrs_attrs__", None)
    if attributes is not None:
        empty = {one.name for one in attributes if one.default is None}
        return _describe_plain([one.name for one in attributes], empty, None)
    return None


def get_package(made: type) -> str:
    """The package a class belongs to, as far as it identifies a provider."""
    return ".".join(made.__module__.split(".")[:3])


def _is_from_packages(made: type, packages: tuple[str, ...]) -> bool:
    return any(f"{one.__module__}.".startswith(f"{name}.") for one in made.__mro__[:-1] for name in packages)


# --- pydantic --------------------------------------------------------------------------------------------------------


def _describe_pydantic(made: type) -> Kind:
    infos: dict[str, Any] = made.__pydantic_fields__  # type: ignore[attr-defined]
    hidden = set(getattr(made, "__api_exclude__", None) or ())
    names = {
        name: info.serialization_alias or info.alias or name
        for name, info in infos.items()
        if name not in hidden and not info.exclude
    }
    strict, sparse = _is_from_packages(made, _STRICT), _is_from_packages(made, _SPARSE)
    open_ = getattr(made, "model_config", {}).get("extra") == "allow"
    fields = {alias: name for name, alias in names.items()}

    def members(it: Any) -> Members:
        was_set, held = it.__pydantic_fields_set__, it.__dict__
        found = {
            alias: held[name]
            for name, alias in names.items()
            if name in held and (name in was_set if strict else held[name] is not None or name in was_set)
        }
        found.update(it.__pydantic_extra__ or {})
        return {name: value for name, value in found.items() if value is not None} if sparse else found

    def state(it: Any) -> tuple[Any, ...]:
        return it.__dict__, it.__pydantic_extra__, it.__pydantic_fields_set__

    def changed(it: Any, values: Members, gone: frozenset[str]) -> Any:
        if not open_ and any(name not in fields for name in values):
            return None
        made = it.model_copy(update={fields.get(name, name): value for name, value in values.items()})
        for name in gone:
            _reset_field(made, fields.get(name, name))
        return made

    return Kind(fields, members, state, changed)


def _reset_field(it: Any, name: str) -> None:
    """Reset a field to its unset state."""
    if name in it.__dict__:
        it.__dict__[name] = None
    (it.__pydantic_extra__ or {}).pop(name, None)
    it.__pydantic_fields_set__.discard(name)


# --- the others ------------------------------------------------------------------------------------------------------


def _describe_struct(made: type) -> Kind:
    wire, names = made.__struct_encode_fields__, made.__struct_fields__  # type: ignore[attr-defined]
    fields = dict(zip(wire, names, strict=True))
    tag: Members = {}
    config = made.__struct_config__  # type: ignore[attr-defined]
    if config.tag_field is not None:
        tag = {config.tag_field: config.tag}

    def members(it: Any) -> Members:
        held = {name: getattr(it, field) for name, field in fields.items()}
        return tag | {name: value for name, value in held.items() if value is not msgspec.UNSET}

    def changed(it: Any, values: Members, gone: frozenset[str]) -> Any:
        if gone or any(name not in fields for name in values):
            return None
        return msgspec.structs.replace(it, **{fields[name]: value for name, value in values.items()})

    return Kind(fields, members, lambda it: None, changed)


def _describe_plain(names: list[str], empty: set[str], replace: Callable[..., Any] | None) -> Kind:
    """Describe a class with attributes of these names; those in `empty` default to None."""

    def members(it: Any) -> Members:
        held = {name: getattr(it, name, None) for name in names}
        return {name: value for name, value in held.items() if value is not None or name not in empty}

    def state(it: Any) -> tuple[Any, ...] | None:
        held = getattr(it, "__dict__", None)
        return None if held is None else (held,)

    def changed(it: Any, values: Members, gone: frozenset[str]) -> Any:
        values = values | dict.fromkeys(gone)
        if not gone <= empty or any(name not in names for name in values):
            return None
        if replace is not None:
            with suppress(Exception):  # a class of someone else's may check what it is made with
                return replace(it, **values)
        made = copy.copy(it)
        for name, value in values.items():
            object.__setattr__(made, name, value)
        return made

    return Kind({name: name for name in names}, members, state, changed)


def is_plain(value: Any) -> bool:
    """Whether there is nothing else in it. Raises FormatError where it is nested too deep."""
    if type(value) is dict and "contents" in value and ("config" in value or _is_single_content(value["contents"])):
        return False  # as google-genai takes it, and no request's own shape
    level = [value]
    for depth in range(MOST_LEVELS):
        below = _list_children(level if depth <= _ONCE else [*{id(one): one for one in level}.values()])
        if not below:
            return below is not None
        level = below
    raise FormatError(
        f"the request is nested more than {MOST_LEVELS} levels deep, or contains itself: hand in the messages as they "
        "would be sent"
    )


def _list_children(level: list[Any]) -> list[Any] | None:
    """Everything inside these containers except scalars; None if one of them is not a container."""
    found: list[Any] = []
    for one in level:
        kind = type(one)
        if kind is dict:
            found += [inner for inner in one.values() if type(inner) not in SCALARS]
        elif kind is list or kind is tuple:
            found += [inner for inner in one if type(inner) not in SCALARS]
        elif kind not in SCALARS:
            return None
    return found


def _is_single_content(contents: Any) -> bool:
    """Whether this is not a list of contents: a text, one content, or a list that mixes these in."""
    if not isinstance(contents, list):
        return contents is not None
    return any(isinstance(one, str) or (isinstance(one, dict) and "parts" not in one) for one in contents)
