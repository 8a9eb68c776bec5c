"""Digests: what a stretch of work becomes, and which stretches do."""

from typing import Any

import pytest

from compactions import COUNT, done, refused, scene, texts, view
from conversation import assistant, result, summary, talk, user
from secateur.compaction.conversation import build_rows
from secateur.compaction.cut import HistoryCut
from secateur.compaction.outcome import Outcome
from secateur.compaction.settings import Compaction, DigestSettings
from secateur.compaction.shorten import build_digest, shorten
from secateur.compaction.span import collect_span
from secateur.lineage import handle_of
from secateur.model import Epoch, Message, Transcript
from secateur.plan import Plan, fold, resolve_ranges
from secateur.protect import Protection
from secateur.text.own_text import DIGEST_BEGINS

SETTINGS = DigestSettings()
LONG = "\n".join(f"    line {number} of the file" for number in range(80))
SOURCE = f"import os\n\n\ndef login(user):\n{LONG}\n\n\nclass Session:\n{LONG}\n"
HOST = "Chunk ID: a1\nWall time: 0.1 seconds\n"


def read(path: str, call: str = "", text: str = SOURCE) -> tuple[Message, Message]:
    return assistant((call, "read", f'{{"path":"{path}"}}')), result(text, "read", call)


def work(*names: str) -> list[Message]:
    return [one for name in names for one in read(f"/home/me/app/src/{name}", name)]


def shortened(transcript: Transcript, stretch: tuple[int, int], **more: Any) -> Outcome:
    given: dict[str, Any] = {"protect": Protection(), "handles": False} | more
    return shorten(scene(transcript, **given), Compaction(), SETTINGS, stretch)


def plan_of(transcript: Transcript, outcome: Outcome) -> Plan:
    return Plan((Epoch(0, transcript.messages[-1].key, "digest", done(outcome).edits),))


def test_a_call_becomes_a_line_and_a_long_result_its_outline() -> None:
    text = build_digest(
        talk(assistant(("a", "read", '{"path":"src/app.py"}'), text="I look."), result(SOURCE, "read", "a")).messages,
        SETTINGS,
    )
    assert text.splitlines() == [
        f"{DIGEST_BEGINS}]",
        "I look.",
        "- read src/app.py → 3,865 characters",
        "1: import os",
        "4: def login(user):",
        "87: class Session:",
    ]


@pytest.mark.parametrize(
    ("said", "error", "line"),
    [
        ("ok", False, "- bash make → ok"),
        ("", False, "- bash make → (nothing)"),
        ("no rule to make target", True, "- bash make → error: no rule to make target"),
        (
            LONG + "\nmake: *** Error 2\nexit code 2",
            False,
            "- bash make → 1,935 characters, exit code 2: make: *** Error 2",
        ),
        ("Exit code 1\nno such target", True, "- bash make → error, exit code 1: no such target"),
        ("<returncode>0</returncode>\n<output>\nbuilt\n</output>", False, "- bash make → built"),
        (f"{HOST}Process exited with code 0\nOutput:\nbuilt", False, "- bash make → built"),
        (f"{HOST}Process exited with code 2\nOutput:\nstopped", False, "- bash make → exit code 2: stopped"),
        (
            f"{HOST}Process running with session ID 8\nOutput:\n1",
            False,
            "- bash make → Process running with session ID 8: 1",
        ),
        (
            f"{HOST}Process running with session ID 8\nOutput:\n",
            False,
            "- bash make → Process running with session ID 8: (nothing)",
        ),
    ],
)
def test_how_a_call_ended_is_said(said: str, error: bool, line: str) -> None:
    made = talk(assistant(("a", "bash", '{"command":"make"}')), result(said, "bash", "a", error))
    assert build_digest(made.messages, SETTINGS).splitlines()[1] == line


def test_what_a_host_writes_above_an_output_is_not_outlined() -> None:
    said = f"{HOST}Process exited with code 0\nOutput:\n{SOURCE}"
    made = talk(assistant(("a", "bash", '{"command":"cat app.py"}')), result(said, "bash", "a"))
    assert build_digest(made.messages, SETTINGS).splitlines()[1:3] == [
        "- bash cat app.py → 3,865 characters, exit code 0",
        "1: import os",
    ]


def test_prose_keeps_its_beginning_and_its_end_and_secrets_go() -> None:
    said = f"First. {'and so on ' * 200} Last. The key is sk-ant-api03-{'a1B2' * 24}."
    text = build_digest(talk(assistant(text=said)).messages, SETTINGS)
    assert "First." in text
    assert "a1B2a1B2" not in text
    assert len(text) < 800


def test_the_folder_that_most_paths_are_in_is_said_once() -> None:
    text = build_digest(talk(*work("a.py", "b.py"), *read("/etc/hosts", "c")).messages, SETTINGS)
    assert text.splitlines()[0] == f"{DIGEST_BEGINS}; paths are in /home/me/app/src]"
    assert [line.split(" →")[0] for line in text.splitlines() if line.startswith("- ")] == [
        "- read a.py", "- read b.py", "- read /etc/hosts",
    ]  # fmt: skip


