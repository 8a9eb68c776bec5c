"""Whether what a sentence says of a file or of a name stands in the steps of the history that speak of it.

Rule: a step is what the agent said, called and was shown at once. Where other steps, which speak of another file or
name, hold much more of a sentence than all steps together that speak of its own, the two were taken for each other.
This asks nothing of the words in between, so that it holds in long histories too, where any two words stand somewhere.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from secateur.compaction.judge.claims import Claim
from secateur.compaction.judge.evidence import ClaimRule, Evidence
from secateur.compaction.judge.ground.passages import PassageIndex
from secateur.compaction.judge.ground.stems import get_stems

FEWEST_STEMS = 3  # beside a file or a name, by which it is looked for
LEAST_GAP = 0.4  # of the weight of a sentence, by which another step holds more of it


class _Thing(Struct, frozen=True):
    """A file or a name, and the stems of what a sentence says beside it."""

    name: str
    pattern: re.Pattern[str]
    stems: frozenset[str]


def _explain_misplaced(claim: Claim, evidence: Evidence) -> str:
    """Name the file or the name of which the history says what a claim says of another one."""
    if claim.is_quoted or claim.is_question or claim.section == "next":
        return ""
    return next(filter(None, (_find_other(one, evidence.passages) for one in _list_things(claim.text))), "")


def _find_other(thing: _Thing, index: PassageIndex) -> str:
    """Tell of which other thing a step speaks that holds much more of a sentence than all steps of its own."""
    stems = frozenset(filter(index.has, thing.stems))
    own = index.list_groups(thing.name) if len(stems) >= FEWEST_STEMS else ()
    if not own:
        return ""
    held = frozenset().union(*(index.group_stems.get(group, frozenset()) for group in own))
    least = LEAST_GAP + sum(map(index.weigh, stems & held)) / sum(map(index.weigh, stems))
    others = {group: share for group, share in index.measure_groups(stems).items() if share >= least}
    for group in sorted(others, key=lambda one: (-others[one], one)):
        if found := thing.pattern.search(index.groups[group]):
            other = found.group().rsplit("/", 1)[-1]
            return f"the history has this beside {other}, and not beside {thing.name}"
    return ""


def _list_things(text: str) -> Iterator[_Thing]:
    """Yield the file of a text, if it names only one, and its names, with what it says beside each."""
    files = {one.rsplit("/", 1)[-1] for one in _FILE.findall(text)}
    rest = _FILE.sub(" ", text)
    for name in files if len(files) == 1 else ():
        yield _Thing(name, _FILE, get_stems(rest) - get_stems(name))
    for name in dict.fromkeys(_NAME.findall(rest)):
        yield _Thing(name, _NAME, get_stems(rest.replace(name, " ")) - get_stems(name))


_FILE = re.compile(
    r"(?<![\w.-])(?:[\w.@~-]*/)*[\w-]+\.(?:py|tsx?|jsx?|go|rs|rb|java|php|ya?ml|toml|json|md|sql|sh|c|h|cpp|kt|html?|css|vue"
    r"|lock)\b"
)
_NAME = re.compile(
    r"(?<![\w./-])(?:[A-Za-z]+_\w+|_\w{3,}|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*)(?![\w/]|\.\w|\\?[\x22']\s*:)"
)

RULES = (ClaimRule("unsupported", _explain_misplaced, strength="unbacked"),)
