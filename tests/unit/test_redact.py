"""Credentials of every shape go, wherever they stand; what only looks like one stays."""

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carriers import CARRIERS, CLASSES, drawn_values
from credentials import HEX, PEM, PLANTED, SHAPED, made
from secateur.redact import detect_kinds, redact, redact_tree
from secateur.redact.detection import is_installed


@pytest.mark.parametrize(("kind", "frame", "secret"), PLANTED, ids=[kind for kind, *_ in PLANTED])
def test_a_credential_goes_from_output_arguments_and_file_names(kind: str, frame: str, secret: str) -> None:
    line = frame.format(secret)
    arguments = json.dumps({"command": f"run {line} now", "nested": json.dumps({"text": line})})
    for text in (f"before\n{line}\nafter", arguments, f"found: {line}", f"/srv/app/{line}", "word " * 500 + line):
        told = redact(text)
        assert secret not in told
        assert not any(piece in told for piece in secret.split("\n") if len(piece) > 20)
        assert f"[redacted {kind}]" in told
        assert detect_kinds(text) == (kind,)
        assert redact(told) == told


@pytest.mark.parametrize("carrier", CARRIERS)
def test_random_values_go_whatever_carries_them(carrier: str) -> None:
    """As `benchmarks/redact.py` measures with more values: what goes, once is enough, and the rest stays."""
    found_of: dict[str, int] = {}
    for kind in CLASSES:
        for value in drawn_values(kind, 100):
            text, pieces = CARRIERS[carrier](value)
            told = redact(text)
            found_of[kind] = found_of.get(kind, 0) + (not any(piece in told for piece in pieces))
            assert redact(told) == told
            assert is_rest_of(told, text)
    assert min(found_of.values()) >= 97
    assert sum(found_of.values()) >= 990


def is_rest_of(told: str, text: str) -> bool:
    """Whether a redacted text is the text with whole pieces replaced, and nothing else changed."""
    first, *others = re.split(r"\[redacted [\w-]+\]", told)
    if not others:
        return told == text
    place = len(first)
    for piece in others[:-1]:
        place = text.find(piece, place + 1) + len(piece)
    return text.startswith(first) and text.endswith(others[-1]) and place + len(others[-1]) < len(text)


@pytest.mark.parametrize(
    "text",
    [
        "index ee7fd99..300bd06 100644\n--- a/auth/token.go\n+++ b/auth/token.go",
        "Original token count: 11\nOutput:\na27a7f584dd68c783386d1c2332f1fba3102509d",
        "refs/heads/rotate-secrets\nref: 25286bb3d2ba75898d5845d5ba122ca45e3588e9",
        "uses: actions/create-github-app-token@1b10c78c7865c340bc4f6099eb2f838309f1e8c3",
        '"integrity": "sha512-jQdZ1vYt6x0q3mFh8K4bZrWc5uNpE7sLg2aVyXoTkDiCfHnBMwRzPUeOjSGlAI9Yxqt0vNc4d8e7f6a5b3c2==",',
        'name = "tokenize-rt"\nchecksum = "3f4c1b0b6a9d5e8f7a2c4d6e8f0a1b3c5d7e9f1a2b4c6d8e0f2a4b6c8d0e2f4a"',
        "Restored cache for key golangci-lint.cache-2927-82752a906b5296f3484eae9b30f5e30e24e24fe4",
        '{"sessionId": "0b2f6a51-5c8e-4f6e-9f39-6a0d4b6c2f11", "uuid": "5c7ae2a0-9c8b-4a60-8a62-4f3f5a3c9d10"}',
        '{"type": "tool_use", "id": "toolu_01XRoZdcK8zYPFboH1TxEyeX", "name": "read_token"}',
        '{"next_page_token": "CAESEAoMCgV0aXRsZRIDYXNjGAEaBFNreVo", "primary_key": "9fceb02d0ae598e95dc970b74767f193"}',
        '"@sdk/token-providers": "3.1041.0", "@sdk/types": "3.972.13"',
        "--- PASS: TestNewGeminiCLIAgent (0.00s)\n=== RUN   TestDecodeV2LSRefs",
        "pass  # the hook at 0x7f3a2b1c9d40",
        "for key in self.userCfg:\n    self.userCfg[key].Save()",
        "credentials = tlscert.GRPCClientCredentials(cfg.SkipTLSVerify)",
        "publicKeyToken=b77a5c561934e089, Version=4.0.0.0",
        "token_hash: 9fceb02d0ae598e95dc970b74767f193, key_id: 5c7ae2a09c8b4a608a624f3f5a3c9d10",
        "kind: Deployment\ndata:\n  site.bin: YWJjZGVmZ2hpamtsbW5vcA==",
        "git log -p 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "the tokens that were saved: 1,234,567 of 2,345,678",
        "Set-Cookie: theme=dark; Path=/; Version=1",
        "http://user:password@host.example/path",
    ],
)
def test_what_identifies_other_things_stays(text: str) -> None:
    assert redact(text) == text


