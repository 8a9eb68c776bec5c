"""Launch recipes: where requests go, and what a client is started with."""

import json
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from secateur.errors import ConfigError
from secateur.hosts.launch import LAUNCHES, Launch, build_start, find_upstreams

AT = "http://127.0.0.1:5"
EACH = pytest.mark.parametrize("launch", LAUNCHES.values(), ids=LAUNCHES.keys())
PAGES = Path(__file__).parents[3] / "docs" / "how-to"


@EACH
def test_everything_is_filled_in_and_leads_to_the_proxy(launch: Launch) -> None:
    start = build_start(launch, ("-p", "{openai}"), {"PATH": "/bin"}, AT, "/folder")
    assert start.arguments[0] == launch.program
    assert start.arguments[-2:] == ("-p", "{openai}")  # the user's own arguments are not touched
    ours = " ".join((*start.arguments[:-2], *start.environment.values(), *start.files.values()))
    assert not re.search(r"\{(?:anthropic|openai|gemini|folder)\}", ours)
    assert all(f"{AT}/{used.api}" in ours for used in launch.apis)
    assert start.environment["PATH"] == "/bin"
    assert all(f"/folder/{name}" in start.arguments for name in start.files)


@EACH
def test_a_stated_address_comes_before_the_users_variable_and_that_before_the_provider(launch: Launch) -> None:
    for used in launch.apis:
        own = {used.variable: "https://gateway.example/x/"} if used.variable else {}
        assert find_upstreams(launch, own, {used.api: "http://127.0.0.1:1/v1"})[used.api] == "http://127.0.0.1:1/v1"
        if used.variable:
            assert find_upstreams(launch, own, {})[used.api] == "https://gateway.example/x"
        if used.default:
            assert find_upstreams(launch, {}, {})[used.api] == used.default


@EACH
def test_its_page_names_it(launch: Launch) -> None:
    page = (PAGES / f"{launch.page}.md").read_text()
    assert f"secateur run {launch.program}" in page
    assert all(name in page for name in (*launch.defaults, *launch.merged) if name)


def test_a_client_without_a_provider_of_its_own_needs_one() -> None:
    with pytest.raises(ConfigError, match="set COPILOT_PROVIDER_BASE_URL"):
        find_upstreams(LAUNCHES["copilot"], {}, {})


def test_a_variable_that_leads_requests_elsewhere_is_refused() -> None:
    claude = LAUNCHES["claude"]
    with pytest.raises(ConfigError, match="CLAUDE_CODE_USE_BEDROCK is set.*unset it"):
        find_upstreams(claude, {"CLAUDE_CODE_USE_BEDROCK": "1"}, {})
    assert find_upstreams(claude, {"CLAUDE_CODE_USE_BEDROCK": "0"}, {})


def test_the_users_own_values_stay_where_they_do_no_harm() -> None:
    claude, environment = LAUNCHES["claude"], {"ENABLE_TOOL_SEARCH": "false", "ANTHROPIC_BASE_URL": "https://x.example"}
    start = build_start(claude, (), environment, AT, "/folder")
    assert start.environment["ENABLE_TOOL_SEARCH"] == "false"
    assert start.environment["ANTHROPIC_BASE_URL"] == f"{AT}/anthropic"
    assert build_start(claude, (), {}, AT, "/folder").environment["ENABLE_TOOL_SEARCH"] == "true"


def test_configuration_in_a_variable_is_merged_into_the_users() -> None:
    own = {"theme": "dark", "provider": {"anthropic": {"options": {"apiKey": "k"}}, "mine": {"npm": "x"}}}
    start = build_start(LAUNCHES["opencode"], (), {"OPENCODE_CONFIG_CONTENT": json.dumps(own)}, AT, "/folder")
    merged = json.loads(start.environment["OPENCODE_CONFIG_CONTENT"])
    assert merged["theme"] == "dark"
    assert merged["provider"]["mine"] == {"npm": "x"}
    assert merged["provider"]["anthropic"]["options"] == {"apiKey": "k", "baseURL": f"{AT}/anthropic"}
    assert merged["compaction"] == {"prune": False}


@pytest.mark.parametrize("text", ["{", "[]"])
def test_configuration_that_cannot_be_merged_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="OPENCODE_CONFIG_CONTENT is not"):
        build_start(LAUNCHES["opencode"], (), {"OPENCODE_CONFIG_CONTENT": text}, AT, "/folder")


def test_requests_to_this_machine_do_not_go_through_a_network_proxy() -> None:
    environment = {"HTTPS_PROXY": "http://proxy.example", "NO_PROXY": "example.com"}
    start = build_start(LAUNCHES["claude"], (), environment, AT, "/folder")
    assert start.environment["NO_PROXY"] == "example.com,127.0.0.1,localhost"
    assert start.environment["no_proxy"] == "127.0.0.1,localhost"
    assert "NO_PROXY" not in build_start(LAUNCHES["claude"], (), {}, AT, "/folder").environment


def test_a_client_that_is_signed_in_to_a_subscription_says_where_its_requests_go(tmp_path: Path) -> None:
    codex = LAUNCHES["codex"]
    program = tmp_path / "codex"
    program.write_text('#!/bin/sh\n[ "$*" = "login status" ] && echo "Logged in using ChatGPT" >&2\n')
    program.chmod(0o755)
    signed_in = replace(codex, program=str(program))
    assert find_upstreams(signed_in, {}, {}) == {"openai": "https://chatgpt.com/backend-api/codex"}
    assert find_upstreams(signed_in, {"CODEX_API_KEY": "k"}, {}) == {"openai": "https://api.openai.com/v1"}
    assert find_upstreams(signed_in, {}, {"openai": "http://x.example"}) == {"openai": "http://x.example"}
    assert find_upstreams(replace(codex, program="/nowhere"), {}, {}) == {"openai": "https://api.openai.com/v1"}
