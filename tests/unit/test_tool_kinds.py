"""Roles: told from the shape of real hosts' calls, with the name as a second hint."""

import json
from typing import Any

import pytest

from secateur.tool_kinds import TOOL_KINDS, detect_tool_kind

CALLS: list[tuple[str, dict[str, Any], str]] = [
    # Claude Code
    ("Read", {"file_path": "/garden/beds.py", "offset": 10, "limit": 50}, "read"),
    (
        "Edit",
        {"file_path": "/garden/beds.py", "old_string": "rose", "new_string": "vine", "replace_all": False},
        "edit",
    ),
    ("Write", {"file_path": "/garden/beds.py", "content": "rose = 1"}, "edit"),
    ("NotebookEdit", {"notebook_path": "/garden/plan.ipynb", "new_source": "1"}, "edit"),
    ("Bash", {"command": "npm test", "description": "Run tests", "timeout": 1000}, "run"),
    ("Grep", {"pattern": "rose", "path": "src", "output_mode": "content", "-n": True}, "search"),
    ("Glob", {"pattern": "**/*.py"}, "search"),
    ("LS", {"path": "/garden"}, "search"),
    ("LSP", {"operation": "workspaceSymbol", "filePath": "rose.go", "line": 1}, "search"),
    ("WebSearch", {"query": "when to prune roses"}, "search"),
    ("WebFetch", {"url": "https://example.org", "prompt": "summarize"}, "other"),
    ("TodoWrite", {"todos": []}, "plan"),
    ("TaskCreate", {"subject": "prune", "description": "all", "activeForm": "pruning"}, "plan"),
    ("TaskUpdate", {"taskId": "1", "status": "done"}, "plan"),
    ("ExitPlanMode", {"plan": "1. cut"}, "plan"),
    ("Task", {"description": "look", "prompt": "find all roses", "subagent_type": "Explore"}, "other"),
    ("Skill", {"skill": "pruning", "args": "roses"}, "skill"),
    # Codex
    ("exec_command", {"cmd": "ls", "workdir": "/garden", "yield_time_ms": 1000}, "run"),
    ("write_stdin", {"session_id": 7, "chars": "y\n", "yield_time_ms": 1000}, "run"),
    ("shell", {"command": ["bash", "-lc", "cat beds.py"]}, "run"),
    ("bash_command", {"keystrokes": "make test\n", "duration": 0.1}, "run"),
    ("shell", {"command": ["apply_patch", "*** Begin Patch\n*** Update File: beds.py\n"]}, "edit"),
    ("update_plan", {"plan": [{"step": "cut", "status": "completed"}]}, "plan"),
    ("view_image", {"path": "/garden/rose.png"}, "read"),
    ("spawn_agent", {"agent_type": "explorer", "message": "look"}, "other"),
    # Pi
    ("read", {"path": "beds.py", "offset": 1, "limit": 5}, "read"),
    ("bash", {"command": "ls", "timeout": 5}, "run"),
    ("edit", {"path": "beds.py", "oldText": "rose", "newText": "vine"}, "edit"),
    ("edit", {"path": "beds.py", "edits": [{"oldText": "a", "newText": "b"}]}, "edit"),
    ("write", {"path": "beds.py", "content": "x"}, "edit"),
    ("find", {"pattern": "*.py", "path": "src"}, "search"),
    ("ls", {"path": "src", "limit": 10}, "search"),
    # opencode
    ("read", {"filePath": "/garden/beds.py", "limit": 5, "offset": 1}, "read"),
    ("edit", {"filePath": "/garden/beds.py", "oldString": "rose", "newString": "vine"}, "edit"),
    ("apply_patch", {"patchText": "*** Begin Patch\n"}, "edit"),
    ("grep", {"pattern": "rose", "include": "*.py"}, "search"),
    ("task", {"command": "/init", "description": "d", "prompt": "p", "subagent_type": "general"}, "other"),
    ("todowrite", {"todos": []}, "plan"),
    ("skill", {"name": "pruning"}, "skill"),
    # editors whose command is a verb, and the memory tool that looks like one
    ("str_replace_editor", {"command": "view", "path": "/garden/beds.py"}, "read"),
    ("str_replace_editor", {"command": "create", "path": "/garden/beds.py", "file_text": "x"}, "edit"),
    (
        "str_replace_based_edit_tool",
        {"command": "insert", "path": "/a.py", "insert_line": 1, "insert_text": "x"},
        "edit",
    ),
    ("memory", {"command": "view", "path": "/memories/roses.md"}, "memory"),
    # Hermes, Gemini CLI, SWE-agent
    ("skill_view", {"name": "pruning"}, "skill"),
    ("memory", {"action": "add", "target": "user", "content": "likes roses"}, "memory"),
    ("terminal", {"command": "ls"}, "run"),
    ("search_files", {"pattern": "rose", "path": "src"}, "search"),
    ("run_shell_command", {"command": "ls", "description": "list"}, "run"),
    ("replace", {"file_path": "a", "old_string": "b", "new_string": "c", "instruction": "d"}, "edit"),
    ("find_file", {"file_name": "beds.py", "dir": "src"}, "search"),
    ("open", {"path": "beds.py", "line_number": 5}, "read"),
    ("create", {"filename": "beds.py"}, "edit"),
    ("edit", {"search": "rose", "replace": "vine"}, "edit"),
    # no files, no commands
    ("mcp__memory__search_nodes", {"query": "rose"}, "memory"),
    ("mcp__linear__get_issue", {"id": "GAR-1"}, "other"),
    ("get_reservation_details", {"reservation_id": "R1"}, "other"),
    ("search_direct_flight", {"origin": "HAM", "destination": "MUC"}, "search"),
    ("change_phone_plan", {"plan_id": "4"}, "other"),
]


