"""Where the work is: roots, folders, branches of several repositories, and what was changed before the session."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import Ledger, build_ledger, merge, read_back, render_ledger
from secateur.compaction.ledger.repository.places import name_place
from secateur.compaction.ledger.repository.unpushed import UNSEEN
from secateur.model import Message


def ran(command: str, said: str = "", **more: str) -> tuple[Message, Message]:
    return assistant(("1", "bash", json.dumps({"command": command, **more}))), result(said, "bash", "1")


def edited(path: str) -> tuple[Message, Message]:
    given = {"file_path": path, "old_string": "a", "new_string": "b"}
    return assistant(("e", "edit", json.dumps(given))), result("ok", "edit", "e")


def read(*rounds: tuple[Message, Message]) -> Ledger:
    return build_ledger(talk(user(), *(one for pair in rounds for one in pair)).messages)


@pytest.mark.parametrize(
    ("known", "given", "place"),
    [
        (Ledger(), ("/srv/shop", "main"), ("/srv/shop", "main")),
        (Ledger(), ("", "main"), ("", "")),
        (Ledger(), ("shop", "main"), ("", "")),
        (Ledger(), ("/srv/shop", "two words"), ("/srv/shop", "")),
        (Ledger(branch="side"), ("/srv/shop/", "main"), ("/srv/shop", "side")),
        (Ledger(root="/srv"), ("/srv/shop", "main"), ("", "main")),
        (Ledger(root="/opt"), ("/srv/shop", "main"), ("", "")),
        (Ledger(folder="/opt"), ("/srv/shop", "main"), ("/opt", "main")),
    ],
)
def test_a_host_names_the_place_where_no_call_shows_it(
    known: Ledger, given: tuple[str, str], place: tuple[str, str]
) -> None:
    named = name_place(known, *given)
    assert (named.folder, named.branch, named.root) == (*place, known.root)


ADS = edited("/home/u/shop/web/ads.ts")
CART = edited("/home/u/shop/web/cart/cart.ts")
DIFF = "diff --git a/web/ads.ts b/web/ads.ts\n@@ -1 +1 @@\n-a\n+b"
STAT = " web/ads.ts | 2 +-\n 1 file changed"


@pytest.mark.parametrize(
    ("rounds", "root", "folder"),
    [
        ([ADS, CART], "", ""),
        ([ADS, CART, ran("git diff", DIFF)], "/home/u/shop", ""),
        ([ADS, CART, ran("git diff --stat", STAT)], "/home/u/shop", ""),
        ([ADS, CART, ran("cat notes", DIFF)], "", ""),
        ([ADS, ran("cd /home/u/shop && git status", "On branch main")], "/home/u/shop", ""),
        ([ADS, ran("git -C /home/u/shop status", "On branch main")], "/home/u/shop", ""),
        ([ADS, ran("cd /home/u && git status", "fatal: not a git repository")], "", ""),
        ([ADS, ran("git rev-parse --show-toplevel", "/home/u/shop\n")], "/home/u/shop", ""),
        ([ADS, ran("cd /home/u/shop/web && git log", "x"), ran("git diff", DIFF)], "/home/u/shop", ""),
        ([ADS, CART, ran("npx vitest web/cart/", "ok")], "", "/home/u/shop"),
        ([ran("ls", "a\n(Current directory: /home/u/shop)\nbash-$"), ADS], "", "/home/u/shop"),
        ([ran("ls", "a\n(Current directory: /elsewhere)\nbash-$"), ADS], "", ""),
        ([edited("/home/u/.agent/a.md"), ran("cd /home/u/.agent && git status", "On branch x")], "/home/u/.agent", ""),
    ],
)  # fmt: skip
def test_the_root_is_told_by_git_and_the_folder_by_calls_and_hosts(
    rounds: list[tuple[Message, Message]], root: str, folder: str
) -> None:
    ledger = read(*rounds)
    assert (ledger.root, ledger.folder) == (root, folder)
    lines = render_ledger(ledger)
    assert render_ledger(read_back(lines)) == lines


def test_the_folder_that_a_host_states_is_that_of_the_session() -> None:
    stated = user("<environment_context>\n<cwd>/home/u/shop</cwd>\n</environment_context>", "harness")
    assert build_ledger(talk(stated, user(), *ADS).messages).folder == "/home/u/shop"


def test_a_common_folder_is_not_called_a_root_and_leaves_out_what_programs_keep() -> None:
    plans = [edited(f"/home/u/.agent/plans/{name}.md") for name in "abc"]
    lines = render_ledger(read(ADS, CART, *plans))["files"]
    assert lines[0] == "- common folder: /home/u/shop/web"
    assert any("./ads.ts" in line for line in lines)


def test_each_repository_has_its_own_branch() -> None:
    tree = "/home/u/shop/.worktrees/fix"
    rounds = [
        edited(f"{tree}/web/ads.ts"),
        edited(f"{tree}/web/cart.ts"),
        ran("git status -sb", "## fix...origin/fix [behind 2]", workdir=tree),
        ran("git status", "On branch main", workdir="/home/u/shop"),
        ran("git commit -m x", "[docs/new 1234abc] x", workdir="/home/u/pages"),
        ran("git log", "x", workdir="/home/u/library"),
    ]
    ledger = read(*rounds)
    assert (ledger.root, ledger.branch) == (tree, "fix")
    lines = render_ledger(ledger)
    assert lines["files"][:2] == (
        f"- root: {tree} · branch: fix · git status, last: behind 2 of origin/fix",
        "- other repository: /home/u/pages · branch: docs/new",
    )
    assert render_ledger(read_back(lines)) == lines
    later = read(ran("git commit -m y", "[docs/last 5678abc] y", workdir="/home/u/pages"), *rounds[:1])
    assert merge(ledger, later).elsewhere == ("/home/u/pages · branch: docs/last",)


STATUS = "## main...origin/main [ahead 2]\n M web/ads.ts\n?? notes.md\n"


@pytest.mark.parametrize(
    ("rounds", "dirty"),
    [
        ([ran("git status -sb", STATUS), CART], ("modified web/ads.ts", "untracked notes.md")),
        ([ran("ls", "x"), ran("git pull", "x"), ran("git status -sb", STATUS), CART],
         ("modified web/ads.ts", "untracked notes.md")),
        ([CART, ran("git status -sb", STATUS)], ()),
        ([ran("ls", "x"), ran("git status -sb", STATUS)], ()),
        ([ran("make", "built"), ran("git status -sb", STATUS)], ()),
        ([ran("git status -sb", STATUS), CART, ran("git status -s", "?? notes.md\n M web/cart/cart.ts\n")],
         ("untracked notes.md",)),
        ([ran("git status -sb", STATUS), CART, ran("git status -s", "")], ()),
    ],
)  # fmt: skip
def test_what_was_changed_before_the_session_is_told_apart(
    rounds: list[tuple[Message, Message]], dirty: tuple[str, ...]
) -> None:
    ledger = read(*rounds)
    assert ledger.dirty == dirty
    lines = render_ledger(ledger)
    assert render_ledger(read_back(lines)) == lines
    told = next((line for line in lines["files"] if "git status, last" in line), "")
    assert not any(one in told for one in dirty)


def test_what_a_later_span_begins_with_was_not_there_before_the_session() -> None:
    later = read(ran("git status -sb", STATUS), CART)
    assert merge(read(CART), later).dirty == ()
    assert merge(Ledger(), later).dirty == later.dirty != ()
    assert merge(later, read(ran("git status -s", "?? notes.md\n"))).dirty == ("untracked notes.md",)


def test_a_value_is_told_below_the_root_and_read_back_whole() -> None:
    given = {"file_path": "/home/u/shop/web/ads.ts", "old_string": "const LIMIT = 1;", "new_string": "const LIMIT = 2;"}
    lines = render_ledger(
        read((assistant(("e", "edit", json.dumps(given))), result("ok", "edit", "e")), ran("git diff", DIFF))
    )
    assert "- value: LIMIT in ./web/ads.ts: 1 → 2" in lines["accomplished"]
    assert [one.path for one in read_back(lines).values] == ["/home/u/shop/web/ads.ts"]


def test_a_repository_that_was_made_to_try_something_is_no_work() -> None:
    said = "Initialized empty Git repository in /tmp/try/.git/\n[main (root-commit) 5dffb3a] first\n 1 file changed"
    tried = "cd /tmp/try && git init && echo a > a.txt && git add a.txt && git commit -m first"
    made = read(edited("/srv/shop/cart.py"), ran(tried, said), ran("cd /tmp/try && git restore a.txt"))
    assert (made.commits, made.unpushed, made.elsewhere) == ((), (), ())
    assert [one.path for one in made.files] == ["/srv/shop/cart.py"]
    cloned = ran("cd /tmp/try && git commit -am first", "[main 5dffb3a] first\n 1 file changed")
    assert read(edited("/srv/shop/cart.py"), cloned).unpushed == (
        UNSEEN,
        "5dffb3a",
    )  # a clone may well be that of the work
