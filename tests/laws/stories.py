"""One recipe for conversations of every kind, before any API's shape: a seed in, a story out, always the same.

A story tells turns and rounds: serial and parallel calls, calls inside calls, servers' own tools, signed reasoning,
mixed media, cache markers, texts between results, and faults (aborted rounds, orphans, repeated ids, empty texts).
`native_shapes` tells it in the words of an API. Nothing here knows the code under test.
"""

from random import Random
from typing import Any, NamedTuple

Block = dict[str, Any]

TOOLS = ("bash", "read", "skill", "Grep", "write", "edit", "compress", "memory", "todo")
SIGNS = (
    "plain ascii words\n",
    "größer é 漢字 ",
    "😀 line\n",
    '{"path": "a", "n": 1}\n',
    "Error: it broke\nexit code 1\n",
    "0" * 7,
)
SIZES = (0, 0, 1, 2, 5, 5, 12, 12, 40, 120)  # how often a sign is repeated in a result
SPAN = (1, 3)


class Said(NamedTuple):
    """One message: of the user, of the assistant, or the results of a round."""

    by: str  # user | assistant | results | system
    blocks: list[Block]


class Story(NamedTuple):
    """Messages, and what holds for all of them."""

    said: list[Said]
    seed: int
    signed: bool  # reasoning carries signatures
    marked: bool  # cache markers are set
    wants_json: bool  # the answer is to be JSON, so some message must say the word
    broken: bool  # faults were put in


def story(seed: int, bulk: int = 1) -> Story:
    """The story of a seed; `bulk` makes each result that many times longer."""
    rng = Random(seed)
    teller = _Teller(rng, bulk)
    said = [Said("user", teller.speech(True))]
    for _ in range(rng.randint(1, 4)):
        said += teller.turn()
    if rng.random() < 0.35:  # the last turn is still running
        said += teller.round(teller.calls())
    elif rng.random() < 0.9:
        said.append(Said("user", teller.speech(True)))
    broken = rng.random() < 0.12
    if broken:
        teller.break_(said)
    signed, marked, wants = rng.random() < 0.8, rng.random() < 0.4, rng.random() < 0.1
    if marked:
        teller.mark(said)
    return Story(said, seed, signed, marked, wants, broken)


