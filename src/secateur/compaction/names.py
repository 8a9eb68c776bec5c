"""Names behind the calls of a digest: what later work may have to write, and no line of the digest shows yet.

Rule: paths, files, symbols, ids and errors of a result, in the order in which they stand there, but first those that
other results have, too: of these, work names three times as many again. Each is told once, behind the newest result
that has it, in its longest form. What most results have is no help. Secrets are taken out before.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from secateur.compaction.settings import DigestSettings
from secateur.identifiers.words import find_words
from secateur.memoizing import memoize_texts
from secateur.redact import redact
from secateur.text.outline import NAMES

COMMON_SHARE, COMMON_RESULTS = 0.25, 4  # of the results, and at least: what more of them have is common
MOST_CHARS = 80  # of a name
_KINDS = frozenset({"path", "file", "symbol", "id", "error"})


class DigestEntry(Struct, frozen=True):
    """What a digest tells of one call or text. `output`: the long result of which `text` is only a part."""

    text: str
    output: str = ""


def add_names(entries: Sequence[DigestEntry], settings: DigestSettings, root: str) -> list[str]:
    """The texts of the entries, with the names that have room behind each; `root` is a folder stated elsewhere."""
    texts = [one.text for one in entries]
    if not settings.names_share:
        return texts
    names = [[_strip(name, root) for name in list_names(one.output)] for one in entries]
    times = Counter(name for some in names for name in some)
    most = max(COMMON_RESULTS, COMMON_SHARE * sum(map(bool, names)))
    told = {_strip(name, root) for text in texts for name in list_names(text)}
    for place in range(len(entries) - 1, -1, -1):
        fresh = [name for name in names[place] if times[name] <= most and len(name) <= MOST_CHARS]
        fresh.sort(key=lambda name: times[name] == 1)  # stable: those of one kind keep their order
        room = min(settings.max_outline_chars, int(settings.names_share * len(entries[place].output)))
        if kept := list(_choose(fresh, told, room - len(NAMES))):
            texts[place] += f"{_begin_names(texts[place])}{' '.join(kept)}"
    return texts


def _choose(names: Iterable[str], told: set[str], room: int) -> Iterator[str]:
    """Yield the first names that have room and were not told, which they are from now on."""
    for name in names:
        if name in told:
            continue
        room -= len(name) + 1
        if room < 0:
            return
        told.update((name, *_list_words(name)))
        yield name


def _begin_names(text: str) -> str:
    """What stands between a text and names: nothing but a blank where its last line has names already."""
    return " " if text.rpartition("\n")[2].startswith(NAMES) else f"\n{NAMES}"


def _strip(name: str, root: str) -> str:
    return name.removeprefix(f"{root}/") if root else name


@memoize_texts(4_096)
def list_names(text: str) -> tuple[str, ...]:
    """The names of a text that can be told, each once, in their order; what contains others comes before them."""
    return tuple(dict.fromkeys(_list_words(redact(text))))


def _list_words(text: str) -> list[str]:
    return [one.value for one in find_words(text) if one.kind in _KINDS]
