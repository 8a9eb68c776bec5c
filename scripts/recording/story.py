"""What happens in the recorded sessions: a user has an agent look at this repository.

Rule: words of the user and of the agent are scripted here; everything a tool says is what it really said. Seven turns,
so that most tool outputs are old at the end; files are read twice, one output is an error, one is a picture, calls come
side by side, and one result holds instructions that must stay.
"""

from collections.abc import Callable, Iterable

from recording.tools import Call, Step, Turn, Workspace

Do = Callable[..., Call]

_LOW_FLOORS = ("src/secateur/model.py", "src/secateur/lineage.py", "src/secateur/patch.py", "src/secateur/plan.py")
_READ_CHARS = 100_000  # of source read in one turn
_CHANGE = ("### Added\n", "### Added\n\n- Sample sessions in five native formats, recorded over this repository.\n")


def told(workspace: Workspace) -> list[Turn]:
    """The whole conversation, its tools carried out as it goes."""
    do = workspace.do
    turns = [_overview(do), _read(workspace), _imports(do), _edit(do), _again(workspace)]
    drawn = _drawing(do)
    seen = drawn.steps[1].calls[0].image
    return [*turns, drawn, _close(do, seen)]


def _overview(do: Do) -> Turn:
    return Turn(
        "What is this repository, and how is it laid out?",
        [
            Step(
                "I'll look at the top folder, the history and the README side by side.",
                [
                    do("list", path="."),
                    do("run", command="git log --format='%h %s' -n 30"),
                    do("read", path="README.md"),
                ],
            ),
            Step("There is a guide for contributors. I'll load it and follow it.", [_guide(do)]),
            Step(
                "Now the sizes, and what it depends on.",
                [do("run", command="wc -l $(git ls-files '*.py')"), do("read", path="requirements.lock")],
            ),
            Step(
                "A Python package that keeps an agent inside its context window. The source stands on floors; "
                "a module may import only from floors below it."
            ),
        ],
    )


def _guide(do: Do) -> Call:
    return do("skill", name="contributing", file="CONTRIBUTING.md")


def _read(workspace: Workspace) -> Turn:
    paths = dict.fromkeys((*_LOW_FLOORS, *workspace.files("src", _READ_CHARS)))
    steps = [Step(_names(pair), [workspace.do("read", path=path) for path in pair]) for pair in _pairs(paths)]
    answer = Step("A plan is the list of all edits made for a session so far, in epochs, each edit named by a key.")
    return Turn("Read the source, bottom up. What is a plan?", [*steps, answer], pause_s=95)


def _imports(do: Do) -> Turn:
    return Turn(
        "Does anything import upwards? And do the tests of the floors pass?",
        [
            Step(
                "I'll search the imports while the tests run.",
                [
                    do("search", pattern="^from secateur", path="src"),
                    do("run", command="python -m pytest -q tests/test_floors.py -p no:cacheprovider"),
                ],
            ),
            Step("One module more.", [do("run", command="python -m pytest -q tests/test_ceilings.py")]),
            Step("There is no such file. No module imports upwards, and the tests of the floors pass."),
        ],
        pause_s=60,
    )


def _edit(do: Do) -> Turn:
    old, new = _CHANGE
    return Turn(
        "Add a line on the sample sessions to the changelog.",
        [
            Step("First the file as it is.", [do("read", path="CHANGELOG.md")]),
            Step("Now the change.", [do("edit", path="CHANGELOG.md", old=old, new=new)]),
            Step("And what it did.", [do("run", command="git diff -- CHANGELOG.md")]),
            Step("Done: one line under Added."),
        ],
    )


def _again(workspace: Workspace) -> Turn:
    """After a pause longer than a prompt cache lives; some files are read a second time."""
    paths = dict.fromkeys((*_LOW_FLOORS[:2], *workspace.files("src/secateur/formats", _READ_CHARS // 2)))
    tests = workspace.files("tests", _READ_CHARS // 3)
    steps = [
        Step(_names(pair), [workspace.do("read", path=path) for path in pair]) for pair in _pairs([*paths, *tests])
    ]
    answer = Step("A format says in a few words why a document is its own; the first that can, reads it.")
    return Turn(
        "How does it know which format a document is in? Look at the tests too.", [*steps, answer], pause_s=1500
    )


def _drawing(do: Do) -> Turn:
    return Turn(
        "Draw the lengths of the source files.",
        [
            Step("There is a script for that.", [do("run", command="python scripts/draw_sizes.py build/sizes.png")]),
            Step("I'll look at the picture.", [do("view", path="build/sizes.png")]),
            Step("One bar per file. No bar is much taller than the others."),
        ],
    )


def _close(do: Do, seen: bytes) -> Turn:
    return Turn(
        "This is the picture I got. Which file is the longest bar?",
        [
            Step("I'll count.", [do("run", command="wc -l $(git ls-files 'src/*.py') | sort -rn | head -n 6")]),
            Step("The first line after the total names it."),
        ],
        image=seen,
    )


def _pairs(paths: Iterable[str]) -> list[list[str]]:
    names = list(paths)
    return [names[i : i + 2] for i in range(0, len(names), 2)]


def _names(paths: list[str]) -> str:
    return f"Reading {' and '.join(path.rsplit('/', 1)[-1] for path in paths)}."
