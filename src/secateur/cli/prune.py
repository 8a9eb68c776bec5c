"""`secateur prune`: the prune phase on a session file or a request body; the same format comes out.

Rule: nothing is written in place unless asked, and never where the policy forbids it; a session is not dumped on a
person's terminal. Where the document goes to standard output, the report goes to standard error.
"""

from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import Struct, structs

from secateur import engine, plan, policy
from secateur.cli import options, write
from secateur.cli.account import account
from secateur.cli.anatomy import largest
from secateur.cli.exits import FINE, Refused
from secateur.cli.kept_view import kept_view, told
from secateur.cli.others import Other, others
from secateur.cli.progress import working
from secateur.cli.reading import Opened, opened
from secateur.cli.report import Report, report
from secateur.cli.source import Source, read
from secateur.cli.terminal import harmless, say_json, tell
from secateur.engine import View
from secateur.errors import StillTooLong
from secateur.plan import Plan
from secateur.policy import Policy
from secateur.schedule import Never
from secateur.stores import default_url

_HELP = """\
\b
Examples:
  secateur prune s.jsonl --dry-run            what would go; writes nothing
  secateur prune s.jsonl -o pruned.jsonl      write it
  secateur prune s.jsonl --in-place           keeps s.jsonl.bak
  secateur prune request.json --policy hermes --window 128000 > less.json
  secateur prune s.jsonl --protect 'mcp_*' --json | jq .output
  secateur prune s.jsonl --plan-out plan.json         a dry run, kept,
  secateur prune s.jsonl --apply plan.json -o p.jsonl        carried out
  secateur prune s.jsonl --session s1 -o p.jsonl      keep what leaves:
  secateur why s1                                     and how to read it back
  secateur restore p.jsonl -o s.jsonl                 the file as it was

\b
Exit codes: 0 fine, 2 usage or configuration, 3 input unreadable,
4 still longer than the window that --window states.
"""


class Asked(Struct, frozen=True):
    """What the command line said."""

    input: str
    policy: str
    model: str
    window: int | None
    format_name: str | None
    idle: float | None
    protect: tuple[str, ...]
    fixed_tokens: int
    counter: str
    dry_run: bool
    out: str | None
    in_place: bool
    plan_out: str | None
    apply: str | None
    session: str
    store: str
    as_json: bool

    @property
    def keeps(self) -> bool:
        """Whether what leaves is kept in a store."""
        return bool(self.session or self.store)

    @property
    def target(self) -> str | None:
        """Where the document goes: a file's name, "-" for standard output, None for nowhere."""
        return None if self.dry_run else write.target(self.input, self.out, self.in_place, self.as_json)


@click.command("prune", epilog=_HELP)
@click.argument("input", default="-", type=click.Path(), metavar="[INPUT]")
@options.all_of(
    options.policy,
    options.model,
    options.window,
    options.format_,
    options.idle,
    options.protect,
    options.fixed,
    options.counter,
    options.dry_run,
    options.output,
    options.in_place,
    options.plan_out,
    options.apply_,
    options.session,
    options.store,
    options.as_json,
)
def command(**given: Any) -> int:
    """Take spent tool outputs out of INPUT, a session file or a request body (- is standard input).

    The document goes to standard output when that is a pipe or a file, else nowhere unless -o or --in-place says
    where; the report then goes to standard error. With --session or --store, what leaves is kept there: placeholders
    name it where the policy's say so, `secateur recall` reads it back, and `secateur restore` the whole file.
    """
    return prune(msgspec.convert(given, Asked))


def prune(asked: Asked) -> int:
    """Read, prune, write, tell; the exit code."""
    chosen = _policy(asked)
    _refuse(asked, chosen)
    source = read(asked.input)
    with working(f"reading {source.label}") as doing:
        before = opened(source, asked.format_name, asked.counter, asked.fixed_tokens, asked.model)
        _refuse_log(asked, chosen, before)
        doing(f"pruning {source.label}")
        view = _view(asked, chosen, before, asked.keeps)
        doing("reading the outcome")
        model = asked.model or before.transcript.model  # what named it may have been summed up
        after = opened(_outcome(asked, source, view.native), before.format, asked.counter, asked.fixed_tokens, model)
    done = report(view, before, after, asked.target)
    if asked.keeps:
        done = told(done, view, before, asked.store)
    backup = _put(asked, source, after.source)
    if asked.plan_out:
        write.to_file(asked.plan_out, plan.encode(view.plan), source.name)
    if asked.as_json:
        say_json(done)
    else:
        tell(*account(done, before, after, backup, _others(asked, chosen, done, before)), err=asked.target == "-")
    return _ended(asked, done, after)


