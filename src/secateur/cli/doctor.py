"""`secateur doctor`: the settings in effect and where each comes from, what is installed, and advice.

Rule: it shows what the other commands would do with the same options, and changes nothing. Advice is a
finding (exit 1).
"""

import os
import platform
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from msgspec import Struct

from secateur import policy
from secateur.cli import options
from secateur.cli.effective_settings import EffectiveSetting, SettingsOptions, list_settings
from secateur.cli.exit_codes import FINDINGS, SUCCESS
from secateur.cli.inputs import OpenedDocument, open_document, read_source
from secateur.cli.install import make_install_options
from secateur.cli.installed import InstalledExtra, get_version, list_extras
from secateur.cli.names import DOCUMENT
from secateur.cli.options import make_argument
from secateur.cli.output import tables
from secateur.cli.output.formatting import format_duration
from secateur.cli.output.terminal import clean, print_blocks, print_json
from secateur.cli.plugins import PluginRow, list_plugins, list_problems, make_plugin_table
from secateur.cli.store_option import get_shown_url
from secateur.errors import ConfigError, StoreError
from secateur.hosts.activity import Activity, find_host_folder, find_project_folders, read_activity
from secateur.hosts.host import InstallableHost
from secateur.hosts.installable import HOSTS
from secateur.hosts.installation import Installed, find_changed_files, read_record
from secateur.stores import get_receipt_retention_s, get_retention_s, open_store
from secateur.stores.place import KEEPING, KEEPING_RECEIPTS, VARIABLE
from secateur.stores.protocol import Sizes, Store
from secateur.stores.sqlite import SqliteStore

_EPILOG = """\
\b
Examples:
  secateur doctor
  secateur doctor session.jsonl --policy hermes
  secateur doctor --policy openclaw.json5 --model claude-sonnet-4-5

\b
Exit codes: 0 success, 1 there is advice, 2 usage or configuration,
3 input unreadable.
"""
_COMPLETION = {
    "bash": """eval "$(secateur completion bash)" in ~/.bashrc""",
    "zsh": """eval "$(secateur completion zsh)" in ~/.zshrc""",
    "fish": "secateur completion fish | source in ~/.config/fish/config.fish",
}
DAY_MS = 86_400_000


class StoreCheckup(Struct, frozen=True):
    """The state of the store."""

    url: str
    source: str  # who named it
    retention_s: float
    retention_source: str
    receipts_s: float
    sizes: Sizes | None = None  # null: not there yet, or it cannot be used
    bytes_a_day: float | None = None  # since the oldest session; null: less than a day old
    trouble: str = ""


class HostCheckup(Struct, frozen=True, kw_only=True):
    """A host that secateur is installed in."""

    host: str
    policy: str
    problems: list[str]  # why it does not act there, and what to do
    last: Activity | None  # null: the host has not asked yet


class DoctorOptions(SettingsOptions, frozen=True, kw_only=True):
    """The options of `secateur doctor`."""

    input: Annotated[str | None, make_argument(required=False, type=DOCUMENT)]
    format_name: options.FormatName
    store: options.StoreUrl
    as_json: options.AsJson


