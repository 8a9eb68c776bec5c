"""What authors of plugins import, and everything that a plugin can add.

A plugin is an entry point of an installed distribution. Its group says what it adds, its name is the name under which
it is used, and its value refers to an object:

| group | what it refers to | where its name is used |
|---|---|---|
| `secateur.formats` | a subclass of `Format` | detection after the built-in formats, `format=`, `--format` |
| `secateur.strategies` | a subclass of `Strategy` whose tag is the name | `prune` in policy files |
| `secateur.schedules` | a subclass of `Schedule` whose tag is the name | `schedule` in policy files |
| `secateur.presets` | a package that contains `NAME.toml` | `policy=`, `--policy`, `policies`, `simulate`, `extends` |
| `secateur.rules` | a `Rule` with a `family`, and a `repair` if it has one | `check`, `repair`, validation of views |
| `secateur.stores` | a function from an address to a `Store` | `store="NAME://..."`, `--store` |
| `secateur.summarizers` | a function from a name to a `Summarizer` | `summarizer="NAME:..."`, `--summarizer` |
| `secateur.counters` | a function from a text to tokens (`Counter`) | `counter=`, `--counter`, policy files |
| `secateur.commands` | a `click.Command` | `secateur NAME`, `secateur --help`, completion |

`secateur plugins` lists what is installed. `secateur.testing` has a kit of tests for each kind. There is no code here:
everything is defined elsewhere and re-exported, and what is not re-exported may change without notice.
"""

from secateur.api.editable import Node
from secateur.api.repair_run import RepairRecord, RepairRun
from secateur.api.rule import Found, Rule, Violation, rule
from secateur.bounds import (
    explain_protection,
    find_boundary,
    find_call,
    find_prunable_results,
    find_turn_start,
    get_index,
    is_eligible,
)
from secateur.budget import Budget, get_original, handle_for, is_shorter
from secateur.chain import encode_canonical, link_bodies, start
from secateur.compaction.ask import Ask, Failure, SummaryAnswer
from secateur.compaction.continuation import filter_visible
from secateur.errors import ConfigError, FormatError, SecateurError, StoreError, UnknownFormat
from secateur.formats.format import Format
from secateur.formats.native import (
    Calls,
    count_fixed_tokens,
    dump_canonical,
    find_array,
    hash_value,
    read_medium,
    read_member,
)
from secateur.jsontext import Lines, Text, dumps
from secateur.lineage import assign_keys, find_chain_key, handle_of, hash_text
from secateur.model import (
    Edit,
    Kind,
    Message,
    NewMessage,
    Origin,
    Part,
    Path,
    Remove,
    Replace,
    Restore,
    Rewrite,
    Role,
    Transcript,
)
from secateur.policy import Policy
from secateur.proposal import NOTHING, Decision, Proposal, Schedule
from secateur.protect import Count, Protection, Share
from secateur.registry import PluginWarning
from secateur.schedule.gates import EveryRequest
from secateur.stores import open_store
from secateur.stores.changes import check_admission
from secateur.stores.protocol import (
    Blob,
    Conflict,
    Rejected,
    SessionId,
    SessionUpdate,
    State,
    Store,
    apply_update,
    make_state,
)
from secateur.strategy import Strategy, is_final
from secateur.summarizers.builtin import Function
from secateur.summarizers.protocol import Failed, Summarizer
from secateur.text.excerpt import excerpt, trim_text
from secateur.text.placeholder import describe_removed
from secateur.tokens import Counter
from secateur.view import EditedPart

__all__ = [
    "SummaryAnswer",
    "Ask",
    "Blob",
    "Budget",
    "Calls",
    "SessionUpdate",
    "Decision",
    "ConfigError",
    "Conflict",
    "Count",
    "Counter",
    "Edit",
    "EditedPart",
    "EveryRequest",
    "Failed",
    "Failure",
    "Format",
    "FormatError",
    "Found",
    "Function",
    "Kind",
    "Lines",
    "RepairRecord",
    "Message",
    "NOTHING",
    "NewMessage",
    "Node",
    "Proposal",
    "Origin",
    "Part",
    "Path",
    "PluginWarning",
    "Policy",
    "Protection",
    "Rejected",
    "Remove",
    "Replace",
    "Restore",
    "Rewrite",
    "Role",
    "Rule",
    "Schedule",
    "SecateurError",
    "Share",
    "State",
    "Store",
    "StoreError",
    "Strategy",
    "Summarizer",
    "Text",
    "Transcript",
    "UnknownFormat",
    "Violation",
    "SessionId",
    "RepairRun",
    "check_admission",
    "find_array",
    "find_boundary",
    "find_call",
    "find_prunable_results",
    "encode_canonical",
    "dump_canonical",
    "find_chain_key",
    "apply_update",
    "hash_text",
    "dumps",
    "is_eligible",
    "excerpt",
    "count_fixed_tokens",
    "make_state",
    "handle_for",
    "handle_of",
    "get_index",
    "describe_removed",
    "is_final",
    "assign_keys",
    "link_bodies",
    "read_medium",
    "read_member",
    "open_store",
    "get_original",
    "rule",
    "filter_visible",
    "find_turn_start",
    "is_shorter",
    "start",
    "trim_text",
    "hash_value",
    "explain_protection",
]
