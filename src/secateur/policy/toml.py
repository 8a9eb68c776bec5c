"""Plain data as TOML, for people to read and to load again.

Rule: what is written loads back to the same values. Knows tables, arrays of tables and inline values; dates and None
do not occur in a policy.
"""

import json
import re
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def written(data: dict[str, Any]) -> str:
    """The data as a TOML document."""
    return "\n".join(_table(data, ())).strip() + "\n"


def _table(data: dict[str, Any], path: tuple[str, ...]) -> list[str]:
    """Values first, then tables: TOML has no way back to the table above."""
    lines = [f"{_name(name)} = {_value(value)}" for name, value in data.items() if not _opens_table(value)]
    for name, value in data.items():
        inner = (*path, name)
        header = ".".join(map(_name, inner))
        if isinstance(value, dict):
            lines += ["", f"[{header}]", *_table(value, inner)]
        elif _opens_table(value):
            for one in value:
                lines += ["", f"[[{header}]]", *_table(one, inner)]
    return lines


def _opens_table(value: Any) -> bool:
    return isinstance(value, dict) or (
        _is_array(value) and len(value) > 0 and all(isinstance(one, dict) for one in value)
    )


def _is_array(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if _is_array(value):
        return f"[{', '.join(map(_value, value))}]"
    return repr(value)


def _name(name: str) -> str:
    return name if _BARE.fullmatch(name) else _value(name)
