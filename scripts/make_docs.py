"""Write the generated pages of `docs/reference/` from the code: docstrings, fields with their comments, presets, help.

    python scripts/make_docs.py            write them
    python scripts/make_docs.py --check    exit 1 if one is not as it would be written

Rule: what the code says is not said again by hand. A thing without a docstring, or a field without a comment where its
name does not say it all, is mended in the code.
"""

import ast
import inspect
import os
import re
import sys
import tokenize
from collections.abc import Callable, Iterator
from importlib import import_module
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any, get_args, get_type_hints

from secateur import Engine, Plan, View, api, chain, errors, fit, plugins, pricing, redact, usage
from secateur.api import get_family
from secateur.api.registry import LOGS, REPAIRS, get_passes
from secateur.api.repair import REPAIRABLE, repair_characters
from secateur.api.repair_run import RepairPass
from secateur.api.transcript.repairs_logs import FILE_RULES, HOSTS
from secateur.api.unverifiable import UNVERIFIABLE
from secateur.bridge import methods as bridge
from secateur.bridge import parameters as bridge_parameters
from secateur.bridge import protocol as bridge_protocol
from secateur.compaction.ask import Failure, SummaryAnswer, SummaryUsage
from secateur.compaction.settings import Compaction, Continuation, DigestSettings
from secateur.engine import ReplayResult, UndoResult
from secateur.errors import EditError
from secateur.formats import FORMATS, Format, get_format
from secateur.mcp import scope
from secateur.mcp.tools import NAMES, Tools
from secateur.model import Epoch, NewMessage, Remove, Replace, Restore, Rewrite
from secateur.policy import PRESETS, Policy, read_source
from secateur.pricing import arithmetic
from secateur.pricing.prices import make_unit_price, restate_price
from secateur.pricing.rules import load_rules
from secateur.protect import Protection
from secateur.receipt import EditRecord, Receipt
from secateur.redact.notations import NOTATIONS
from secateur.redact.shapes import SHAPES
from secateur.schedule import SCHEDULES
from secateur.sessions import calibration, recall_handles
from secateur.stores import migrate, open_store, postgres_schema, proof, protocol
from secateur.stores.memory import MemoryStore
from secateur.stores.postgres import PostgresStore
from secateur.stores.sqlite import SqliteStore
from secateur.strategies import STRATEGIES
from secateur.summarizers import SUMMARIZERS, Function, names, parse, require_local, run
from secateur.summarizers import errors as failures
from secateur.summarizers import protocol as summarizing
from secateur.text import readback
from secateur.usage import places

WIDTH = 120  # of a line of prose, as on the pages written by hand
UNVERIFIABLE_AT = "secateur.api.unverifiable"
METHODS = (
    *(
        Engine.fit,
        Engine.afit,
        Engine.compact,
        Engine.record_usage,
        Engine.arecord_usage,
        Engine.undo,
        Engine.pin,
        Engine.unpin,
    ),
    *(Engine.replay, Engine.clear_cache, Engine.close),
)
BRIDGE_METHODS: dict[str, tuple[Callable[..., Any], type]] = {
    "hello": (bridge.Bridge.answer_hello, bridge_parameters.HelloParameters),
    "fit": (bridge.Bridge.fit, bridge_parameters.FitParameters),
    "usage": (bridge.Bridge.record_usage, bridge_parameters.UsageParameters),
    "event": (bridge.Bridge.handle_event, bridge_parameters.EventParameters),
    "shorten": (bridge.Bridge.shorten_result, bridge_parameters.ShortenParameters),
    "prompt": (bridge.Bridge.write_prompt, bridge_parameters.FitParameters),
    "status": (bridge.Bridge.describe_status, bridge_parameters.ToolParameters),
    "undo": (bridge.Bridge.undo, bridge_parameters.UndoParameters),
}
FOLDER = Path(__file__).parent.parent / "docs" / "reference"
_BODY = "Request body, or a list of messages."
_QUALIFIED = re.compile(r"~|\b(?:secateur|collections|typing|msgspec|os)\.(?:[a-z_]+\.)*(?=[A-Z])")  # before a type
_NOTE = "<!-- Written by scripts/make_docs.py from the code; change it there. -->"


