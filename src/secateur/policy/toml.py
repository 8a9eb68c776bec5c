"""Plain data as TOML, for people to read and to load again.

Rule: what is written loads back to the same values. Knows tables, arrays of tables and inline values; dates and None
do not occur in a policy.
"""

import json
import re
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


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
