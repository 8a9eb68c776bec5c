"""How a test starts each agent: headless, in a home of its own, with updates, telemetry and catalogs turned off.

The agents are those of package-lock.json, installed into `.clients` by `make clients`, and of more/package-lock.json,
installed by `make more-clients`. `Desk.run` starts one directly or by `secateur run`; both use the same environment, so
that nothing but the proxy differs.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct, structs

from cli_runs import secateur_in

ROOT = Path(__file__).parent.parent.parent
CLIENTS = ROOT / ".clients"
THRIFTY = str(Path(__file__).with_name("thrifty.toml"))  # a policy that prunes short sessions in few epochs
RUN_S = 300  # the longest that a run may take
PROMPT = "Read the notes one after the other and tell me when all of them are read."
_QUIET = {"DO_NOT_TRACK": "1", "CI": "1", "NO_COLOR": "1", "TERM": "dumb", "LANG": "C.UTF-8"}
_PI_EXTENSION = """\
export default function (pi) {
  pi.registerProvider("anthropic", { baseUrl: "URL" });
}
"""


_OPENCODE = {"autoupdate": False, "share": "disabled", "permission": {"*": "allow"}}
_NO_STATISTICS = {"privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False}}
_GEMINI = {**_NO_STATISTICS, "security": {"auth": {"selectedType": "gemini-api-key"}}}
_COPILOT = CLIENTS / "copilot"  # what it unpacks once, 240 MB; without it each home gets its own
_GEMINI["general"] = {"disableAutoUpdate": True, "enableAutoUpdate": False}
_QWEN = {**_NO_STATISTICS, "security": {"auth": {"selectedType": "openai"}}, "general": {"enableAutoUpdate": False}}


class Agent(Struct, frozen=True, kw_only=True):
    """One agent, as it is tested."""

    name: str  # as `secateur run` takes it
    api: str  # whose upstream the scripted one is
    arguments: tuple[str, ...]  # of every run; the prompt comes last
    environment: dict[str, str]
    direct: Callable[[str, Path], tuple[tuple[str, ...], dict[str, str]]]  # arguments and environment without proxy
    sessions: str = ""  # where it keeps its session files, under its home; "": they are no lines of JSON
    resume: tuple[str, ...]  # arguments that continue the last session
    files: dict[str, str] = {}  # under its home
    is_more: bool = False  # installed by `make more-clients`
    upstream_path: str = ""  # of the address that --upstream names
    upstream_variable: str = ""  # in which the user would name it instead
    program: str = ""  # below node_modules, where npm links none


class Ran(Struct, frozen=True):
    """How a run ended."""

    code: int
    out: str
    err: str


def _direct_claude(url: str, home: Path) -> tuple[tuple[str, ...], dict[str, str]]:
    return (), {"ANTHROPIC_BASE_URL": url, "ENABLE_TOOL_SEARCH": "true"}


def _direct_codex(url: str, home: Path) -> tuple[tuple[str, ...], dict[str, str]]:
    return ("-c", f'openai_base_url="{url}/v1"'), {}


def _direct_pi(url: str, home: Path) -> tuple[tuple[str, ...], dict[str, str]]:
    extension = home / "direct.mjs"
    extension.write_text(_PI_EXTENSION.replace("URL", url))
    return ("-e", str(extension)), {}


def _direct_gemini(url: str, home: Path) -> tuple[tuple[str, ...], dict[str, str]]:
    return (), {"GOOGLE_GEMINI_BASE_URL": url}


def _direct_qwen(url: str, home: Path) -> tuple[tuple[str, ...], dict[str, str]]:
    return (), {"OPENAI_BASE_URL": f"{url}/v1"}


def _direct_opencode(url: str, home: Path) -> tuple[tuple[str, ...], dict[str, str]]:
    config = {**_OPENCODE, "provider": {"anthropic": {"options": {"baseURL": f"{url}/v1"}}}}
    return (), {"OPENCODE_CONFIG_CONTENT": json.dumps(config), "OPENCODE_DISABLE_PRUNE": "1"}


def _direct_kilo(url: str, home: Path) -> tuple[tuple[str, ...], dict[str, str]]:
    config = {**_OPENCODE, "provider": {"anthropic": {"options": {"baseURL": f"{url}/v1"}}}}
    return (), {"KILO_CONFIG_CONTENT": json.dumps(config)}


def _direct_copilot(url: str, home: Path) -> tuple[tuple[str, ...], dict[str, str]]:
    return (), {"COPILOT_PROVIDER_BASE_URL": f"{url}/v1"}


AGENTS = {
    "claude": Agent(
        name="claude",
        api="anthropic",
        arguments=("--model", "claude-sonnet-4-5", "--allowedTools", "Bash", "--output-format", "json", "-p"),
        environment={
            "ANTHROPIC_API_KEY": "sk-ant-none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_AUTOUPDATER": "1",
        },
        direct=_direct_claude,
        sessions=".claude/projects",
        resume=("--continue",),
        upstream_variable="ANTHROPIC_BASE_URL",
    ),
    "codex": Agent(
        name="codex",
        api="openai",
        arguments=(
            *("-c", 'approval_policy="never"', "-c", 'sandbox_mode="danger-full-access"'),
            *("-c", "check_for_update_on_startup=false", "-c", "analytics.enabled=false", "-m", "gpt-5-codex"),
            *("exec", "--skip-git-repo-check", "--json"),
        ),
        environment={"CODEX_API_KEY": "sk-none"},
        direct=_direct_codex,
        sessions=".codex/sessions",
        resume=("resume", "--last"),
        upstream_path="/v1",
    ),
    "pi": Agent(
        name="pi",
        api="anthropic",
        arguments=("--provider", "anthropic", "--model", "claude-sonnet-4-5", "-p"),
        environment={
            "ANTHROPIC_API_KEY": "sk-ant-none",
            "PI_OFFLINE": "1",
            "PI_SKIP_VERSION_CHECK": "1",
            "PI_TELEMETRY": "0",
        },
        direct=_direct_pi,
        sessions=".pi/agent/sessions",
        resume=("--continue",),
    ),
    "copilot": Agent(
        name="copilot",
        api="openai",
        arguments=("--allow-all-tools", "--no-color", "-p"),
        environment={
            "COPILOT_PROVIDER_TYPE": "openai",
            "COPILOT_PROVIDER_API_KEY": "sk-none",
            "COPILOT_MODEL": "gpt-5",
            "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
            **({"COPILOT_PKG_CACHE_HOME": str(_COPILOT)} if _COPILOT.exists() else {}),
        },
        direct=_direct_copilot,
        sessions=".copilot/session-state",
        resume=("--continue",),
        upstream_path="/v1",
        upstream_variable="COPILOT_PROVIDER_BASE_URL",
    ),
    "gemini": Agent(
        name="gemini",
        api="gemini",
        arguments=("-m", "gemini-2.5-pro", "--approval-mode", "yolo", "-p"),
        environment={"GEMINI_API_KEY": "none", "GEMINI_CLI_TRUST_WORKSPACE": "true"},
        direct=_direct_gemini,
        files={".gemini/settings.json": json.dumps(_GEMINI)},
        resume=("--resume", "latest"),
        upstream_variable="GOOGLE_GEMINI_BASE_URL",
        is_more=True,
    ),
    "qwen": Agent(
        name="qwen",
        api="openai",
        arguments=("--approval-mode", "yolo", "-p"),
        environment={"OPENAI_API_KEY": "sk-none", "OPENAI_MODEL": "gpt-5"},
        direct=_direct_qwen,
        files={".qwen/settings.json": json.dumps(_QWEN)},
        resume=("--continue",),
        upstream_path="/v1",
        upstream_variable="OPENAI_BASE_URL",
        is_more=True,
    ),
    "opencode": Agent(
        name="opencode",
        api="anthropic",
        arguments=("run", "-m", "anthropic/claude-sonnet-4-5", "--"),
        environment={
            "ANTHROPIC_API_KEY": "sk-ant-none",
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            "OPENCODE_CONFIG_CONTENT": json.dumps(_OPENCODE),
        },
        direct=_direct_opencode,
        resume=("--continue",),
        upstream_path="/v1",
        is_more=True,
    ),
}


KILO = structs.replace(  # its own package lacks the program, so only that of one platform is installed
    AGENTS["opencode"],
    name="kilo",
    program="@kilocode/cli-linux-x64/bin/kilo",
    environment={
        "ANTHROPIC_API_KEY": "sk-ant-none",
        "KILO_TELEMETRY_LEVEL": "off",
        "KILO_DISABLE_MODELS_FETCH": "1",
        "KILO_DISABLE_AUTOUPDATE": "1",
        "KILO_DISABLE_LSP_DOWNLOAD": "1",
    },
    direct=_direct_kilo,
)


def find_program(agent: Agent) -> Path:
    """The agent's program, whether it is installed or not."""
    modules = CLIENTS / ("more" if agent.is_more else "") / "node_modules"
    return modules / (agent.program or f".bin/{agent.name}")