def main(check: bool) -> int:
    """Write all pages, or say which are stale."""
    stale = []
    for name, page in PAGES.items():
        path, text = FOLDER / f"{name}.md", _wrap_prose("\n\n".join(page())) + "\n"
        if check and (not path.exists() or path.read_text() != text):
            stale.append(name)
        elif not check:
            path.write_text(text)
    if stale:
        print(f"stale pages in docs/reference: {', '.join(stale)}; run `make docs`")
    return 1 if stale else 0


def _wrap_prose(text: str) -> str:
    """The page with its paragraphs and list items in lines of 120 characters; code, tables and headings stay."""
    out: list[str] = []
    is_code = False
    for line in text.splitlines():
        is_code ^= line.startswith("```")
        out += [line] if is_code or line.startswith(("|", "<", "#", "```", "    ")) else _wrap_line(line)
    return "\n".join(out)


def _wrap_line(line: str) -> list[str]:
    """A paragraph in lines. No line begins with what Markdown would read as a list, a quote or a heading."""
    indent = " " * (len(line) - len(line.lstrip()) + 2 * line.lstrip().startswith("- "))
    lines, row = [], ""
    for word in re.findall(r"\S+(?:\s+(?:[-+*>#]+|\d+[.)])(?=\s))*", line.strip()):
        if row and len(row) + 1 + len(word) > WIDTH:
            lines.append(row)
            row = indent + word
        else:
            row = f"{row} {word}" if row else line[: len(line) - len(line.lstrip())] + word
    return [*lines, row]


def strategies() -> Iterator[str]:
    yield from _head("Strategies", "One way to save tokens each. A policy runs them in order; `do` names one.")
    for name in STRATEGIES.built_in:
        strategy = STRATEGIES.get(name)
        assert strategy
        yield f"## `{name}`"
        yield _module_text(import_module(strategy.__module__))
        yield _text(strategy)
        yield _fields(strategy)


def presets() -> Iterator[str]:
    yield from _head("Presets", "Policies that ship, as they were written: `secateur policies NAME` prints one.")
    yield "What each is held to stands under [what presets are held to](seeds.md)."
    for name in PRESETS:
        yield f"## `{name}`\n\n```toml\n{read_source(name).strip()}\n```"


def policy() -> Iterator[str]:
    yield from _head("The policy language", _text(Policy))
    yield _fields(Policy)
    yield "`Count` is a whole number from 0, `Share` a number from 0 to 1, `Table` rows of a window and its tokens."
    yield f"## `protect`\n\n{_text(Protection)}\n\n{_fields(Protection)}"
    yield "## `schedule`\n\n`when` names one of these."
    for name in SCHEDULES.built_in:
        schedule = SCHEDULES.get(name)
        assert schedule
        yield f"### `{name}`\n\n{_text(schedule)}\n\n{_fields(schedule)}".rstrip()
    yield f"## `pricing`\n\n{_module_text(import_module('secateur.pricing.stated'))}\n\n{_text(pricing.Stated)}"
    yield _fields(pricing.Stated)
    yield f"### `cache`\n\n{_text(pricing.StatedCache)}\n\n{_fields(pricing.StatedCache)}"
    yield f"## `compaction`\n\n{_text(Compaction)}\n\n{_fields(Compaction)}"
    yield f"### `compaction.digest`\n\n{_text(DigestSettings)}\n\n{_fields(DigestSettings)}"
    yield f"## `continuation`\n\n{_text(Continuation)}\n\n{_fields(Continuation)}"


def formats() -> Iterator[str]:
    yield from _head(
        "Formats", "A document's format is recognized by what is in it, in this order; `--format` names one."
    )
    yield _table(
        ("format", "what it is", "rules", "held to them before it goes out", "repair", "new messages"), _able()
    )
    told: dict[str, str] = {}
    for name in FORMATS:
        reader = type(get_format(name))
        module = import_module(reader.__module__)
        document = "Session file: one JSON document." if hasattr(module, "gathered") else _BODY
        kind = "Session log: lines of JSON." if reader.log else document
        first = told.setdefault(module.__name__, name)
        text = _module_text(module) if first == name else f"{_text(reader)} Its rules are those of `{first}`."
        yield f"## `{name}`\n\n*{kind}*\n\n{text}"


