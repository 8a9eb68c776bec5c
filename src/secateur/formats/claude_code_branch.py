"""Which lines of a Claude Code log the host would send, and which of them make one API message.

The lines form a tree by `uuid` and `parentUuid`, but a walk from the newest line to the root is not enough: parallel
calls are children of sibling lines of one API message, their results children of those siblings, and progress lines
fork the chain. Rule: every line of an API message on the branch is recovered, and every result of its calls. Nothing
here reads content.
"""

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from secateur.formats.logs import Log, trace_ancestry
from secateur.formats.native import dump_canonical

Entry = dict[str, Any]
_SAID = ("user", "assistant")
_TYPED = re.compile(r"(?!/[\w:-]*(?:\s|\Z))[^<]")  # commands of the host and its own notes are no prompts


class _Queued(NamedTuple):
    """A prompt that the user typed while the agent worked."""

    taken: int  # the line where the host took it off its queue
    line: int  # the line with its text


def iterate_steps(log: Log) -> Iterator[tuple[int, ...]]:
    """Yield lines in the order the model reads them; all lines of one API message come together.

    Results directly follow the message that called for them. Boundaries of micro-compactions are where they were
    written. A sub-agent's lines (`isSidechain`) are left out, unless the log is the sub-agent's own. A log without
    uuids is read from top to bottom. Prompts that were sent while the agent worked stand behind the round they came in.
    """
    lines = {line: entry for line, entry in log.entries.items() if not entry.get("isSidechain")}
    if not any(entry.get("type") in _SAID for entry in lines.values()):
        lines = log.entries
    nodes = {line: entry for line, entry in lines.items() if isinstance(entry.get("uuid"), str)}
    said = [line for line, entry in nodes.items() if entry.get("type") in _SAID]
    tree = _Tree(nodes if said else lines)
    chain = trace_ancestry(said[-1], tree.parents, tree.places, log.warnings) if said else list(lines)
    steps = _Rounds(tree, _slice_since_compaction(chain, lines)).iterate_steps()
    yield from _merge_queued(steps, lines, list(_list_queued(lines)))


def get_content(entry: Entry) -> Any:
    """Return the content of a line's message."""
    message = entry.get("message")
    return message.get("content") if isinstance(message, dict) else None


def _merge_queued(
    steps: Iterable[tuple[int, ...]], lines: dict[int, Entry], queued: list[_Queued]
) -> Iterator[tuple[int, ...]]:
    """Yield the steps with the prompts sent in between: behind the results of the round in which the host sent them."""
    waiting = deque(queued)
    told: set[int] = set()
    for step in steps:
        if not list_answered_ids(lines[step[0]]):
            yield from _take_sent(waiting, step[0], lines, told)
        yield step
        told.update(step)
    yield from _take_sent(waiting, max(lines, default=0) + 1, lines, told)


def _take_sent(
    waiting: deque[_Queued], before: int, lines: dict[int, Entry], told: set[int]
) -> Iterator[tuple[int, ...]]:
    """Yield the prompts sent before a line, of this branch only: the newest message above them is on it."""
    while waiting and waiting[0].taken < before:
        prompt = waiting.popleft()
        above = range(prompt.taken - 1, -1, -1)
        if next((line for line in above if lines.get(line, {}).get("type") in _SAID), None) in told:
            yield (prompt.line,)


def _list_queued(lines: dict[int, Entry]) -> Iterator[_Queued]:
    """List the prompts that the host took off its queue to send them with the next results.

    Up to version 2.1.37 at least, nothing else in a log has their words (the model reads and answers them, and the
    host's own summaries quote them); newer versions write an attachment too, which is read in its place.
    """
    attached = {_get_prompt(entry) for entry in lines.values() if entry.get("type") == "attachment"}
    queue: deque[int] = deque()
    for line, entry in lines.items():
        if entry.get("type") != "queue-operation":
            continue
        operation = entry.get("operation")
        if operation == "enqueue":
            queue.append(line)
        elif operation == "popAll":
            queue.clear()
        elif queue:
            said = lines[queue[0]].get("content")
            if operation == "remove" and isinstance(said, str) and _TYPED.match(said) and said not in attached:
                yield _Queued(line, queue[0])
            queue.popleft()


def _get_prompt(entry: Entry) -> str | None:
    attachment = entry.get("attachment")
    return _get_string(attachment.get("prompt")) if isinstance(attachment, dict) else None


