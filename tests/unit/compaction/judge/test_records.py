"""Names, opposites and records: what a claim has nearly right, turned around, or otherwise than it is recorded."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.judge.claims import TruthReason
from secateur.compaction.judge.evidence import collect_evidence
from secateur.compaction.judge.truth import find_contradiction
from secateur.model import Message


def call(name: str, tool: str, **given: str) -> Message:
    return assistant((name, tool, json.dumps(given)))


def ran(name: str, command: str, said: str, error: bool = False) -> tuple[Message, Message]:
    return call(name, "bash", command=command), result(said, "bash", name, error)


EVIDENCE = collect_evidence(
    talk(
        user(
            "Speed up the exporter for release 3.2.1. Keep gzip enabled. Reload, never restart. Redis is out. "
            "The rollout is on Thursday. Do not push before I have seen it. Write to files.internal:9000."
        ),
        call("a", "edit", path="src/export.py", old_string="CHUNK_LIMIT = 10", new_string="CHUNK_LIMIT = 25"),
        result("ok", "edit", "a"),
        *ran("b", "pytest -q", "2 failed, 7 passed in 1.00s", True),
        *ran("c", "pytest -q", "9 passed in 1.00s"),
        *ran("d", "mypy src", "src/export.py:3: error: bad\nFound 3 errors in 1 file (checked 4 source files)", True),
        *ran("e", "git commit -am x", "[speed 4be91c7] Export in chunks\n 1 file changed"),
        *ran("f", "caddy validate", "caddy: the gateway file check is successful"),
        *ran("g", "docker tag x exporter:rc4", "ok"),
        assistant(text="It is faster. Should I compress the index file with zstd or with brotli?"),
        user("With zstd."),
        call("h", "edit", path="src/export.py", old_string="CHUNK_LIMIT = 25", new_string="CHUNK_LIMIT = 40"),
        result("ok", "edit", "h"),
        assistant(text="Done. mypy still reports three errors."),
    ).messages
)


def reason(section: str, text: str) -> TruthReason | None:
    found = find_contradiction({section: (text,)}, EVIDENCE)
    return found.reason if found else None


@pytest.mark.parametrize(
    ("section", "claim", "why"),
    [
        ("accomplished", "- Committed as 4be91d7.", "unsupported"),
        ("constraints", "- Write to files.external:9000.", "unsupported"),
        ("constraints", "- Write to files.internal:9001.", "unsupported"),
        ("accomplished", "- The image is exporter:rc5.", "unsupported"),
        ("goal", "- Speed up the exporter for release 3.3.0.", "unsupported"),
        ("constraints", "- Disable gzip.", "inverted"),
        ("constraints", "- Restart, never reload.", "inverted"),
        ("discoveries", "- mypy reports five errors.", "check"),
        ("discoveries", "- mypy: 8 errors", "check"),
        ("accomplished", "- 4 failed, 5 passed", "check"),
        ("constraints", '- The user said: "just merge whatever is there tonight".', "approval"),
        (
            "questions",
            "- Whether to compress the index with zstd or brotli: the user has not answered yet.",
            "unfinished_work",
        ),
        ("accomplished", "- CHUNK_LIMIT went from 10 to 25.", "unsupported"),
        ("accomplished", "- CHUNK_LIMIT is 70.", "unsupported"),
    ],
)
def test_what_the_history_has_otherwise_is_rejected(section: str, claim: str, why: TruthReason) -> None:
    assert reason(section, claim) == why


@pytest.mark.parametrize(
    ("section", "claim"),
    [
        ("accomplished", "- Committed as 4be91c7 on the branch speed."),
        ("accomplished", "- Committed as 4be91c."),
        ("constraints", "- Write to files.internal, port 9000."),
        ("next", "- Tag the image as exporter:rc5."),
        ("goal", "- Speed up the exporter for release 3.2.1 of it."),
        ("next", "- The rollout is on Thursday; be ready by Monday or Thursday."),
        ("constraints", "- gzip stays enabled and must not be disabled."),
        ("constraints", "- Reload and do not restart."),
        ("decisions", "- The user ruled Redis out."),
        ("discoveries", "- mypy reports three errors."),
        ("discoveries", "- Three errors remain in the type check."),
        ("accomplished", "- Nothing has been pushed."),
        ("accomplished", "- First 2 failed, 7 passed. Later 9 passed."),
        ("constraints", '- The user: "Do not push before I have seen it."'),
        ("questions", "- zstd was chosen for the index; no question is open."),
        ("accomplished", "- CHUNK_LIMIT was 10, then 25, and is 40 now."),
        ("accomplished", "- The chunk limit went up twice, to 40 in the end."),
        ("discoveries", "- The gateway file check was successful."),
        ("files", "- src/export.py (edited twice)"),
        ("next", "- Once the user has seen it, push."),
    ],
)
def test_what_the_history_has_so_or_does_not_know_stands(section: str, claim: str) -> None:
    assert reason(section, claim) is None
