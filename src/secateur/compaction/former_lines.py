"""Lines of an earlier summary, each looked at alone: which of them say something, and which quote old messages.

Rule: lines that only lead to others (headings, beginnings of lists, drawings) say nothing alone, and of a line that
ends by leading to what stood below it the sentences before that stay. Of a host's many lines those stay that name
something. A host lists the user's messages beside his wishes: they were requests of that time.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from secateur.compaction.ledger.said import STOP, split_sentences
from secateur.compaction.ledger.user.demands import is_demand, is_standing
from secateur.compaction.ledger.user.force_words import is_forced
from secateur.compaction.ledger.user.order_words import is_errand
from secateur.compaction.ledger.user.topics import extract_topic
from secateur.compaction.summary import Sections, strip_bullet
from secateur.compaction.template import FORMERLY

WORD = re.compile(r"\w{2,}")
_SAME = 0.9  # of a line's words
_SAME_DEED = 0.65  # of the stems of a line on what was done
MOST_LINES = 8  # of a host's earlier summary, in one section
MOST_LASTING = 12  # of the user's messages that it lists, those that hold from now on


def select_telling(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the lines of a host's section that say something alone; of many those that name something."""
    kept = keep_telling(_join_details(lines))
    named = [at for at, line in enumerate(kept) if _NAMES.search(line)]
    others = [at for at in range(len(kept)) if at not in set(named)]
    chosen = sorted([*named[:MOST_LINES], *others[: max(0, MOST_LINES - len(named))]])
    return tuple(kept[at] for at in chosen)


def without_repeats(sections: Mapping[str, Sequence[str]]) -> Sections:
    """Return the sections without former lines whose words nearly all stand in another line.

    Of deeds, whose files and findings are told besides, most of the stems are enough.
    """
    said = [(line.removeprefix(FORMERLY).casefold(), id) for id, lines in sections.items() for line in lines]
    words = [frozenset(WORD.findall(line)) for line, _ in said]
    stems = [extract_topic(line) for line, _ in said]

    def is_said(at: int) -> bool:
        texts, share = (stems, _SAME_DEED) if said[at][1] == "accomplished" else (words, _SAME)
        mine, size = texts[at], (len(texts[at]), -at)
        longer = (other for n, other in enumerate(texts) if n != at and (len(other), -n) > size)
        return bool(mine) and any(len(mine & other) >= share * len(mine) for other in longer)

    made: Sections = {}
    number = 0
    for id, lines in sections.items():
        made[id] = tuple(
            line for at, line in enumerate(lines, number) if not (line.startswith(FORMERLY) and is_said(at))
        )
        number += len(lines)
    return made