def _able() -> list[tuple[str, ...]]:
    """What can be done with each format, asked of the code."""
    rows = []
    for name in FORMATS:
        reader, family = get_format(name), get_family(name)
        sent = family != "transcript"
        kind = "session log" if reader.log else "request" if sent else "session file"
        rows.append((f"[`{name}`](#{name})", kind, family, _yes(sent), _yes(repairs(name)), _yes(_takes_new(reader))))
    return rows


def repairs(name: str) -> bool:
    """Whether `secateur repair` mends this format."""
    return name in HOSTS or name in REPAIRABLE


def _takes_new(reader: Format) -> bool:
    try:
        reader.new_message(NewMessage("user", "text"))
    except EditError:
        return False
    return True


def _yes(able: bool) -> str:
    return "yes" if able else "–"


def commands() -> Iterator[str]:
    os.environ.update(COLUMNS="100", NO_COLOR="1")
    import click

    from secateur.cli.program import COMMANDS, program

    yield from _head("Commands", "What `secateur COMMAND --help` prints.")
    with click.Context(program, info_name="secateur", max_content_width=100) as top:
        yield f"```text\n{program.get_help(top).strip()}\n```"
        for name in COMMANDS:
            command = program.get_command(top, name)
            assert command, name
            with click.Context(command, info_name=name, parent=top, max_content_width=100) as context:
                yield f"## `{name}`\n\n```text\n{command.get_help(context).strip()}\n```"


def errors_() -> Iterator[str]:
    yield from _head(
        "Errors", "One question per class: what can the caller do now? Catch `SecateurError` to fail open."
    )
    rows = [
        (f"`{error.__name__}`", f"`{error.__mro__[1].__name__}`", " ".join(_text(error).split())) for error in _errors()
    ]
    yield _table(("error", "is a", "means"), rows)


def library() -> Iterator[str]:
    yield from _head("Library", "`import secateur` gives `fit`, `Engine`, `View`, `Plan` and the errors.")
    yield f"## `secateur.fit`\n\n```text\nfit{_signature(fit)}\n```\n\n{_text(fit)}"
    yield f"## `secateur.Engine`\n\n```text\nEngine{_signature(Engine)}\n```\n\n{_text(Engine)}"
    for method in METHODS:
        name = method.__name__
        yield f"### `Engine.{name}`\n\n```text\n{name}{_signature(method)}\n```\n\n{_text(method)}"
    for struct in (View, UndoResult, ReplayResult, Plan, Epoch, Rewrite, Remove, Replace, Restore, Receipt, EditRecord):
        yield f"## `{struct.__name__}`\n\n{_text(struct)}\n\n{_fields(struct)}"


def plugins_() -> Iterator[str]:
    head, text = _module_text(plugins).split("\n\n", 1)
    yield from _head("Plugins", head)
    yield text
    yield "How to write one of each is told under [add a plugin](../how-to/add-a-plugin.md)."
    rows = [(f"`{name}`", _first_line(getattr(plugins, name))) for name in plugins.__all__]
    yield f"## `secateur.plugins`\n\n{_table(('name', 'is'), rows)}"


def _first_line(thing: Any) -> str:
    """The first sentence of its docstring; types and values have none of their own."""
    text = thing.__doc__ if callable(thing) and getattr(thing, "__module__", "").startswith("secateur") else ""
    return " ".join((text or "").split("\n\n")[0].split()) or f"`{thing!r}`"


