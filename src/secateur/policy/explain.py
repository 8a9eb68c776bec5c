"""Why a policy was refused: the place, and the nearest name that would have been right.

Rule: the sentence names the thing, where it stands and what to write instead. Nothing here decides what is valid.
"""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

from secateur.policy.renamed import FIELDS as RENAMED_FIELDS
from secateur.policy.renamed import TAGS as RENAMED_TAGS
from secateur.policy.renamed import TYPES as RENAMED_TYPES

_PLACE = re.compile(r" - at `\$\.?(.*)`$")
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`")
_NO_TYPE = "Object missing required field `type`"
_TAG = re.compile(r"Invalid value '(.*)'")


def explain_error(error: msgspec.ValidationError, data: Any, type_: type[Struct]) -> str:
    """Explain a validation error in one sentence: where it is and what was expected."""
    text = str(error)
    place = _PLACE.search(text)
    where = place[1] if place else ""
    said = _PLACE.sub("", text)
    at = f" at {where}" if where else ""
    renamed = _explain_renamed(said, data, where, type_)
    if renamed:
        return renamed
    unknown = _UNKNOWN.match(said)
    if unknown:
        valid = _list_fields(_find_struct(data, where, type_))
        return f"no field {unknown[1]!r}{at}{suggest_nearest(unknown[1], valid)}; fields are {', '.join(valid)}"
    tag = _TAG.match(said)
    if tag:
        valid = sorted(_list_tags(_list_tag_structs(where, type_)))
        known = f"; known are {', '.join(valid)}" if valid else ""
        return f"{tag[1]!r}{at} is not known{suggest_nearest(tag[1], valid)}{known}"
    return f"{said[:1].lower()}{said[1:]}{at}"


def _explain_renamed(said: str, data: Any, where: str, type_: type[Struct]) -> str:
    """The new name of a renamed word; "" if this error is about something else."""
    tag = _TAG.match(said)
    if tag and RENAMED_TYPES.get(tag[1]) in _list_tags(_list_tag_structs(where, type_)):
        return f"{where} {tag[1]!r} was renamed: write {RENAMED_TYPES[tag[1]]!r}"
    unknown = _UNKNOWN.match(said)
    old, new = unknown[1] if unknown else "", ""
    if said == _NO_TYPE:
        old = next((name for name in RENAMED_TAGS if name in _get_table(data, where)), "")
    if old in RENAMED_TAGS:
        new = "type"
    elif old:
        new = RENAMED_FIELDS.get(_find_struct(data, where, type_).__name__, {}).get(old, "")
    return f"{where + '.' if where else ''}{old} was renamed: write {new}" if new else ""


def suggest_nearest(name: str, valid: Iterable[str]) -> str:
    """A hint naming the closest valid name, if there is one."""
    found = get_close_matches(name.lower(), list(valid), n=1, cutoff=0.5)
    return f" (did you mean {found[0]!r}?)" if found else ""


def _get_table(data: Any, where: str) -> dict[str, Any]:
    """The table at this place of the data; empty if there is none."""
    for step in _split_path(where):
        data = data[int(step)] if isinstance(data, list | tuple) else data.get(step) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


def _split_path(where: str) -> list[str]:
    return re.findall(r"[^.\[\]]+", where)


def _find_struct(data: Any, where: str, type_: Any) -> Any:
    """The Struct at this place of the data, chosen by its tag if there are several."""
    structs, said = _list_structs_at(_split_path(where), type_), _get_table(data, where)
    tagged = [one for one in structs if said.get(one.__struct_config__.tag_field) == one.__struct_config__.tag]
    return (tagged or structs)[0]


def _list_tag_structs(where: str, type_: Any) -> list[Any]:
    """The Structs possible where a wrong tag occurs."""
    return _list_structs_at(_split_path(where)[:-1], type_)


def _list_structs_at(steps: list[str], type_: Any) -> list[Any]:
    """The Structs that the types allow at this place."""
    structs = [type_]
    for step in steps:
        if not step.isdigit():
            structs = [one for struct in structs for one in _list_structs(get_type_hints(struct)[step])]
    return structs


def _list_structs(hint: Any) -> list[Any]:
    """The Structs that a type names."""
    if isinstance(hint, type) and issubclass(hint, Struct):
        return [hint]
    if get_origin(hint) in (Union, UnionType, tuple, list, Annotated):
        return [one for inner in get_args(hint) for one in _list_structs(inner)]
    return []


def _list_fields(struct: Any) -> list[str]:
    tag = struct.__struct_config__.tag_field
    return [*([tag] if tag else []), *struct.__struct_fields__]


def _list_tags(structs: list[Any]) -> set[str]:
    return {str(one.__struct_config__.tag) for one in structs if one.__struct_config__.tag}
