"""`secateur recover`: a hand-off document from a full session file, after a compaction lost what mattered.

Rule: the whole file is read, what the host compacted away included, and never changed. No model is called.
"""

from typing import Annotated

from msgspec import Struct

from secateur.cli import options
from secateur.cli.exit_codes import UsageError
from secateur.cli.inputs import explain_unreadable, read_source
from secateur.cli.number_types import NumberType
from secateur.cli.options import Options, make_option
from secateur.cli.output.formatting import pluralize
from secateur.cli.output.progress import show_work
from secateur.cli.output.terminal import clean, print_blocks, print_exact, print_json
from secateur.cli.writer import write_file
from secateur.errors import FormatError
from secateur.recover import MAX_TOKENS, Recovered, recover_session

SCHEMA = "secateur.recover/1"
_EPILOG = """\
\b
Examples:
  secateur recover session.jsonl
  secateur recover session.jsonl -o handoff.md
  secateur recover session.jsonl --max-tokens 20000 | claude -p
  secateur recover session.jsonl --json | jq '.done | {messages, sent, compactions}'

\b
The document lists the user's requests and constraints verbatim, files,
commands and how they ended, errors, plans, open questions, the agent's most
informative sentences, and the last messages. Secrets are removed.
"""


class RecoverOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur recover`."""

    input: options.Input
    max_tokens: Annotated[
        int,
        make_option(
            "--max-tokens",
            type=NumberType(min=500),
            default=MAX_TOKENS,
            show_default=True,
            metavar="N",
            help="Limit for facts and sentences together; the last messages are added to it.",
        ),
    ]
    model: options.Model
    format_name: options.FormatName
    output: options.PlainOutput
    as_json: options.AsJson


class RecoverReport(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    input: str
    output: str | None
    done: Recovered


@options.make_command("recover", RecoverOptions, _EPILOG)
def command(args: RecoverOptions) -> None:
    """Write a hand-off document (Markdown) from INPUT, a session file.

    It covers the whole file, what the host compacted, condensed or cleared included. No model is called.
    """
    if args.as_json and args.output == "-":
        raise UsageError("--json uses standard output: give -o FILE for the document")
    source = read_source(args.input)
    with show_work(f"reading {source.label}"):
        try:
            done = recover_session(
                source.data,
                format=args.format_name,
                model=args.model,
                max_tokens=args.max_tokens,
                name="" if source.name == "-" else source.name.rpartition("/")[2],
            )
        except FormatError as error:
            raise explain_unreadable(source, error) from error
    _write_outcome(args, done)


def _write_outcome(args: RecoverOptions, done: Recovered) -> None:
    """Write the document to a file or to standard output, and the report where the document does not go."""
    to_file = args.output not in (None, "-")
    if to_file and args.output is not None:
        write_file(args.output, done.document.encode("utf-8", "replace"), args.input)
    if args.as_json:
        return print_json(RecoverReport(input=args.input, output=args.output, done=done))
    if not to_file:
        print_exact(done.document)
    return print_blocks(*_render(done, args.output if to_file else None), err=not to_file)


def _render(done: Recovered, target: str | None) -> list[str]:
    gone = done.messages - done.sent
    lost = f", {gone:,} of them no longer sent after {done.compactions:,} compactions" if done.compactions else ""
    lines = [f"{pluralize(done.messages, 'message')}{lost}: {done.whole_tokens:,} tokens → {done.tokens:,}."]
    lines += [f"warning: {clean(warning)}" for warning in done.warnings]
    return [*lines, f"Written to {clean(target)}."] if target else lines
