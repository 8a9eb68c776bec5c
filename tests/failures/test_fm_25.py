"""FM-25: of a long test run, the lines that matter stand at its end and among the failures."""

from secateur.text.excerpt import excerpt

RUN = "\n".join(
    [f"tests/test_a.py::test_{number} PASSED" for number in range(390)]
    + ["tests/test_b.py::test_login FAILED", "E   ValueError: no session for user 7"]
    + [f"    frame {number} of the traceback" for number in range(8)]
    + ["1 failed, 390 passed", "exit code: 1"]
)


def test_exception_exit_code_and_failing_test_stay() -> None:
    kept = excerpt(RUN, 2_000)
    assert len(kept) <= 2_000
    for line in ("test_login FAILED", "ValueError: no session for user 7", "exit code: 1"):
        assert line in kept
