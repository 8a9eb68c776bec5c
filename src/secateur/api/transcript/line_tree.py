"""Repairs the tree that the ids of a session file's lines form: unique ids, and parents that exist.

Rule: a line whose parent is lost gets the line before it as its parent, which is where readers continue. If two
different lines have one id, the later gets a new one, and its children point there. Identical copies stay.
"""

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

from secateur.patch import Op


def make_id(*of: str, like: str) -> str:
    """An id derived from names, in the form of another id: hexadecimal, with hyphens if that one has them."""
    name = blake2b("\0".join(of).encode("utf-8", "surrogatepass"), digest_size=32).hexdigest()
    if len(like) == 36 and like.count("-") == 4:
        return "-".join((name[:8], name[8:12], name[12:16], name[16:20], name[20:32]))
    return name[:8]


def find_tree_edits(entries: dict[int, dict[str, Any]], id_: str, parent: str) -> Iterator[tuple[Op, str]]:
    """The operations that repair the tree, each with what it does. `id_` and `parent` are the names of the fields."""
    first: dict[str, dict[str, Any]] = {}
    renamed: dict[str, str] = {}
    known = {entry[id_] for entry in entries.values() if isinstance(entry.get(id_), str)}
    before: str | None = None
    for line, entry in entries.items():
        name = entry.get(id_)
        if not isinstance(name, str):
            continue
        above = entry.get(parent)
        if isinstance(above, str) and above not in known:
            yield Op((line, parent), before), "its parent is not in the file: its parent is now the line before it"
        elif isinstance(above, str) and above in renamed and entry != first.get(name):
            yield Op((line, parent), renamed[above]), "its parent was renamed"
        if name in first and entry != first[name]:
            renamed[name] = make_id(name, str(line), like=name)
            yield Op((line, id_), renamed[name]), "another line had its id: it has a new one"
        first.setdefault(name, entry)
        before = renamed.get(name, name)