def find_obstacle(agent: Agent) -> str:
    """Why an agent cannot be run here; "" if it can."""
    if shutil.which("node") is None:
        return "there is no node"
    target = "more-clients" if agent.is_more else "clients"
    return "" if find_program(agent).exists() else f"{agent.name} is not installed: make {target}"


class Desk(Struct, frozen=True):
    """A home of its own for one agent."""

    agent: Agent
    home: Path

    @property
    def work(self) -> Path:
        """Where the agent works."""
        return self.home / "work"

    def run(
        self,
        url: str,
        *arguments: str,
        mode: str = "",
        policy: str = "balance",
        prompt: str = PROMPT,
        recall: str = "",
    ) -> Ran:
        """Run the agent once, directly, or behind the proxy in a mode. `url` is the scripted provider's."""
        agent = self.agent
        self.work.mkdir(parents=True, exist_ok=True)
        for name, text in agent.files.items():
            (self.home / name).parent.mkdir(parents=True, exist_ok=True)
            (self.home / name).write_text(text)
        environment = self.make_environment()
        if mode:
            address = url + agent.upstream_path
            options = ("--mode", mode, "--policy", policy, f"--upstream-{agent.api}", address)
            ours = ("run", *options, *(("--recall", recall) if recall else ()), agent.name)
            environment |= {agent.upstream_variable: address} if agent.upstream_variable else {}
        else:
            ours, more = agent.direct(url, self.home)
            environment |= more
        command = (*ours, *agent.arguments[:-1], *arguments, agent.arguments[-1], prompt)
        if mode:
            behind = secateur_in(self.work, environment, *command, seconds=RUN_S)
            return Ran(behind.code, behind.text, behind.err)
        done = subprocess.run(
            [str(find_program(agent)), *command],
            cwd=self.work,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=RUN_S,
            check=False,
            text=True,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def read_sessions(self) -> list[str]:
        """The agent's own session files, by name."""
        if not self.agent.sessions:
            return []
        folder = self.home / self.agent.sessions
        return [path.read_text() for path in sorted(folder.rglob("*.jsonl"))]

    def make_environment(self) -> dict[str, str]:
        path = os.pathsep.join((str(find_program(self.agent).parent), os.environ["PATH"]))
        store = f"sqlite:///{self.home}/secateur.db"
        return {"HOME": str(self.home), "PATH": path, "SECATEUR_STORE": store, **_QUIET, **self.agent.environment}

    def read_status(self) -> dict[str, object]:
        """What `secateur status` reports of this home's store."""
        done = secateur_in(self.work, self.make_environment(), "status", "--json")
        assert done.code == 0, done
        found: dict[str, object] = done.json
        return found
