"""What the judge makes of summaries that are true, and of the same ones with one statement turned into a lie.

    SECATEUR_CORPUS=... python benchmarks/mutations.py [--half tuning|reporting] [--source open|hosts|ledger] [--each N]
                                                       [--seed S] [--show KIND]

Three sources of true summaries: those of `judging.py` that anyone may read (`open`), those that hosts wrote into
recorded sessions with the history before them (`hosts`), and our own of recorded sessions, written without a model
(`ledger`). One line is altered at a time: a number, a path or an identifier becomes another one of the same summary,
an outcome, a negation, an actor or a state is turned around, a reason or an order is put in that nobody gave. For each
kind: how many lies were rejected with the summary, how many lost the false line, on how many it is marked, and how many
stand. For the unaltered ones: how many were rejected, and how many of their claims were dropped or marked. A strong
model's summary is counted as true, although it may hold a mistake. The half follows from the session, as in `split.py`;
rules are chosen on `tuning`.
`--show KIND` prints the lies of a kind that stand, in the tuning half only; `true` the claims taken for false.
"""

import argparse
import gzip
import hashlib
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from corpus import find_corpus, is_corpus_set
from judging import SETS, build_body, read_cases
from msgspec import Struct
from split import HALVES, files_of, half_of, sessions_of

from secateur import Engine, documents
from secateur.compaction.headings import read_labels
from secateur.compaction.judge.claims import Contradiction
from secateur.compaction.judge.evidence import Evidence, collect_evidence
from secateur.compaction.judge.reading import read_claims
from secateur.compaction.judge.truth import iterate_contradictions
from secateur.compaction.judge.weighing import MARKED, is_refuted
from secateur.compaction.outcome import Compacted
from secateur.compaction.prose import read_summary
from secateur.errors import SecateurError, StillTooLong
from secateur.model import Message

SOURCES = ("open", "hosts", "ledger")
LEDGERS = 40  # sessions whose summary without a model is judged, by hash
WINDOW = 60_000
FATES = ("rejected", "dropped", "marked", "stands")


class Source(Struct, frozen=True):
    """A true summary and its history."""

    name: str
    half: str
    text: str
    messages: tuple[Message, ...]
    kept: tuple[str, ...] = ()


class Mutation(Struct, frozen=True):
    """One line of a summary, before and after."""

    kind: str
    old: str
    new: str


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--half", choices=HALVES, action="append")
    options.add_argument("--source", choices=SOURCES, action="append")
    options.add_argument("--each", type=int, default=2, help="lies of a kind for each summary")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--show", default="")
    asked = options.parse_args()
    for name in asked.source or SOURCES:
        found: dict[str, Tally] = {half: Tally() for half in asked.half or HALVES}
        for source in list_sources(name):
            if source.half in found:
                judge_source(source, found[source.half], asked)
        for half, tally in found.items():
            tally.report(f"{name}, {half}")
    return 0


class Tally:
    """What became of the summaries of one half."""

    def __init__(self) -> None:
        self.true: Counter[str] = Counter()
        self.lies: dict[str, Counter[str]] = {}
        self.rules: Counter[str] = Counter()

    def report(self, title: str) -> None:
        """Print the shares."""
        true = self.true
        if not true["all"]:
            return
        rejected, false = true["rejected"] / true["all"], true["false"] / max(1, true["claims"])
        marked = true["marked"] / max(1, true["claims"])
        print(f"{title}: of {true['all']} true summaries {true['rejected']} rejected ({rejected:.1%});", end=" ")
        print(
            f"of {true['claims']} claims {true['false']} dropped ({false:.2%}), {true['marked']} marked ({marked:.2%})"
        )
        print(f"   by rule: {', '.join(f'{rule} {count}' for rule, count in self.rules.most_common(12))}")
        whole: Counter[str] = Counter()
        for kind, counts in sorted(self.lies.items()):
            whole += counts
            print(f"   {kind:<12} {self._line(counts)}")
        print(f"   {'all':<12} {self._line(whole)}", flush=True)

    @staticmethod
    def _line(counts: Counter[str]) -> str:
        total = max(1, sum(counts.values()))
        parts = (f"{one} {counts[one]:>4} ({counts[one] / total:>5.1%})" for one in FATES)
        return f"{sum(counts.values()):>5} lies: {', '.join(parts)}"