def rules_() -> Iterator[str]:
    yield from _head(
        "Rules", "What the APIs refuse. `secateur check` reports it by rule, with the place and the remedy."
    )
    yield "A rule holds for every server and model unless it says otherwise. A *warning* costs quality or money only."
    yield f"## `secateur.api.check`\n\n```text\ncheck{_signature(api.check)}\n```\n\n{_text(api.check)}"
    yield f"## `Violation`\n\n{_text(api.Violation)}\n\n{_fields(api.Violation)}"
    profiles = [(f"`{name}`", what) for name, what in api.PROFILES.items()]
    yield f"## Profiles\n\n{_table(('profile', 'servers'), profiles)}"
    for family in api.FAMILIES:
        package = import_module(f"secateur.api.{family}")
        rows = [
            (f"`{one.id}`", one.says, _applies(one), _repaired(family, one), one.source)
            for one in api.list_rules(family)
        ]
        table = _table(("rule", "what must be true", "where", "repair", "source"), rows)
        yield f"## `{family}`\n\n{_module_text(package)}\n\n{table}"
    yield "## Repairs\n\n`secateur repair` runs these passes in this order. Each changes only what violates its rules."
    first = repair_characters
    yield f"Before them, in every document, `{first.name}` ({_ids(first)}): {_text(first.run)}"
    for name in REPAIRS:
        steps = [(f"`{one.name}`", _ids(one), _text(one.run).split("\n\n")[0]) for one in get_passes(name)]
        title = "Session files of lines" if name == LOGS else f"`{name}`"
        yield f"### {title}\n\n{_table(('pass', 'rules', 'what it does'), steps)}"
    yield _table(("rule of session files", "what must be true"), [(f"`{id}`", says) for id, says in FILE_RULES.items()])
    unseen = [(f"`{id}`", why) for id, why in UNVERIFIABLE.items()]
    reasons = _module_text(import_module(UNVERIFIABLE_AT))
    yield f"## What no rule looks for\n\n{reasons}\n\n{_table(('id', 'why'), unseen)}"


def _ids(one: RepairPass) -> str:
    return ", ".join(f"`{id}`" for id in one.rules)


def _repaired(family: str, rule: api.Rule) -> str:
    """The passes that repair a rule, or why none does."""
    passes = [one for name, table in REPAIRS.items() if table.api == family for one in get_passes(name)]
    serving = [one.name for one in (repair_characters, *passes) if rule.id in one.rules]
    done = ", ".join(f"`{one}`" for one in dict.fromkeys(serving)) + (f" ({rule.partly})" if rule.partly else "")
    return f"none: {rule.no_repair}" if rule.no_repair else done


def prices() -> Iterator[str]:
    yield from _head("Prices and prompt caches", _module_text(pricing))
    yield f"## Prices\n\n{_module_text(import_module('secateur.pricing.prices'))}"
    for struct in (pricing.Price, pricing.Rates, pricing.Tier):
        yield f"### `{struct.__name__}`\n\n{_text(struct)}\n\n{_fields(struct)}"
    yield from _functions(pricing.price_of, make_unit_price, restate_price)
    yield f"## Cache rules\n\n{_module_text(import_module('secateur.pricing.rules'))}"
    yield f"### `CacheRules`\n\n{_text(pricing.CacheRules)}\n\n{_fields(pricing.CacheRules)}"
    rows = [(one.name, ", ".join(f"`{name}`" for name in one.models), *_kept(one), one.source) for one in load_rules()]
    yield _table(("rules", "models", "ends", "minimum", "lives", "source"), rows)
    yield f"## Arithmetic\n\n{_module_text(arithmetic)}"
    yield from _functions(*[one for one in vars(arithmetic).values() if inspect.isfunction(one)])
    yield f"### `Fold`\n\n{_text(pricing.Fold)}\n\n{_fields(pricing.Fold)}"


def _kept(rules: pricing.CacheRules) -> tuple[str, str, str]:
    return rules.positions, f"{rules.minimum_tokens:,} tokens", f"{rules.ttl_s:,.0f} s"


def simulator() -> Iterator[str]:
    yield from _head("The simulator", _module_text(import_module("secateur.simulate")))
    for name, things in SIMULATOR.items():
        module = import_module(f"secateur.simulate.{name}")
        yield f"## `secateur.simulate.{name}`\n\n{_module_text(module)}"
        for thing in (getattr(module, one) for one in things):
            if inspect.isfunction(thing):
                yield from _functions(thing)
            else:
                yield f"### `{thing.__name__}`\n\n{_text(thing)}\n\n{_fields(thing)}"


