"""OpenClaw's own configuration: paths, coercions, and defaults that follow from the credentials."""

import sys
from pathlib import Path
from typing import Any

import pytest

from secateur.errors import ConfigError
from secateur.model import Part
from secateur.policy import Policy, load
from secateur.policy.openclaw_config import convert_config, detect_credentials
from secateur.policy.windows import resolve
from secateur.schedule import Never, Threshold
from secateur.strategies import HardClear, SoftTrim
from secateur.text.placeholder import fill_template


def of(pruning: dict[str, Any], **config: Any) -> Policy:
    """The policy for these pruning settings, mode on unless they say otherwise."""
    return convert_config(
        {"agents": {"defaults": {"contextPruning": {"mode": "cache-ttl"} | pruning}}} | config, load("openclaw")
    )


def threshold(policy: Policy) -> Threshold:
    assert isinstance(policy.schedule, Threshold)
    return policy.schedule


def hard(policy: Policy) -> HardClear:
    return next(one for one in policy.prune if isinstance(one, HardClear))


def auth(*modes: str, order: list[str] | None = None) -> dict[str, Any]:
    profiles = {f"anthropic:{mode}": {"provider": "anthropic", "mode": mode} for mode in modes}
    return {"auth": {"profiles": profiles, "order": {"anthropic": order or []}}}


def test_the_defaults_are_the_presets() -> None:
    told = of({})
    preset = load("openclaw")
    assert (told.protect, told.prune, told.schedule) == (preset.protect, preset.prune, preset.schedule)


@pytest.mark.parametrize("mode", [None, "off", "CACHE-TTL", "always", 3])
def test_only_the_exact_mode_prunes(mode: Any) -> None:
    pruning = {} if mode is None else {"mode": mode}
    assert isinstance(convert_config({"agent": {"contextPruning": pruning}}, load("openclaw")).schedule, Never)


@pytest.mark.parametrize(
    ("ttl", "idle_over_s"),
    [("5", 300), ("1h", 3_600), ("90s", 90), ("250ms", 0.25), ("1.5h", 5_400), ("2d", 172_800), (" 7m ", 420)]
    + [("zzz", 300), ("", 300), ("0", 0), (5, 300), (None, 300), (True, 300)],
)
def test_ttl(ttl: Any, idle_over_s: float) -> None:
    assert threshold(of({"ttl": ttl})).min_idle_s == idle_over_s


@pytest.mark.parametrize(("stated", "kept"), [(2.9, 2), (0, 0), (-4, 0), ("2", 3), (True, 3), (float("nan"), 3)])
def test_keep_last_assistants(stated: Any, kept: int) -> None:
    assert of({"keepLastAssistants": stated}).protect.last_assistant_messages == kept


@pytest.mark.parametrize(("stated", "soft", "clear"), [(7, 1.0, 1.0), (-1, 0.0, 0.0), (0.4, 0.4, 0.4), ("x", 0.3, 0.5)])
def test_ratios(stated: Any, soft: float, clear: float) -> None:
    told = of({"softTrimRatio": stated, "hardClearRatio": stated})
    assert (threshold(told).min_char_share, hard(told).min_char_share) == (soft, clear)


def test_sizes_are_whole_and_not_negative() -> None:
    told = of({"minPrunableToolChars": -5, "softTrim": {"maxChars": 9.9, "headChars": -1, "tailChars": 3}})
    assert hard(told).min_total_chars == 0
    assert told.prune[0] == SoftTrim(form="ends", max_chars=9, head_chars=0, tail_chars=3)


@pytest.mark.parametrize(
    ("stated", "text"),
    [("  ", "[Old tool result content cleared]"), (" [gone] ", "[gone]"), (7, "[Old tool result content cleared]")],
)
def test_placeholder(stated: Any, text: str) -> None:
    assert hard(of({"hardClear": {"placeholder": stated}})).placeholder == text


def test_braces_in_a_placeholder_are_no_fields() -> None:
    clear = hard(of({"hardClear": {"placeholder": "{gone}"}}))
    assert fill_template(clear.placeholder, Part("tool_result", ())) == "{gone}"


def test_hard_clear_can_be_off() -> None:
    assert [type(one) for one in of({"hardClear": {"enabled": False}}).prune] == [SoftTrim]
    assert len(of({"hardClear": {"enabled": "no"}}).prune) == 2


def test_tools() -> None:
    told = of({"tools": {"allow": ["exec", "read", 3], "deny": ["*image*"]}})
    assert told.protect.prunable_tools == ("exec", "read")
    assert told.protect.tools == ("*image*",)