def judge_source(source: Source, tally: Tally, asked: argparse.Namespace) -> None:
    """Judge a summary, and each of its lies."""
    evidence = collect_evidence(source.messages, source.kept)
    sections, labels = read_summary(source.text, (evidence.user,)), read_labels(source.text)
    claims = len(read_claims(sections, labels))
    base = tuple(iterate_contradictions(sections, evidence, labels))
    marked = sum(one.strength in MARKED for one in base)
    tally.true += Counter(all=1, rejected=int(is_refuted(base, claims)), claims=claims)
    tally.true += Counter(false=len(base) - marked, marked=marked)
    for one in base:
        tally.rules[one.rule] += 1
        if asked.show == "true" and source.half == "tuning":
            print(f"   {source.name[:20]}: {one.rule}: {one.text[:300]}")
    seed = f"{asked.seed}/{source.name}/{hashlib.sha256(source.text.encode()).hexdigest()}"
    for lie in draw_mutations(source.text, asked.each, random.Random(seed)):
        if any(one.line.strip() in lie.old for one in base):
            continue
        what = judge_lie(source.text, lie, evidence, base, claims)
        tally.lies.setdefault(lie.kind, Counter())[what] += 1
        if asked.show == lie.kind and source.half == "tuning" and what == "stands":
            print(f"   {source.name[:20]}: {lie.old.strip()[:200]}\n      -> {lie.new.strip()[:240]}")


def judge_lie(text: str, lie: Mutation, evidence: Evidence, base: Sequence[Contradiction], claims: int) -> str:
    """What becomes of a summary with one altered line, by what was taken for false before."""
    altered = text.replace(lie.old, lie.new, 1)
    own = set(lie.new.split("\n"))
    found = _find_first(altered, evidence, own)
    if found is None:
        return "stands"
    if is_refuted((*base, found), claims):
        return "rejected"
    return "marked" if found.strength in MARKED else "dropped"


def _find_first(text: str, evidence: Evidence, lines: set[str]) -> Contradiction | None:
    """The first contradiction on one of some lines."""
    sections, labels = read_summary(text, (evidence.user,)), read_labels(text)
    plain = {line.strip(" -") for line in lines}
    found = iterate_contradictions(sections, evidence, labels, lambda claim: claim.raw.strip(" -") in plain)
    return next(found, None)


def list_sources(name: str) -> Iterator[Source]:
    """The true summaries of one source."""
    if name == "open":
        yield from _list_open()
    elif is_corpus_set():
        corpus = find_corpus()
        yield from _list_hosts(corpus) if name == "hosts" else _list_ledgers(corpus)


def _list_open() -> Iterator[Source]:
    for set_name, folder in SETS.items():
        for case in read_cases(folder / "open"):
            if case.is_true:
                messages = documents.read(build_body(case.turns)).transcript.messages
                half = HALVES[hashlib.sha256(case.history.encode()).digest()[0] % 2]
                yield Source(f"{set_name}/{case.history}", half, case.text, messages)


def _list_hosts(corpus: Path) -> Iterator[Source]:
    seen: set[str] = set()
    for file in files_of(corpus):
        for name, recording in sessions_of(file):
            for before, behind in zip(recording.segments, recording.segments[1:], strict=False):
                text = next((_join(one) for one in behind.messages[:6] if one.origin == "summary"), "")
                if text and text not in seen:
                    seen.add(text)
                    kept = tuple(_join(one) for one in before.messages if one.origin == "summary")
                    yield Source(name, half_of(recording), strip_frame(text), before.messages, kept)


def _list_ledgers(corpus: Path) -> Iterator[Source]:
    files = sorted(files_of(corpus), key=lambda one: hashlib.sha256(one.name.encode()).digest())
    left = LEDGERS
    for file in files:
        for name, recording in sessions_of(file):
            made = _summarize(file) if left else None
            if made is not None:
                left -= 1
                yield Source(name, half_of(recording), *made)
            break
        if not left:
            return


