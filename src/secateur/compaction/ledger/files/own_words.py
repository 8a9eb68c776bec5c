"""The agent's own sentences about the files that it edits: what it says that it did, and what it says of a file later.

Rule: quoted as they were said, cut at their end at most, without the file's own name where it only says where. Plans,
intents, questions and suppositions tell nothing of a file; an intent tells only which file an edit was meant for. Which
of them a note shows is not decided here.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from secateur.compaction.ledger.said import FENCED, get_agent_text, split_sentences
from secateur.model import Message
from secateur.redact import redact
from secateur.toolcalls.actions import clip_text, collapse_whitespace

SENTENCE_CHARS = 160
MOST_FILES = 4  # that one sentence speaks of
_SEARCHED = 2_000  # characters at the end of a message


class Mentions(Struct, frozen=True):
    """The newest sentence about each file, behind its last edit: about it alone, and about a few files together."""

    alone: dict[str, str] = {}
    together: dict[str, str] = {}


def find_intent(message: Message) -> str:
    """Return the last sentence that the agent said with an edit, without its "let me"."""
    for sentence in reversed(list(split_sentences(get_agent_text(message)[-_SEARCHED:]))):
        said = _clean(sentence)
        begun = _LETS.sub("", said)
        if begun != said and _STARTS.match(begun) and not _is_vague(begun):
            return clip_text(begun.rstrip(":"), SENTENCE_CHARS)
    return ""


def _is_vague(said: str) -> bool:
    """Whether an intent tells nothing of a file: it points back, leaves a choice, or has general words only."""
    own = [word for word in _WORD.findall(said) if word.casefold() not in _GENERAL]
    return _POINTS_BACK.search(said) is not None or (len(own) < _FEWEST_OWN and not _IDENTIFIER.search(said))


def find_file_meant(message: Message, path: str, known: Collection[str]) -> str:
    """Return the one known file that the agent said with an edit that it would change, where it is not this one."""
    named = {
        posixpath.basename(one)
        for sentence in split_sentences(get_agent_text(message)[-_SEARCHED:])
        if (hit := _MEANS.search(said := _clean(sentence)))
        for one in _FILE_NAMED.findall(said, hit.end())
    }
    is_other = len(named) == 1 and posixpath.basename(path) not in named
    return next(iter(named & {*known}), "") if is_other else ""


def is_about_other_file(said: str, path: str) -> bool:
    """Whether a sentence names files, and not this one."""
    named = _FILE_NAMED.findall(said)
    return bool(named) and not any(path.endswith(posixpath.basename(one)) for one in named)


def find_deed(messages: Sequence[Message], number: int) -> str:
    """Return what the agent says that it did in the edits of this message, when it speaks the next time."""
    behind = (one for one in messages[number + 1 : number + 4] if one.role == "assistant")
    for sentence in split_sentences(get_agent_text(next(behind, Message("assistant", (), ())))[:_SEARCHED]):
        said = _clean(sentence)
        if _DEED.match(said):
            return cut_sentence(_WHICH.split(said)[0])
    return ""


def find_mentions(messages: Sequence[Message], edited: Mapping[str, int]) -> Mentions:
    """Return the agent's newest sentences that name files, behind the last edit of each."""
    alone: dict[str, str] = {}
    together: dict[str, str] = {}
    for number, said, paths in _list_mentions(messages, edited):
        behind = [path for path in paths if number > edited[path]]
        if len(paths) == 1:
            alone |= dict.fromkeys(behind, cut_sentence(said))
        elif len(paths) <= MOST_FILES:
            together |= dict.fromkeys(behind, cut_sentence(said))
    return Mentions(alone, together)


def _list_mentions(messages: Sequence[Message], edited: Mapping[str, int]) -> Iterator[tuple[int, str, set[str]]]:
    """Yield the sentences that name edited files, with their message's number and those files."""
    tails = {_shorten(path, edited): path for path in edited}
    longest = sorted(filter(None, tails), key=len, reverse=True)
    if not longest:
        return
    named = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, longest))})(?![\w-])(?!\.\w)")
    first = min(edited.values())
    for number, message in enumerate(messages):
        text = get_agent_text(message) if number > first else ""
        for line in FENCED.sub("\n", text).split("\n") if text else ():
            for said in map(_clean, SENTENCE_END.split(line) if named.search(line) else ()):
                if (paths := {tails[hit[0]] for hit in named.finditer(said)}) and _is_telling(said):
                    told = _strip_place(said, named) if len(paths) == 1 else said
                    if told == said or not _MERE_THING.fullmatch(told):
                        yield number, told, paths


def _shorten(path: str, others: Mapping[str, int]) -> str:
    """Return a file's name, with its folder where another file has the same name."""
    name = posixpath.basename(path)
    is_shared = Counter(map(posixpath.basename, others))[name] > 1
    return "/".join(path.split("/")[-2:]) if is_shared else name


def cut_sentence(said: str, max_chars: int = SENTENCE_CHARS) -> str:
    """Return a sentence; of a longer one the beginning, marked."""
    return said if len(said) <= max_chars else f"{clip_text(said, max_chars)} …"


