"""Keys: names for parts that apply only while the whole history before them is unchanged.

A key is the hash of a part's content and of the key before it. An edit that names a key therefore keeps its place while
a history grows, never applies to a rewritten history, and is shared by forks up to the point where they diverge.
Reasoning is not part of the chain, so a client that strips it changes no key. Formats do not compute keys.
"""

from collections.abc import Iterable
from hashlib import blake2b

from msgspec.structs import force_setattr

from secateur.model import Message

_AS_IT_IS = ("utf-8", "surrogatepass")
HANDLE_DIGITS = 12  # hex digits: each costs tokens in every placeholder
_SHORT = 2_000  # characters of a text that is sooner copied than hashed by a call of its own
HASH_BYTES = 16  # bytes: collisions stay out of reach for any number of parts a store could hold


def hash_text(said: str | bytes) -> str:
    """A short name for a value: 128 bits of BLAKE2b in hex. Lone surrogates are hashed as they are."""
    if isinstance(said, bytes):
        return blake2b(said, digest_size=HASH_BYTES).hexdigest()
    try:
        return blake2b(said.encode(), digest_size=HASH_BYTES).hexdigest()  # sooner than with a handler named
    except UnicodeEncodeError:
        return blake2b(said.encode(*_AS_IT_IS), digest_size=HASH_BYTES).hexdigest()


def hash_prefixes(said: bytes, sizes: Iterable[int]) -> dict[int, str]:
    """The `digest` of the first bytes, for each of these sizes that there is; read once."""
    name, view, here, found = blake2b(digest_size=HASH_BYTES), memoryview(said), 0, {}
    for size in sorted(set(sizes)):
        if size <= len(said):
            name.update(view[here:size])
            found[size], here = name.hexdigest(), size
    return found


def handle_of(said: str | bytes) -> str:
    """The short name by which these bytes can be asked for again: the first 12 hex digits of their `digest`.

    48 bits name a million things with no two alike in 998 of 1,000 stores; a store that holds two says so.
    """
    return hash_text(said)[:HANDLE_DIGITS]


def assign_keys(messages: Iterable[Message], previous: str = "") -> tuple[Message, ...]:
    """Assign keys to new messages and their parts, continuing after the key `previous` ("" at the start).

    The messages are completed in place, which is safe because only their reader holds them so far.
    """
    done = []
    for message in messages:
        mine = result = ""
        user = "user" if message.role == "tool" else message.role
        for part in message.parts:
            kind, inside, call, said = part.kind, part.container_key, part.call_id, part.fingerprint
            text = "" if said and kind == "reasoning" else part.text
            speaker = "tool" if inside or kind == "tool_result" else user  # also next to a text in a user message
            tool = part.tool if kind == "tool_call" else ""
            head = f"{speaker}\0{kind}\0{len(call)},{len(tool)},{len(said)}\0{call}{tool}{said}\0"
            before = result if inside else previous
            try:
                if len(text) <= _SHORT:
                    name = blake2b(f"{head}{text}{before}".encode(), digest_size=HASH_BYTES)
                else:
                    name = blake2b(head.encode(), digest_size=HASH_BYTES)
                    name.update(text.encode())  # separate call: avoids copying a long text into one string
                    name.update(before.encode())
            except UnicodeEncodeError:
                name = blake2b(f"{head}{text}{before}".encode(*_AS_IT_IS), digest_size=HASH_BYTES)
            key = name.hexdigest()
            force_setattr(part, "key", key)
            if inside:  # a medium is named after its result, outside the chain
                force_setattr(part, "container_key", result)
            elif kind != "reasoning":
                mine = previous = key
                result = key if kind == "tool_result" else ""
        force_setattr(message, "key", mine or hash_text(f"{previous}\0{message.role}"))
        done.append(message)
    return tuple(done)


def hash_contents(message: Message) -> tuple[str, ...]:
    """Hash the contents of a message's parts, regardless of what comes before them.

    These hashes find unchanged parts after a client has rewritten the history before them.
    """
    found: list[str] = []
    results: dict[str, str] = {}
    user = "user" if message.role == "tool" else message.role
    for part in message.parts:
        speaker = "tool" if part.container_key or part.kind == "tool_result" else user
        text = "" if part.fingerprint and part.kind == "reasoning" else part.text
        tool = part.tool if part.kind == "tool_call" else ""
        found.append(
            hash_text(
                "\0".join(
                    (
                        speaker,
                        part.kind,
                        part.call_id,
                        tool,
                        part.fingerprint,
                        text,
                        results.get(part.container_key, ""),
                    )
                )
            )
        )
        if part.kind == "tool_result":
            results[part.key] = found[-1]
    return tuple(found)


def find_chain_key(known: tuple[Message, ...]) -> str:
    """The key after which the parts of the next message are named; "" at the start.

    It is not the last message's own key where that message holds nothing but reasoning, or nothing.
    """
    for message in reversed(known):
        for part in reversed(message.parts):
            if part.kind != "reasoning" and not part.container_key:
                return part.key
    return ""
