"""A file that a view was written over is found again by its bytes, and put back only where a hash proves it."""

import pytest
from msgspec.structs import replace

from secateur.lineage import hash_text
from secateur.sessions import SessionManager
from secateur.sessions.originals import (
    After,
    Before,
    Gone,
    OriginalFile,
    Writing,
    find_original_size,
    find_writing,
    iterate_writings,
    keep_file,
    restore_from_backup,
    restore_original,
)
from secateur.stores.memory import MemoryStore
from secateur.stores.protocol import SessionId

WHO = SessionId("s")
OLD = b'["the first text of them all","' + b"x" * 50 + b'","the last text of them all"]\n'
NEW = b'["the first text of them all","[gone]","the last text of them all"]\n'
LATER = b'["appended since"]\n'


def kept(*pairs: tuple[Before, After]) -> tuple[MemoryStore, list[Writing]]:
    """A store in which these writings were recorded, one second after the other."""
    store = MemoryStore()
    sessions = SessionManager(store, "", 4, False)
    for number, (before, after) in enumerate(pairs):
        keep_file(sessions, WHO, before, after, 1_000 * (number + 1))
    return store, list(iterate_writings(store, [WHO]))


def one() -> tuple[MemoryStore, Writing]:
    store, [writing] = kept((Before(OLD, b"packed"), After(NEW, "/tmp/a.jsonl")))
    return store, writing


def test_a_receipt_names_the_file_by_its_hashes() -> None:
    _, writing = one()
    filed = writing.filed
    assert (writing.who, writing.number, writing.at) == (WHO, 0, 1_000)
    assert (filed.path, filed.before_bytes, filed.after_bytes) == ("/tmp/a.jsonl", len(OLD), len(NEW))
    assert (filed.before, filed.after) == (hash_text(OLD), hash_text(NEW))
    assert filed.reach == NEW.index(b'","the last')
    assert filed.reached == hash_text(NEW[: filed.reach])


def test_of_a_file_that_was_not_changed_only_its_hash_is_recorded() -> None:
    _, [same] = kept((Before(OLD), After(OLD, "a")))
    assert (same.filed.before, same.filed.after, same.filed.difference) == (hash_text(OLD), hash_text(OLD), "")
    assert find_writing(OLD, [same]) is None
    assert find_original_size(OLD, [same]) == len(OLD)


def test_bytes_that_were_pruned_are_found_though_they_were_written_once_more_unchanged() -> None:
    _, known = kept((Before(OLD), After(NEW, "a")), (Before(NEW), After(NEW, "b")))
    assert find_writing(NEW, known) == known[0]


def test_what_was_written_becomes_the_file_as_it_was_and_as_it_was_packed() -> None:
    store, writing = one()
    assert restore_original(store, writing, NEW) == OriginalFile(Before(OLD, b"packed"), writing, 0, True)


def test_what_was_appended_since_stays() -> None:
    store, writing = one()
    assert restore_original(store, writing, NEW + LATER) == OriginalFile(Before(OLD + LATER), writing, len(LATER), True)


def test_what_differs_behind_the_last_edit_stays_and_is_told() -> None:
    store, writing = one()
    changed = NEW.replace(b"last text", b"next text")
    rest = len(NEW) - writing.filed.reach
    expected = OriginalFile(Before(OLD.replace(b"last text", b"next text")), writing, rest, False)
    assert restore_original(store, writing, changed) == expected


def test_the_original_itself_is_not_put_back() -> None:
    twice = b"the same line\nthe same line\nand another\n"
    store, [writing] = kept((Before(twice), After(b"the same line\nand another\n", "a")))
    assert find_writing(twice, [writing]) == writing  # it begins as what was written did
    assert restore_original(store, writing, twice) is None
    assert restore_original(store, writing, b"the same line\nand another\n") == OriginalFile(
        Before(twice), writing, 0, True
    )


def test_bytes_that_do_not_lead_back_are_never_passed_off_as_the_original() -> None:
    store, writing = one()
    other = replace(writing, filed=replace(writing.filed, before=hash_text(b"another file")))
    with pytest.raises(Gone, match="^the stored data does not lead back to the original file$"):
        restore_original(store, other, NEW)
    with pytest.raises(Gone, match="^the stored data does not lead back to the original file$"):
        restore_original(store, other, NEW + LATER)


def test_bytes_that_are_no_longer_kept_are_told() -> None:
    store, writing = one()
    lost = replace(writing, filed=replace(writing.filed, difference="0" * 32))
    with pytest.raises(Gone, match="^the removed bytes are no longer stored$") as raised:
        restore_original(store, lost, NEW)
    assert raised.value.writing == lost


def test_of_several_writings_of_the_same_bytes_the_newest_counts() -> None:
    _, known = kept((Before(OLD), After(NEW, "a")), (Before(OLD + b" "), After(NEW, "b")))
    assert find_writing(NEW, known) == known[1]
    assert find_writing(NEW, known[::-1]) == known[1]


def test_of_writings_that_a_longer_file_comes_from_the_one_with_most_changes_counts() -> None:
    again = NEW + b'["the newest text of them all"]\n'
    cut = NEW + b'["[gone too]"]\n'
    _, known = kept((Before(again), After(cut, "b")), (Before(OLD), After(NEW, "a")))
    assert known[0].filed.reach > known[1].filed.reach
    assert find_writing(cut + LATER, known) == known[0]
    assert find_writing(cut + LATER, known[::-1]) == known[0]
    assert find_writing(b"of another file", known) is None


def test_a_file_of_which_something_was_written_is_known_as_an_original() -> None:
    _, writing = one()
    assert find_original_size(OLD, [writing]) == len(OLD)
    assert find_original_size(OLD + b" and on", [writing]) == len(OLD)
    assert find_original_size(NEW, [writing]) is None


def test_a_backup_serves_if_it_is_that_very_file() -> None:
    _, writing = one()
    assert restore_from_backup(writing, Before(OLD, b"packed"), NEW) == OriginalFile(
        Before(OLD, b"packed"), writing, 0, True
    )
    longer = OriginalFile(Before(OLD + LATER), writing, len(LATER), True)
    assert restore_from_backup(writing, Before(OLD, b"packed"), NEW + LATER) == longer
    assert restore_from_backup(writing, Before(OLD + b" "), NEW) is None
    assert restore_from_backup(writing, Before(OLD), NEW.replace(b"last", b"next")) is None
