"""What every preset, counter and command must do: three classes of tests to inherit from.

Rule: only what policies, reports and the command line rely on is tested.
"""

import io
import json
import tomllib
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

from msgspec.structs import replace

from secateur import policy as policies
from secateur.errors import FormatError, SecateurError
from secateur.policy import Policy
from secateur.schedule import Never
from secateur.testing.requests import find_violations, fit_under, make_long_request
from secateur.tokens import Counter

_TEXTS = ("a", "word " * 50, "def f(x):\n    return x\n" * 20, "é\U0001f600\u4e2d" * 30, "\ud800", "\x00", " " * 100)


class PresetKit:
    """Inherit from it in a class named Test…, and write `preset`. pytest runs the rest."""

    def preset(self) -> str:
        """The TOML text of the preset."""
        raise NotImplementedError("write preset(): it returns the TOML text of the preset")

    def test_it_says_in_a_sentence_what_it_does(self) -> None:
        assert self._make_policy().description, "`secateur policies` shows its doc: write one"

    def test_it_loads_back_to_the_same_policy(self) -> None:
        made = self._make_policy()
        assert policies.load(tomllib.loads(policies.as_toml(made))) == made

    def test_off_means_off(self) -> None:
        off = replace(self._make_policy(), on_arrival=None, prune=(), schedule=Never(), compaction=None)
        request = make_long_request()
        assert fit_under(off, request).request is request

    def test_a_view_breaks_no_more_rules_and_a_second_look_adds_nothing(self) -> None:
        first = fit_under(self._make_policy(), make_long_request())
        assert set(find_violations(first.request)) <= set(find_violations(make_long_request()))
        again = fit_under(self._make_policy(), make_long_request(), plan=first.plan)
        assert again.plan.epochs == first.plan.epochs
        assert again.request == first.request

    def _make_policy(self) -> Policy:
        return policies.load(tomllib.loads(self.preset()))


class CounterKit:
    """Inherit from it in a class named Test…, and write `counter`. pytest runs the rest."""

    def counter(self) -> Counter:
        """The counter to be tested."""
        raise NotImplementedError("write counter(): it returns the counter to be tested")

    def test_no_text_has_no_tokens(self) -> None:
        assert self.counter()("") == 0

    def test_any_text_has_a_whole_number_of_tokens_and_the_same_each_time(self) -> None:
        for text in _TEXTS:
            tokens = self.counter()(text)
            assert type(tokens) is int
            assert tokens >= 0
            assert self.counter()(text) == tokens

    def test_twice_the_text_has_more_tokens(self) -> None:
        for text in _TEXTS:
            assert self.counter()(text * 20) >= self.counter()(text)
        assert self.counter()("word " * 1_000) > self.counter()("word " * 10)


class CommandKit:
    """Inherit from it in a class named Test…, and write `command` and `arguments`. pytest runs the rest."""

    schema = ""  # what `--json` prints as `schema`; "": the command has no `--json`

    def command(self) -> Any:
        """The `click.Command` to be tested."""
        raise NotImplementedError("write command(): it returns the command to be tested")

    def arguments(self) -> Sequence[str]:
        """Arguments for which it succeeds."""
        raise NotImplementedError("write arguments(): it returns arguments with which the command succeeds")

    def test_its_help_says_what_it_does(self) -> None:
        code, out = self._run("--help")
        assert code == 0
        assert self.command().get_short_help_str(60).strip()
        assert "Usage:" in out

    def test_it_succeeds(self) -> None:
        code, out = self._run(*self.arguments())
        assert code in (0, 1), "0: fine, 1: findings"
        assert out.strip()

    def test_an_option_that_there_is_not_is_a_usage_error(self) -> None:
        assert self._run("--no-such-option")[0] == 2

    def test_json_is_one_object_with_its_schema(self) -> None:
        if self.schema:
            code, out = self._run(*self.arguments(), "--json")
            assert code in (0, 1)
            assert json.loads(out)["schema"] == self.schema

    def _run(self, *args: str) -> tuple[int, str]:
        """Its exit code and what it printed, as `secateur` would run it."""
        import click

        out = io.StringIO()
        with redirect_stdout(out), redirect_stderr(io.StringIO()):
            try:
                code = self.command().main(list(args), prog_name="secateur", standalone_mode=False) or 0
            except click.ClickException as error:
                code = error.exit_code
            except SecateurError as error:
                code = 3 if isinstance(error, FormatError) else 2
        return code, out.getvalue()