def _summarize(file: Path) -> tuple[str, tuple[Message, ...]] | None:
    """The summary without a model of a session, and the session; None where there is none to make."""
    data = file.read_bytes()
    try:
        view = Engine("balance", window=WINDOW).compact(
            gzip.decompress(data) if file.suffix == ".gz" else data, now_ms=0
        )
    except StillTooLong as error:
        view = error.view
    except SecateurError:
        return None
    made = view.compaction.summary if isinstance(view.compaction, Compacted) else ""
    return (made, view.raw_transcript.messages) if made else None


def _join(message: Message) -> str:
    return "\n".join(part.text for part in message.parts)


def strip_frame(text: str) -> str:
    """A host's summary without the sentences of the host around it."""
    body = text.partition("Summary:")[2] or text
    return re.split(
        r"\nIf you need specific details|\nPlease continue the conversation|\nContinue the conversation", body
    )[0]


def draw_mutations(text: str, each: int, rng: random.Random) -> Iterator[Mutation]:
    """Lies of each kind, each on another line where there are enough."""
    lines = [
        line for line in text.split("\n") if _WORD.search(line) and not line.lstrip().startswith(("#", "<", "```"))
    ]
    pool = Pool(lines)
    for kind, mutate in KINDS.items():
        made = 0
        for line in rng.sample(lines, len(lines)):
            if made == each:
                break
            if text.count(line) == 1 and (new := mutate(line, pool, rng)) and new != line:
                made += 1
                yield Mutation(kind, line, new)


class Pool:
    """What a summary names: a lie takes its names from there."""

    def __init__(self, lines: Sequence[str]) -> None:
        text = "\n".join(lines)
        self.paths = sorted(set(_PATH.findall(text)))
        self.names = sorted(set(_NAME.findall(text)) - set(self.paths))


_WORD = re.compile(r"[^\W\d_]{3}")
_PATH = re.compile(
    r"(?<![\w./-])(?:[\w.-]+/)*[\w-]+\.(?:py|ts|tsx|js|go|rs|rb|java|php|yaml|yml|toml|json|md|sql|sh|c|h)\b"
)
_NAME = re.compile(r"(?<![\w./-])(?:[a-z]+_[a-z0-9_]+|[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w+)(?![\w./-])")
_NUMBER = re.compile(r"(?<![\w.,/:#-])\d+(?![\w.,:/-]*\d|[.)]\s|\w)")
_COUNTS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_COUNT = re.compile(rf"(?i)(?<![\w-])(?:{'|'.join(_COUNTS)})(?![\w-])")