SIMULATOR = {
    "requests": ("read_recording", "Recording", "RecordedRequest"),
    "answered": (),
    "several": ("read_recordings", "count_shared", "describe_requests", "Said"),
    "client": ("infer_client", "infer_caching", "Client"),
    "run": ("simulate", "bill_turns", "as_paid", "Run"),
    "replay": ("ReplayedTurn",),
    "cache": ("Caching", "CachedPrompt"),
    "bill": ("Bill", "BillRow", "ExtraCall"),
    "cache_validation": ("compare_requests", "find_unexplained_misses", "Compared"),
    "recall": ("recall_of", "compare_views", "compute_refetch_cost", "ViewState", "Score", "Stratum", "LostReference"),
    "recall.score": ("find_frontier", "compute_area", "compute_interval", "Point", "Interval"),
    "compare": ("compare_policies", "Play", "Comparison", "PolicyResult"),
    "eligible": ("build_session_arrays",),
    "decision_log": ("build_decision_log", "DecisionLog", "DecisionEvent", "Wait"),
    "timeline": ("build_timeline", "describe_entry", "TimelineEntry"),
    "attribution": ("analyze_spending", "Spending", "PartSpending", "Leak"),
    "plots": ("build_picture", "write", "Picture"),
    "foresight": ("find_best_schedule", "list_aged", "list_unreferenced", "Terms", "OracleRun"),
}


def usage_() -> Iterator[str]:
    yield from _head("Usage", _module_text(usage))
    yield from _functions(usage.read_usage)
    yield f"## `Usage`\n\n{_text(usage.Usage)}\n\n{_fields(usage.Usage)}"
    yield f"## Shapes\n\n{_module_text(import_module('secateur.usage.shapes'))}"
    rows = [(one.name, *map(_paths, (one.marks, one.input + one.more)), *_cached(one)) for one in usage.SHAPES]
    yield _table(("stated by", "told by", "input", "cached tokens", "read", "written", "output", "reasoning"), rows)
    yield f"## Places\n\n{_module_text(import_module('secateur.usage.places'))}"
    yield "\n".join(f"- `{'.'.join(place)}`" for place in places.PLACES)
    yield f"## What a session learns from it\n\n{_module_text(calibration)}"


def _cached(one: usage.UsageShape) -> tuple[str, str, str, str, str]:
    how = {"inside": "inside the input", "beside": "beside it", "either": "as the figures tell"}[one.cached]
    thinking = f"{_paths(one.reasoning)}, {one.thinking} the output" if one.reasoning else ""
    return how, _paths(one.read), _paths(one.write + one.write_5m + one.write_1h), _paths(one.output), thinking


