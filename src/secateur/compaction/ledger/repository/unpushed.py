"""What no call pushed: commits and tags by name, and how many commits came before them.

Rule: commits that were ahead of the upstream when a status showed it count with those made since. Where neither a
status nor a push shows what was out before, that is said, and the commits are the least that there are. Of many commits
the first and the newest are named, and those between them are counted.
"""

import re
from collections.abc import Iterable, Sequence

TAG = "tag "
MOST_UNPUSHED = 4  # that are named
UNSEEN = "earlier ones unknown"  # no status and no push shows what was out before these commits
_EARLIER = " earlier by git status"
_BETWEEN = " more"
_COUNTED = re.compile(rf"(\d{{1,6}})(?:{_EARLIER}|{_BETWEEN})")


def mark_earlier(number: int) -> str:
    """Return the entry for commits that a status showed to be ahead of the upstream before the session's own."""
    return f"{number}{_EARLIER}"


def is_tag(entry: str) -> bool:
    """Whether an entry names a tag."""
    return entry.startswith(TAG)


def count_commits(entries: Iterable[str]) -> int:
    """Return how many commits these entries stand for."""
    return sum(_count(one) for one in entries)


def limit_unpushed(entries: Sequence[str]) -> tuple[str, ...]:
    """Return the entries; of many commits the first and the newest, with how many are between them."""
    tags = [one for one in entries if is_tag(one)]
    earlier = [one for one in entries if one == UNSEEN or one.endswith(_EARLIER)]
    commits = [one for one in entries if one not in tags and one not in earlier]
    between = commits[1 : 2 - MOST_UNPUSHED]
    if len(commits) > MOST_UNPUSHED:
        commits = [commits[0], f"{count_commits(between)}{_BETWEEN}", *commits[2 - MOST_UNPUSHED :]]
    return (*earlier, *commits, *tags)


def merge_unpushed(earlier: Sequence[str], later: Sequence[str], is_pushed: bool, was_pushed: bool) -> tuple[str, ...]:
    """Merge what no call pushed; a push of the later span takes the earlier commits, and not the tags.

    A status of the later span counts the commits of the earlier one as well. What was out before the commits of the
    later span is known where the earlier one pushed or has commits of its own.
    """
    tags = [one for one in earlier if is_tag(one)]
    if is_pushed:
        return limit_unpushed(tuple(dict.fromkeys((*tags, *later))))
    shown = sum(_count(one) for one in later if one.endswith(_EARLIER))
    known = [one for one in earlier if not is_tag(one)]
    if shown:
        known = [one for one in known if one != UNSEEN and not one.endswith(_EARLIER)]
        while known and count_commits(known) > shown:
            known.pop(0)
        left = shown - count_commits(known)
        known = [mark_earlier(left), *known] if left else known
    own = [one for one in later if not one.endswith(_EARLIER) and (one != UNSEEN or not (known or was_pushed))]
    return limit_unpushed((*known, *(one for one in own if one not in known), *(one for one in tags if one not in own)))


def _count(entry: str) -> int:
    counted = _COUNTED.fullmatch(entry)
    return int(counted[1]) if counted else int(entry != UNSEEN and not is_tag(entry))
