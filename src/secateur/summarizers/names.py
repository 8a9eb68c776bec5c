"""Names of summarizers, as they are written in a policy or on a command line, and what each stands for.

    anthropic:claude-haiku-4-5            openai:gpt-5-mini            gemini:gemini-2.5-flash
    openai-chat:gpt-4.1-mini              http://127.0.0.1:8080/v1#qwen?window=8192

Rule: a name says where the conversation goes; nothing is guessed from a model's name alone. A key is never part of it.
"""

import os
import re
from collections.abc import Callable
from ipaddress import ip_address
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from msgspec import Struct

from secateur.errors import ConfigError
from secateur.redact import detect_kinds
from secateur.summarizers.endpoint import Endpoint, is_local
from secateur.text.suggestions import suggest_names

DEFAULT_WINDOW = 128_000  # of a provider's model that no table knows
SERVER_WINDOW = 8_192  # of a server whose window is not stated: asked part by part, it still answers
SERVER_KEY = "SECATEUR_SUMMARIZER_KEY"
PARALLEL = 4  # simultaneous questions to a provider; your own server gets one at a time by default
_OPTIONS = ("window", "max_output", "parallel", "key")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")

Windows = Callable[[str], int | None]


class Vendor(Struct, frozen=True):
    """A provider with a name."""

    title: str
    package: str  # its client
    url: str
    url_from: str  # the environment variable that says otherwise
    keys: tuple[str, ...]


_OPENAI = ("openai", "https://api.openai.com/v1", "OPENAI_BASE_URL", ("OPENAI_API_KEY",))
VENDORS: dict[str, Vendor] = {
    "anthropic": Vendor(
        "Anthropic's Messages API",
        "anthropic",
        "https://api.anthropic.com",
        "ANTHROPIC_BASE_URL",
        ("ANTHROPIC_API_KEY",),
    ),
    "openai": Vendor("OpenAI's Responses API", *_OPENAI),
    "openai-chat": Vendor("OpenAI's Chat Completions API", *_OPENAI),
    "gemini": Vendor(
        "Google's Gemini API",
        "google.genai",
        "https://generativelanguage.googleapis.com",
        "GOOGLE_GEMINI_BASE_URL",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    ),
}


def parse_endpoint(name: str, window_of: Windows) -> Endpoint:
    """The endpoint of a summarizer's name. Raises ConfigError for an unknown one."""
    if detect_kinds(name):
        raise ConfigError(f"a summarizer's name must not contain a key: set it in the environment ({SERVER_KEY})")
    if name.startswith(("http://", "https://")):
        return _make_server_endpoint(name, window_of)
    vendor, colon, model = name.partition(":")
    if vendor not in VENDORS or not colon:
        raise ConfigError(f"unknown summarizer {name!r}: {_suggest_name(vendor)}")
    model, options = _parse_options(model, name)
    if not model or "key" in options:
        raise ConfigError(f"{name!r} has no model: write {vendor}:MODEL")
    return _make_vendor_endpoint(name, vendor, model, options, window_of)


def _make_vendor_endpoint(name: str, vendor: str, model: str, options: dict[str, str], window_of: Windows) -> Endpoint:
    said = VENDORS[vendor]
    url = os.environ.get(said.url_from, "").strip() or said.url
    made = Endpoint(
        name=name if url == said.url else f"{name} at {urlsplit(url).netloc}",  # a record says where it went
        provider=vendor,
        model=model,
        base_url=_check_url(url, f"{said.url_from}={url}"),
        keys=said.keys,
        window_tokens=_parse_tokens(options, "window", name) or window_of(model) or DEFAULT_WINDOW,
        max_output=_parse_tokens(options, "max_output", name),
        max_parallel=_parse_number(options, "parallel", name) or PARALLEL,
    )
    if not made.get_key() and not made.local:
        raise ConfigError(f"{name} needs a key: set {' or '.join(said.keys)}")
    return made


def _make_server_endpoint(name: str, window_of: Windows) -> Endpoint:
    """The endpoint of any server with the Chat Completions API."""
    whole = urlsplit(name)
    model, options = _parse_options(whole.fragment, name)
    asked = dict(parse_qsl(whole.query, keep_blank_values=True))
    options = _check_options(asked, name) | options
    if not model:
        raise ConfigError(f"{name!r} has no model: write {name.partition('#')[0]}#MODEL")
    key = options.get("key", SERVER_KEY)
    if not _VARIABLE.match(key):
        raise ConfigError(
            f"in {name.partition('?')[0]!r} `key` must be the name of an environment variable, not the key itself"
        )
    if "key" in options and not os.environ.get(key):
        raise ConfigError(f"{name} takes its key from {key}, which is not set")
    return Endpoint(
        name=name,
        provider="openai-chat",
        model=model,
        base_url=_check_url(urlunsplit((whole.scheme, whole.netloc, whole.path, "", "")), name),
        keys=(key,),
        window_tokens=_parse_tokens(options, "window", name) or window_of(model) or SERVER_WINDOW,
        max_output=_parse_tokens(options, "max_output", name),
        max_parallel=_parse_number(options, "parallel", name) or 1,
    )


def _parse_options(model: str, name: str) -> tuple[str, dict[str, str]]:
    """Split a model name from the options after a `?`."""
    model, _, query = model.partition("?")
    return model.strip(), _check_options(dict(parse_qsl(query, keep_blank_values=True)), name)


def _check_options(options: dict[str, str], name: str) -> dict[str, str]:
    strange = next((one for one in options if one not in _OPTIONS), None)
    if strange is not None:
        raise ConfigError(f"{name!r} has an unknown option {strange!r}: choose from {', '.join(_OPTIONS)}")
    return options


def _parse_tokens(options: dict[str, str], option: str, name: str) -> int:
    """The number of tokens in an option; 0 if it is not stated."""
    return _parse_number(options, option, name, "a number of tokens")


def _parse_number(options: dict[str, str], option: str, name: str, what: str = "a number of questions") -> int:
    said = options.get(option, "0")
    if not said.isascii() or not said.isdigit():
        raise ConfigError(f"in {name!r} `{option}` must be {what}, not {said!r}")
    return int(said)


def _check_url(url: str, shown: str) -> str:
    """The address, if a conversation can be sent there."""
    try:
        whole = urlsplit(url)
        port = whole.port
    except ValueError as error:
        raise ConfigError(f"{shown!r} is not a valid address: {error}") from error
    if whole.scheme not in ("http", "https") or not whole.hostname or port == 0:
        raise ConfigError(f"{shown!r} is not a valid address: write http://HOST:PORT/v1")
    if whole.username or whole.password:
        raise ConfigError(f"the address of {whole.hostname} contains a user or a password: set the key in {SERVER_KEY}")
    if whole.scheme == "http" and not (is_local(url) or _is_private_host(whole.hostname)):
        raise ConfigError(f"{shown!r} would send the conversation and the key in the clear: write https://")
    return url.rstrip("/")


def _is_private_host(host: str) -> bool:
    """Whether an address is on a private network: a private IP, or a name without a domain."""
    try:
        return ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith(".local")


def _suggest_name(said: str) -> str:
    near = suggest_names(said, (*VENDORS, "extractive"))
    all_of = f"{', '.join(f'{one}:MODEL' for one in VENDORS)}, http://HOST:PORT/v1#MODEL, extractive"
    return f"did you mean {near}? There are {all_of}" if near else f"there are {all_of}"