def _strip_place(said: str, named: re.Pattern[str]) -> str:
    """Return a sentence without words at its beginning and its end that only say which file it is about."""
    hits = list(named.finditer(said))
    begun = _NAMES_FILE.match(said, hits[0].end()) if _BEFORE_NAME.fullmatch(said, 0, hits[0].start()) else None
    if begun and len(hits) == 1:
        return said[begun.end() :]
    before = _IN_FILE.search(said, 0, hits[-1].start())
    return said[: before.start()] if before and _NO_MORE.fullmatch(said, hits[-1].end()) else said


def _is_telling(said: str) -> bool:
    words = [word for word in said.split() if not _NAME_ONLY.search(word)]
    return len(words) >= 2 and not _NOTHING.search(said) and not said.endswith((":", "?", "："))


def _clean(sentence: str) -> str:
    return re.sub(r"^(?:[-*•+>]|\d{1,2}[.)])\s+", "", collapse_whitespace(redact(sentence))).replace("**", "")


_IN_FILE = re.compile(r",? (?:in|to|via|into|inside) (?:the )?[`*\[(]{0,3}[\w./@-]{0,200}$")
_BEFORE_NAME = re.compile(r"[`*\[(]{0,3}[\w./@-]{0,200}")
_NAMES_FILE = re.compile(r"[`*\])]{0,3}(?: \([^()\n]{0,80}\))?(?::| [-–—])\s+(?=\S+\s\S)")
_NO_MORE = re.compile(r"[`*\])]{0,3}(?:\([^()\n]{0,300}\))?[.;,]?")
_MERE_THING = re.compile(r"(?i)(?:an?|the)(?:\s\S{1,60}){1,7}")
SENTENCE_END = re.compile(r"(?<=[.!?…])\s+(?=[^\W\d_a-z]|[\"'(*`]|$)|(?<=[。！？；])")
_NAME_ONLY = re.compile(r"[/`_.]\w|\W{2}")
_LETS = re.compile(
    r"(?i)^(?:(?:ok(?:ay)?|great|perfect|good|now|next|then|first|finally|so|also|alright)\b[\s,.!:–—-]*){0,3}"
    r"(?:let me|let['’]s|i['’]ll|i will|i need to|we need to|we['’]ll|i['’]m going to)\s+"
    r"(?:now |also |then |first |just )*"
)
_STARTS = re.compile(
    r"(?i)(?:add|fix|update|remove|rename|move|replace|create|write|implement|change|make|handle|refactor|simplify"
    r"|extract|use|drop|delete|introduce|extend|modify|wire|split|convert|document|test|cover|revert|improve|set)\b"
    r"(?! (?:it|this|that|these|them)\b).{12}"
)
_DEED = re.compile(
    r"(?i)(?:i|we)(?:['’]ve| have)? (?:(?:successfully|now|also|just) )*(?:added|fixed|updated|removed|renamed|moved"
    r"|replaced|created|implemented|changed|refactored|extracted|introduced|extended|modified|simplified|improved)\b.{12}"
)
_MEANS = re.compile(
    r"(?i)\b(?:let['’]s|let me|(?:i|we)['’]ll|(?:i|we) (?:will|need to)|(?:i|we)['’]?(?:m| am|re| are) going to)\b"
    r"[^.!?\n]{0,80}?\b(?:edit|modify|update|change|fix|rewrite|extend|adjust|correct)\b"
)
_FEWEST_OWN = 2  # words of an intent that say what it is about
_WORD = re.compile(r"[^\W\d_]{4,}")
_GENERAL = frozenset({
    "adding", "again", "approach", "better", "calls", "change", "changes", "check", "code", "complete", "correct",
    "create", "current", "debug", "document", "easy", "error", "errors", "everything", "extend", "file", "files",
    "final", "fixes", "function", "handle", "have", "implement", "implementation", "improve", "issue", "issues",
    "lines", "make", "method", "minimal", "modify", "more", "move", "need", "needed", "output", "patch", "plan",
    "problem", "program", "project", "proper", "properly", "quick", "refactor", "remaining", "remove", "rename",
    "replace", "reproduce", "reproduction", "rest", "script", "simple", "simplify", "small", "solution", "some",
    "system", "test", "testing", "tests", "update", "verify", "with", "work", "works", "write",
})  # fmt: skip
_POINTS_BACK = re.compile(
    r"(?i)\b(?:this|that|these|those|it|its|them|again|instead|differently|both|to see|to understand|to find out|or)\b"
)
_IDENTIFIER = re.compile(r"\w[a-z]\w*(?:[A-Z]|_\w)|\w\(\)|`[^`]{3,}`")
_FILE_NAMED = re.compile(r"(?<![\w/.-])[\w./-]*\w\.(?:[a-z]{1,4}|json|toml|yaml|md|txt)(?![\w.(/-])")
_WHICH = re.compile(r", which (?:will|should|can)\b|, so (?:that )?(?:we|it)\b")
_NOTHING = re.compile(
    r"(?i)\b(?:let me|let['’]s|i['’]ll|i will|i need to|we need to|needs? to|should|would|could|maybe|perhaps|might"
    r"|we['’](?:ll|d)|we (?:will|can)|going to|it (?:seems|appears|looks)"
    r"|want me|looking at|checking|i['’]m (?:now )?\w+ing|hmm|wait|next step|todo|still|remaining)\b|^[#|]"
)
