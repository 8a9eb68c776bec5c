"""How each client is started behind the proxy: one entry of `LAUNCHES` per client, as values.

Rule: environment variables and arguments only; the user's own settings are neither written nor read. A setting without
a variable is put into a file in a temporary folder, which an argument names. If the user has set a base URL, requests
still go there, through the proxy.
"""

import json
import subprocess
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from secateur.errors import ConfigError
from secateur.proxy.settings import PROVIDERS, Api, check_upstream

TENANT = "local"  # one person, whatever credential is used: sessions are found by `--tenant local`
_SIGN_IN_S = 10.0  # for a client to say how it is signed in
_OPENAI = f"{PROVIDERS['openai']}/v1"


class ClientApi(Struct, frozen=True):
    """An API that a client uses, and where its requests go without the proxy."""

    api: Api
    variable: str = ""  # the client's own variable for the base URL
    default: str = ""  # the base URL without it; "": there is none


class SignIn(Struct, frozen=True):
    """How a client states that a subscription pays, if its requests then go to another address."""

    arguments: tuple[str, ...]  # what the client is asked with
    answer: str  # a text in what it prints, if so
    address: str


class Launch(Struct, frozen=True, kw_only=True):
    """How one client is started. `{anthropic}`, `{openai}`, `{gemini}` and `{folder}` are filled in."""

    title: str
    program: str
    package: str  # on npm
    apis: tuple[ClientApi, ...]
    keys: tuple[str, ...]  # variables that hold an API key; without one, the client may be signed in to a subscription
    arguments: tuple[str, ...] = ()  # before the user's own
    reading: tuple[str, ...] = ()  # also before them: that removed text in {files} may be read without asking
    environment: dict[str, str] = {}
    defaults: dict[str, str] = {}  # environment that the user's own values take precedence over
    merged: dict[str, Any] = {}  # environment whose value is JSON that is merged into the user's own
    files: dict[str, str] = {}  # name in the temporary folder: content
    conflicts: dict[str, str] = {}  # variables with which requests would not reach the proxy, and why
    sign_in: SignIn | None = None
    page: str = ""  # its page in docs/how-to, without the suffix


class ClientStart(Struct, frozen=True):
    """A client ready to be started."""

    arguments: tuple[str, ...]
    environment: dict[str, str]
    files: dict[str, str]


def _build_opencode_config(npm_paths: dict[str, str]) -> dict[str, Any]:
    providers = {name: {"options": {"baseURL": base}} for name, base in npm_paths.items()}
    return {"provider": providers, "compaction": {"prune": False}}


_OPENCODE_PROVIDERS = {"anthropic": "{anthropic}", "openai": "{openai}", "google": "{gemini}"}
_OPENCODE_APIS = (
    ClientApi("anthropic", default=f"{PROVIDERS['anthropic']}/v1"),
    ClientApi("openai", default=_OPENAI),
    ClientApi("gemini", default=f"{PROVIDERS['gemini']}/v1beta"),
)
_PI_EXTENSION = """\
export default function (pi) {
  pi.registerProvider("anthropic", { baseUrl: "{anthropic}" });
  pi.registerProvider("openai", { baseUrl: "{openai}" });
  pi.registerProvider("google", { baseUrl: "{gemini}" });
}
"""

LAUNCHES: dict[str, Launch] = {
    "claude": Launch(
        title="Claude Code",
        program="claude",
        package="@anthropic-ai/claude-code",
        apis=(ClientApi("anthropic", "ANTHROPIC_BASE_URL", PROVIDERS["anthropic"]),),
        keys=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
        environment={"ANTHROPIC_BASE_URL": "{anthropic}"},
        reading=("--allowedTools=Read(/{files}/**)",),  # a path that begins with // is absolute there
        defaults={"ENABLE_TOOL_SEARCH": "true"},  # a custom base URL would turn it off
        conflicts={
            "CLAUDE_CODE_USE_BEDROCK": "requests go to Amazon Bedrock",
            "CLAUDE_CODE_USE_VERTEX": "requests go to Google Vertex AI",
            "CLAUDE_CODE_USE_FOUNDRY": "requests go to Microsoft Foundry",
        },
        page="run-claude-code",
    ),
    "codex": Launch(
        title="Codex",
        program="codex",
        package="@openai/codex",
        apis=(ClientApi("openai", default=_OPENAI),),
        keys=("CODEX_API_KEY", "OPENAI_API_KEY"),
        arguments=("-c", 'openai_base_url="{openai}"'),
        sign_in=SignIn(("login", "status"), "ChatGPT", "https://chatgpt.com/backend-api/codex"),
        page="run-codex",
    ),
    "pi": Launch(
        title="Pi",
        program="pi",
        package="@mariozechner/pi-coding-agent",
        apis=(
            ClientApi("anthropic", default=PROVIDERS["anthropic"]),
            ClientApi("openai", default=_OPENAI),
            ClientApi("gemini", default=f"{PROVIDERS['gemini']}/v1beta"),
        ),
        keys=("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"),
        arguments=("-e", "{folder}/secateur.mjs"),
        files={"secateur.mjs": _PI_EXTENSION},
        page="run-pi",
    ),
    "copilot": Launch(
        title="GitHub Copilot CLI",
        program="copilot",
        package="@github/copilot",
        apis=(ClientApi("openai", "COPILOT_PROVIDER_BASE_URL"),),
        keys=("COPILOT_PROVIDER_API_KEY",),
        environment={"COPILOT_PROVIDER_BASE_URL": "{openai}"},
        page="run-copilot",
    ),
    "opencode": Launch(
        title="opencode",
        program="opencode",
        package="opencode-ai",
        apis=_OPENCODE_APIS,
        keys=("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"),
        environment={"OPENCODE_DISABLE_PRUNE": "1"},  # two that prune the same results would break each other's cache
        merged={"OPENCODE_CONFIG_CONTENT": _build_opencode_config(_OPENCODE_PROVIDERS)},
        page="run-opencode",
    ),
    "kilo": Launch(
        title="Kilo",
        program="kilo",
        package="@kilocode/cli",
        apis=_OPENCODE_APIS,
        keys=("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"),
        environment={"KILO_DISABLE_PRUNE": "1"},
        merged={"KILO_CONFIG_CONTENT": _build_opencode_config(_OPENCODE_PROVIDERS)},
        page="run-kilo",
    ),
    "gemini": Launch(
        title="Gemini CLI",
        program="gemini",
        package="@google/gemini-cli",
        apis=(ClientApi("gemini", "GOOGLE_GEMINI_BASE_URL", PROVIDERS["gemini"]),),
        keys=("GEMINI_API_KEY",),
        environment={"GOOGLE_GEMINI_BASE_URL": "{gemini}"},
        conflicts={"GOOGLE_GENAI_USE_VERTEXAI": "requests go to Google Vertex AI"},
        page="run-gemini-cli",
    ),
    "qwen": Launch(
        title="Qwen Code",
        program="qwen",
        package="@qwen-code/qwen-code",
        apis=(ClientApi("openai", "OPENAI_BASE_URL", _OPENAI),),
        keys=("OPENAI_API_KEY",),
        environment={"OPENAI_BASE_URL": "{openai}"},
        page="run-qwen-code",
    ),
}


