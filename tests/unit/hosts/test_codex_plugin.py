"""What is added to Codex's configuration is read back as it was meant."""

import tomllib
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from secateur.hosts.changes import TextBlock
from secateur.hosts.codex_plugin import plan
from secateur.hosts.host import InstallOptions

WORDS = st.text(st.characters(codec="utf-8"), min_size=1)


@settings(deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=3), WORDS)
def test_any_command_can_be_written_as_toml(command: list[str], address: str) -> None:
    environment = {"SECATEUR_PROXY": f"http://{address}"}
    table, profile = plan(InstallOptions(home=Path("/nowhere"), environment=environment, command=tuple(command)))
    assert isinstance(table, TextBlock)
    server = tomllib.loads(table.text)["mcp_servers"]["secateur"]
    assert [server["command"], *server["args"]][: len(command)] == command
    stated = tomllib.loads(profile.text)["model_providers"]["secateur"]["base_url"]
    assert stated == f"http://{address}".rstrip("/") + "/v1"
