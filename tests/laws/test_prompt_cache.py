"""The prompt cache against a second telling of its rules: prefixes as tuples, nothing kept from prompt to prompt."""

from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from law_examples import examples
from secateur.model import Message, Part
from secateur.pricing.rules import CacheRules
from secateur.simulate.cache import Cache, Caching, Prompts

RULES = CacheRules(
    name="small",
    models=(),
    positions="marks",
    minimum_tokens=4,
    look_back=3,
    ttl_s=10.0,
    writes_cost=True,
    source="made up",
    date="2026-01-01",
)
KINDS = (
    RULES,
    replace(RULES, positions="messages"),
    replace(RULES, positions="steps", step_tokens=3, writes_cost=False, breakpoints=2),
    replace(RULES, breakpoints=1, delay_s=2.0),
)
BLOCKS = {
    (name, tokens): Message(
        "user", (), (Part("text", (), f"{name}{tokens}", key=f"{name}{tokens}", tokens=tokens),), key=name
    )
    for name in "abcdef"
    for tokens in (1, 5)
}


class Step(NamedTuple):
    keep: int  # leading blocks of the last prompt that stay
    more: list[tuple[str, int]]
    wait_s: int


STEPS = st.lists(
    st.builds(
        Step,
        st.integers(0, 12),
        st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from((1, 5))), min_size=1, max_size=5),
        st.integers(0, 12),
    ),
    min_size=1,
    max_size=8,
)


class Told:
    """The rules once more: which prefixes live, by what they say."""

    def __init__(self, caching: Caching, fixed: int) -> None:
        self.caching, self.fixed = caching, fixed
        self.live: dict[tuple[str, ...], tuple[float, float]] = {}
        self.before: tuple[tuple[str, int], ...] = ()

    def send(self, blocks: tuple[tuple[str, int], ...], at: float) -> tuple[int, int]:
        rules, names = self.caching.rules, tuple(name + str(tokens) for name, tokens in blocks)
        sizes = [sum(tokens for _, tokens in blocks[: n + 1]) for n in range(len(blocks))]
        same = 0
        while same < min(len(self.before), len(blocks)) and self.before[same] == blocks[same]:
            same += 1
        marks = [len(blocks) - 1]
        marks += [same - 1] if 0 < same < len(blocks) and self.caching.free else []
        marks = (marks + ([0] if self.fixed else []))[: rules.breakpoints]
        hit = max((n for n in self.found(names, sizes, marks) if self.lives(names[: n + 1], at)), default=-1)
        read = sizes[hit] // rules.step_tokens * rules.step_tokens if hit >= 0 else 0
        places = range(len(blocks)) if rules.positions == "steps" else marks
        until, ready = at + rules.ttl_s * 1_000, at + rules.delay_s * 1_000
        for n in range(hit + 1):
            if self.lives(names[: n + 1], at) and (self.caching.refresh == "path" or n == hit):
                self.live[names[: n + 1]] = (self.live[names[: n + 1]][0], until)
        for n in places:
            if sizes[n] >= rules.minimum_tokens:
                prefix = names[: n + 1]
                since, ends = self.live.get(prefix, (ready, until))  # being built, or ready: not built once more
                self.live[prefix] = (since if at < ends else ready, until)
        self.before = blocks
        kept = rules.writes_cost and sizes[-1] >= rules.minimum_tokens
        return read, sizes[-1] - read if kept else 0

    def found(self, names: tuple[str, ...], sizes: list[int], marks: list[int]) -> list[int]:
        rules, last = self.caching.rules, len(names) - 1
        near = [n for n in range(len(names)) if any(mark - rules.look_back <= n <= mark for mark in marks)]
        if rules.positions == "steps":
            near = list(range(len(names)))
        if rules.positions == "messages":
            near = [
                n for n in range(len(names)) if (n > last - rules.look_back and n >= bool(self.fixed)) or n in marks
            ]
        return [n for n in near if sizes[n] >= rules.minimum_tokens]

    def lives(self, prefix: tuple[str, ...], at: float) -> bool:
        since, until = self.live.get(prefix, (0.0, 0.0))
        return since <= at < until


@examples(100)
@given(
    STEPS, st.sampled_from(KINDS), st.sampled_from(("path", "hit")), st.sampled_from((0, 6)), st.sampled_from((0, 1, 3))
)
def test_the_cache_does_what_its_rules_say(
    steps: list[Step], rules: CacheRules, refresh: str, fixed: int, free: int
) -> None:
    caching = Caching(rules=rules, refresh="path" if refresh == "path" else "hit", free=free)
    cache, prompts, told = Cache(caching), Prompts(fixed), Told(caching, fixed)
    now, said = 0.0, list[tuple[str, int]]()
    for step in steps:
        said = said[: step.keep] + step.more
        now += step.wait_s * 1_000
        prompt = prompts.build_prompt(tuple(BLOCKS[one] for one in said))
        sent = cache.send(prompt, now, edited=True)
        head = (("fixed", fixed),) if fixed else ()
        assert (sent.read, sent.write) == told.send((*head, *said), now)
        assert sent.tokens == prompt.tokens == fixed + sum(tokens for _, tokens in said)
        assert sent.plain >= 0
