"""Test each adapter with its framework in an environment of its own: the lowest release allowed, and the newest.

    python scripts/test_adapters.py [--lowest | --newest] [--jobs=N] [NAME ...]

Rule: what a framework's adapter may be installed with is what passes here. The bounds of extras are those of
pyproject.toml; frameworks that cannot stand beside the lock are no extras, and have theirs in this file.
"""

import re
import shutil
import subprocess
import sys
import tomllib
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
BUILD = ROOT / "build" / "adapters"
EXTRAS = {
    "langchain": "langchain",
    "litellm": "litellm",
    "openai_agents": "openai-agents",
    "pydantic_ai": "pydantic-ai",
}
OTHERS = {
    "agent_framework": "agent-framework-core>=1.23",
    "claude_agent_sdk": "claude-agent-sdk>=0.2.187",  # behind the proxy
    "deepagents": "deepagents>=0.7.32",  # LangChain's middleware in its agents
    "autogen": "autogen-agentchat>=0.7.5",
    "haystack": "haystack-ai>=3.4",
    "llama_index": "llama-index-core>=0.14.25",
    "google_adk": "google-adk>=2.13",  # needs google-genai before 3
    "hermes": "hermes-agent>=0.19",  # pins older packages than the lock has
    "litellm_proxy": "litellm[proxy]>=1.106",
    "strands": "strands-agents>=1.62",  # needs mcp before 2.2
}
MORE = {"autogen": ("autogen-ext>=0.7.5",)}  # what a page in the docs needs beside the framework
PARTS = {"claude_agent_sdk": "proxy"}  # the extra of ours that is needed, if not `store`
TOOLS = ("hypothesis", "pytest")
QUIET = ("-q", "-p", "no:cacheprovider", "-W", "default")
JOBS = "--jobs="  # how many environments at a time
KINDS = {"--lowest": ("lowest",), "--newest": ("newest",)}


class Outcome(NamedTuple):
    """What came of one environment."""

    name: str
    kind: str
    release: str  # the framework's package and its version
    said: str  # the last line of the tests, or why there were none
    passed: bool


def main(arguments: list[str]) -> int:
    """Test what is named, or everything, and print a table; the exit code counts what failed."""
    kinds = next((KINDS[one] for one in arguments if one in KINDS), ("lowest", "newest"))
    jobs = next((int(one.removeprefix(JOBS)) for one in arguments if one.startswith(JOBS)), 1)
    wanted = [one for one in arguments if one not in KINDS and not one.startswith(JOBS)] or [*EXTRAS, *OTHERS]
    unknown = sorted({*wanted} - {*EXTRAS, *OTHERS})
    if unknown:
        print(f"unknown: {', '.join(unknown)}; there are {', '.join([*EXTRAS, *OTHERS])}", file=sys.stderr)
        return 2
    environments = [(name, kind) for name in wanted for kind in kinds]
    with ThreadPoolExecutor(jobs) as pool:
        outcomes = [*pool.map(lambda one: run_tests(*one), environments)]
    print("\n| adapter | | release | tests |\n|---|---|---|---|")
    for one in outcomes:
        print(f"| {one.name} | {one.kind} | {one.release} | {'' if one.passed else '**failed:** '}{one.said} |")
    return sum(not one.passed for one in outcomes)


def run_tests(name: str, kind: str) -> Outcome:
    """Install a framework and run its adapter's tests."""
    requirement, *others = find_requirements(name)
    package = re.split(r"[><=\[]", requirement)[0]
    wanted = [requirement.replace(">=", "==") if kind == "lowest" else requirement, *others]
    python = BUILD / f"{name}-{kind}" / "bin" / "python"
    if not install(python, ["-e", f"{ROOT}[{PARTS.get(name, 'store')}]", *wanted, *TOOLS]):
        return Outcome(name, kind, wanted[0], "cannot be installed", False)
    version = run([str(python), "-c", f"from importlib.metadata import version; print(version('{package}'))"]).stdout
    done = run([str(python), "-m", "pytest", *QUIET, f"tests/adapters/test_{name}.py"])
    print(f"\n{name} ({kind})\n{done.stdout}{done.stderr}", end="", flush=True)
    said = (done.stdout.strip().splitlines() or ["nothing"])[-1].strip("= ")
    return Outcome(name, kind, f"{package} {version.strip()}", said, done.returncode == 0)


def install(python: Path, packages: list[str]) -> bool:
    """Bring an environment up to date, by uv where there is one, which takes seconds; whether that went well."""
    uv = shutil.which("uv")
    if not python.exists():
        venv.create(python.parent.parent, with_pip=uv is None)
    pip = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    command = [uv, "pip", "install", "-q", "--python", str(python)] if uv else pip
    return subprocess.run([*command, "--upgrade", *packages], check=False).returncode == 0


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run something in the checkout, and what it printed."""
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def find_requirements(name: str) -> list[str]:
    """What the adapter is declared to work with; the framework comes first."""
    if name in OTHERS:
        return [OTHERS[name], *MORE.get(name, ())]
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    requirements: list[str] = extras[EXTRAS[name]]
    return requirements


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
