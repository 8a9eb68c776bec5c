"""The ids that make a tree of a session file's lines: each its own, and each parent there.

Rule: a line whose parent is lost hangs on the line before it, which is where readers go on; of two different lines with
one id the later gets a new one, and what follows it points there. Lines that are the same twice stay.
"""

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

from secateur.patch import Op


def made_id(*of: str, like: str) -> str:
    """An id that follows from what it names, in the form of another: hexadecimal, hyphens where that one has them."""
    name = blake2b("\0".join(of).encode("utf-8", "surrogatepass"), digest_size=32).hexdigest()
    if len(like) == 36 and like.count("-") == 4:
        return "-".join((name[:8], name[8:12], name[12:16], name[16:20], name[20:32]))
    return name[:8]


def mend_tree(entries: dict[int, dict[str, Any]], id_: str, parent: str) -> Iterator[tuple[Op, str]]:
    """Operations that make the tree whole, each with what it does. `id_` and `parent` are the names of the ids."""
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
            yield Op((line, parent), before), "its parent is not in the file: it now hangs on the line before it"
        elif isinstance(above, str) and above in renamed and entry != first.get(name):
            yield Op((line, parent), renamed[above]), "its parent was renamed"
        if name in first and entry != first[name]:
            renamed[name] = made_id(name, str(line), like=name)
            yield Op((line, id_), renamed[name]), "another line had its id: it has a new one"
        first.setdefault(name, entry)
        before = renamed.get(name, name)
