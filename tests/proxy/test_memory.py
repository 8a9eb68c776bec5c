"""What a proxy remembers of its sessions has a bound, and forgetting changes no byte."""

import gc
from pathlib import Path

from agent_requests import POLICY, anthropic_body, chat_body, gemini_body, responses_body
from proxies import ask, proxy, read_status
from secateur.proxy.asked import Asked, Edited
from secateur.proxy.callers import Caller
from secateur.proxy.editing import Editor, EditorLimits
from secateur.proxy.routes import find_route
from secateur.stores import open_store
from secateur.stores.memory import MemoryStore
from upstream import says, upstream

ROUTES = {
    "/v1/messages": anthropic_body,
    "/v1/chat/completions": chat_body,
    "/v1/responses": responses_body,
    "/v1beta/models/gemini-3-pro:generateContent": gemini_body,
}
BOUND = 600_000
SESSIONS = 12


def make_editor(folder: Path, name: str, cached_bytes: int) -> Editor:
    policy = folder / "clears.toml"
    policy.write_text(POLICY)
    return Editor(str(policy), open_store(f"sqlite://{folder / name}"), limits=EditorLimits(cached_bytes))


def ask_all(editor: Editor) -> list[Edited]:
    """The requests of sessions of each format by turns, three of each."""
    made = []
    for rounds in (4, 5, 6):
        for path, body in ROUTES.items():
            route = find_route("POST", path.encode(), ())
            for number in range(SESSIONS):
                caller = Caller("", f"{path} {number}", "t", "main", False)
                made.append(editor.edit(Asked(route, caller, body(rounds))))
    return made


def count_remembered(editor: Editor) -> tuple[int, int]:
    """Bytes of the requests in all engines, and of the last views."""
    engines = editor._engines.list_values()
    return sum(engine.sessions.memory.count_bytes() for engine in engines), editor._views._size


def list_stores() -> list[MemoryStore]:
    return [one for one in gc.get_objects() if type(one) is MemoryStore]


def test_memory_has_a_bound_and_forgetting_changes_no_byte(tmp_path: Path) -> None:
    free, bound = make_editor(tmp_path, "free.db", 1 << 30), make_editor(tmp_path, "bound.db", BOUND)
    one, other = ask_all(free), ask_all(bound)
    assert [edited.how for edited in one] == ["edited"] * len(one)
    assert [edited.body for edited in one] == [edited.body for edited in other]
    bodies, views = count_remembered(bound)
    assert sum(count_remembered(free)) > 3 * BOUND
    assert 0 < bodies <= BOUND // 7 * 17 / 16 + len(anthropic_body(6))
    assert 0 < views <= BOUND // 4
    free.close()
    bound.close()


def test_what_observing_keeps_has_a_bound_too(tmp_path: Path) -> None:
    policy = tmp_path / "clears.toml"
    policy.write_text(POLICY)
    limits = {"cached_bytes": 100_000}
    others = list_stores()  # of tests before this one, and kept here so that no new one takes the place of one
    with upstream(says(200, "{}")) as provider, proxy(provider.url, limits=limits, policy=str(policy)) as address:
        for number in range(40):
            body = anthropic_body(6).replace(b"nothing", f"session {number} has nothing".encode())  # no two texts alike
            got = ask(address, "/v1/messages", body, x_session_id=f"s{number}")
            assert got[1]["x-secateur"] == "observed"
        status = read_status(address)
        while sum(row["requests"] for row in status["sessions"]) < 40:
            status = read_status(address)
        gc.collect()
        kept = [store.measure_sizes().blob_bytes for store in list_stores() if not any(store is one for one in others)]
    assert status["tokens_saved"] > 0
    assert 0 < sum(kept) < 100_000  # one alone keeps 40 times 14,000
