"""What `doctor` says about settings."""

from msgspec.structs import replace

from secateur.policy import give_advice, load
from secateur.policy.openclaw_config import convert_config

API_KEY = {"auth": {"profiles": {"a": {"provider": "anthropic", "mode": "api_key"}}}}
MODELS = {"agents": {"defaults": {"models": {"anthropic/claude-opus-4-5": {}}}}}


def test_presets_that_keep_skills_and_turns_need_no_advice() -> None:
    assert give_advice(load("opencode")) == []
    assert give_advice(load("kilocode")) == []
    assert give_advice(load("observe")) == []


def test_an_unprotected_skill_is_named() -> None:
    policy = load({"extends": "opencode", "protect": {"tools": []}})
    assert [told for told in give_advice(policy) if "`skill`" in told]
    assert give_advice(load({"extends": "opencode", "protect": {"tools": [], "tool_kinds": ["skill"]}})) == []
    assert give_advice(load({"extends": "opencode", "protect": {"tools": ["SK*"]}})) == []


def test_fewer_than_two_turns_are_named() -> None:
    assert give_advice(load({"extends": "opencode", "protect": {"last_turns": 1}}))[0].startswith(
        "only the last 1 user turns are protected"
    )
    assert give_advice(load({"extends": "kilocode", "protect": {"last_turns": 0}}))
    assert give_advice(load({"extends": "opencode", "protect": {"last_turns": 0, "last_messages": 20}})) == []


def test_a_ttl_beside_the_caches_lifetime_is_named() -> None:
    told = give_advice(convert_config(API_KEY | MODELS, load("openclaw")))
    assert "ttl is 300 s and anthropic/claude-opus-4-5 cacheControlTtl is 1h" in told[-1]
    alike = convert_config(API_KEY | MODELS | {"agent": {"contextPruning": {"ttl": "1h"}}}, load("openclaw"))
    assert not [one for one in give_advice(alike) if "ttl" in one]


def test_a_policy_that_never_prunes_needs_no_advice() -> None:
    assert give_advice(replace(load("hermes"), prune=())) == []
    assert give_advice(convert_config({"agent": {}}, load("openclaw"))) == []
