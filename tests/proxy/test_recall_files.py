"""With `recall="files"` placeholders name files beside the store, which are there when the request is sent."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_requests import anthropic_body, chat_body, gemini_body, responses_body, result, write_policy
from proxies import ask, proxy
from secateur.errors import ConfigError
from upstream import says, upstream

OK = says(200, "{}")
ROUTES: dict[str, tuple[str, Callable[..., bytes]]] = {
    "anthropic": ("/v1/messages", anthropic_body),
    "chat": ("/v1/chat/completions", chat_body),
    "responses": ("/v1/responses", responses_body),
    "gemini": ("/v1beta/models/gemini-3-pro:generateContent", gemini_body),
}
PATH = re.compile(r"read (/[^\]\\]+\.txt)")


@pytest.mark.parametrize(("path", "body"), ROUTES.values(), ids=ROUTES)
def test_what_was_removed_is_in_the_file_that_its_placeholder_names(
    path: str, body: Callable[..., bytes], tmp_path: Path
) -> None:
    store = f"sqlite://{tmp_path / 'kept.db'}"
    settings = {"mode": "prune", "policy": write_policy(tmp_path), "store": store, "recall": "files"}
    with upstream(OK) as provider, proxy(provider.url, **settings) as address:
        for rounds in (3, 4, 5):
            ask(address, path, body(rounds), x_api_key="sk-1", x_session_id="s1")
        named = [PATH.findall(sent) for sent in provider.bodies]
    assert [len(one) for one in named] == [2, 3, 4]
    assert [Path(one).read_text() for one in named[-1]] == [result(number) for number in range(4)]
    assert {Path(one).stat().st_mode & 0o777 for one in named[-1]} == {0o600}


def test_counting_sees_the_same_paths(tmp_path: Path) -> None:
    store = f"sqlite://{tmp_path / 'kept.db'}"
    settings = {"mode": "prune", "policy": write_policy(tmp_path), "store": store, "recall": "files"}
    with upstream(OK) as provider, proxy(provider.url, **settings) as address:
        for path in ("/v1/messages", "/v1/messages/count_tokens"):
            ask(address, path, anthropic_body(4), x_api_key="sk-1", x_session_id="s1")
        assert provider.bodies[0] == provider.bodies[1]
        assert len(PATH.findall(provider.bodies[0])) == 3


def test_a_store_without_files_is_refused_at_the_start() -> None:
    with (
        pytest.raises(ConfigError, match="needs a store in a file"),
        proxy("http://127.0.0.1:9", store="memory://", recall="files"),
    ):
        pass
