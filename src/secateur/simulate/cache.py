"""A provider's prompt cache, request by request: what a prompt reads from it, writes to it, and pays in full.

Rule: the cache follows `CacheRules` and nothing else. A prompt is a chain of blocks, each named by everything before
it, so two prompts share a prefix exactly as far as their chains are equal. A prefix is found only where the rules look
for it, and only while it lives, from the start of the request that last used it. Blocks of messages that were in the
last prompt are not visited again, so a session costs what is new and what was edited.
"""

from random import Random
from typing import Literal

from msgspec import Struct

from secateur.model import Message, Part
from secateur.pricing.rules import CacheRules


class ReplayedPrompt(Struct, frozen=True):
    """One request. All lists go by block and are the builder's own: they hold until the next prompt is made."""

    chain: list[int]  # a name for the prefix that ends with this block
    ends: list[int]  # tokens of that prefix
    stops: list[int]  # by message: its last block (-1: none, and no fixed block)
    spoken: list[bool]  # by message: whether the model wrote it
    fixed: int  # blocks before the messages: 1 for system prompt and tools, else 0
    same: int  # leading blocks that this model was sent in the last prompt
    unedited: int  # leading blocks of messages that the last prompt had, whichever model that was sent to
    before: int  # blocks of the last prompt

    @property
    def tokens(self) -> int:
        """All that is sent."""
        return self.ends[-1] if self.ends else 0


class Prompts:
    """Makes prompts of one session, request by request."""

    def __init__(self, fixed_tokens: int = 0, *, strips_reasoning: bool = False) -> None:
        """`strips_reasoning`: the provider drops reasoning from before the newest user turn out of the prompt."""
        self._fixed = fixed_tokens
        self._strips = strips_reasoning
        self._head: tuple[str, int, int] | None = None
        self._messages: tuple[Message, ...] = ()
        self._turn = 0  # the message at which the newest user turn begins: reasoning before it may be stripped
        self._chain: list[int] = []
        self._ends: list[int] = []
        self._stops: list[int] = []
        self._spoken: list[bool] = []
        self._seed = 0

    def build_prompt(self, messages: tuple[Message, ...], *, model: str = "", state: int = 0) -> ReplayedPrompt:
        """The prompt of a view. Another `model` shares no prefix, another `state` only system prompt and tools."""
        head = (model, self._fixed, state)
        before = len(self._chain)
        common = _count_common(self._messages, messages)
        turn = _turn(messages) if self._strips else 0
        keep = common if head == self._head else 0
        if turn != self._turn:
            keep = min(keep, self._turn, turn)
        blocks = self._truncate_blocks(keep) if head == self._head else self._begin(head)
        self._messages, self._turn, self._head = messages[:keep], turn, head
        self._grow(messages, keep)
        self._messages = messages
        fixed = 1 if self._fixed else 0
        same, unedited = min(blocks, before), min(self._stops[common - 1] + 1 if common else fixed, before)
        return ReplayedPrompt(self._chain, self._ends, self._stops, self._spoken, fixed, same, unedited, before)

    def _begin(self, head: tuple[str, int, int]) -> int:
        """Start over; the number of leading blocks that are unchanged."""
        model, fixed, state = head
        stays = bool(fixed and self._head and self._head[:2] == head[:2])
        self._chain = [hash((model, "fixed"))] if fixed else []
        self._ends = [fixed] if fixed else []
        self._stops, self._spoken = [], []
        self._seed = hash((model, state))
        return int(stays)

    def _truncate_blocks(self, keep: int) -> int:
        """Drop all blocks after the first `keep` messages; return how many remain."""
        blocks = self._stops[keep - 1] + 1 if keep else int(bool(self._fixed))
        for by_block in (self._chain, self._ends):
            del by_block[blocks:]
        for by_message in (self._stops, self._spoken):
            del by_message[keep:]
        return blocks

    def _grow(self, messages: tuple[Message, ...], first: int) -> None:
        for number in range(first, len(messages)):
            message = messages[number]
            gone = self._strips and number < self._turn
            for part in message.parts:
                if not (gone and part.kind == "reasoning"):
                    self._add(part)
            self._stops.append(len(self._chain) - 1)
            self._spoken.append(message.role == "assistant")

    def _add(self, part: Part) -> None:
        """One more block; a medium inside a result is none of its own but makes that block another."""
        chain, ends = self._chain, self._ends
        tokens = part.tokens + (ends[-1] if ends else 0)
        first = len(chain) == bool(self._fixed)
        link = hash((self._seed if first else chain[-1], part.key, part.text))  # an edited part keeps its key
        if part.container_key and not first:
            chain[-1], ends[-1] = link, tokens
        else:
            chain.append(link)
            ends.append(tokens)