def select_demands(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the lines of a host's section on what the user wants: of many those that hold from now on, then others."""
    kept = keep_telling(_join_details(lines))
    lasting = [at for at, line in enumerate(kept) if is_lasting(line)][-MOST_LASTING:]
    others = [at for at in range(len(kept)) if at not in set(lasting)]
    named = [at for at in others if _NAMES.search(kept[at])]
    chosen = [*named, *(at for at in others if at not in set(named))][: max(0, MOST_LINES - len(lasting))]
    return tuple(kept[at] for at in sorted([*lasting, *chosen]))


def _join_details(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines, what is listed under a line that begins with a file behind that line."""
    held, depth, details = "", 0, list[str]()
    for line in (*lines, ""):
        indent = len(line) - len(line.lstrip())
        if held and line and indent > depth and _NESTED.match(line):
            details.append(strip_bullet(line).rstrip().removesuffix(":"))
            continue
        if held:
            yield held + (f" — {'; '.join(details[:_MOST_DETAILS])}" if details else "")
        held, depth, details = line.rstrip().removesuffix(":") if _FILE_HEAD.match(line) else "", indent, []
        if line and not held:
            yield line


def keep_telling(lines: Iterable[str]) -> list[str]:
    """Keep the lines that are no lead to others, each without the colon behind which its code stood."""
    kept = []
    for line in lines:
        said = strip_bullet(line)
        if _LEADS.fullmatch(said) or _ASIDE.fullmatch(said) or _DRAWN.match(line):
            continue
        kept.append(_drop_lead(line.rstrip()))
    return kept


def keep_one_each(lines: Sequence[str], known: Collection[str]) -> tuple[str, ...]:
    """Keep of the lines on one file the longest, and none that only names a folder that is known."""
    paths = [
        hit["path"] if (hit := _ON_PATH.match(strip_bullet(line.removeprefix(FORMERLY)))) else "" for line in lines
    ]
    longest: dict[str, str] = {}
    for path, line in zip(paths, lines, strict=True):
        longest[path] = max(longest.get(path, ""), line, key=len)
    told = zip(paths, lines, strict=True)
    return tuple(line for path, line in told if not path or (path not in known and line == longest[path]))


def _drop_lead(line: str) -> str:
    """Return a line without the sentence at its end that leads to what stood below, or without its colon."""
    if not line.endswith(":"):
        return line
    sentences = [one for one in STOP.split(line) if one]
    return line[: -len(sentences[-1])].rstrip() if len(sentences) > 1 else line.removesuffix(":")


def is_order(line: str) -> bool:
    """Whether a line quotes an order that was given for once: others came after it."""
    said = _SPEAKER.sub("", strip_bullet(line.removeprefix(FORMERLY))).strip("\"“”' ")
    return len(said) <= _ORDER_CHARS and is_errand(said) and not is_way(said)


def is_way(line: str) -> bool:
    """Whether a line says how all of the work is to be done: with tests first, with checks before it is called done."""
    return _WAYS.search(line) is not None


def is_message(line: str) -> bool:
    """Whether a line quotes a message of that time that neither forbids nor demands, or tells that there was one."""
    said = strip_bullet(line.removeprefix(FORMERLY)).strip()
    if _TOLD.match(said):
        return True
    quoted = _MESSAGE.match(said)
    return quoted is not None and not is_wish(quoted["said"])


def is_lasting(line: str) -> bool:
    """Whether a line quotes a brief message that forbids or demands something for later, too, and asks for nothing."""
    quoted = _MESSAGE.match(strip_bullet(line.removeprefix(FORMERLY)).strip())
    said = quoted["said"] if quoted else ""
    return 0 < len(said) <= _LASTING_CHARS and "?" not in said and not _ASKS.match(said) and is_wish(said)


def is_wish(text: str) -> bool:
    """Whether a sentence of a message forbids or demands something for later, too."""
    return any(map(_is_wish, split_sentences(text)))


def _is_wish(sentence: str) -> bool:
    if not is_demand(sentence) or (_ASKS.match(sentence) and not is_standing(sentence)):
        return False
    return is_standing(sentence) or (is_forced(sentence) and not is_errand(sentence))


_WAYS = re.compile(
    r"(?i)\btests?[- ]first\b|\btdd\b|\btest[- ]driven\b|\b(?:before|after)\s+(?:each|every|any)\b"
    r"|\bbefore\s+(?:(?:it|this|that|you|the\s+work)\s+)?(?:consider\w*|call\w*|declar\w*|mark\w*|report\w*|say\w*|finish\w*|complet\w*"
    r"|commit\w*|push\w*|merg\w*)\b"
)
_SPEAKER = re.compile(  # "User said: ...", "the user then asked me to ..."
    r"(?i)^[*_]{0,2}(?:the\s+)?user\b(?:(?:\s+(?:then|now|also|later|explicitly|just))*\s+(?:said|asked|requested|ordered|told"
    r"|instructed)(?:\s+(?:me|the\s+(?:agent|assistant)))?(?:\s+to\b)?)?[*_:\s]{1,4}"
)
_ASKS = re.compile(r"(?i)\W*(?:(?:and|so|now|ok(?:ay)?|also|then)[,\s]+)*(?:can|could|would|will)\s+(?:you|we)\b")
_MESSAGE = re.compile(r"(?i)[*_]{0,2}(?:(?:user )?(?:message|request|prompt) ?#?\d{0,3}\W{1,6})?[\"“](?P<said>[^\n]+)")
_TOLD = re.compile(  # what a host writes in place of a message
    r"(?i)(?:invoked `?/|selected [\"“`]|(?:initial|first) (?:bug report|message|request)\b|\[?request interrupted\b)"
)
_LASTING_CHARS = 200  # of a message that demands something for later alone
_ORDER_CHARS = 160  # of an order that says nothing any more when others came after it
_NAMES = re.compile(r"`[^`]+`|(?<![\w.-])[\w.-]+/[\w./-]+|\b\w+\.\w{1,4}\b|\b\w+_\w+\b|\b[a-z]+[A-Z]\w+\b|\d")
_DRAWN = re.compile(r"[\s*-]*[\u2500-\u257f]")
_NESTED = re.compile(r"\s+(?:[-*•]|\d{1,2}[.)])\s+\S")
_ON_PATH = re.compile(r"(?:\w+: )?[`*]{0,3}(?P<path>[\w.@~/-]*/[\w.@/-]*\w)[`*]{0,3}(?=$|:|\s)")
_FILE_HEAD = re.compile(r"\s*(?:[-*•]\s+|\d{1,2}[.)]\s+)?\*{0,2}`[^`\n]*\w[./]\w[^`\n]*`")
_MOST_DETAILS = 3  # that are listed under a file
_LEADS = re.compile(r"(?:\S+\s+){0,2}\S+\s*[:：]\**|#{1,6}\s.*|\W*|\*{0,2}`[^`]+`\*{0,2}(?:\s*\([^()]*\))?")
_ASIDE = re.compile(r"\([^()]*\)")
