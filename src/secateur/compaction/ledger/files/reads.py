"""Which of the files that were read whoever goes on has use for.

Rule: a file counts as named where someone spoke of it afterwards, by its name or by what it is named after, or an edit
wrote that name. It is current where a call read it behind the newest request that is more than an answer or a word to
go on. How often calls read it, searched it or tried to change it tells how central it is.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from msgspec.structs import replace

from secateur.compaction.ledger.entries import FileEntry, Ledger, UserRequest
from secateur.compaction.ledger.files.paths import ListedFiles
from secateur.compaction.ledger.said import get_agent_text, get_user_text
from secateur.compaction.ledger.user.requests import is_substantial
from secateur.model import Message
from secateur.text.host_texts import is_nudge
from secateur.tool_kinds import detect_tool_kind
from secateur.toolcalls.actions import Action
from secateur.toolcalls.file_effects import list_file_effects, list_paths


def find_subject(requests: Sequence[UserRequest]) -> UserRequest | None:
    """Return the newest request that says itself what is to be done; None where all are answers or words to go on."""
    telling = (one for one in reversed(requests) if is_substantial(one.text) and not is_nudge(one.text))
    return next((one for one in telling if not one.answers), None)


def mark_reads(ledger: Ledger, messages: Sequence[Message], done: Sequence[Action]) -> tuple[FileEntry, ...]:
    """Return the files, those that were read with what tells how much of use they are."""
    reads = [one for one in ledger.files if one.use == "read"]
    if not reads:
        return ledger.files
    places = {part.key: number for number, message in enumerate(messages) for part in message.parts}
    subject = find_subject(ledger.requests)
    begun = next((at for at, one in enumerate(messages) if subject and one.key == subject.key), 0)
    named = {one.path for one in _list_named(reads, messages, places)}
    looks = Counter(_list_looks(reads, done))
    return tuple(
        replace(
            one,
            named=one.path in named,
            current=places.get(one.key, begun) >= begun,
            looks=looks[one.path],
        )
        if one.use == "read"
        else one
        for one in ledger.files
    )


def _list_looks(reads: Iterable[FileEntry], done: Sequence[Action]) -> Iterator[str]:
    """Yield the path of each of these files once for every call that names it."""
    known = ListedFiles([one.path for one in reads], done)
    for action in done:
        named = (*list_paths(action), *(effect.path for effect in list_file_effects(action)))
        yield from {known.find(path) for path in named} - {""}


def _list_named(reads: Sequence[FileEntry], messages: Sequence[Message], places: dict[str, int]) -> Iterator[FileEntry]:
    """Yield the files that words or edits behind the reading name, or a request as a module."""
    first = min(places.get(one.key, 0) for one in reads)
    texts = [_list_words(message) if number >= first else "" for number, message in enumerate(messages)]
    flat = [_flatten(text) for text in texts]
    said, bare = "\n".join(texts), "\n".join(flat)
    starts, flat_starts = (list(accumulate((len(text) + 1 for text in some), initial=0)) for some in (texts, flat))
    asked = "\n".join(filter(None, map(get_user_text, messages)))
    for one in reads:
        module = ".".join(one.path.rpartition(".")[0].split("/")[-2:])
        number = places.get(one.key, len(texts) - 1) + 1
        stem = _flatten(posixpath.basename(one.path).partition(".")[0])
        if "." in module and module in asked:  # "shop.cart"
            yield one
        elif len(stem) < _LEAST_STEM or stem in _COMMON:
            if said.find("/".join(one.path.split("/")[-2:]), starts[number]) >= 0:
                yield one
        elif bare.find(stem, flat_starts[number]) >= 0:
            yield one


def _flatten(text: str) -> str:
    """Return a text in lower case and without the signs that part the words of a name."""
    return _SEPARATORS.sub("", text).casefold()


def _list_words(message: Message) -> str:
    """Return what the user or the agent says in a message, and what the agent writes into files."""
    if message.role == "user":
        return get_user_text(message)
    calls = (part for part in message.parts if part.kind == "tool_call")
    edits = (part.text[:_SEARCHED] for part in calls if detect_tool_kind(part.tool, part.text) == "edit")
    return "\n".join((get_agent_text(message), *edits)) if message.role == "assistant" else ""


_SEARCHED = 20_000  # characters of an edit
_LEAST_STEM = 6  # letters; a shorter name also stands in other words
_COMMON = frozenset(
    {"readme", "config", "package", "settings", "constants", "helpers", "common", "schema", "version", "license"}
    | {"agents", "claude", "skill", "changelog", "makefile", "dockerfile", "request", "client", "server"}
)
_SEPARATORS = re.compile(r"[-_]")
