"""Credentials of every shape go, wherever they stand; what only looks like one stays."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from credentials import HEX, PEM, PLANTED, SHAPED, made
from secateur.redact import found, redact, redact_tree
from secateur.redact.detector import installed


@pytest.mark.parametrize(("kind", "frame", "secret"), PLANTED, ids=[kind for kind, *_ in PLANTED])
def test_a_credential_goes_from_output_arguments_and_file_names(kind: str, frame: str, secret: str) -> None:
    line = frame.format(secret)
    arguments = json.dumps({"command": f"run {line} now", "nested": json.dumps({"text": line})})
    for text in (f"before\n{line}\nafter", arguments, f"found: {line}", f"/srv/app/{line}", "word " * 500 + line):
        told = redact(text)
        assert secret not in told
        assert not any(piece in told for piece in secret.split("\n") if len(piece) > 20)
        assert f"[redacted {kind}]" in told
        assert found(text) == (kind,)
        assert redact(told) == told


def test_a_key_that_was_cut_off_goes_to_its_end() -> None:
    assert redact(PEM[:150]) == "[redacted private-key]"


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_putty_key_goes(line_end: str) -> None:
    body = line_end.join([made(64)] * 3)
    text = f"Public-Lines: 2{line_end}AAAA{line_end}Private-Lines: 3{line_end}{body}{line_end}Private-MAC: 0"
    assert made(64) not in redact(text)
    assert redact(text).endswith(f"Private-Lines: 3{line_end}[redacted private-key]{line_end}Private-MAC: 0")


def test_a_second_pair_of_eyes_finds_no_less_and_leaves_what_was_redacted() -> None:
    text = "\n".join(frame.format(secret) for _, frame, secret in PLANTED) + "\nplain words stay"
    told = redact(text, thorough=True)
    assert [secret for *_, secret in PLANTED if secret in told] == []
    assert told.endswith("\nplain words stay")
    assert redact(told, thorough=True) == told


def test_the_second_pair_of_eyes_takes_what_only_it_knows() -> None:
    pytest.importorskip("detect_secrets", reason="the extra `secrets` is not installed")
    assert installed()
    account, key = "AC" + made(32, HEX), made(64, HEX)
    text = f"account {account} and softlayer_key = '{key}' and so on"
    told = redact(text, thorough=True)
    assert account in redact(text)
    assert told == "account [redacted twilio-api-key] and softlayer_key = '[redacted softlayer-credentials]' and so on"
    assert redact(told, thorough=True) == told
    assert redact("host 10.0.0.1 and 192.0.2.7", thorough=True) == "host 10.0.0.1 and 192.0.2.7"


def test_what_stands_around_a_credential_stays() -> None:
    secret = SHAPED["github-token"]
    assert redact(f"git clone https://{secret}@host.example/a.git") == (
        "git clone https://[redacted github-token]@host.example/a.git"
    )
    assert redact(f"curl -u admin:{made(12)} http://x") == "curl -u admin:[redacted password] http://x"


@pytest.mark.parametrize(
    "text",
    [
        "token = get_token(request)",
        "max_tokens: 4096, total_tokens=123456",
        'password: "your-password-here"',
        "PASSWORD=${DB_PASSWORD}",
        "password = os.environ['DB_PASSWORD']",
        "api_key=YOUR_API_KEY",
        "sk-learn and task-management-for-everyone",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "sessionId: 0b2f6a51-5c8e-4f6e-9f39-6a0d4b6c2f11",
        "cache key: 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "key = Object.keys(value)[0]",
        "sha512-" + "z8PPmYdV" * 8 + "==",
        "the secret is to keep it simple; the key insight: less is more",
        "https://example.org:8080/path?x=1",
        "author: someone@example.org",
    ],
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redact(text) == text
    assert found(text) == ()


def test_a_tree_is_redacted_by_value_and_by_name_and_hashes_stay() -> None:
    secret, password, key = SHAPED["npm-token"], "s3cr3t!pw", "9fceb02d0ae598e95dc970b74767f193"
    tree: Any = {"key": key, "password": password, "list": [f"a {secret}", 1, None], secret: {"token": made(30)}}
    assert redact_tree(tree) == {
        "key": key,
        "password": "[redacted password]",
        "list": ["a [redacted npm-token]", 1, None],
        "[redacted npm-token]": {"token": "[redacted token]"},
    }


@given(st.text())
def test_any_text_goes_through_and_once_is_enough(text: str) -> None:
    assert redact(redact(text)) == redact(text)


@settings(max_examples=30)
@given(st.sampled_from(sorted(SHAPED)), st.text(max_size=30), st.text(max_size=30))
def test_no_neighbour_saves_a_credential(kind: str, before: str, after: str) -> None:
    secret = SHAPED[kind]
    assert secret not in redact(f"{before} {secret} {after}")


@pytest.mark.parametrize(
    "piece", ["-----BEGIN PRIVATE KEY-----", "token", "password=", "://a:", "eyJa", "sk-a", "-u a:"]
)
def test_no_text_takes_more_than_linear_time(piece: str) -> None:
    """Long inputs come back at all: with a quadratic pattern this would not end within hours."""
    assert redact(piece * 50_000)