def test_the_newer_place_wins_setting_by_setting() -> None:
    told = convert_config(
        {
            "agent": {
                "contextPruning": {"mode": "cache-ttl", "ttl": "1h", "softTrim": {"maxChars": 10, "headChars": 1}}
            },
            "agents": {"defaults": {"contextPruning": {"ttl": "2h", "softTrim": {"maxChars": 20}}}},
        },
        load("openclaw"),
    )
    assert threshold(told).min_idle_s == 7_200
    assert told.prune[0] == SoftTrim(form="ends", max_chars=20, head_chars=1)


def test_windows() -> None:
    models = {
        "providers": {
            "anthropic": {"models": [{"id": "claude-x", "contextWindow": 100_000}, {"id": "claude-y"}, "junk"]},
            "mine": {"models": [{"id": "claude-x", "contextWindow": 50_000}, {"id": "z", "contextWindow": -1}]},
            "empty": {},
        }
    }
    told = of({}, models=models)
    assert told.windows == {"anthropic/claude-x": 100_000, "mine/claude-x": 50_000}
    assert resolve(None, "mine/claude-x", told)[0] == 50_000
    capped = convert_config({"agents": {"defaults": {"contextTokens": 80_000}}, "models": models}, load("openclaw"))
    assert resolve(None, "anthropic/claude-x", capped)[0] == 80_000


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        ({}, ""),
        (auth("oauth"), "oauth"),
        (auth("token"), "oauth"),
        (auth("api_key"), "api_key"),
        (auth("api_key", "oauth"), ""),
        (auth("api_key", "oauth", order=["anthropic:oauth"]), "oauth"),
        (auth("api_key", "oauth", order=["gone", "anthropic:api_key"]), "api_key"),
        ({"auth": {"profiles": {"o": {"provider": "openai", "mode": "api_key"}}}}, ""),
        ({"auth": {"profiles": {"o": {"provider": "anthropic"}, "p": "junk"}}}, ""),
    ],
)
def test_credentials(config: dict[str, Any], kind: str) -> None:
    assert detect_credentials(config) == kind


@pytest.mark.parametrize(("mode", "heartbeat"), [("oauth", "1h"), ("token", "1h"), ("api_key", "30m")])
def test_defaults_follow_from_the_credentials(mode: str, heartbeat: str) -> None:
    told = convert_config(auth(mode), load("openclaw"))
    assert threshold(told).min_idle_s == 300
    assert told.host_settings["heartbeat"] == heartbeat
    assert told.host_settings["contextPruning.mode"] == "cache-ttl"


def test_each_stated_setting_wins_singly() -> None:
    stated = {
        "agents": {
            "defaults": {
                "contextPruning": {"mode": "off"},
                "heartbeat": {"every": "55m"},
                "model": {"primary": "anthropic/claude-opus-4-5"},
                "models": {
                    "anthropic/claude-sonnet-4-5": {"params": {"cacheControlTtl": "5m"}},
                    "claude-haiku-4-5": {},
                    "openai/gpt-5": {},
                },
            }
        }
    }
    told = convert_config(auth("api_key") | stated, load("openclaw"))
    assert isinstance(told.schedule, Never)
    assert told.host_settings == {
        "contextPruning.mode": "off",
        "credentials": "api_key",
        "heartbeat": "55m",
        "anthropic/claude-sonnet-4-5 cacheControlTtl": "5m",
        "claude-haiku-4-5 cacheControlTtl": "1h",
        "anthropic/claude-opus-4-5 cacheControlTtl": "1h",
    }
    oauth = convert_config(
        auth("oauth") | {"agents": {"defaults": {"model": "anthropic/claude-opus-4-5"}}}, load("openclaw")
    )
    assert not [name for name in oauth.host_settings if "cacheControlTtl" in name]


def test_the_file_is_json5(tmp_path: Path) -> None:
    file = tmp_path / "openclaw.json5"
    file.write_text(
        "// mine\n{ agent: { contextPruning: { mode: 'cache-ttl', ttl: '10m', tools: { deny: ['*image*',], }, }, }, }\n"
    )
    told = load(file)
    assert told.name == "openclaw"
    assert threshold(told).min_idle_s == 600
    assert told.allow_in_place == "never"
    plain = tmp_path / "openclaw.json"
    plain.write_text('{"agent": {"contextPruning": {"mode": "off"}}}')
    assert isinstance(load(plain).schedule, Never)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{ agent: ", "is not JSON5"),
        ("[]", "is not a configuration of OpenClaw"),
        ('{"name": "x"}', "has none of agent, agents"),
    ],
)
def test_what_is_no_configuration(text: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "openclaw.json5"
    file.write_text(text)
    with pytest.raises(ConfigError, match=says):
        load(file)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load(tmp_path / "openclaw.json5")


def test_without_the_reader_of_json5_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyjson5", None)  # as where it is not installed
    with pytest.raises(ConfigError, match=r"pip install secateur\[cli\]"):
        load(tmp_path / "openclaw.json5")