def _paths(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _functions(*functions: Callable[..., Any]) -> Iterator[str]:
    for one in functions:
        yield f"### `{one.__name__}`\n\n```text\n{one.__name__}{_signature(one)}\n```\n\n{_text(one)}"


def store_() -> Iterator[str]:
    yield from _head("The store", _module_text(import_module("secateur.stores")))
    yield "Why: [what is kept](../explanation/what-is-kept.md). Another one: [add a store](../how-to/add-a-store.md)."
    yield f"## `secateur.stores.open_store`\n\n```text\nopen_store{_signature(open_store)}\n```\n\n{_text(open_store)}"
    yield _table(("address", "what it is"), [(f"`{name}`", _first(kind)) for name, kind in _STORES.items()])
    yield f"## `Store`\n\n{_text(protocol.Store)}"
    for name, method in vars(protocol.Store).items():
        if inspect.isfunction(method) and not name.startswith("_"):
            yield f"### `{name}`\n\n```text\n{name}{_signature(method)}\n```\n\n{_text(method)}".replace(_OF, "")
    for struct in _KEPT:
        yield f"## `{struct.__name__}`\n\n{_text(struct)}\n\n{_fields(struct)}"
    for title, module, functions in _OF_THE_RECORD:
        yield f"## {title}\n\n{_module_text(module)}"
        yield from (f"### `{function.__name__}`\n\n{_text(function)}" for function in functions)
    yield f"Kinds by shape or notation: {', '.join(sorted({f'`{shape.kind}`' for shape in (*SHAPES, *NOTATIONS)}))}."
    yield f"## Schema\n\n{_module_text(migrate)}"
    yield from (f"### {number}\n\n```text\n{text.strip()}\n```" for number, text in migrate.load_migrations())
    yield f"## Schema in PostgreSQL\n\n{_module_text(postgres_schema)}"
    of_postgres = postgres_schema.load_postgres_migrations()
    yield from (f"### PostgreSQL, {number}\n\n```text\n{text.strip()}\n```" for number, text in of_postgres)


_OF = "secateur.stores.protocol."
_STORES = {"memory": MemoryStore, "sqlite": SqliteStore, "postgresql": PostgresStore}
_KEPT = (
    *(
        protocol.SessionId,
        protocol.State,
        protocol.SessionUpdate,
        chain.Link,
        chain.Anchor,
        protocol.Blob,
        protocol.BlobRef,
        protocol.Manifest,
    ),
    *(
        protocol.Clock,
        protocol.Calibration,
        protocol.Pin,
        protocol.FoundSession,
        protocol.SessionRow,
        protocol.Sizes,
        protocol.Freed,
    ),
)
_OF_THE_RECORD = (
    ("Proof", chain, (proof.find_problems, proof.load_raw)),
    ("Redaction", redact, (redact.redact, redact.detect_kinds, redact.redact_tree)),
)


def tools_() -> Iterator[str]:
    yield from _head("Tools for the model", _module_text(import_module("secateur.mcp")))
    yield "How to add them to a host: [let the model read back](../how-to/let-the-model-read-back.md)."
    for name in NAMES:
        tool = getattr(Tools, name)
        yield f"## `{name}`\n\n```text\n{name}{_signature(tool)}\n```\n\n{_text(tool)}"
    for title, module in (("Whose session", scope), ("What was read back", readback), ("Handles", recall_handles)):
        yield f"## {title}\n\n{_module_text(module)}"


def _first(thing: Any) -> str:
    """What the file of a thing is for, in its first sentence."""
    return _module_text(import_module(thing.__module__)).split("\n\n")[0]


def summarizers_() -> Iterator[str]:
    yield from _head("Summarizers", _module_text(import_module("secateur.summarizers")))
    yield "How to use one: [summarize with a model](../how-to/summarize-with-a-model.md)."
    yield f"## Names\n\n{_module_text(names)}"
    yield _table(("name", "what it is"), [(f"`{name}`", text) for name, text in SUMMARIZERS.items()])
    yield _table(("provider", "key from", "address from", "otherwise"), _vendors())
    yield f"An address takes its key from `{names.SERVER_KEY}`, or from the variable that `?key=VARIABLE` names."
    windows = (
        f"{names.DEFAULT_WINDOW:,} tokens for a provider's model, {names.SERVER_WINDOW:,} for a server of one's own"
    )
    yield f"A window that no table knows and that `?window=TOKENS` does not state counts as {windows}."
    yield from _functions(parse, require_local)
    yield f"## Compacting\n\n{_module_text(run)}"
    yield from _functions(run.compact_history, run.acompact_history)
    yield from (
        f"### `{one.__name__}`\n\n{_text(one)}\n\n{_fields(one)}"
        for one in (run.CompactionRun, SummaryAnswer, SummaryUsage)
    )
    yield f"## Failures\n\n{_module_text(failures)}"
    yield _table(("failure", "tried again"), [(f"`{one}`", _yes(one in failures.RETRIED)) for one in get_args(Failure)])
    yield f"## Another one\n\n{_module_text(summarizing)}\n\n### `Function`\n\n{_text(Function)}\n\n{_fields(Function)}"


def _vendors() -> list[tuple[str, ...]]:
    return [
        (f"`{name}`", " or ".join(f"`{key}`" for key in one.keys), f"`{one.url_from}`", f"`{one.url}`")
        for name, one in names.VENDORS.items()
    ]


def bridge_() -> Iterator[str]:
    yield from _head("The bridge", _module_text(bridge_protocol))
    yield "Plugins start `secateur bridge HOST`, and whoever writes one finds here what it answers."
    for name, (method, parameters) in BRIDGE_METHODS.items():
        yield f"## `{name}`\n\n{_text(method)}\n\nParameters:\n\n{_fields(parameters)}"
        result = get_type_hints(method)["return"]
        yield "No result." if result is type(None) else f"Result:\n\n{_fields(result)}"
    yield "## `recall`, `search`, `removed`\n\nThe tools of these names of [the MCP server](mcp.md), for one session."
    yield f"Parameters:\n\n{_fields(bridge_parameters.ToolParameters)}\n\nResult:\n\n{_fields(bridge.TextAnswer)}"
    for struct in (bridge_protocol.BridgeError, bridge_protocol.HostQuestion, bridge_protocol.HostAnswer):
        yield f"## `{struct.__name__}`\n\n{_text(struct)}\n\n{_fields(struct)}"


PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "strategies": strategies,
    "presets": presets,
    "policy": policy,
    "formats": formats,
    "commands": commands,
    "errors": errors_,
    "rules": rules_,
    "library": library,
    "store": store_,
    "prices": prices,
    "simulator": simulator,
    "usage": usage_,
    "summarizers": summarizers_,
    "mcp": tools_,
    "plugins": plugins_,
    "bridge": bridge_,
}


