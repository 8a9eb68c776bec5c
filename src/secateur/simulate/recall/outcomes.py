"""What became of each reference in the views that a policy sent.

Rule: a reference is visible if any provider shows it, whole or by what stands in its place, or a text that was added
(a summary) does. It is recoverable if the view says where it can be had: by a handle, or by reading a file again that
nobody wrote to since. Nothing is weighed here.
"""

from collections.abc import Iterator, Mapping, Sequence, Set

from msgspec import Struct

from secateur.identifiers import Kind
from secateur.simulate.recall.files import Files
from secateur.simulate.recall.references import Reference, References


class ViewState(Struct, frozen=True):
    """The view of one request, as far as it differs from the history. Requests may share one."""

    changed: Mapping[str, str] = {}  # key of a part → its text in the view, "" where it is gone
    added: tuple[str, ...] = ()  # texts that are not in the history: summaries, continuations
    handles: Set[str] = frozenset()  # keys of changed parts whose body can be read back


class Outcome(Struct, frozen=True, gc=False, kw_only=True):
    """One reference in one view."""

    request: int  # position among the views
    key: str  # of the part that showed it last: blame and credit are its
    tokens: int  # of that part
    distance: int  # how many results back that part stands; 1 is the newest
    kind: Kind
    rarity: float  # share of the messages that the identifier stands in
    hard: bool
    spoken: bool
    visible: bool
    stale: bool = False  # visible, but only in reads of a file that was written to since
    recoverable: bool = False  # not visible, but the view says where to get it


def judge_references(refs: References, files: Files, views: Sequence[ViewState]) -> Iterator[Outcome]:
    """The outcome of each reference; `views` has one for each request of the history."""
    for one in refs.found:
        held, start = views[one.request], refs.starts[one.request]
        added = any(one.id in refs.names.number_identifiers(text) for text in held.added)
        visible = fresh = added
        for part in reversed(refs.shown[one.id][: one.provided]):
            if fresh:
                break
            if _is_shown(refs, held, part, one.id):
                visible = True
                fresh = not 0 < files.stale_from.get(part, 0) < start
        newest = refs.parts[refs.get_newest(one)]
        yield Outcome(
            request=one.request,
            key=newest.key,
            tokens=newest.tokens,
            distance=refs.compute_distance(one),
            kind=refs.names.met[one.id].kind,
            rarity=refs.rarity[one.id],
            hard=one.hard,
            spoken=one.spoken,
            visible=visible,
            stale=visible and not fresh,
            recoverable=not visible and _is_recoverable(refs, files, held, one),
        )


def _is_shown(refs: References, held: ViewState, part: int, one: int) -> bool:
    text = held.changed.get(refs.parts[part].key) if held.changed else None
    if text is None:
        return True
    return bool(text) and one in refs.names.number_identifiers(text, refs.parts[part].kind != "tool_call")


def _is_recoverable(refs: References, files: Files, held: ViewState, one: Reference) -> bool:
    start = refs.starts[one.request]
    for part in refs.shown[one.id][: one.provided]:
        if refs.parts[part].key in held.handles:
            return True
        unwritten = not 0 < files.stale_from.get(part, 0) < start
        if part in files.readings and unwritten and held.changed.get(refs.parts[part].key):
            return True  # a placeholder stands there, below the call that names the file
    return False