@pytest.mark.parametrize(("tool", "arguments", "role"), CALLS, ids=[f"{tool}-{role}" for tool, _, role in CALLS])
def test_calls_of_real_hosts(tool: str, arguments: dict[str, Any], role: str) -> None:
    assert detect_tool_kind(tool, json.dumps(arguments)) == role


@pytest.mark.parametrize(
    ("tool", "arguments", "role"),
    [
        ("apply_patch", "*** Begin Patch\n*** Update File: beds.py\n", "edit"),
        ("exec", "ls -la", "run"),
        ("Bash", "", "run"),
        ("read_file", "", "read"),
        ("Write", "{}", "edit"),
        ("Grep", "", "search"),
        ("skill", "", "skill"),
        ("TaskList", "{}", "plan"),
        ("EnterPlanMode", "{}", "plan"),
        ("think", "{}", "other"),
        ("", "", "other"),
        ("", "[1, 2]", "other"),
        ("python", "python reproduce.py", "run"),
        ("rm", "rm reproduce.py", "run"),
        ("SHOP=1", "SHOP=1 ./manage.py test", "run"),
        ("goto", "goto 61", "other"),
        ("python", "", "other"),
        ("Bash", '{"command": "ls', "run"),
    ],
)
def test_without_arguments_the_name_decides(tool: str, arguments: str, role: str) -> None:
    assert detect_tool_kind(tool, arguments) == role


def test_the_shape_outweighs_the_name() -> None:
    assert detect_tool_kind("read", '{"command": "rm beds.py"}') == "run"
    assert detect_tool_kind("runner", '{"path": "beds.py", "content": "x"}') == "edit"
    assert detect_tool_kind("todo_finder", '{"command": "grep TODO"}') == "run"


def test_arguments_that_strict_readers_refuse_still_have_a_shape() -> None:
    assert detect_tool_kind("x", '{"path": "\ud800", "content": "y"}') == "edit"
    assert detect_tool_kind("x", '{"pattern": "y", "limit": NaN}') == "search"
    assert detect_tool_kind("x", '{"command": "\\ud83c"}') == "run"


def test_roles_are_eight() -> None:
    assert TOOL_KINDS == ("read", "edit", "search", "run", "plan", "skill", "memory", "other")
