"""Our own summarizers pass what others' are asked to pass; those of providers behind a scripted upstream."""

import pytest

from secateur.summarizers import Extractive, Function, Summarizer, parse
from secateur.testing import SummarizerKit
from upstream import spoken, streams, upstream

PROVIDERS = ("anthropic", "openai", "openai-chat", "gemini")
LAWS = [name for name in vars(SummarizerKit) if name.startswith("test_")]
TEXT = "## Goal\n- mend the gate"


def keep(law: str, tested: Summarizer) -> None:
    class Kit(SummarizerKit):
        def summarizer(self) -> Summarizer:
            return tested

    getattr(Kit(), law)()


@pytest.mark.parametrize("tested", [Extractive(), Function("mine", lambda ask: TEXT)], ids=lambda one: one.name)
@pytest.mark.parametrize("law", LAWS)
def test_one_without_a_provider_keeps_the_law(tested: Summarizer, law: str) -> None:
    keep(law, tested)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("law", LAWS)
def test_one_of_a_provider_keeps_the_law(provider: str, law: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_AUTH_TOKEN", "GOOGLE_API_KEY", "SECATEUR_SUMMARIZER_KEY", "OPENAI_ORG_ID"):
        monkeypatch.delenv(name, raising=False)
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, "k-7Qd2mZx9Lw4Rt6Yp")
    with upstream(streams(spoken(provider, TEXT))) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        keep(law, parse(f"{provider}:m", local_only=True)[0])