def _head(title: str, text: str) -> tuple[str, str, str]:
    return f"# {title}", _NOTE, text


def _applies(rule: api.Rule) -> str:
    """Where a rule holds, if not everywhere."""
    notes = [f"profile {', '.join(rule.profiles)}"] if rule.profiles else []
    notes += ["whole histories"] if rule.whole else []
    return "; ".join([*notes, *(["warning"] if rule.severity == "warning" else [])])


def _errors() -> list[type[BaseException]]:
    return [value for value in vars(errors).values() if isinstance(value, type) and value.__module__ == errors.__name__]


def _text(thing: Any) -> str:
    """A docstring, one line a paragraph."""
    text = thing.__doc__
    assert text, f"{thing.__qualname__} has no docstring"
    return _flowing(inspect.cleandoc(text))


def _module_text(module: ModuleType) -> str:
    assert module.__doc__, f"{module.__name__} has no docstring"
    return _flowing(inspect.cleandoc(module.__doc__))


def _flowing(text: str) -> str:
    paragraphs = re.split(r"\n\s*\n", text)
    return "\n\n".join(p if p.startswith((" ", "-", "|", "```")) else " ".join(p.split()) for p in paragraphs)


def _signature(function: Callable[..., Any]) -> str:
    shown = inspect.signature(function)
    lines = [f"    {parameter}," for name, parameter in shown.parameters.items() if name != "self"]
    named_only = next((i for i, p in enumerate(shown.parameters.values()) if p.kind is p.KEYWORD_ONLY), None)
    if named_only is not None:
        lines.insert(named_only - ("self" in shown.parameters), "    *,")
    answer = "" if shown.return_annotation in (shown.empty, None) else f" -> {_plain(shown.return_annotation)}"
    return _QUALIFIED.sub("", "(\n" + "\n".join(lines) + f"\n){answer}")


def _plain(annotation: Any) -> str:
    return str(annotation) if get_args(annotation) else getattr(annotation, "__name__", str(annotation))


def _fields(struct: type) -> str:
    """A table of a Struct's fields, their meaning from the comments beside them."""
    tree = ast.parse(Path(inspect.getfile(struct)).read_text())
    body = next(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == struct.__name__)
    comments = _comments(Path(inspect.getfile(struct)))
    rows = []
    for node in body.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            default = f"`{ast.unparse(node.value)}`" if node.value else ""
            meaning = comments.get(node.end_lineno or node.lineno, "")
            rows.append((f"`{node.target.id}`", f"`{ast.unparse(node.annotation)}`", default, meaning))
    return _table(("field", "type", "default", "meaning"), rows) if rows else ""


def _comments(file: Path) -> dict[int, str]:
    tokens = tokenize.generate_tokens(StringIO(file.read_text()).readline)
    return {token.start[0]: token.string.lstrip("# ") for token in tokens if token.type == tokenize.COMMENT}


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [heads, ("---",) * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
