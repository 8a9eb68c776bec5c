"""`secateur run CLIENT`: an agent behind the proxy, started and stopped together.

Rule: the client's settings are not touched, its exit code is passed on, and nothing is left behind. Messages for people
go to standard error, before the client starts and after it has ended.
"""

import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import click

from secateur.cli import options
from secateur.cli.exit_codes import UsageError
from secateur.cli.options import Options, make_argument, make_option
from secateur.cli.output.terminal import print_text
from secateur.cli.proxy_report import ProxyReport, fetch_report, summarize
from secateur.hosts.launch import LAUNCHES, TENANT, Launch, build_start, find_upstreams
from secateur.proxy.settings import Api, ProxySettings, Recall, check_mode, check_recall
from secateur.sessions.recall_handles import can_name_files, find_recall_folder
from secateur.stores import open_store
from secateur.stores.laid_files import get_tenant_folder

if TYPE_CHECKING:
    from secateur.proxy.server import RunningServer

_FLAG = "--prune-subscriptions"
_EPILOG = f"""\
\b
Examples:
  secateur run claude
  secateur run codex exec "fix the failing test"
  secateur run --mode observe pi
  secateur run {_FLAG} claude --continue

Everything after CLIENT is the client's own. Options of secateur come before it.
`secateur status` shows what was saved.
"""


class ClientRunOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur run`."""

    client: Annotated[str, make_argument(type=click.Choice(list(LAUNCHES)), metavar="CLIENT")]
    arguments: Annotated[tuple[str, ...], make_argument(nargs=-1, type=click.UNPROCESSED, metavar="[ARGS]...")]
    mode: Annotated[
        str,
        make_option(
            "--mode",
            type=click.Choice(["prune", "observe", "full"]),
            default="prune",
            show_default=True,
            help="prune prunes requests; full also summarizes history; observe sends requests as they are and "
            "reports what pruning would save.",
        ),
    ]
    prune_subscriptions: Annotated[
        bool,
        make_option(
            _FLAG, is_flag=True, help="Prune requests of a subscription, too; by default they are only observed."
        ),
    ]
    summarizer: options.Summarizers
    policy: options.PolicyName
    store: options.StoreUrl
    recall: Annotated[
        str | None,
        make_option(
            "--recall",
            type=click.Choice(["auto", "files", "served"]),
            help="How the model reads back what was removed. files: from files beside the store, the default where the "
            "store can write files; auto: by CLIENT's recall tool, if it has one; served: by a tool of the proxy.",
        ),
    ]
    upstream_anthropic: Annotated[str, options.build_upstream("anthropic")]
    upstream_openai: Annotated[str, options.build_upstream("openai")]
    upstream_gemini: Annotated[str, options.build_upstream("gemini")]
    quiet: Annotated[bool, make_option("--quiet", "-q", is_flag=True, help="Print only errors.")]


@options.make_command("run", ClientRunOptions, _EPILOG)
def command(args: ClientRunOptions) -> int:
    """Run CLIENT behind the proxy, so that its requests are pruned.

    CLIENT is claude, codex, pi, copilot, opencode, kilo, gemini or qwen.
    """
    launch = LAUNCHES[args.client]
    if shutil.which(launch.program) is None:
        raise UsageError(f"{launch.program} is not on the PATH: npm install -g {launch.package}")
    settings = _build_settings(args, launch)
    from secateur.hosts.child import run_child
    from secateur.proxy.background import start_in_thread

    with start_in_thread(settings) as running, TemporaryDirectory(prefix="secateur-run-") as name:
        folder = Path(name)
        start = build_start(launch, args.arguments, os.environ, running.address, str(folder), _find_files(settings))
        for name, text in start.files.items():
            (folder / name).write_text(text)
        if not args.quiet:
            _announce(launch, running, args)
        code = run_child(start.arguments, start.environment)
        report = fetch_report(running.address)
    if not args.quiet and report is not None:
        _conclude(launch, report, args)
    return code


command.context_settings = {"ignore_unknown_options": True, "allow_interspersed_args": False}


def _build_settings(args: ClientRunOptions, launch: Launch) -> ProxySettings:
    stated: dict[Api, str] = {
        "anthropic": args.upstream_anthropic,
        "openai": args.upstream_openai,
        "gemini": args.upstream_gemini,
    }
    return ProxySettings(
        mode=check_mode(args.mode),
        summarizers=args.summarizer,
        policy=args.policy,
        store=args.store,
        recall=_choose_recall(args),
        upstreams=find_upstreams(launch, os.environ, stated),
        tenant=TENANT,
        subscriptions=args.prune_subscriptions,
    )


def _choose_recall(args: ClientRunOptions) -> Recall:
    """Files, unless something else was asked for: the agent runs here, and should be able to read what it lost."""
    if args.recall is not None:
        return check_recall(args.recall)
    return "files" if can_name_files(open_store(args.store)) else "auto"


def _find_files(settings: ProxySettings) -> str:
    """The folder of the files that placeholders name; "" if they name none."""
    if settings.recall != "files" or settings.mode == "observe":
        return ""
    return get_tenant_folder(find_recall_folder("file", open_store(settings.store)), TENANT)


def _announce(launch: Launch, running: "RunningServer", args: ClientRunOptions) -> None:
    does = "observes its requests" if args.mode == "observe" else f"prunes its requests by {args.policy}"
    print_text(f"secateur: {launch.title} runs behind {running.address}, which {does}\n", err=True)
    if args.mode != "observe" and not args.prune_subscriptions and not any(map(os.environ.get, launch.keys)):
        print_text(f"secateur: requests paid for by a subscription are only observed; {_FLAG} prunes them\n", err=True)
    sys.stderr.flush()


def _conclude(launch: Launch, report: ProxyReport, args: ClientRunOptions) -> None:
    if not report.generated:
        print_text(
            f"secateur: no model request of {launch.title} came through; if it asked a model, its own settings name "
            "another address\n",
            err=True,
        )
        return
    print_text(f"secateur: {summarize(report)}\n", err=True)
    if args.mode != "observe" and report.subscription and not args.prune_subscriptions:
        print_text(f"secateur: a subscription pays for it, so nothing was pruned; {_FLAG} changes that\n", err=True)
    if report.last_error:
        print_text(f"secateur: some requests were sent as received: {report.last_error}\n", err=True)