class _Tree:
    """Lines by id, and the id above each line."""

    def __init__(self, nodes: dict[int, Entry]) -> None:
        self.nodes = nodes
        self.places = {entry["uuid"]: line for line, entry in nodes.items() if isinstance(entry.get("uuid"), str)}
        self.parents: dict[int, Any] = {line: _get_string(entry.get("parentUuid")) for line, entry in nodes.items()}
        self._callers: dict[int, int | None] = {}
        self._keep_segment()

    def find_caller(self, line: int) -> int | None:
        """Return the assistant line whose call the results on `line` answer: the nearest one above."""
        trail = []
        here: int | None = line
        while here is not None and here not in self._callers and not self._is_settled(here, line):
            self._callers[here] = None  # a circle ends here
            trail.append(here)
            here = self._get_line(self.parents[here])
        found = self._callers[here] if here in self._callers else self._check_caller(here)
        self._callers.update(dict.fromkeys(trail, found))
        return found

    def _is_settled(self, here: int, start: int) -> bool:
        """Return whether the climb ends here: at an assistant line, or at a user line that answers nothing."""
        kind = self.nodes[here].get("type")
        return kind == "assistant" or (kind == "user" and here != start and not list_answered_ids(self.nodes[here]))

    def _check_caller(self, here: int | None) -> int | None:
        return here if here is not None and self.nodes[here].get("type") == "assistant" else None

    def _keep_segment(self) -> None:
        """Hang the lines that the newest compaction kept behind its anchor, as the host does on loading."""
        boundaries = [line for line, entry in self.nodes.items() if _is_boundary(entry)]
        metadata = self.nodes[boundaries[-1]].get("compactMetadata") if boundaries else None
        anchor, kept = self._find_kept(metadata if isinstance(metadata, dict) else {})
        if not kept or self._get_line(anchor) is None or self._get_line(anchor) in kept:
            return
        tail = self.nodes[kept[-1]].get("uuid")
        for line, parent in self.parents.items():
            if parent == anchor and line not in kept:
                self.parents[line] = tail
        for line in kept:
            self.parents[line] = anchor
            anchor = self.nodes[line].get("uuid")

    def _find_kept(self, metadata: Entry) -> tuple[Any, list[int]]:
        """Return the anchor and the kept lines: listed one by one, or as a segment from tail up to head."""
        listed, segment = metadata.get("preservedMessages"), metadata.get("preservedSegment")
        if isinstance(listed, dict) and isinstance(listed.get("uuids"), list):
            lines = [self._get_line(one) for one in listed["uuids"]]
            return listed.get("anchorUuid"), [] if None in lines else [line for line in lines if line is not None]
        if not isinstance(segment, dict):
            return None, []
        upwards: dict[int, None] = {}
        here = self._get_line(segment.get("tailUuid"))
        while here is not None and here not in upwards:
            upwards[here] = None
            if self.nodes[here]["uuid"] == segment.get("headUuid"):
                return segment.get("anchorUuid"), list(upwards)[::-1]
            here = self._get_line(self.parents[here])
        return None, []

    def _get_line(self, name: Any) -> int | None:
        return self.places.get(name) if isinstance(name, str) else None


class _Rounds:
    """The lines of one branch, gathered into API messages and their results."""

    def __init__(self, tree: _Tree, chain: list[int]) -> None:
        self.tree = tree
        self.chain = chain
        self.groups: dict[Any, list[int]] = defaultdict(list)
        self.answers: dict[Any, list[int]] = defaultdict(list)
        for line, entry in tree.nodes.items():
            if entry.get("type") == "assistant":
                self.groups[self._group(line)].append(line)
            elif entry.get("type") == "user" and list_answered_ids(entry):
                caller = tree.find_caller(line)
                self.answers[None if caller is None else self._group(caller)].append(line)

    def iterate_steps(self) -> Iterator[tuple[int, ...]]:
        done: set[int] = set()
        on_branch = set(self.chain)
        for line in self.chain:
            if line in done:
                continue
            if self.tree.nodes[line].get("type") != "assistant":
                yield (line,)
                continue
            lines = self._find_siblings(self._group(line), on_branch)
            answers = self._find_answers(self._group(line), lines, on_branch)
            done.update(lines, answers)
            yield tuple(lines)
            yield from ((answer,) for answer in answers)

    def _group(self, line: int) -> Any:
        """The key that the lines of one API message share: its id, and its request, for proxies that use one id for
        all.
        """
        entry = self.tree.nodes[line]
        message = entry.get("message")
        name = message.get("id") if isinstance(message, dict) else None
        return (name, str(entry.get("requestId"))) if isinstance(name, str) and name else line

    def _find_siblings(self, group: Any, on_branch: set[int]) -> list[int]:
        """Return a message's lines on the branch, and other lines of it that add something."""
        lines = [line for line in self.groups[group] if line in on_branch]
        if len(lines) == len(self.groups[group]):
            return lines
        said = {dump_canonical(get_content(self.tree.nodes[line])) for line in lines}
        for line in self.groups[group]:
            more = dump_canonical(get_content(self.tree.nodes[line]))
            if line not in on_branch and more not in said:
                lines.append(line)
                said.add(more)
        return sorted(lines)

    def _find_answers(self, group: Any, lines: list[int], on_branch: set[int]) -> list[int]:
        """Return the lines with results of a message's calls: those on the branch, then missing ones from elsewhere."""
        waiting: Counter[str] = Counter()
        for line in lines:
            waiting.update(_list_ids(self.tree.nodes[line], "tool_use", "id"))
        mine = []
        for line in sorted(self.answers.get(group, ()), key=lambda line: line not in on_branch):
            ids = list_answered_ids(self.tree.nodes[line])
            if any(waiting[name] > 0 for name in ids):
                mine.append(line)
                waiting.subtract(ids)
        return sorted(mine)


def list_answered_ids(entry: Entry) -> list[str]:
    """Return the IDs of the calls that a line's results answer."""
    return _list_ids(entry, "tool_result", "tool_use_id")


def _list_ids(entry: Entry, kind: str, name: str) -> list[str]:
    blocks = get_content(entry)
    blocks = blocks if isinstance(blocks, list) else []
    return [str(one.get(name) or "") for one in blocks if isinstance(one, dict) and one.get("type") == kind]


def _slice_since_compaction(chain: list[int], lines: dict[int, Entry]) -> list[int]:
    """Return what came after the newest compaction on the branch; its summary is the next line."""
    for place in range(len(chain) - 1, -1, -1):
        if _is_boundary(lines[chain[place]]):
            return chain[place + 1 :]
    return chain


def _is_boundary(entry: Entry) -> bool:
    return entry.get("type") == "system" and entry.get("subtype") == "compact_boundary"


def _get_string(value: Any) -> str | None:
    return value if isinstance(value, str) else None