def test_what_the_user_says_stays_and_every_stretch_becomes_one_message() -> None:
    made = talk(user("mend it"), *work("a.py"), user("faster"), *work("b.py"), assistant(text="done"), user("thanks"))
    shown = view(made, plan_of(made, shortened(made, (0, 7))))
    assert [one.origin for one in shown] == ["user", "summary", "user", "summary", "user"]
    assert [one for one in shown if one.origin == "user"] == [made.messages[n] for n in (0, 3, 7)]
    assert texts(shown)[3].splitlines()[-1] == "done"


def test_calls_that_may_yet_be_answered_stay_with_their_rounds() -> None:
    waits = [assistant(("w", "deploy", "{}")), result('{"status": "pending"}', "deploy", "w")]
    made = talk(user(), *work("a.py"), *waits, *work("b.py"), user())
    shown = view(made, plan_of(made, shortened(made, (0, 7))))
    assert [one.origin for one in shown] == ["user", "summary", "user", "harness", "summary", "user"]
    assert tuple(shown[2:4]) == made.messages[3:5]


def test_a_call_that_was_given_up_is_a_line() -> None:
    made = talk(user(), *work("a.py"), assistant(("w", "edit", '{"path":"b.py"}')), user("stop"), *work("c.py"), user())
    text = texts(view(made, plan_of(made, shortened(made, (0, 7)))))[1]
    assert text.splitlines()[-1] == "- edit b.py → (no result)"


def test_results_of_protected_tools_stand_verbatim_behind_it() -> None:
    made = talk(
        user(), *read("a.py", "a"), assistant(("s", "skill", '{"name":"x"}')), result("do it so", "skill", "s"), user()
    )
    shown = view(made, plan_of(made, shortened(made, (0, 5))))
    assert texts(shown)[2] == "[secateur: kept as it came: skill x]\ndo it so"


def test_results_of_tools_that_the_policy_protects_by_name_stand_there_too() -> None:
    made = talk(user(), *work("a.py"), assistant(("q", "query", "{}")), result("42 rows", "query", "q"), user())
    plain, kept = (
        view(made, plan_of(made, shortened(made, (0, 5), protect=Protection(tools=some)))) for some in ((), ("que*",))
    )
    assert [one.origin for one in plain] == ["user", "summary", "user"]
    assert texts(kept)[2] == "[secateur: kept as it came: query]\n42 rows"


def test_a_stretch_that_would_hardly_be_shorter_stays() -> None:
    made = talk(user(), assistant(("a", "ls", "{}")), result("a.py", "ls", "a"), user())
    assert refused(shortened(made, (0, 3))).reason == "no_gain"


def test_what_gives_way_can_be_read_back_where_there_is_a_store() -> None:
    made = talk(user(), *work("a.py"), user())
    outcome = done(shortened(made, (0, 3), handles=True))
    ((handle, full),) = outcome.blobs.items()
    assert handle == handle_of(full)
    assert f"; recall {handle} shows it in full]" in outcome.summary
    assert SOURCE in full


def test_a_summary_reads_what_a_digest_stands_for_as_it_came() -> None:
    made = talk(user("mend it. Never push."), *work("a.py"), user("go on"), *work("b.py"), user())
    laid = fold(plan_of(made, shortened(made, (0, 3))))
    rows = build_rows(made.messages, resolve_ranges(laid.ranges, made.messages), COUNT)
    taken = collect_span(HistoryCut(0, 5), rows, made.messages, Compaction(), Protection())
    assert taken.messages == made.messages[: 5 + 1]
    assert [one.path for one in taken.ledger.files] == [f"/home/me/app/src/{name}" for name in ("a.py", "b.py")]
    assert taken.kept.sections == {}


def test_an_earlier_summary_and_an_earlier_digest_stay_as_they_are() -> None:
    made = talk(summary("the host's own"), user(), *work("a.py"), user(), *work("b.py"), user())
    first = plan_of(made, shortened(made, (0, 4)))
    again = shorten(scene(made, first, protect=Protection(), handles=False), Compaction(), SETTINGS, (0, 7))
    shown = view(made, Plan((*first.epochs, Epoch(1, made.messages[-1].key, "again", done(again).edits))))
    assert shown[:4] == view(made, first)[:4]
    assert [one.origin for one in shown] == ["summary", "user", "summary", "user", "summary", "user"]


def test_what_is_hidden_in_its_line_is_no_name_of_a_digest() -> None:
    text = f"{SOURCE}    maple_board is painted\n    password: walnut-Qx7tray-84zebrano\n"
    said = build_digest(read("plan.py", "c1", text), SETTINGS)
    assert "names: maple_board" in said
    assert "zebrano" not in said


def test_the_names_of_many_results_do_not_crowd_a_small_window() -> None:
    words = ("maple", "walnut", "cedar", "linden")  # none of them is rare in the text
    named = SOURCE + "\n".join(f"    {one}_{other} = 1" for one in words for other in words if one != other)
    made = talk(user(), *read("a.py", "a", named), user())
    none, large, small = (done(shortened(made, (0, 3), window=window)).summary for window in (0, 10_000, 1_000))
    assert none == large
    told = small.splitlines()[-1]
    assert told == "names: maple_walnut maple_cedar maple_linden walnut_maple walnut_cedar"
    assert large.splitlines()[-1].startswith(f"{told} walnut_linden cedar_maple")