def _count_common(old: tuple[Message, ...], new: tuple[Message, ...]) -> int:
    """Count the leading messages that are the same objects, by bisection."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if all(map(_is, old[low:middle], new[low:middle])):
            low = middle
        else:
            high = middle - 1
    return low


def _is(one: Message, other: Message) -> bool:
    return one is other


def _turn(messages: tuple[Message, ...]) -> int:
    for number in range(len(messages) - 1, -1, -1):
        if messages[number].role == "user" and messages[number].origin == "user":
            return number
    return 0


class Caching(Struct, frozen=True, kw_only=True):
    """Rules, and what they leave open or to the client."""

    rules: CacheRules
    hour: bool = False  # the longer of the two times to live, where there is one
    refresh: Literal["path", "hit"] = "path"  # a read renews all shorter prefixes on its way, or only what it hit
    free: int = 3  # breakpoints that may be added where a request is edited; 3 is all that the engine asks for
    breaks_at_turns: bool = False  # every new user turn finds no messages in the cache (seen on some Claude models)
    cache_breaks: frozenset[int] = (
        frozenset()
    )  # requests, by number, that find no messages either (`cache_validation.find_unexplained_misses`)
    seed: int = 0  # for lookups that fail by chance (`rules.miss_share`)

    @property
    def ttl_ms(self) -> float:
        """The lifetime of a prefix."""
        long_s = self.rules.ttl_long_s if self.hour else None
        return (self.rules.ttl_s if long_s is None else long_s) * 1_000


class CachedPrompt(Struct, frozen=True):
    """The tokens of one prompt: `read + write + plain` are all of them."""

    read: int
    write: int
    plain: int
    cold: bool = False  # the prefix of the request before was no longer alive
    lost: int = 0  # tokens of a prefix that was alive, and could have been read had nothing before its end changed

    @property
    def tokens(self) -> int:
        """The whole prompt."""
        return self.read + self.write + self.plain


class Cache:
    """The cache as one session sees it. Times are in ms and never go back."""

    def __init__(self, caching: Caching) -> None:
        self.caching = caching
        self.rules = caching.rules
        self._entries: dict[int, tuple[float, float]] = {}  # prefix -> can be read from, lives until
        self._chance = Random(caching.seed)
        self._last: tuple[int, int] | None = None  # the longest prefix that the last request left: its name, tokens
        self._sent = 0.0

    def send(
        self, prompt: ReplayedPrompt, at: float, ahead: tuple[int, ...] = (), *, edited: bool = False
    ) -> CachedPrompt:
        """Send a prompt at a time: look up, then write.

        Where it was `edited`, breakpoints are added as far as there are free ones: at the last block before the edit,
        whatever the provider has of it, and before the messages `ahead`.
        """
        if self.rules.positions == "none" or not prompt.chain:
            return CachedPrompt(0, 0, prompt.tokens)
        if self.rules.positions == "answers":
            self._store_answer(prompt)
        marks = self._choose_marks(prompt, ahead, edited)
        hit = self._find_hit(prompt, marks, at)
        cold = self._last is not None and not self._is_live(self._last[0], at)
        there = self._last[1] if self._last is not None and not cold else 0
        read = self._round_down(prompt.ends[hit]) if hit >= 0 else 0
        self._refresh(prompt, hit, at)
        whole = prompt.ends[marks[-1]]
        written = self.rules.writes_cost and whole >= self.rules.minimum_tokens
        write = max(0, whole - read) if written else 0
        self._write(prompt, marks, at)
        self._sent = at
        return CachedPrompt(read, write, prompt.tokens - read - write, cold, max(0, there - read))

    def _choose_marks(self, prompt: ReplayedPrompt, ahead: tuple[int, ...], edited: bool) -> list[int]:
        """Choose where this request leaves prefixes: its end, the additions to an edited one, system prompt and tools;
        in this order, as many as the provider allows.
        """
        last, kept = len(prompt.chain) - 1, prompt.unedited - 1
        wanted = [last]
        if edited:
            before = [kept] if 0 <= kept < last else []
            before += [prompt.stops[number - 1] for number in ahead if number and prompt.stops[number - 1] >= 0]
            wanted += before[: self.caching.free]
        if prompt.fixed:
            wanted.append(prompt.fixed - 1)
        return sorted(set(wanted[: max(1, self.rules.breakpoints)]))

    def _find_hit(self, prompt: ReplayedPrompt, marks: list[int], at: float) -> int:
        """The last block of the longest cached prefix; -1 for none."""
        if self.rules.miss_share and self._chance.random() < self.rules.miss_share:
            return -1
        for position in self._list_candidates(prompt, marks):
            if prompt.ends[position] < self.rules.minimum_tokens:
                break
            if self._is_live(prompt.chain[position], at):
                return position
        return -1

    def _list_candidates(self, prompt: ReplayedPrompt, marks: list[int]) -> list[int]:
        """List where a cached prefix can end, the longest first."""
        back = self.rules.look_back
        if self.rules.positions == "marks":
            found = {place for mark in marks for place in range(max(0, mark - back), mark + 1)}
            return sorted(found, reverse=True)
        if self.rules.positions == "steps":
            return list(range(len(prompt.chain) - 1, -1, -1))
        stops = [stop for stop in prompt.stops[-back:] if stop >= 0]
        return sorted({*stops, *marks}, reverse=True)

    def _is_live(self, name: int, at: float) -> bool:
        since, until = self._entries.get(name, (0.0, 0.0))
        return since <= at < until

    def _round_down(self, tokens: int) -> int:
        return tokens - tokens % self.rules.step_tokens

    def _refresh(self, prompt: ReplayedPrompt, hit: int, at: float) -> None:
        """A read is free and restarts the lifetime."""
        if hit < 0:
            return
        first = 0 if self.caching.refresh == "path" else hit
        for position in range(first, hit + 1):
            name = prompt.chain[position]
            if name in self._entries and self._is_live(name, at):
                self._entries[name] = (self._entries[name][0], at + self.caching.ttl_ms)

    def _write(self, prompt: ReplayedPrompt, marks: list[int], at: float) -> None:
        """Write the prefixes of this request. Existing ones are refreshed, and those that are still being built are
        ready no later for it.
        """
        places = range(len(prompt.chain)) if self.rules.positions == "steps" else marks
        ready, until = at + self.rules.delay_s * 1_000, at + self.caching.ttl_ms
        self._last = None
        for position in places:
            if prompt.ends[position] >= self.rules.minimum_tokens:
                name = prompt.chain[position]
                since, ends = self._entries.get(name, (ready, until))
                self._entries[name] = (since if at < ends else ready, until)
                self._last = (name, self._round_down(prompt.ends[position]))

    def _store_answer(self, prompt: ReplayedPrompt) -> None:
        """The last answer left a prefix as well: a prompt that continues it can read it (DeepSeek)."""
        if not prompt.before or prompt.same < prompt.before:
            return
        for stop, spoken in zip(prompt.stops, prompt.spoken, strict=True):
            if stop >= prompt.before and spoken:
                until = self._sent + self.caching.ttl_ms
                self._entries.setdefault(prompt.chain[stop], (self._sent + self.rules.delay_s * 1_000, until))
                return