def _alter_number(line: str, pool: Pool, rng: random.Random) -> str:
    found = [*_NUMBER.finditer(line), *_COUNT.finditer(line)]
    if not found:
        return ""
    one = rng.choice(found)
    said = one.group()
    if said.isdigit():
        value = int(said)
        new = str(value + rng.choice([1, 2, 3]) if value < 20 else value + rng.randint(2, max(3, value // 2)))
    else:
        new = rng.choice([word for word in _COUNTS if word != said.lower()])
    return line[: one.start()] + new + line[one.end() :]


def _swap_numbers(line: str, pool: Pool, rng: random.Random) -> str:
    found = [one for one in _NUMBER.finditer(line) if len(one.group()) < 9]
    pairs = [(a, b) for a in found for b in found if a.start() < b.start() and a.group() != b.group()]
    return _exchange(line, *rng.choice(pairs)) if pairs else ""


def _exchange(line: str, first: re.Match[str], second: re.Match[str]) -> str:
    return (
        line[: first.start()]
        + second.group()
        + line[first.end() : second.start()]
        + first.group()
        + line[second.end() :]
    )


def _swap_name(pattern: re.Pattern[str], field: str) -> Callable[[str, Pool, random.Random], str]:
    def mutate(line: str, pool: Pool, rng: random.Random) -> str:
        found = list(pattern.finditer(line))
        others = [one for one in getattr(pool, field) if one not in line]
        if not found or not others:
            return ""
        one = rng.choice(found)
        return line[: one.start()] + rng.choice(others) + line[one.end() :]

    return mutate


def _turn(pairs: str) -> Callable[[str, Pool, random.Random], str]:
    """Put one of two opposite words in place of the other; `a=b` for both ways."""
    table: dict[str, str] = {}
    for pair in pairs.split("|"):
        one, other = pair.split("=")
        table |= {one: other, other: one}
    words = sorted(table, key=len, reverse=True)
    pattern = re.compile(rf"(?i)(?<![\w/.-])(?:{'|'.join(map(re.escape, words))})(?![\w/.-]*\w)")

    def mutate(line: str, pool: Pool, rng: random.Random) -> str:
        found = [one for one in pattern.finditer(line) if line[: one.start()].count("`") % 2 == 0]
        if not found:
            return ""
        one = rng.choice(found)
        new = table[one.group().casefold()]
        new = new[:1].upper() + new[1:] if one.group()[:1].isupper() else new
        return line[: one.start()] + new + line[one.end() :]

    return mutate


_REASONS = (
    "the disk was full", "the license had expired", "the vendor asked for it", "the network was down", "of a leap year",
    "the certificate had run out", "the auditors demand it", "two threads wrote at once", "the old laptop was too slow",
    "of a memory leak in the driver", "the clock of the server was wrong", "the time zone was missing",
)  # fmt: skip
_ORDERS = (
    "- The user asked for slides for the board.", "- The user wants {name} to be removed.",
    "- The user said that {name} must not be changed.", "- The user approved the deployment to production.",
    "- The user asked to rename {name}.", "- The user wants the work to be handed to another team.",
    "- The user told the agent to publish a release today.", "- The user asked for documentation of {name} in French.",
)  # fmt: skip


def _invent_reason(line: str, pool: Pool, rng: random.Random) -> str:
    plain = line.rstrip().rstrip(".")
    is_sentence = (
        len(line.split()) >= 4 and plain == plain.rstrip(":;,`)") and "because" not in line and "|" not in line
    )
    return f"{plain}, because {rng.choice(_REASONS)}" if is_sentence else ""


def _replace_reason(line: str, pool: Pool, rng: random.Random) -> str:
    found = re.search(r"(?i)\b(because|since|due to)\s+[^,.;()]{8,}", line)
    return line[: found.start()] + f"because {rng.choice(_REASONS)}" + line[found.end() :] if found else ""


def _invent_order(line: str, pool: Pool, rng: random.Random) -> str:
    order = rng.choice(_ORDERS)
    names = [*pool.names, *pool.paths]
    if "{name}" in order and not names:
        return ""
    is_bullet = line.lstrip().startswith(("-", "*"))
    return f"{line}\n{order.replace('{name}', rng.choice(names) if names else '')}" if is_bullet else ""


KINDS: dict[str, Callable[[str, Pool, random.Random], str]] = {
    "number": _alter_number,
    "exchange": _swap_numbers,
    "path": _swap_name(_PATH, "paths"),
    "name": _swap_name(_NAME, "names"),
    "outcome": _turn(
        "passes=fails|passed=failed|passing=failing|pass=fail|green=red|clean=broken|succeeded=failed|succeeds=fails|works=breaks"
        "|bestanden=fehlgeschlagen|grün=rot|réussi=échoué|verts=rouges|通过=失败"
    ),
    "polarity": _turn(
        "added=removed|adds=removes|add=remove|kept=dropped|keeps=drops|keep=drop|with=without|enabled=disabled"
        "|allowed=forbidden|must not=must|do not=always|never=always|is not=is|are not=are|was not=was|were not=were"
        "|does not=does|only=not only|increased=decreased|raised=lowered|created=deleted|nicht=auch|mit=ohne|avec=sans"
    ),
    "order": _turn("before=after|first=last|vor=nach|avant=après|antes=después|之前=之后"),
    "actor": _turn("the user=the agent|user=agent|der nutzer=der agent|l'utilisateur=l'agent|用户=助手"),
    "state": _turn(
        "done=not started|fixed=not fixed yet|committed=not committed|implemented=not implemented yet"
        "|updated=not updated yet|completed=not begun|pending=completed|open=closed|pushed=not pushed"
        "|merged=not merged|installed=not installed"
        "|erledigt=nicht begonnen|behoben=nicht behoben|not=already"
    ),
    "reason": _invent_reason,
    "cause": _replace_reason,
    "demand": _invent_order,
}


if __name__ == "__main__":
    sys.exit(main())
