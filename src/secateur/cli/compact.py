"""`secateur compact`: prune, sum up what still does not fit, go on; the same format comes out.

Rule: a session file gets its host's own compaction entry at its end; bodies are written anew. Nothing is written in
place unless asked. Without a summariser no network is used. A plan that a dry run kept is carried out to the byte.
"""

from typing import Any

import click
import msgspec
from msgspec import Struct, structs

from secateur import plan, policy
from secateur.cli import options, write
from secateur.cli.exits import FINE, Refused
from secateur.cli.progress import working
from secateur.cli.reading import Opened, opened
from secateur.cli.report import Report, report
from secateur.cli.source import Source, read
from secateur.cli.summing import account
from secateur.cli.terminal import say_json, tell
from secateur.compaction.outcome import Refused as NotDone
from secateur.engine import Engine, View
from secateur.errors import StillTooLong
from secateur.policy import Policy
from secateur.schedule import Never

_HELP = """\
\b
Examples:
  secateur compact s.jsonl                    what would be done; writes nothing
  secateur compact s.jsonl -o less.jsonl      write it, no model asked
  secateur compact s.jsonl --in-place         keeps s.jsonl.bak
  secateur compact request.json --window 32000 > less.json
  secateur compact s.jsonl --summarizer anthropic:claude-haiku-4-5 -o less.jsonl
  secateur compact s.jsonl --dry-run --plan-out plan.json
  secateur compact s.jsonl --apply plan.json -o less.jsonl     those very bytes

\b
Exit codes: 0 fine, 1 nothing was summed up, 2 usage or configuration,
3 input unreadable, 4 still longer than the window.
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
    summarizer: tuple[str, ...]
    local_only: bool
    focus: str
    deadline: float
    if_due: bool
    dry_run: bool
    out: str | None
    in_place: bool
    plan_out: str | None
    apply: str | None
    as_json: bool

    @property
    def target(self) -> str | None:
        """Where the document goes: a file's name, "-" for standard output, None for nowhere."""
        return None if self.dry_run else write.target(self.input, self.out, self.in_place, self.as_json)


@click.command("compact", epilog=_HELP)
@click.argument("input", default="-", type=click.Path(), metavar="[INPUT]")
@options.all_of(
    options.policy,
    options.summarizer,
    options.local_only,
    options.focus,
    options.deadline,
    options.if_due,
    options.dry_run,
    options.model,
    options.window,
    options.format_,
    options.idle,
    options.protect,
    options.fixed,
    options.counter,
    options.output,
    options.in_place,
    options.plan_out,
    options.apply_,
    options.as_json,
)
def command(**given: Any) -> int:
    """Sum up what no longer fits in INPUT, a session file or a request body (- is standard input), after pruning it.

    Without --summarizer the summary is made without a model. The document goes to standard output when that is a pipe
    or a file, else nowhere unless -o or --in-place says where; the report then goes to standard error.
    """
    return compact(msgspec.convert(given, Asked))


def compact(asked: Asked) -> int:
    """Read, compact, write, tell; the exit code."""
    _refuse(asked)
    source = read(asked.input)
    with working(f"reading {source.label}") as doing:
        before = opened(source, asked.format_name, asked.counter, asked.fixed_tokens, asked.model)
        chosen = _policy(asked, before)
        doing(f"summing up {source.label}{_by(asked)}")
        view, wrong = _view(asked, chosen, before)
        doing("reading the outcome")
        model = asked.model or before.transcript.model  # what named it may have been summed up
        after = opened(_outcome(asked, source, view.native), before.format, asked.counter, asked.fixed_tokens, model)
    done = report(view, before, after, asked.target)
    backup = _put(asked, source, after.source)
    if asked.plan_out:
        write.to_file(asked.plan_out, plan.encode(view.plan), source.name)
    if asked.as_json:
        say_json(done)
    else:
        tell(*account(done, before, after, backup), err=asked.target == "-")
    if wrong is not None:
        raise wrong
    return _ended(view, done)


def _refuse(asked: Asked) -> None:
    """Raise Refused for what contradicts itself."""
    if asked.in_place and asked.out is not None:
        raise Refused("--in-place and -o each say where to write: give one of them")
    if asked.dry_run and (asked.in_place or asked.out is not None):
        raise Refused("--dry-run writes no document: leave -o and --in-place away, or --dry-run")
    if asked.in_place and asked.input == "-":
        raise Refused("standard input cannot be written in place: give -o FILE")
    if asked.as_json and asked.out == "-":
        raise Refused("--json takes standard output: give -o FILE for the document")
    if asked.out not in (None, "-") and write.same_file(asked.input, str(asked.out)):
        raise Refused(f"{asked.out} is the input: give --in-place, which keeps a backup, or another name")
    if asked.apply and (asked.summarizer or asked.focus):
        raise Refused("--apply carries out a plan as it is: leave --summarizer and --focus away")


def _policy(asked: Asked, before: Opened) -> Policy:
    """The policy; for a plan that is carried out, one that adds nothing to it.

    Where a policy never changes a session's lines, nothing is pruned in it: the summary is appended (SEEDS 2.7).
    """
    chosen = policy.load(asked.policy)
    if asked.in_place and chosen.in_place == "never":
        raise Refused(f"policy {chosen.name} never changes a recorded session: give -o FILE, or another policy")
    if asked.apply is not None:
        never = Never(why=f"the plan {asked.apply} names nothing that stands in this document")
        return structs.replace(chosen, schedule=never, birth=None)
    if chosen.in_place == "bodies" and before.document.format.log:
        return structs.replace(chosen, prune=(), birth=None)
    return chosen


def _by(asked: Asked) -> str:
    return f" by {asked.summarizer[0]}" if asked.summarizer else ""


def _view(asked: Asked, chosen: Policy, before: Opened) -> tuple[View[Any], StillTooLong | None]:
    """The view, and what was raised if it is still too long."""
    engine = Engine(
        chosen,
        asked.model,
        window=asked.window,
        format=before.format,
        protect=asked.protect,
        counter=asked.counter,
        summarizer=asked.summarizer,
        local_only=asked.local_only,
        deadline_s=asked.deadline,
        compact=asked.apply is None,
    )
    given: dict[str, Any] = {
        "plan": plan.decode(read(asked.apply).data) if asked.apply else None,
        "idle_s": asked.idle,
        "fixed_tokens": asked.fixed_tokens,
    }
    try:
        if asked.apply:
            return engine.fit(before.source.data, **given), None
        return engine.compact(before.source.data, focus=asked.focus, force=not asked.if_due, **given), None
    except StillTooLong as error:
        return error.view, error


def _outcome(asked: Asked, source: Source, native: bytes) -> Source:
    """What is to be stored, as if it had been read from where it goes."""
    target = asked.target
    packed = target.endswith(".gz") if target and asked.out not in (None, "-") else source.packed
    return Source(target or "", write.packed_like(source, native, packed), native, packed)


def _put(asked: Asked, source: Source, outcome: Source) -> Any:
    """Write the document; the backup if one was made."""
    if asked.target is None:
        return None
    if asked.in_place:
        return write.in_place(source, outcome.stored)
    if asked.target == "-":
        write.to_stdout(outcome.stored)
    else:
        write.to_file(asked.target, outcome.stored, source.name)
    return None


def _ended(view: View[Any], done: Report) -> int:
    """Nothing summed up is a finding, except where nothing had to be."""
    if done.summary is not None or not isinstance(view.compaction, NotDone):
        return FINE
    return FINE if view.compaction.reason == "under" else 1
