"""The identifiers that later work may need: hashes, ids, addresses, error codes.

Rule: what the user named comes first, then what a command says that it has started or created, since no one can ask
for it by another name. What only the agent wrote or a tool printed is not kept, because it can be read back. Measures,
colors, pictures, CSS classes, kernels and errors that a language brings along are no names, and neither are hashes of
commits that were amended or rebased since, or that the agent says are gone. Paths have their own entries. A name is
written as in its source.
"""

import re
from collections.abc import Iterable

from secateur.compaction.ledger.said import get_agent_text, get_user_text
from secateur.compaction.ledger.user.briefs import drop_hints
from secateur.compaction.ledger.user.demand_units import strip_data
from secateur.identifiers import Kind, find_anchors
from secateur.memoizing import memoize_texts
from secateur.model import Message
from secateur.redact import redact
from secateur.toolcalls.actions import Action
from secateur.toolcalls.commands import COMMIT_LINE

MOST = 60
MOST_ANNOUNCED = 24  # of these, names of what commands started or created
_KINDS: frozenset[Kind] = frozenset({"id", "hash", "url", "error"})
_MAX_CHARS = 200  # of one name
_SEARCHED = 20_000  # characters of one text
_ENDS = 2_000  # characters at either end of an output, where it says what came of a command
_ANNOUNCED = re.compile(
    r"(?im)^\W{0,6}(?:\w{1,30} ){0,3}(?:started|created|submitted|queued|enqueued|launched|scheduled|opened|deployed"
    r"|published|provisioned|registered|listening on|running at"
    r"|(?:job|task|run|build|deployment|request|container|ticket|session|execution|snapshot)[ _-]?id)\b"
    r"(?P<what>[^\n]{1,160})"
)

_NO_NAME = re.compile(  # coordinates of a drawing, a range of numbers or lines, a time that was cut, "20K-row"
    r"https?://[^\s?#]+\.(?:png|jpe?g|gif|svg|webp|ico)(?:\?\S*)?|(?-i:\d+(?:\.\d+)?[KMGTk]B?-[a-z]{3,})|"
    r"\d{4}-\d\d-\d\d|v?\d+(?:\.\d+){1,3}|\d{1,4}-[a-z]+|no-?reply@\S+|(?:utf|iso|latin|cp|windows|ascii|us)-[\w-]{1,10}|#(?:[0-9a-f]{6}|[0-9a-f]{8}|\d{1,2})|(?-i:[a-z])\w*(?:Error|Warning|Exception)"
    r"|E(?:NOENT|ACCES|PERM|EXIST|ISDIR|NOTDIR|PIPE|INVAL|ADDRINUSE|CONNREFUSED|CONNRESET|TIMEDOUT|AGAIN|BUSY)"
    r"|https?://(?:www\.w3\.org|schemas?\.[\w.-]+|www\.sitemaps\.org)\b\S*|https?://json-schema\.org\S*"
    r"|[\w.-]*?[-_]?(?:123|1234|12345|abc|abc123|xyz|foo|bar|baz)"
    r"|[MLHVCSQTAZ]?[\d.]+(?:[MLHVCSQTAZ][-\d.,]+)+[MLHVCSQTAZ]?|[\d.]*\.\d+-[\d.]+|\d{1,3}-\d*\.\d+|\d{4}-\d\d-\d\dT\d\d[\d:.-]*Z?"
    r"|(?-i:L)\d+(?:-L?\d+)?|\d+(?:\.\d+)?(?:p|px|pt|r?em|v[hw]|dpi|fps)|\d+x\d+(?:x\d+)?|\d+-\d+|[0-9a-f]{6}"
    r"|(?-i:(?:-?[mp][xytrbl]?|gap|gap-[xy]|space-[xy]|(?:min-|max-)?[wh]|size|inset|top|left|right|bottom|rounded|text|border"
    r"|bg-[a-z]{3,10}|text-[a-z]{3,10}|border-[a-z]{3,10}|opacity|leading|tracking|grid-cols|col-span|row-span|z|ring|duration"
    r"|delay)-\d{1,3}(?:\.5)?)"
    r"|(?:Linux|Darwin|Windows|CYGWIN\w*|MINGW\w*)-\d[\w.+-]*|(?:many|musl)?linux[\w.-]*_\d\w*"
    r"|(?:Import|ModuleNotFound|Type|Value|Key|Index|Attribute|Name|Syntax|Indentation|Runtime|Assertion|FileNotFound|OS|IO"
    r"|Reference|Range|NotImplemented)Error|(?:Runtime|NullPointer|IllegalArgument|IllegalState)Exception"
    r"|(?:Deprecation|User|Runtime|Future)Warning",
    re.I,
)
_COMMITTED = re.compile(COMMIT_LINE + r"(?<= )(?P<hash>[0-9a-f]{7,40})\] ", re.M)
_AMENDS = re.compile(r"\scommit\b[^\n;&|]{0,400}\s--amend\b")
_REBASES = re.compile(r"\bgit\b[^\n;&|]{0,80}\s(?:rebase|filter-branch|filter-repo)\b")
_REBASED = re.compile(r"^Successfully rebased\b|^Rewrite [0-9a-f]{7,40}\b", re.M)
_SAID_GONE = re.compile(
    r"\b(?P<hash>[0-9a-f]{7,40})`?,? (?:is|was|has been|got) (?:now )?"
    r"(?:gone|rewritten|replaced|amended|squashed|dropped)\b"
)


