"""Why a policy was rejected: the place, and the word that would be valid; and policies written as TOML.

Rule: the sentence names the problem, the place and what to write instead. Old names are never read: a file with one is
rejected with the new word. The tables of old names are keyed by the class whose fields they were. TOML is written for
people: it loads back to the same values, and dates and None do not occur in a policy. Nothing here decides what is
valid.
"""

import json
import re
from collections.abc import Iterable
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

from secateur.text.suggestions import suggest_names

_PLACE = re.compile(r" - at `\$\.?(.*)`$")
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`")
_NO_TYPE = "Object missing required field `type`"
_TAG = re.compile(r"Invalid value '(.*)'")

RENAMED_FIELDS: dict[str, dict[str, str]] = {
    "Policy": {
        "doc": "description",
        "birth": "on_arrival",
        "stamp": "record_cleared_at",
        "in_place": "allow_in_place",
        "host": "host_settings",
    },
    "Protection": {
        "roles": "tool_kinds",
        "allow": "prunable_tools",
        "keys": "part_keys",
        "head": "first_messages",
        "every_user_message": "count_all_user_messages",
        "turns": "last_turns",
        "assistants": "last_assistant_messages",
        "rounds": "last_rounds",
        "messages": "last_messages",
        "results": "last_results",
        "tokens": "last_tokens",
        "min_chars": "min_result_chars",
        "worth_chars": "min_prunable_chars",
        "media": "media_results",
        "errors": "error_results",
        "open_errors": "unresolved_errors",
        "files": "recent_files",
        "recalled": "recent_readbacks",
    },
    "Never": {"why": "reason"},
    "Threshold": {
        "only": "only_models",
        "idle_over_s": "min_idle_s",
        "over_share": "over_window_share",
        "from_weight": "min_char_share",
        "more_than": "over_prunable_tokens",
        "or_share_of_protected": "or_over_protected_share",
    },
    "ColdCache": {"least_tokens": "min_tokens_freed"},
    "BreakEven": {
        "beta": "break_even_share",
        "max_regret": "max_overspend",
        "least_tokens": "min_tokens_freed",
        "over_share": "over_window_share",
    },
    "HardClear": {
        "text": "placeholder",
        "error_text": "error_placeholder",
        "walk_ends": "stop_at_cleared",
        "from_weight": "min_char_share",
        "min_chars": "min_total_chars",
    },
    "Excerpt": {"most_share": "max_window_share", "fold": "dedupe_lines"},
    "Condense": {"share": "outline_share", "max_chars": "max_outline_chars"},
    "ClearMedia": {"most": "max_media", "most_bytes": "max_media_bytes"},
    "Deduplicate": {"min_chars": "min_result_chars"},
    "Supersede": {
        "shown": "reread_files",
        "written": "modified_files",
        "files": "recent_files",
        "asked": "repeated_commands",
        "resolved": "resolved_errors",
    },
    "Compaction": {
        "off": "enabled",
        "models": "model_thresholds",
        "over_share": "over_window_share",
        "at_threshold": "inclusive",
        "head": "head_messages",
        "keep_least": "keep_min_tokens",
        "keep_most": "keep_max_tokens",
        "summary_tokens": "max_summary_tokens",
        "tool_chars": "max_tool_chars",
        "role": "summary_role",
        "carry": "keep_tool_kinds",
    },
    "DigestSettings": {
        "beta": "break_even_share",
        "results": "last_results",
        "least_tokens": "min_tokens_freed",
        "times": "min_savings_ratio",
        "max_regret": "max_overspend",
        "outline_chars": "max_outline_chars",
        "prose_chars": "max_prose_chars",
    },
    "Stated": {"hour": "cache_ttl"},
}
RENAMED_TYPES = {"cold": "cold_cache", "balance": "break_even"}  # values of `type`, of schedules
RENAMED_TAGS = ("do", "when")  # what `type` was called, of strategies and of schedules

_BARE = re.compile(r"[A-Za-z0-9_-]+")


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
    """A hint naming the closest valid names, if there are any."""
    found = suggest_names(name, valid, least=0.5)
    return f" (did you mean {found}?)" if found else ""


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


def dump_toml(data: dict[str, Any]) -> str:
    """Dump the data as a TOML document."""
    return "\n".join(_format_table(data, ())).strip() + "\n"


def _format_table(data: dict[str, Any], path: tuple[str, ...]) -> list[str]:
    """Values first, then tables: TOML cannot return to the parent table."""
    lines = [f"{_name(name)} = {_format_value(value)}" for name, value in data.items() if not _is_table(value)]
    for name, value in data.items():
        inner = (*path, name)
        header = ".".join(map(_name, inner))
        if isinstance(value, dict):
            lines += ["", f"[{header}]", *_format_table(value, inner)]
        elif _is_table(value):
            for one in value:
                lines += ["", f"[[{header}]]", *_format_table(one, inner)]
    return lines


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) or (
        _is_array(value) and len(value) > 0 and all(isinstance(one, dict) for one in value)
    )


def _is_array(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _format_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if _is_array(value):
        return f"[{', '.join(map(_format_value, value))}]"
    return repr(value)


def _name(name: str) -> str:
    return name if _BARE.fullmatch(name) else _format_value(name)
