"""`secateur serve`: the proxy, until a signal ends it.

Rule: standard output has one line, the address, once requests are accepted; other messages for people go to standard
error.
"""

import logging
import os
import sys
from typing import TYPE_CHECKING, Annotated

import click

from secateur.cli import options
from secateur.cli.number_types import NumberType
from secateur.cli.options import Options, make_option
from secateur.cli.output.terminal import print_exact
from secateur.cli.proxy_report import LiveLine, show_live
from secateur.errors import ConfigError
from secateur.proxy.settings import PORT

if TYPE_CHECKING:
    from secateur.proxy.server import RunningServer

TOKEN = "SECATEUR_PROXY_TOKEN"
_EPILOG = """\
\b
Examples:
  secateur serve
  secateur serve --mode prune --port 0
  ANTHROPIC_BASE_URL=http://127.0.0.1:8787 claude
  OPENAI_BASE_URL=http://127.0.0.1:8787/v1 python agent.py

Requests go to the provider of the API that they use. On an address that
other machines reach, clients need the token in SECATEUR_PROXY_TOKEN.
"""


class ServeOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur serve`."""

    mode: Annotated[
        str,
        make_option(
            "--mode",
            type=click.Choice(["observe", "prune", "full"]),
            default="observe",
            show_default=True,
            help="observe forwards requests unchanged and reports what pruning would save; prune prunes them; "
            "full also summarizes history.",
        ),
    ]
    mode_for: Annotated[
        tuple[str, ...],
        make_option(
            "--mode-for",
            multiple=True,
            metavar="WHAT=MODE",
            help="Another mode if WHAT matches: an API, model:GLOB or tenant:NAME. The first match applies.",
        ),
    ]
    summarizer: options.Summarizers
    policy: options.PolicyName
    target_tokens: options.TargetTokens
    port: Annotated[
        int,
        make_option(
            "--port",
            type=NumberType(0, 65_535),
            default=PORT,
            show_default=True,
            metavar="N",
            help="The port to listen on; 0: any that is free.",
        ),
    ]
    host: Annotated[
        str,
        make_option(
            "--host",
            default="127.0.0.1",
            show_default=True,
            metavar="H",
            help=f"The address to listen on. One that other machines can reach needs {TOKEN}.",
        ),
    ]
    store: options.StoreUrl
    recall: Annotated[
        str,
        make_option(
            "--recall",
            type=click.Choice(["auto", "files", "served"]),
            default="auto",
            show_default=True,
            help="How the model reads back what was removed. auto: by the client's recall tool, if it has one; files: "
            "from files beside the store, which clients must be able to read; served: by a tool that the proxy adds to "
            "new conversations and answers itself.",
        ),
    ]
    tenant: Annotated[
        str | None,
        make_option(
            "--tenant",
            metavar="T",
            help="The owner of all sessions; default: each credential owns its own, under a keyed hash of it.",
        ),
    ]
    prune_subscriptions: Annotated[
        bool,
        make_option(
            "--prune-subscriptions",
            is_flag=True,
            help="Also prune requests paid for by a subscription; its provider may not allow that.",
        ),
    ]
    workers: Annotated[
        int,
        make_option(
            "--workers",
            type=NumberType(1, 64),
            default=1,
            show_default=True,
            metavar="N",
            help="Processes that share the port and the store: about one for each processor core.",
        ),
    ]
    max_body: Annotated[
        int,
        make_option(
            "--max-body",
            type=NumberType(1, 4_096),
            default=64,
            show_default=True,
            metavar="MIB",
            help="Refuse larger requests.",
        ),
    ]
    log: Annotated[
        bool,
        make_option(
            "--log",
            is_flag=True,
            help="Write one JSON object for each request to standard error: names, numbers and codes, no content.",
        ),
    ]
    traces: Annotated[
        bool,
        make_option(
            "--traces",
            is_flag=True,
            help="Make an OpenTelemetry span of each model request; opentelemetry-instrument says where they go.",
        ),
    ]
    upstream: Annotated[
        str, make_option("--upstream", default="", metavar="URL", help="Where requests of every API are sent.")
    ]
    upstream_anthropic: Annotated[str, options.build_upstream("anthropic")]
    upstream_openai: Annotated[str, options.build_upstream("openai")]
    upstream_gemini: Annotated[str, options.build_upstream("gemini")]
    upstream_bedrock: Annotated[str, options.build_cloud_upstream("bedrock")]
    upstream_vertex: Annotated[str, options.build_cloud_upstream("vertex")]


@options.make_command("serve", ServeOptions, _EPILOG)
def command(args: ServeOptions) -> None:
    """Serve a proxy between agents and their providers that prunes requests."""
    from secateur.proxy.modes import parse_mode_rule
    from secateur.proxy.request_record import REQUESTS
    from secateur.proxy.settings import Api, ProxyLimits, ProxySettings, check_mode, check_recall, check_upstream
    from secateur.summarizers.endpoint import is_local_host

    token = os.environ.get(TOKEN, "")
    if not is_local_host(args.host) and not token:
        raise ConfigError(f"other machines can reach {args.host}: set {TOKEN} to a secret that clients must send")
    named: dict[Api, str] = {
        "anthropic": args.upstream_anthropic or args.upstream,
        "openai": args.upstream_openai or args.upstream,
        "gemini": args.upstream_gemini or args.upstream,
        "bedrock": args.upstream_bedrock or args.upstream,
        "vertex": args.upstream_vertex or args.upstream,
    }
    settings = ProxySettings(
        host=args.host,
        port=args.port,
        mode=check_mode(args.mode),
        rules=tuple(map(parse_mode_rule, args.mode_for)),
        summarizers=args.summarizer,
        policy=args.policy,
        target_tokens=args.target_tokens,
        store=args.store,
        recall=check_recall(args.recall),
        tenant=args.tenant,
        subscriptions=args.prune_subscriptions,
        limits=ProxyLimits(body_bytes=args.max_body * 1024 * 1024),
        upstreams={api: check_upstream(address) for api, address in named.items() if address},
        token=token,
        traces=args.traces,
        workers=args.workers,
    )
    logging.getLogger("secateur.proxy").addHandler(_StandardError("secateur: "))
    from secateur.proxy.server import serve  # after all that can be wrong with the options: it loads much

    with show_live() as line:
        if args.log:
            _begin_log(logging.getLogger(REQUESTS))
        serve(settings, lambda running: _announce(running, line, token))


class _StandardError(logging.Handler):
    """Warnings of the proxy, one line each."""

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self._prefix = prefix

    def emit(self, record: logging.LogRecord) -> None:
        print_exact(f"{self._prefix}{record.getMessage()}\n", err=True)


def _begin_log(requests: logging.Logger) -> None:
    requests.setLevel(logging.INFO)
    requests.propagate = False
    requests.addHandler(_StandardError(""))


def _announce(running: "RunningServer", line: LiveLine, token: str) -> None:
    print_exact(f"listening on {running.address}\n")
    sys.stdout.flush()
    line.follow(running.address + (f"/_secateur/key/{token}" if token else ""))
