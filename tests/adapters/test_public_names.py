"""Adapters and wrappers live on public names: what an adapter of someone else's would need, too."""

import ast
from pathlib import Path

import secateur

ADAPTERS = Path(secateur.__file__).parent / "adapters"
PUBLIC = {
    *("secateur", "secateur.plugins", "secateur.arrival", "secateur.edge"),
    *("secateur.mcp.scope", "secateur.mcp.tools"),  # the tools that a model is offered
    *("secateur.adapters.own_model", "secateur.adapters.recall_tool", "secateur.adapters.shadows"),
}


def test_adapters_import_public_names_only() -> None:
    found = {
        f"{file.name}: {node.module}"
        for file in ADAPTERS.glob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "secateur"
        if node.module not in PUBLIC
    }
    assert not found


def test_importing_secateur_loads_no_framework() -> None:
    import subprocess
    import sys

    packages = "'langchain', 'litellm', 'agents', 'pydantic_ai', 'openai', 'anthropic'"
    code = f"import sys, secateur; secateur.wrap; print([name for name in ({packages}) if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