def list_names(messages: Iterable[Message], done: Iterable[Action] = ()) -> tuple[str, ...]:
    """Return the names worth keeping, the user's first."""
    messages, done = tuple(messages), tuple(done)
    users: dict[str, None] = {}
    for message in messages:
        if text := get_user_text(message):
            users |= dict.fromkeys(_find_names(strip_data(drop_hints(text))))
    gone = _list_gone_commits(messages, done)
    known = dict.fromkeys(name for name in users if not (gone and name.startswith(gone)))
    outputs = [action.result.text for action in done if action.kind == "run" and action.result]
    made = dict.fromkeys(name for text in outputs for name in _find_announced(text))
    new = [name for name in made if name not in known][-MOST_ANNOUNCED:]
    return (*list(known)[: MOST - len(new)], *new)


def _list_gone_commits(messages: Iterable[Message], done: Iterable[Action]) -> tuple[str, ...]:
    """Return the hashes of commits that an amended commit or a rebase replaced, or that the agent says are gone."""
    own: list[str] = []
    gone: dict[str, None] = {}
    for action in done:
        if action.kind != "run" or "git" not in action.call.text[:_SEARCHED]:
            continue
        line, said = action.call.text[:_SEARCHED], action.said[:_SEARCHED]
        new = _COMMITTED.findall(said)
        if own and new and _AMENDS.search(line):
            gone[own.pop()] = None
        elif _REBASES.search(line) and _REBASED.search(said):
            gone |= dict.fromkeys(own)
            own.clear()
        own += new
    for message in messages:
        if message.role == "assistant":
            gone |= dict.fromkeys(_SAID_GONE.findall(get_agent_text(message)[:_SEARCHED]))
    return tuple(gone)


@memoize_texts(16_384)
def _find_announced(output: str) -> tuple[str, ...]:
    """Return the names of what a command says, at either end of its output, that it has started or created."""
    ends = (output,) if len(output) <= 2 * _ENDS else (output[:_ENDS], output[-_ENDS:])
    return tuple(name for end in ends for found in _ANNOUNCED.finditer(end) for name in _find_names(found["what"]))


@memoize_texts(4_096)
def _find_names(text: str) -> tuple[str, ...]:
    """Return the names in order of the text, so that the same text gives the same list."""
    text = redact(text[:_SEARCHED])
    found = {
        one.value for one in find_anchors(text, names=False) if one.kind in _KINDS and len(one.value) <= _MAX_CHARS
    }
    placed = ((text.find(name), name) for name in found if " " not in name and _NO_NAME.fullmatch(name) is None)
    return tuple(name for at, name in sorted(placed) if at >= 0)