def _policy(asked: Asked) -> Policy:
    """The policy; for a plan that is carried out, one that adds nothing to it."""
    chosen = policy.load(asked.policy)
    if asked.apply is None:
        return chosen
    never = Never(why=f"the plan {asked.apply} names nothing that stands in this document")
    return structs.replace(chosen, schedule=never, birth=None)


def _refuse(asked: Asked, chosen: Policy) -> None:
    """Raise Refused for what contradicts itself, or may not be."""
    if asked.in_place and asked.out is not None:
        raise Refused("--in-place and -o each say where to write: give one of them")
    if asked.dry_run and (asked.in_place or asked.out is not None):
        raise Refused("--dry-run writes no document: leave -o and --in-place away, or --dry-run")
    if asked.dry_run and asked.keeps:
        raise Refused("--dry-run keeps nothing: leave --session and --store away, or --dry-run")
    if asked.in_place and asked.input == "-":
        raise Refused("standard input cannot be written in place: give -o FILE")
    if asked.in_place and chosen.in_place == "never":
        raise Refused(f"policy {chosen.name} never changes a recorded session: give -o FILE, or another policy")
    if asked.as_json and asked.out == "-":
        raise Refused("--json takes standard output: give -o FILE for the document")
    if asked.out not in (None, "-") and write.same_file(asked.input, str(asked.out)):
        raise Refused(f"{asked.out} is the input: give --in-place, which keeps a backup, or another name")


def _refuse_log(asked: Asked, chosen: Policy, before: Opened) -> None:
    """Raise Refused for a session log that the policy leaves as it is (SEEDS 2.7)."""
    if asked.in_place and chosen.in_place == "bodies" and before.document.format.log:
        raise Refused(f"policy {chosen.name} never changes a recorded session: give -o FILE, or another policy")


def _view(asked: Asked, chosen: Policy, before: Opened, keeps: bool = False) -> View[Any]:
    """The view, and where it is to be kept the record of it; never of a policy that is only asked."""
    given: dict[str, Any] = {
        "window": asked.window,
        "format": before.format,
        "protect": asked.protect,
        "counter": asked.counter,
        "compact": False,
        "too_long": "send",  # it is written all the same, and the exit code says so
    }
    request: dict[str, Any] = {
        "plan": _plan(asked.apply),
        "idle_s": asked.idle,
        "fixed_tokens": asked.fixed_tokens,
    }
    if keeps:
        used = engine.Engine(chosen, asked.model, store=asked.store or default_url(), handles="on", **given)
        return kept_view(used, before.source, asked.session or None, asked.target, request)
    return engine.Engine(chosen, asked.model, **given).fit(before.source.data, **request)


def _plan(name: str | None) -> Plan | None:
    return plan.decode(read(name).data) if name else None


def _outcome(asked: Asked, source: Source, native: bytes) -> Source:
    """What is to be stored, as if it had been read from where it goes."""
    target = asked.target
    packed = target.endswith(".gz") if target and asked.out not in (None, "-") else source.packed
    return Source(target or "", write.packed_like(source, native, packed), native, packed)


def _put(asked: Asked, source: Source, outcome: Source) -> Path | None:
    """Write the document; the backup if one was made."""
    if asked.in_place:
        return write.in_place(source, outcome.stored)
    if asked.target == "-":
        write.to_stdout(outcome.stored)
    elif asked.target is not None:
        write.to_file(asked.target, outcome.stored, source.name)
    return None


def _others(asked: Asked, chosen: Policy, done: Report, before: Opened) -> list[Other] | None:
    """What the presets would free, where this policy freed nothing and somebody wonders why."""
    if done.edits or asked.apply:
        return None
    with working("asking the other policies"):
        return others(before, chosen.name, lambda other: _view(asked, other, before))


def _ended(asked: Asked, done: Report, after: Opened) -> int:
    if asked.window is None or done.output.tokens <= asked.window:
        return FINE
    heaviest = ", ".join(f"{harmless(one.tool) or one.kind} ({one.tokens:,})" for one in largest(after.transcript, 3))
    raise StillTooLong(
        f"{done.output.tokens:,} tokens are left and the window is {asked.window:,}; the largest that stay are "
        f"{heaviest}: give a larger --window, protect less, or let secateur compact sum up the rest"
    )
