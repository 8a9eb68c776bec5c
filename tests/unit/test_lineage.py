"""Keys of parts: one chain of hashes, however a part's bytes are handed to the hash."""

from hashlib import blake2b

import pytest

from secateur.lineage import HASH_BYTES, assign_keys
from secateur.model import Message, Part

TEXTS = ["", "short", "läuft ✗", "x" * 1_999, "x" * 2_000, "x" * 2_001, "ä✗" * 5_000]


def hash_as_defined(head: str, text: str, previous: str) -> str:
    """The hash of what the part is, its text, and the key before it, one after the other."""
    said = f"{head}{text}{previous}".encode("utf-8", "surrogatepass")
    return blake2b(said, digest_size=HASH_BYTES).hexdigest()


@pytest.mark.parametrize("text", [*TEXTS, "half \ud83d", "half \ud83d" + "x" * 5_000], ids=lambda text: f"{len(text)}")
def test_a_key_is_the_same_hash_for_texts_of_any_length(text: str) -> None:
    first, second = Part("text", (0,), text), Part("tool_result", (1,), text, "Bash", "c1")
    (message,) = assign_keys([Message("user", (0,), (first, second))])
    one = hash_as_defined("user\0text\x000,0,0\0\0", text, "")
    assert message.parts[0].key == one
    assert message.parts[1].key == message.key == hash_as_defined("tool\0tool_result\x002,0,0\0c1\0", text, one)


def test_a_lone_surrogate_in_an_id_is_hashed_as_it_is() -> None:
    (message,) = assign_keys([Message("tool", (0,), (Part("tool_result", (0,), "x" * 3_000, "", "c\ud83d"),))])
    assert message.key == hash_as_defined("tool\0tool_result\x002,0,0\0c\ud83d\0", "x" * 3_000, "")
