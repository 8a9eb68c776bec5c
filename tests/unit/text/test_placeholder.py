"""Placeholders: templates filled with facts, our own line that says what went, and both recognized again."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.errors import ConfigError
from secateur.model import Part
from secateur.text.placeholder import (
    FIELDS,
    MARK,
    MOST_CHARS,
    describe_removed,
    fill_template,
    find_main_argument,
    is_any_placeholder,
    is_placeholder,
    shorten_line,
    validate_template,
)

SWEPT = "[Tool output swept: {tool} {call}, {error}output, {chars_grouped} chars removed]"
PRUNED = "[Tool output pruned — was {chars} chars]"
CLEARED = "<tool-output-compacted />"
TEXTS = st.text(st.characters(), max_size=300)


def result(text: str, tool: str = "Bash", call: str = "c9", error: bool = False) -> Part:
    return Part("tool_result", ("messages", 3), text, tool=tool, call_id=call, is_error=error, tokens=7)


def asked(arguments: str, tool: str = "Bash") -> Part:
    return Part("tool_call", ("messages", 2), arguments, tool=tool, call_id="c9")


def test_templates_take_the_facts_of_a_part() -> None:
    part = result("x" * 1_234, "read", error=True)
    assert fill_template(SWEPT, part) == "[Tool output swept: read c9, error output, 1,234 chars removed]"
    assert fill_template(SWEPT, result("y" * 250)) == "[Tool output swept: Bash c9, output, 250 chars removed]"
    assert fill_template(PRUNED, part) == "[Tool output pruned — was 1234 chars]"
    assert fill_template(CLEARED, part) == CLEARED
    assert fill_template("{tokens} tokens, {lines} lines", result("a\nb\n")) == "7 tokens, 2 lines"
    assert fill_template("{tool}", result("", "")) == "tool"
    assert set(FIELDS) == {"tool", "call", "chars", "chars_grouped", "tokens", "lines", "error"}


def test_what_is_put_in_is_text() -> None:
    part = result("rose", tool="{0}{call}{chars.__class__}", call="{{\\g<0>")
    assert fill_template("{tool}|{call}", part) == "{0}{call}{chars.__class__}|{{\\g<0>"
    assert fill_template("{{{tool}}} {{chars}} }{", result("", "rose")) == "{rose} {chars} }{"


@pytest.mark.parametrize("template", ["{size}", "a {} b", "{chars.real}", "{tool!r}", "{0}", "{chars:>9}"])
def test_unknown_fields_are_refused_with_those_there_are(template: str) -> None:
    with pytest.raises(
        ConfigError, match=r"has no field \{.*\}: it has tool, call, chars, chars_grouped, tokens, lines, "
    ):
        validate_template(template)


def test_a_template_needs_words_of_its_own() -> None:
    assert validate_template(SWEPT) == SWEPT
    with pytest.raises(ConfigError, match="has no words of its own"):
        validate_template("{tool} {chars}")


def test_ours_says_what_went() -> None:
    ran = result("\n".join(["Exit code 1", *(f"ok {i}" for i in range(94)), "ValueError: no rose"]), error=True)
    assert describe_removed(ran, asked('{"command": "npm test"}')) == (
        '[secateur: Bash "npm test" gave 585 chars, 96 lines, exit code 1: ValueError: no rose; '
        "removed, call again if needed]"
    )
    read = result("x" * 80, "Read")
    assert describe_removed(read, asked('{"file_path": "/garden/beds.py", "limit": 5}'), handle="3f2a9c1b") == (
        '[secateur: Read "/garden/beds.py" gave 80 chars, 1 lines; removed, recall 3f2a9c1b]'
    )
    assert describe_removed(result("")) == "[secateur: Bash gave 0 chars, 0 lines; removed, call again if needed]"


@pytest.mark.parametrize(
    ("text", "error", "outcome"),
    [
        ("Process exited with code 0\nOutput:\nall is well", False, ", exit code 0;"),
        (
            "<returncode>2</returncode>\n<output>\nmake: *** failed to cut\n</output>",
            False,
            ", exit code 2: make: *** failed",
        ),
        ('{"output": "ok", "metadata": {"exit_code": 0}}', False, ", exit code 0;"),
        (
            "Output: \nmake: *** failed to cut\nExit Code: 2\nProcess Group PGID: 42",
            False,
            ", exit code 2: make: *** failed",
        ),
        ("The exit is on the left.\nExit code 3\n", False, ", exit code 3: The exit is on the left.;"),
        ("File does not exist.", True, ", error: File does not exist.;"),
        (
            "Traceback:\nKeyError: 'a'\n\nTraceback:\ngarden.RoseError: thorn\n",
            True,
            ", error: garden.RoseError: thorn;",
        ),
        ("one\nfatal: not a garden\ntwo", True, ", error: fatal: not a garden;"),
        ("", True, ", error;"),
        ("an error of style is described here", False, "1 lines;"),
    ],
)
def test_ours_tells_the_outcome(text: str, error: bool, outcome: str) -> None:
    assert outcome in describe_removed(result(text, error=error))


def test_a_long_argument_is_shortened_a_path_at_its_beginning() -> None:
    path = "/garden/" + "bed/" * 40 + "rose.py"
    assert 'bed/bed/rose.py" gave' in describe_removed(result("x"), asked(json.dumps({"path": path})))
    assert 'Bash "echo rose rose rose' in describe_removed(
        result("x"), asked(json.dumps({"command": "echo" + " rose" * 99}))
    )


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ('{"description": "Run tests", "command": "npm test"}', "npm test"),
        ('{"command": ["bash", "-lc", "ls | wc"]}', "ls | wc"),
        ('{"cmd": ["ls", "-la"]}', "ls -la"),
        ('{"command": "view", "path": "/garden/beds.py"}', "view /garden/beds.py"),
        ('{"path": "src", "pattern": "rose"}', "rose"),
        ('{"filePath": "/garden/beds.py", "offset": 3}', "/garden/beds.py"),
        ('{"patchText": "*** Begin Patch\\n*** Update File: src/beds.py\\n@@"}', "src/beds.py"),
        ("*** Begin Patch\n*** Add File: src/new.py\n+rose", "src/new.py"),
        ("ls -la", "ls -la"),
        ('{"location": "Hamburg", "days": 3}', "Hamburg"),
        ('{"paths": {"a": [1]}}', '{"a": [1]}'),
        ('{"days": 3}', ""),
        ("{}", ""),
        ("[1]", "[1]"),
        ("[" * 100_000, "[" * 100_000),
    ],
)
def test_the_main_argument(arguments: str, argument: str) -> None:
    assert find_main_argument(arguments) == argument


def test_short_is_one_printable_line() -> None:
    assert shorten_line(" a\n\tb\x1b[31m\u2028c\ud800 ", 99) == "a b [31m c"
    assert shorten_line("roses and vines", 10) == "roses and…"
    assert shorten_line("roses and vines", 4) == ""


def test_placeholders_are_recognized() -> None:
    ours = describe_removed(result("x"), asked('{"command": "ls"}'), handle="ab12")
    assert is_placeholder(ours)
    assert not is_placeholder(f"{ours}\nmore")
    assert not is_placeholder("x" + ours)
    assert not is_placeholder("[secateur: characters 1-9 of 99 left out]")
    assert not is_placeholder("")
    assert is_any_placeholder(ours)
    assert is_any_placeholder(ours, SWEPT)
    assert is_any_placeholder(fill_template(SWEPT, result("x" * 5_000)), "", SWEPT)
    assert is_any_placeholder(CLEARED, PRUNED, CLEARED)
    assert not is_any_placeholder(CLEARED, PRUNED, SWEPT)
    assert not is_any_placeholder(f"{CLEARED} ", CLEARED)
    assert not is_any_placeholder("[Tool output pruned — was many chars]", PRUNED)
    assert not is_any_placeholder("anything", "", "")


@given(TEXTS, TEXTS, TEXTS, st.booleans(), st.sampled_from(["", "3f2a9c1b2d4e5f60", "f" * 64]))
def test_ours_is_one_bounded_line_that_says_no_more_than_was_shown(
    text: str, tool: str, argument: str, error: bool, handle: str
) -> None:
    call = asked(json.dumps({"command": argument}), tool)
    made = describe_removed(result(text, tool, error=error), call, handle)
    assert len(made) <= MOST_CHARS
    assert made.startswith(MARK)
    assert made.isprintable()
    assert is_placeholder(made)
    assert made == describe_removed(result(text, tool, error=error), call, handle)
    assert is_any_placeholder(made)


@given(
    st.sampled_from([SWEPT, PRUNED, CLEARED, "{{{tool}}} {lines}", "{tool}: gone"]), TEXTS, TEXTS, TEXTS, st.booleans()
)
def test_a_filled_template_is_recognized_as_its_own(
    template: str, text: str, tool: str, call: str, error: bool
) -> None:
    assert is_any_placeholder(fill_template(template, result(text, tool, call, error)), template)
