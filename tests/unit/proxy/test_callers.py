"""Whose request it is, from what real clients send."""

import json
from pathlib import Path
from typing import Any

import pytest

from secateur.errors import StoreError
from secateur.proxy.callers import Tenants, identify, read_fields, read_secret
from secateur.proxy.inbound import Request
from secateur.proxy.settings import ProxySettings
from secateur.stores.memory import MemoryStore
from secateur.stores.sqlite import SqliteStore

TOOLS = [{"name": "Bash"}]
CLAUDE = {"x-claude-code-session-id": "s1", "user-agent": "claude-cli/2.1.197 (external, cli)"}
CODEX = {"session-id": "s1", "thread-id": "t1", "user-agent": "codex_exec/0.169.0", "x-codex-turn-metadata": "{}"}
USER = json.dumps({"device_id": "d", "account_uuid": "a1", "session_id": "s2"})


def caller(
    headers: dict[str, str], query: bytes = b"", fixed: str | None = None, is_shared: bool = False, **body: Any
) -> Any:
    """Whose request this is."""
    named = tuple((name.encode(), value.encode()) for name, value in headers.items())
    request = Request("POST", b"/v1/messages", query, named)
    return identify(request, read_fields(json.dumps(body).encode()), Tenants(b"secret", fixed, is_shared))


@pytest.mark.parametrize(
    ("headers", "body", "expected"),
    [
        (CLAUDE, {"tools": TOOLS}, ("claude-code", "s1", "main")),
        (CLAUDE, {"tools": []}, ("claude-code", "s1", "side")),
        (CLAUDE, {}, ("claude-code", "s1", "side")),
        (CLAUDE | {"x-claude-code-agent-id": "a"}, {"tools": TOOLS}, ("claude-code", "s1/a", "subagent")),
        (CLAUDE, {"tools": TOOLS, "messages": ["CRITICAL: Respond with TEXT ONLY."]}, ("claude-code", "s1", "side")),
        (
            {"user-agent": "claude-cli/2.0"},
            {"tools": TOOLS, "metadata": {"user_id": USER}},
            ("claude-code", "s2", "main"),
        ),
        (
            {"user-agent": "claude-cli/2.0"},
            {"tools": TOOLS, "metadata": {"user_id": "user_ab_account_12_session_34-56"}},
            ("claude-code", "34-56", "main"),
        ),
        (CODEX, {"prompt_cache_key": "k"}, ("codex", "t1", "main")),
        (CODEX | {"x-codex-turn-metadata": '{"request_kind": "compaction"}'}, {}, ("codex", "t1", "side")),
        (CODEX | {"x-codex-turn-metadata": '{"request_kind": "prewarm"}'}, {}, ("codex", "t1", "side")),
        (CODEX | {"x-openai-subagent": "review"}, {}, ("codex", "t1/review", "subagent")),
        (
            {"user-agent": "opencode/1.18.33", "x-session-affinity": "ses_1", "x-session-id": "ses_1"},
            {"tools": TOOLS},
            ("opencode", "ses_1", "main"),
        ),
        (
            {"user-agent": "opencode/1.18.33", "x-session-id": "ses_2", "x-parent-session-id": "ses_1"},
            {"tools": TOOLS},
            ("opencode", "ses_2", "subagent"),
        ),
        ({"user-agent": "GeminiCLI/0.61.0/gemini-3-pro (linux)"}, {"tools": TOOLS}, ("gemini-cli", "", "main")),
        ({"user-agent": "GeminiCLI/0.61.0/gemini-3-pro (linux)"}, {}, ("gemini-cli", "", "side")),
        ({"user-agent": "OpenAI/Python 3.54.0"}, {"prompt_cache_key": "k"}, ("openai-sdk", "k", "main")),
        ({"user-agent": "something/1"}, {}, ("", "", "main")),
        ({}, {"metadata": 5, "prompt_cache_key": ["x"], "tools": "none"}, ("", "", "main")),
    ],
)
def test_clients_sessions_and_calls(headers: dict[str, str], body: dict[str, Any], expected: tuple[str, ...]) -> None:
    found = caller(headers, **body)
    assert (found.client, found.session, found.call) == expected


