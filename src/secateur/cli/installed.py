"""What is installed: this package, and what its extras bring.

Rule: facts from the installed packages' own metadata; nothing is imported to find out.
"""

from msgspec import Struct

_EXTRAS = {
    "cli": ("click", "rich", "pyjson5"),
    "tokens": ("toktok-rs",),
    "store": ("platformdirs", "backports-zstd"),
    "secrets": ("detect-secrets",),
    "simulate": ("numpy",),
    "plots": ("vl-convert-python",),
    "parquet": ("pyarrow",),
    "summarizers": ("anthropic", "google-genai", "httpx2", "openai", "tenacity"),
}


class Extra(Struct, frozen=True):
    """One package that an extra brings."""

    extra: str
    package: str
    version: str | None  # null: not installed


def version() -> str:
    """The installed version; a checkout that is not installed has none."""
    return _version_of("secateur") or "(not installed)"


def extras() -> list[Extra]:
    """All packages that extras bring."""
    return [Extra(extra, name, _version_of(name)) for extra, names in _EXTRAS.items() for name in names]


def _version_of(package: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