class _Teller:
    """Draws what is said; counts ids so that none is used twice unless a fault wants it."""

    def __init__(self, rng: Random, bulk: int) -> None:
        self.rng = rng
        self.bulk = bulk
        self.number = 0
        self.thinks = rng.random() < 0.7
        self.opens = rng.random() < 0.7  # each message of the assistant begins with reasoning, if any does
        self.plain = rng.random() < 0.3  # texts only: no media, no servers' tools

    def turn(self) -> list[Said]:
        """Rounds, an answer, and what the user says next."""
        rng, found = self.rng, []
        for _ in range(rng.choice((0, 1, 1, 2, 3, 5))):
            found += self.round(self.calls())
        if not found or rng.random() < 0.8:
            found.append(Said("assistant", [*self.thoughts(), *self.servers(), self.text("answer ")]))
        elif self.thinks and rng.random() < 0.2:
            found.append(Said("assistant", [self.thought()]))  # it thought and was cut off
        if found[-1].by == "results" or rng.random() < 0.85:
            found.append(Said("user", self.speech(False)))
        return found

    def round(self, calls: list[Block]) -> list[Said]:
        """Calls and their results; now and then the user speaks into them, or there are thoughts between calls."""
        rng = self.rng
        blocks = self.thoughts()
        blocks += [self.text("so ")] if rng.random() < 0.5 else []
        blocks += self.servers()
        for number, call in enumerate(calls):
            if number and self.thinks and rng.random() < 0.15:
                blocks.append(self.thought())
            blocks.append(call)
        results = [self.result(call) for call in calls]
        aside = [self.text("meanwhile ")] if rng.random() < 0.12 else []
        return [Said("assistant", blocks), Said("results", results + aside)]

    def calls(self) -> list[Block]:
        return [self.call() for _ in range(self.rng.choice((1, 1, 1, 2, 2, 3, 6)))]

    def call(self) -> Block:
        rng = self.rng
        given: dict[str, Any] = {"path": f"src/{self.number}.py", "n": 1.0}
        if rng.random() < 0.3:
            given["text"] = rng.choice(SIGNS) * rng.choice((1, 10, 60))
        if rng.random() < 0.1:
            given = {}
        kind = rng.choices(("call", "custom", "shell", "local_shell", "computer"), (20, 2, 1, 1, 1))[0]
        return {"is": kind, "id": self.id(), "tool": rng.choice(TOOLS), "input": given, "nested": rng.random() < 0.05}

    def result(self, call: Block) -> Block:
        rng = self.rng
        held: list[Block] = [self.output() for _ in range(rng.choice((0, 1, 1, 1, 1, 1, 1, 2)))]
        if not self.plain and rng.random() < 0.15:
            held.insert(rng.randint(0, len(held)), self.medium())
        if rng.random() < 0.03:
            held.append({"is": "reference", "tool": "read"})
        error = rng.random() < 0.12 and all(one["is"] == "text" for one in held)
        shape = rng.choice(("string", "string", "list"))
        return {
            "is": "result",
            "id": call["id"],
            "tool": call["tool"],
            "of": call["is"],
            "held": held,
            "error": error,
            "shape": shape,
        }

    def output(self) -> Block:
        rng = self.rng
        sign = rng.choice(SIGNS)
        text = sign * (rng.choice(SIZES) * self.bulk)
        return {"is": "text", "text": f"{text}{'json' if rng.random() < 0.05 else ''}"}

    def speech(self, first: bool) -> list[Block]:
        rng = self.rng
        said = [self.text("please " if rng.random() < 0.9 else "<system-reminder>be brief</system-reminder>")]
        while not self.plain and rng.random() < 0.25:
            said.insert(rng.randint(0, len(said)), self.medium())
        return said if first or rng.random() < 0.9 else [one for one in said if one["is"] != "text"] or said

    def thoughts(self) -> list[Block]:
        return [self.thought()] if self.thinks and (self.opens or self.rng.random() < 0.5) else []

    def thought(self) -> Block:
        self.number += 1
        text = "" if self.rng.random() < 0.1 else f"I think {self.number} " * self.rng.choice((1, 8))
        return {"is": "thought", "text": text, "sign": f"c2ln{self.number:08d}", "shut": self.rng.random() < 0.1}

    def servers(self) -> list[Block]:
        """A tool that the provider runs, and what it brought."""
        if self.plain or self.rng.random() > 0.08:
            return []
        return [{"is": "server", "id": f"srvtoolu_{self.id()}", "query": "weather", "brought": "c3Vubnk=" * 9}]

    def medium(self) -> Block:
        kind = self.rng.choice(("image", "image", "image", "document"))
        self.number += 1
        return {"is": kind, "data": "aGVsbG8g" * self.rng.choice((1, 1, 200)), "name": f"file {self.number}"}

    def text(self, lead: str) -> Block:
        self.number += 1
        json = " as json" if self.rng.random() < 0.03 else ""
        return {"is": "text", "text": f"{lead}{self.number}{json}", "number": self.number}

    def id(self) -> str:
        self.number += 1
        return f"{self.rng.choice(('call_', 'toolu_01', 'a'))}{self.number}"

    def break_(self, said: list[Said]) -> None:
        """One or two faults, as crashes, aborts and careless clients leave them."""
        for _ in range(self.rng.choice((1, 1, 2))):
            rounds = [one for one in said if one.by == "results" and one.blocks]
            if rounds and self.rng.random() < 0.5:
                self.break_round(said, self.rng.choice(rounds))
            else:
                self.break_any(said)

    def break_round(self, said: list[Said], place: Said) -> None:
        """Aborted, orphaned, or answered twice."""
        fault = self.rng.choice(("abort", "orphan", "again"))
        if fault == "abort":
            place.blocks.pop(0)
        elif fault == "orphan":
            said[said.index(place) - 1].blocks[:] = [self.text("nothing ")]
        else:
            place.blocks.append(dict(place.blocks[0]))

    def break_any(self, said: list[Said]) -> None:
        """Nothing said, no beginning, half a character, or the user speaking out of turn."""
        fault = self.rng.choice(("empty", "first", "lone", "double"))
        if fault == "empty":
            self.rng.choice(said).blocks[:] = []
        elif fault == "first":
            said.pop(0)
        elif fault == "lone":
            self.rng.choice(said).blocks.append({"is": "text", "text": "half \ud83d"})
        else:
            said.insert(self.rng.randrange(len(said)), Said("user", [self.text("again ")]))

    def mark(self, said: list[Said]) -> None:
        """Up to four cache markers, on whatever may carry one; those that live longer first."""
        blocks = [block for one in said for block in one.blocks if block["is"] in ("text", "result", "call", "image")]
        inner = [held for one in blocks for held in one.get("held", ()) if held["is"] == "text" and held["text"]]
        chosen = self.rng.sample(blocks + inner, min(len(blocks), self.rng.randint(1, 4)))
        long = self.rng.randint(0, 2)
        order = [one for block in blocks for one in (*block.get("held", ()), block)]  # as the API meets them
        for number, block in enumerate(
            sorted(chosen, key=lambda one: next(n for n, o in enumerate(order) if o is one))
        ):
            block["mark"] = "1h" if number < long else "5m"