class DoctorReport(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = "secateur.doctor/1"
    version: str
    python: str
    settings: list[EffectiveSetting]
    extras: list[InstalledExtra]
    plugins: list[PluginRow]
    store: StoreCheckup
    hosts: list[HostCheckup]
    completion: str
    advice: list[str]  # a store that cannot be used is one of them


@options.make_command("doctor", DoctorOptions, _EPILOG)
def command(args: DoctorOptions) -> int:
    """Show the settings in effect and where each comes from; with INPUT, those for that document."""
    report = check_up(args)
    if args.as_json:
        print_json(report)
    else:
        print_blocks(*_render(report))
    return FINDINGS if report.advice else SUCCESS


def check_up(args: DoctorOptions) -> DoctorReport:
    """Check everything."""
    chosen = policy.with_protected_tools(policy.load(args.policy), args.protect)
    plugins = list(list_plugins())
    store = check_store(args.store, int(time.time() * 1000))
    hosts = list(check_hosts())
    return DoctorReport(
        version=get_version(),
        python=f"{platform.python_version()} on {platform.system()}",
        settings=list_settings(args, chosen, _open_document(args)),
        extras=list_extras(),
        plugins=plugins,
        store=store,
        hosts=hosts,
        completion=_COMPLETION.get(os.path.basename(os.environ.get("SHELL", "")), "secateur completion --help"),
        advice=[
            *policy.give_advice(chosen),
            *list_problems(plugins),
            *filter(None, [store.trouble]),
            *_list_host_problems(hosts),
        ],
    )


def _open_document(args: DoctorOptions) -> OpenedDocument | None:
    return open_document(read_source(args.input), args.format_name, model=args.model) if args.input else None


def _render(report: DoctorReport) -> list[Any]:
    extras = [
        (f"secateur[{extra.extra}]", extra.package, extra.version or f"missing: pip install 'secateur[{extra.extra}]'")
        for extra in report.extras
    ]
    shown = [(setting.name, clean(setting.value), clean(setting.source)) for setting in report.settings]
    return [
        f"secateur {report.version}, Python {report.python}",
        tables.make_list(shown, "Settings in effect", ("setting", "value", "from")),
        tables.make_list(extras, "Extras", ("extra", "package", "installed")),
        tables.make_list([tuple(map(clean, row)) for row in _list_store_rows(report.store)], "Store", ("", "", "from")),
        *([_make_host_table(report.hosts)] if report.hosts else []),
        *([make_plugin_table(report.plugins)] if report.plugins else []),
        f"Shell completion: {report.completion}",
        *([f"Advice: {clean(advice)}." for advice in report.advice] or ["No advice: nothing looks wrong."]),
    ]


def check_store(store_url: str, now: int) -> StoreCheckup:
    """Check the store that `--store` names, else the default one. `now` is in ms since 1970."""
    source = "--store" if store_url else VARIABLE if os.environ.get(VARIABLE) else "the user's data folder"
    keeps = KEEPING if os.environ.get(KEEPING) else "default"
    known = (get_shown_url(store_url), source, get_retention_s(), keeps, get_receipt_retention_s())
    store = open_store(store_url)
    try:
        sizes = _read_sizes(store)
    except StoreError as error:
        return StoreCheckup(*known, trouble=str(error))
    finally:
        store.close()
    days = (now - sizes.oldest) / DAY_MS if sizes and sizes.oldest else 0.0
    grown = (sizes.file_bytes or sizes.stored_bytes) / days if sizes and days >= 1 else None
    return StoreCheckup(*known, sizes=sizes, bytes_a_day=grown)


def check_hosts() -> Iterator[HostCheckup]:
    """Check the hosts that secateur is installed in: their files, and what the plugin starts.

    A project that was deleted, and the middleware with it, needs nothing more.
    """
    for name, host in HOSTS.items():
        for folder in find_project_folders(name) if host.is_per_project else [find_host_folder(name)]:
            try:
                record = read_record(folder)
                if record is not None and not (host.is_per_project and not _find_folder(record).exists()):
                    yield _check_host(host, record, folder)
            except ConfigError as error:
                yield HostCheckup(host=name, policy="unknown", problems=[str(error)], last=None)


def _check_host(host: InstallableHost, record: Installed, folder: Path) -> HostCheckup:
    again = f"run `secateur install {host.name}` again"
    problems = [f"{path} was changed after the installation: {again}" for path in find_changed_files(record)]
    if shutil.which(host.program) is None:
        problems.append(f"{host.program} is not on the PATH: {host.package}")
    problems += host.find_problems(make_install_options(record.policy, record.summarizers))
    last = read_activity(folder)
    if last is not None and last.error:
        problems.append(f"its last request was sent as received: {last.error}")
    where = f" in {_find_folder(record)}" if host.is_per_project else ""
    return HostCheckup(host=f"{host.name}{where}", policy=record.policy, problems=problems, last=last)


def _find_folder(record: Installed) -> Path:
    return Path(record.files[0].change.path).parent


def _list_host_problems(hosts: list[HostCheckup]) -> list[str]:
    return [f"{checkup.host}: {problem}" for checkup in hosts for problem in checkup.problems]


def _make_host_table(hosts: list[HostCheckup]) -> Any:
    rows = []
    for checkup in hosts:
        last = checkup.last
        asked = "has sent no request yet: start it once"
        if last is not None:
            ago = format_duration(max(0.0, time.time() - last.at_ms / 1000))
            changed = f": {last.edited:,} of {last.requests:,} requests changed" if last.requests else ""
            asked = f"{ago} ago{changed}"
        rows.append((checkup.host, "see the advice" if checkup.problems else "works", checkup.policy, asked))
    return tables.make_list(rows, "Hosts", ("host", "state", "policy", "last asked"))


def _list_store_rows(checkup: StoreCheckup) -> Iterator[tuple[str, str, str]]:
    """The rows of the table: what, how much, from where."""
    yield ("at", checkup.url, checkup.source)
    yield ("bytes of idle sessions", f"kept {format_duration(checkup.retention_s)}", checkup.retention_source)
    yield (
        "receipts",
        f"kept {format_duration(checkup.receipts_s)}",
        KEEPING_RECEIPTS if os.environ.get(KEEPING_RECEIPTS) else "default",
    )
    sizes = checkup.sizes
    if checkup.trouble:
        yield ("contents", "unknown: see the advice", "")
    elif sizes is None:
        yield ("contents", "nothing yet", "")
    else:
        yield ("contents", f"{sizes.sessions:,} sessions, {sizes.receipts:,} receipts, {sizes.epochs:,} epochs", "")
        kept = f"{sizes.blobs:,} removed texts, {_format_mb(sizes.blob_bytes)} uncompressed"
        yield ("bytes", f"{kept}, {_format_mb(sizes.stored_bytes)} compressed", "")
        yield (
            "file",
            f"{_format_mb(sizes.file_bytes)}, {_format_mb(sizes.free_bytes)} of it free, schema {sizes.schema}",
            "",
        )
        growth = "less than a day old" if checkup.bytes_a_day is None else f"{_format_mb(checkup.bytes_a_day)} a day"
        yield ("growth", growth, "")


def _read_sizes(store: Store) -> Sizes | None:
    if isinstance(store, SqliteStore) and not store.path.exists():
        return None
    return store.measure_sizes()


def _format_mb(size: float) -> str:
    return f"{size / 1e6:,.1f} MB"
