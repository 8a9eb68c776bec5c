"""The vectors of formats: for each case a request, a policy, the plan it leads to and the request as it is sent on."""

from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "vectors"


class Case(NamedTuple):
    """One case of one format."""

    format: str
    name: str
    request: bytes
    policy: str  # the path of a policy
    plan: bytes
    projected: bytes


def cases() -> list[Case]:
    """All cases, by format and name."""
    return [read(folder) for folder in sorted(FOLDER.glob("*/*"))]


def read(folder: Path) -> Case:
    parts = [(folder / f"{name}.json").read_bytes() for name in ("request", "plan", "projected")]
    return Case(folder.parent.name, folder.name, parts[0], str(folder / "policy.toml"), parts[1], parts[2])


def titled(case: Case) -> str:
    return f"{case.format}/{case.name}"