def test_five_megabytes_of_source_hold_hardly_a_finding() -> None:
    """The standard library without its tests, which hold keys on purpose."""
    folder, kinds, chars = Path(os.__file__).parent, [], 0
    for file in sorted(folder.rglob("*.py")):
        if chars > 5_000_000:
            break
        if not {"site-packages", "test", "tests", "idle_test"} & set(file.parts):
            text = file.read_text("utf-8", "replace")
            kinds += re.findall(r"\[redacted ([\w-]+)\]", redact(text))
            chars += len(text)
    assert len(kinds) <= 6


@pytest.mark.parametrize("split", ["-----END", "\n"])
def test_a_part_of_a_key_goes_and_what_follows_stays(split: str) -> None:
    part = PEM[: PEM.rindex(split)].rstrip("\n")
    assert redact(f"cat id\n{part}\nTotal: 12 files\n") == "cat id\n[redacted private-key]\nTotal: 12 files\n"
    body = PEM.partition("\n")[2]
    assert redact(f"tail id\n{body}\ndone") == "tail id\n[redacted private-key]\ndone"


def test_a_key_is_known_by_how_its_encoding_begins() -> None:
    body = "\n".join(("MIIEpAIBAAKCAQEA" + made(48), made(64), made(60)))
    assert redact(f"it begins\n{body}\nthe end") == "it begins\n[redacted private-key]\nthe end"


def test_all_values_of_a_secret_of_kubernetes_go() -> None:
    told = redact('kind: Secret\nmetadata:\n  name: db\ndata:\n  user: cm9vdA==\n  site: "c2l0ZQ=="\ntype: Opaque\n')
    assert told == (
        "kind: Secret\nmetadata:\n  name: db\n"
        'data:\n  user: [redacted secret]\n  site: "[redacted secret]"\ntype: Opaque\n'
    )
    told = redact('{"data": {"user": "cm9vdA==", "site": "c2l0ZQ=="}, "kind": "Secret"}')
    assert told == '{"data": {"user": "[redacted secret]", "site": "[redacted secret]"}, "kind": "Secret"}'


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
    assert is_installed()
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
    assert detect_kinds(text) == ()


def test_a_tree_is_redacted_by_value_and_by_name_and_hashes_stay() -> None:
    secret, password, key = SHAPED["npm-token"], "s3cr3t!pw", "9fceb02d0ae598e95dc970b74767f193"
    tree: Any = {"key": key, "password": password, "list": [f"a {secret}", 1, None], secret: {"token": made(30)}}
    assert redact_tree(tree) == {
        "key": key,
        "password": "[redacted password]",
        "list": ["a [redacted npm-token]", 1, None],
        "[redacted npm-token]": {"token": "[redacted token]"},
    }


FRAGMENTS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["password", "token", "API_KEY", "=", ": ", " is ", '"', "\n", "\\\n", "\\n", "[redacted key]", "://", "@"]
    ),
    st.sampled_from(
        ["密码", "是", "：", "mật khẩu", "-----BEGIN PRIVATE KEY-----", "kind: Secret\ndata:\n", "  ", "Bearer "]
    ),
    st.builds(lambda kind, seed: next(drawn_values(kind, 1, seed)), st.sampled_from(CLASSES), st.integers(0, 99)),
    st.sampled_from([*SHAPED.values(), "--password ", "<password>", "</password>", "value=", "key", "secret"]),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(FRAGMENTS, max_size=14).map("".join))
def test_any_text_goes_through_and_once_is_enough(text: str) -> None:
    told = redact(text)
    assert redact(told) == told
    assert is_rest_of(told, text)


@settings(max_examples=30)
@given(st.sampled_from(sorted(SHAPED)), st.text(max_size=30), st.text(max_size=30))
def test_no_neighbour_saves_a_credential(kind: str, before: str, after: str) -> None:
    secret = SHAPED[kind]
    assert secret not in redact(f"{before} {secret} {after}")


HOSTILE = [
    *(
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "token",
        "password=",
        "://a:",
        "eyJa",
        "sk-a",
        "-u a:",
    ),
    *("token:", "key=a1B2", '\\"key\\":', '"', "password is ", "secret\n", "Ab1", " -p ", "kind: Secret\ndata:\n a: "),
    *("MIIEpAIBAAKCAQEA", "密码", "password: a1\n", ":5432:a:", "<password a>", "cookie: a=", "pw=aB", "a.b-c_"),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_no_text_takes_more_than_linear_time(piece: str) -> None:
    """Long inputs come back at all: with a quadratic pattern this would not end within hours."""
    assert redact(piece * 20_000)


@pytest.mark.parametrize("piece", HOSTILE)
def test_calls_grow_with_the_text(piece: str) -> None:
    once, twice = (calls(lambda: redact(piece * count)) for count in (1_000, 2_000))  # noqa: B023
    assert twice <= 2.3 * once + 100


def calls(action: Callable[[], Any]) -> int:
    """How many functions an action calls, those written in C among them."""
    made = 0

    def counted(frame: Any, event: str, argument: Any) -> None:
        nonlocal made
        made += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        action()
    finally:
        sys.setprofile(before)
    return made
