"""What names stand for, and what is said of those that stand for nothing."""

import pytest

from secateur.compaction.ask import Ask, SummaryAnswer
from secateur.errors import ConfigError
from secateur.summarizers import SUMMARIZERS, Extractive, Function, parse, require_local
from secateur.summarizers.names import DEFAULT_WINDOW, SERVER_WINDOW
from secateur.summarizers.provider import Provider


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, "k")


def one(name: str, **more: bool) -> Provider:
    (made,) = parse(name, **more)  # type: ignore[arg-type]
    assert isinstance(made, Provider)
    return made


@pytest.mark.parametrize(
    ("name", "provider", "model", "host"),
    [
        ("anthropic:claude-haiku-4-5", "anthropic", "claude-haiku-4-5", "api.anthropic.com"),
        ("openai:gpt-5-mini", "openai", "gpt-5-mini", "api.openai.com"),
        ("openai-chat:ft:gpt-4.1:acme", "openai-chat", "ft:gpt-4.1:acme", "api.openai.com"),
        ("gemini:gemini-2.5-flash", "gemini", "gemini-2.5-flash", "generativelanguage.googleapis.com"),
        ("http://127.0.0.1:8080/v1#qwen", "openai-chat", "qwen", "127.0.0.1:8080"),
        ("https://llm.example.com/api/v1#a/b", "openai-chat", "a/b", "llm.example.com"),
        ("http://10.0.0.7:11434/v1#qwen3:4b", "openai-chat", "qwen3:4b", "10.0.0.7:11434"),
        ("http://ollama:11434/v1#qwen3", "openai-chat", "qwen3", "ollama:11434"),
    ],
)
def test_a_name_says_who_is_asked_and_where(name: str, provider: str, model: str, host: str) -> None:
    made = one(name)
    assert (made.name, made.to.provider, made.to.model, made.host) == (name, provider, model, host)


def test_windows_are_stated_or_known_or_careful() -> None:
    assert one("openai:gpt-5-mini?window=9000&max_output=500").to.window_tokens == 9_000
    assert one("openai:gpt-5-mini?window=9000&max_output=500").max_output == 500
    assert one("http://localhost:1/v1?window=4096#m").window_tokens == 4_096
    assert one("http://localhost:1/v1#m?window=4096").window_tokens == 4_096
    assert one("openai:new").window_tokens == DEFAULT_WINDOW
    assert [one(name).max_parallel for name in ("openai:new", "openai:new?parallel=9")] == [4, 9]
    assert [one(f"http://localhost:1/v1#m{more}").max_parallel for more in ("", "?parallel=2")] == [1, 2]
    assert one("http://localhost:1/v1#m").window_tokens == SERVER_WINDOW
    (known,) = parse("openai:new", window_of={"new": 50_000}.get)
    assert known.window_tokens == 50_000


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("antropic:claude", "did you mean anthropic?"),
        ("claude-haiku-4-5", "unknown summarizer"),
        ("extractiv", "did you mean extractive?"),
        ("", "unknown summarizer"),
        ("anthropic", "unknown summarizer|has no model"),
        ("anthropic:", "has no model"),
        ("http://127.0.0.1:8080/v1", "#MODEL"),
        ("http://127.0.0.1:99999/v1#m", "not a valid address"),
        ("http:///v1#m", "not a valid address"),
        ("http://llm.example.com/v1#m", "in the clear"),
        ("https://user:word@llm.example.com/v1#m", "must not contain a key"),
        ("https://user@llm.example.com/v1#m", "contains a user or a password"),
        ("https://llm.example.com/v1?speed=9#m", "'speed'"),
        ("openai:gpt-5?window=big", "number of tokens"),
        ("https://llm.example.com/v1?key=a-b#m", "must be the name of an environment variable"),
        ("https://llm.example.com/v1?key=NOT_SET_ANYWHERE#m", "NOT_SET_ANYWHERE, which is not set"),
    ],
)
def test_what_stands_for_nothing_is_told(name: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        parse(name)


def test_a_key_in_a_name_is_not_repeated() -> None:
    secret = "sk-" + "ant-api03-" + "aB3" * 20
    with pytest.raises(ConfigError) as told:
        parse(f"https://llm.example.com/v1?key={secret}#m")
    assert secret not in str(told.value)


def test_a_missing_key_is_an_error_but_for_a_server_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", " ")
    with pytest.raises(ConfigError, match="set GEMINI_API_KEY or GOOGLE_API_KEY"):
        parse("gemini:m")
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9")
    assert one("gemini:m").host == "127.0.0.1:9"


@pytest.mark.parametrize(
    "name",
    [
        "anthropic:m",
        "openai:m",
        "gemini:m",
        "https://llm.example.com/v1#m",
        "http://10.0.0.7/v1#m",
        "http://ollama/v1#m",
        "http://0.0.0.0:80/v1#m",
        "https://localhost.example.com/v1#m",
    ],
)
def test_local_only_forbids_every_other_machine(name: str) -> None:
    with pytest.raises(ConfigError, match="local_only"):
        parse("extractive", name, local_only=True)


def test_local_only_allows_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http://127.0.0.1:8080/v1#m", "http://localhost/v1#m", "http://[::1]:8080/v1#m", "extractive"):
        assert parse(name, local_only=True)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8080/v1")
    assert one("openai:m", local_only=True).to.local
    require_local([Function("mine", lambda ask: "text")])
    with pytest.raises(ConfigError, match="vendor.example.com"):
        require_local([Function("theirs", lambda ask: "text", host="vendor.example.com")])


def test_the_order_is_kept_and_extractive_needs_nothing() -> None:
    names = ("openai:a", "http://localhost/v1#b", "extractive")
    assert tuple(made.name for made in parse(*names)) == names
    assert isinstance(parse("extractive")[0], Extractive)
    assert set(SUMMARIZERS) == {"extractive", "anthropic", "openai", "openai-chat", "gemini", "http"}


def test_a_missing_client_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secateur.summarizers.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"needs the package anthropic: pip install 'secateur\[summarizers\]'"):
        parse("anthropic:m")


def test_nothing_heavy_is_loaded_for_a_name() -> None:
    import subprocess
    import sys

    code = (
        "import sys, os; os.environ['ANTHROPIC_API_KEY'] = 'k'; from secateur.summarizers import parse;"
        "from secateur.summarizers.run import compact_history;"
        "parse('anthropic:m', 'http://localhost/v1#m', 'extractive');"
        "print({'anthropic', 'openai', 'google.genai', 'httpx2', 'tenacity', 'pydantic'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_an_answer_may_be_made_by_any_function() -> None:
    made = Function("mine", lambda ask: SummaryAnswer("x", calls=1))
    assert made.call(Ask(system="", text="", most_tokens=1, tokens=1)) == SummaryAnswer("x", calls=1)