def test_an_owner_is_a_hash_of_the_credential() -> None:
    owners = [
        caller({"x-api-key": "one"}).tenant,
        caller({"x-api-key": "two"}).tenant,
        caller({"authorization": "Bearer one"}).tenant,
        caller({}, b"key=one").tenant,
        caller({}).tenant,
    ]
    assert len(set(owners)) == 4  # a key is the same owner wherever it stands
    assert owners[0] == owners[3] == caller({"x-goog-api-key": "one"}).tenant
    assert all("one" not in owner.removeprefix("anyone") for owner in owners)
    assert caller({"x-api-key": "one"}, fixed="me").tenant == "me"


def test_a_subscription_belongs_to_its_account_and_a_key_to_nobody_else() -> None:
    oauth = {"authorization": "Bearer sk-ant-oat01-x"}
    first, renewed = (
        caller({"authorization": f"Bearer sk-ant-oat01-{one}"}, metadata={"user_id": USER}) for one in "ab"
    )
    assert first.subscription
    assert first.tenant == renewed.tenant != caller(oauth).tenant
    claimed = caller({"x-api-key": "k"}, metadata={"user_id": USER})
    assert not claimed.subscription
    assert claimed.tenant == caller({"x-api-key": "k"}).tenant


def test_nobody_takes_over_an_account_by_naming_it() -> None:
    claude = {"authorization": "Bearer sk-ant-oat01-x"}
    codex = {"authorization": "Bearer eyJhbGciOi.x.y", "chatgpt-account-id": "a1"}
    renewed = {**codex, "authorization": "Bearer eyJhbGciOi.z.y"}
    account = {"metadata": {"user_id": USER}}
    owners = {caller(claude, **account).tenant, caller(codex).tenant}
    assert caller(codex).tenant == caller(renewed).tenant
    for key in ({"x-api-key": "k"}, {"authorization": "Bearer sk-k"}, {"x-goog-api-key": "k"}, {"api-key": "k"}):
        for claim in ({"chatgpt-account-id": "a1"}, {"anthropic-beta": "oauth-2025-04-20"}):
            assert caller({**claim, **key}, **account).tenant == caller(key).tenant
        for login in (claude, codex):
            assert caller({**login, **key}, **account).tenant not in owners


def test_on_a_shared_proxy_a_login_of_ones_own_reaches_no_account_that_it_names() -> None:
    account = {"metadata": {"user_id": USER}}
    for login in ({"authorization": "Bearer sk-ant-oat01-%s"}, {"authorization": "Bearer eyJ%s"}):
        owners = [
            caller(
                {**{name: value % who for name, value in login.items()}, "chatgpt-account-id": "a1"},
                is_shared=True,
                **account,
            ).tenant
            for who in ("victim", "other", "victim")
        ]
        assert owners[0] == owners[2] != owners[1]


def test_a_proxy_is_shared_where_others_reach_it() -> None:
    assert not ProxySettings().is_shared
    assert ProxySettings(token="t").is_shared
    assert ProxySettings(host="0.0.0.0").is_shared


@pytest.mark.parametrize("name", ["x" * 5_000, "a\x1b[31mb", "\u202eabc"])
def test_a_name_that_cannot_be_shown_is_made_one(name: str) -> None:
    found = caller({"x-session-id": "s"}, prompt_cache_key=name).session
    assert found == "s"
    made = caller({}, prompt_cache_key=name).session
    assert made.isprintable()
    assert len(made) <= 200


def test_the_secret_is_made_once_and_nobody_else_reads_it(tmp_path: Path) -> None:
    first = read_secret(SqliteStore(tmp_path / "data" / "kept.db"))
    assert read_secret(SqliteStore(tmp_path / "data" / "another.db")) == first
    assert (tmp_path / "data" / "proxy-secret").stat().st_mode & 0o077 == 0
    assert read_secret(MemoryStore()) != read_secret(MemoryStore())


def test_a_folder_that_cannot_be_written_is_said_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    with pytest.raises(StoreError, match=r"store's folder .*/data/below cannot be used: Not a directory: make it"):
        read_secret(SqliteStore(tmp_path / "data" / "below" / "kept.db"))