def find_upstreams(launch: Launch, environment: Mapping[str, str], stated: Mapping[Api, str]) -> dict[Api, str]:
    """Find where the requests of a client go, by API: as stated, else by the user's variable, else to the provider.

    Raises ConfigError if that is unknown, or if a variable sends requests elsewhere.
    """
    for variable, reason in launch.conflicts.items():
        if environment.get(variable, "").lower() not in ("", "0", "false"):
            raise ConfigError(f"{variable} is set, so {reason} and not through secateur: unset it for this run")
    found: dict[Api, str] = {}
    default = find_signed_in(launch, environment)
    for used in launch.apis:
        own = environment.get(used.variable) if used.variable else ""
        address = stated.get(used.api) or own or default or used.default
        if not address:
            raise ConfigError(f"{launch.title} has no default provider: set {used.variable} to its base URL")
        found[used.api] = check_upstream(address)
    return found


def find_signed_in(launch: Launch, environment: Mapping[str, str]) -> str:
    """Find where requests of a subscription go, if the client is signed in to one; else ""."""
    if launch.sign_in is None or any(map(environment.get, launch.keys)):
        return ""
    try:
        asked = subprocess.run(
            (launch.program, *launch.sign_in.arguments),
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_SIGN_IN_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return launch.sign_in.address if launch.sign_in.answer.encode() in asked.stdout else ""


def build_start(
    launch: Launch,
    arguments: tuple[str, ...],
    environment: Mapping[str, str],
    address: str,
    folder: str,
    files: str = "",
) -> ClientStart:
    """The client's own command line with what leads its requests to a proxy at this address.

    `files` is where removed text is, if placeholders name files. Raises ConfigError.
    """
    names = {"{folder}": folder, "{files}": files} | {f"{{{api}}}": f"{address}/{api}" for api in PROVIDERS}
    given = dict(environment)
    ours = (*launch.arguments, *(launch.reading if files else ()))
    filled = {name: _fill(value, names) for name, value in launch.environment.items()}
    merged = {name: _merge_json(name, value, given.get(name, ""), names) for name, value in launch.merged.items()}
    return ClientStart(
        arguments=(launch.program, *(_fill(argument, names) for argument in ours), *arguments),
        environment={**launch.defaults, **given, **filled, **merged, **_list_proxy_exemptions(given)},
        files={name: _fill(text, names) for name, text in launch.files.items()},
    )


def _fill(text: str, names: Mapping[str, str]) -> str:
    for name, value in names.items():
        text = text.replace(name, value)
    return text


def _merge_json(variable: str, ours: dict[str, Any], own: str, names: Mapping[str, str]) -> str:
    try:
        base = json.loads(own) if own else {}
    except ValueError as error:
        raise ConfigError(f"{variable} is not JSON, so nothing can be added to it: correct or unset it") from error
    if not isinstance(base, dict):
        raise ConfigError(f"{variable} is not a JSON object, so nothing can be added to it: correct or unset it")
    return json.dumps(_merge(base, json.loads(_fill(json.dumps(ours), names))))


def _merge(base: dict[str, Any], ours: dict[str, Any]) -> dict[str, Any]:
    """Both objects, member by member; ours where they differ."""
    merged = dict(base)
    for name, value in ours.items():
        own = merged.get(name)
        merged[name] = _merge(own, value) if isinstance(own, dict) and isinstance(value, dict) else value
    return merged


def _list_proxy_exemptions(environment: Mapping[str, str]) -> dict[str, str]:
    """Requests to this machine must not go through a network proxy that the user has set."""
    if not any(name.lower() in ("http_proxy", "https_proxy", "all_proxy") for name in environment):
        return {}
    return {
        name: ",".join(filter(None, (environment.get(name, ""), "127.0.0.1,localhost")))
        for name in ("NO_PROXY", "no_proxy")
    }
