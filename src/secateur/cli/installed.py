"""The installed versions: this package, and the packages of its extras.

Rule: facts from the metadata of installed packages; nothing is imported for them.
"""

from msgspec import Struct

EXTRAS = {
    "cli": ("click", "filelock", "rich", "pyjson5"),
    "tokens": ("toktok-rs",),
    "store": ("platformdirs", "backports-zstd"),
    "postgres": ("psycopg",),
    "secrets": ("detect-secrets",),
    "simulate": ("numpy",),
    "plots": ("vl-convert-python",),
    "parquet": ("pyarrow",),
    "mcp": ("mcp",),
    "proxy": ("aiohttp", "brotli", "httptools", "prometheus-client", "uvicorn", "uvloop"),
    "traces": ("opentelemetry-api",),
    "summarizers": ("anthropic", "google-genai", "httpx2", "openai"),
    "langchain": ("langchain",),
    "litellm": ("litellm", "mcp"),
    "openai-agents": ("openai-agents",),
    "pydantic-ai": ("pydantic-ai-slim",),
}
# Distributions whose modules have another name.
_MODULES = {
    "backports-zstd": "backports",
    "google-genai": "google",
    "openai-agents": "agents",
    "opentelemetry-api": "opentelemetry",
    "pydantic-ai-slim": "pydantic_ai",
    "vl-convert-python": "vl_convert",
}


class InstalledExtra(Struct, frozen=True):
    """One package of an extra."""

    extra: str
    package: str
    version: str | None  # null: not installed


def get_version() -> str:
    """The installed version; a checkout that is not installed has none."""
    return _get_version_of("secateur") or "(not installed)"


def list_extras() -> list[InstalledExtra]:
    """All packages of all extras."""
    return [InstalledExtra(extra, name, _get_version_of(name)) for extra, names in EXTRAS.items() for name in names]


def find_extra(module: str) -> str:
    """The extra that provides a module, by the module's full name; "" if none does."""
    top = module.partition(".")[0]
    for extra, names in EXTRAS.items():
        if any(top == _MODULES.get(name, name.replace("-", "_")) for name in names):
            return extra
    return ""


def _get_version_of(package: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
