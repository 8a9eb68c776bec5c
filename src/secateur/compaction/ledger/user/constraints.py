"""What the user forbids and demands, sentence by sentence, in ten languages; and rules of the project's own files.

Rule: verbatim and by pattern; a sentence too many costs a few tokens, a lost one costs the user's trust, so doubt
keeps. A long English message is often a report that was pasted: of it only what it asks of its reader. What is beyond
the patterns, and every other language, is kept as the user's messages themselves. Lines of logs, of JSON and of code
that the user pasted demand nothing, and of a pasted review nothing does that points at a line of a file. A rule of the
project is kept as its whole bullet. Which texts are the user's is decided in `said`; whether a constraint was kept to
is not judged.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from msgspec.structs import replace

from secateur.compaction.language import detect_language
from secateur.compaction.ledger.entries import Constraint, Scope
from secateur.compaction.ledger.pasted import find_printed
from secateur.compaction.ledger.said import (
    CODE,
    STOP,
    get_agent_text,
    get_rejection,
    get_user_text,
    is_question,
    is_quoted,
    split_sentences,
    strip_code,
    strip_emphasis,
)
from secateur.compaction.ledger.user.demands import (
    ASKS,
    ASKS_UNMARKED,
    DATA,
    DIRECT,
    HARD,
    PRAISES,
    STANDING,
    SUPPOSES,
    WONDERS,
    has_demand,
    strip_put_off,
    strip_unsaid,
)
from secateur.compaction.ledger.user.edit_bans import find_edit_ban
from secateur.compaction.ledger.user.force_words import is_order_for
from secateur.compaction.ledger.user.retractions import is_choice, is_retraction, mark_replaced
from secateur.compaction.ledger.user.rule_units import split_rules
from secateur.compaction.ledger.user.rules import (
    is_procedure,
    is_prompt,
    list_refusals,
    name_rule_source,
    name_rules,
    strip_numbers,
)
from secateur.compaction.ledger.user.taken_back import is_bare_retraction
from secateur.compaction.ledger.user.typed_commands import find_expansions
from secateur.memoizing import memoize_texts
from secateur.model import Message
from secateur.redact import redact
from secateur.text.host_texts import find_project_rules
from secateur.toolcalls.actions import Action, clip_text

MAX_CHARS = 600  # of one constraint
QUOTED_CHARS, QUOTED_MESSAGES = 40, 6  # of a sentence that is quoted, and messages before in which the agent said it
_LONG_CHARS = 120  # of a sentence of which only the clause is listed that forbids every change
MOST_PER_MESSAGE = 40  # a message with more is a document that was pasted: its first ones
SEARCHED_CHARS = 24_000  # of one message, from its beginning
PASTED_CHARS = 1_500  # English messages above this are often reports: only what they ask of the reader is a demand


def extract_constraints(messages: Sequence[Message], done: Iterable[Action] = ()) -> tuple[Constraint, ...]:
    """Return every demand and prohibition in these messages, each once, and the rules that these calls printed."""
    found: dict[str, Constraint] = {}
    expansions = find_expansions(messages)
    said = (at for at in range(len(messages)) if at not in expansions)
    own = (
        _without_quotes(_extract_from_message(messages[at]), messages[max(0, at - QUOTED_MESSAGES) : at], found)
        for at in said
    )
    done = tuple(done)
    for some in chain(own, map(_extract_printed, done), (list_refusals(messages),)):
        for one in some:
            name = normalize_demand(one.text)
            known = found.pop(name, one)  # said again is said last: nothing before it takes it back
            found[name] = known if known.scope != "project" else one
    return mark_replaced(found.values())


def _without_quotes(
    demands: Iterable[Constraint], before: Sequence[Message], known: Mapping[str, Constraint]
) -> Iterator[Constraint]:
    """Yield demands without those that the user quotes from what the agent just said, unless they hold from now on."""
    told: str | None = None
    for one in demands:
        if one.scope == "request" and len(one.text) >= QUOTED_CHARS and normalize_demand(one.text) not in known:
            if told is None:
                told = strip_emphasis("\n".join(map(get_agent_text, before)))
            if is_quoted(strip_emphasis(_BULLET.sub("", one.text)), told, QUOTED_CHARS):
                continue
        yield one


def _extract_from_message(message: Message) -> Iterator[Constraint]:
    for text in _list_texts(message):
        for rules in find_project_rules(text):
            source = name_rules(rules)
            yield from extract_rules(rules, message.key, source)
            if is_prompt(source):
                yield from _extract_procedure(rules, message.key, source)
    if text := get_user_text(message) or get_rejection(message):
        yield from _extract_demands(redact(_ISSUE.sub("\n", text[:SEARCHED_CHARS])), message.key)


_ISSUE = re.compile(r"<(pr|issue)_description>.*?</\1_description>", re.S)  # a harness quotes it, nobody orders it


def _extract_printed(action: Action) -> Iterator[Constraint]:
    if source := name_rule_source(action):
        yield from extract_rules(strip_numbers(_REMINDER.sub("", action.said)), action.key, source)


def extract_rules(text: str, key: str, source: str) -> Iterator[Constraint]:
    """Yield the demands of a text of the project, each with the name of the file that it stands in."""
    for one in _extract_demands(redact(text[:SEARCHED_CHARS]), key, "project"):
        yield replace(one, source=source)


def _extract_procedure(text: str, key: str, source: str) -> Iterator[Constraint]:
    """Yield how a host's prompt wants work to go: which task is taken, how it is committed, and when to end."""
    for line in redact(text[:SEARCHED_CHARS]).split("\n"):
        kept = clip_sentences(_BULLET.sub("", STOP.split(line.strip())[0]), MAX_CHARS)
        if kept and is_procedure(kept) and not is_demand(kept):
            yield Constraint(kept, "project", key, source=source)


def _list_texts(message: Message) -> Iterator[str]:
    """Yield the texts of a message in the user's name, whoever wrote them, and a prompt with a project's rules."""
    texts = (part.text for part in message.parts if part.kind == "text")
    if message.role == "system":
        yield from (text for text in texts if "<custom_instruction" in text)
    if message.role == "user" and message.origin in ("user", "harness"):
        yield from (part.text for part in message.parts if part.kind == "text" and not part.container_key)


@memoize_texts(4_096)  # of a text its parts are asked about, too
def is_demand(sentence: str) -> bool:
    """Return whether this sentence forbids or demands something."""
    if WONDERS.match(sentence) or PRAISES.search(sentence) or is_bare_retraction(sentence):
        return False
    text = strip_unsaid(unicodedata.normalize("NFC", sentence))
    left = strip_put_off(text)
    if is_question(text) or ASKS_UNMARKED.match(text):
        return bool(HARD.search(left)) and not (ASKS.match(text) or SUPPOSES.match(sentence))
    return bool(has_demand(left) or is_retraction(text) or is_choice(left)) and not DATA.match(text)


def is_standing(sentence: str) -> bool:
    """Return whether a sentence holds from now on, not for one request only: an order says what it is for as well."""
    text = strip_put_off(unicodedata.normalize("NFC", sentence))
    return (hit := STANDING.search(text)) is not None and not is_order_for(text, hit.start())


def normalize_demand(text: str) -> str:
    """Normalize a text so that case, spacing and end marks do not matter."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(" .!。！*-")


def _extract_demands(text: str, key: str, of: Scope | None = None) -> Iterator[Constraint]:
    left = MOST_PER_MESSAGE
    text = _strip_findings(_TIPS.sub("", text)) if of is None else text
    is_report = of is None and _is_report(text)
    for sentence in split_rules(text) if of == "project" else _split_clauses(_split_demands(text, is_report)):
        if is_report and (POINTS.search(sentence) or not DIRECT.search(_ASIDE.sub(" ", sentence))):
            continue
        if of is None and len(sentence) > _LONG_CHARS and not is_standing(sentence):
            sentence = find_edit_ban(sentence) or sentence
        if left and is_demand(sentence) and (kept := clip_sentences(_DANGLING.sub("", sentence), MAX_CHARS)):
            left -= 1
            yield Constraint(kept, of or ("standing" if is_standing(sentence) else "request"), key)


def _split_demands(text: str, is_report: bool) -> Iterator[str]:
    """Split a text into what may be demands; code stays with a line that demands it.

    In a long document a list whose opening line demands nothing is parted.
    """
    for sentence in join_fragments(split_sentences(strip_data(strip_code(text)))):
        opening, *items = sentence.split("\n")
        if items and not is_demand(opening):
            items = [line for line in items if not line.startswith(CODE)]
            if _STEPS.search(opening):  # what is to be done, one thing after another
                yield from (line.strip() for line in items if _FORBIDS.match(line))
                continue
            if is_report:
                yield from (line.strip() for line in items)
                continue
        yield "\n".join((opening, *(line.removeprefix(CODE) for line in items)))


def _split_clauses(sentences: Iterable[str]) -> Iterator[str]:
    """Part what was typed without capitals where one of its sentences holds from now on."""
    for one in sentences:
        parts = _SMALL_STOP.split(one) if one[:1].islower() else []
        is_parted = any(map(is_standing, parts)) and all(len(part) >= _CLAUSE_CHARS for part in parts)
        yield from parts if is_parted else (one,)


def strip_data(text: str) -> str:
    """Return a text without lines of logs, terminals, JSON and code, and without the lines on which these go on."""
    kept = []
    is_data = False
    lines = text.split("\n")
    printed = frozenset(find_printed(lines, is_strict=True))
    for at, line in enumerate(lines):
        is_data = bool(line.strip()) and (
            at in printed or DATA.match(line) is not None or (is_data and _GOES_ON.match(line) is not None)
        )
        if not is_data:
            kept.append(line)
    return "\n".join(kept)


def clip_sentences(text: str, max_chars: int) -> str:
    """Clip a long text where a sentence or a line ends, and show that it goes on."""
    if len(text) <= max_chars:
        return text
    ends = [found.end() for found in _CLAUSE_ENDS.finditer(text[:max_chars])]
    kept = text[: ends[-1]].strip() if ends else clip_text(text, max_chars)
    return f"{kept} […]" if kept else ""


def join_fragments(sentences: Iterable[str]) -> Iterator[str]:
    """Join what was parted inside of parentheses."""
    held = ""
    for one in sentences:
        held = f"{held} {one}" if held else one
        if _count_open(held) <= 0 or len(held) > MAX_CHARS:
            yield held
            held = ""
    if held:
        yield held


def _count_open(text: str) -> int:
    return text.count("(") + text.count("（") - text.count(")") - text.count("）")


def _is_report(text: str) -> bool:
    """Whether an English text is one that was pasted: it is long, or it points at many lines of files."""
    is_long = len(text) > PASTED_CHARS or len(POINTS.findall(text)) >= _MANY_POINTERS
    return is_long and detect_language(text) == "en"


def _strip_findings(text: str) -> str:
    """Return what stands before the findings of a pasted review; another text is returned as it is."""
    if not _FINDINGS.search(text[:_OPENING_CHARS]):
        return text
    listed = _LISTED.search(text)
    return text[: listed.start()] if listed else ""


_DANGLING = re.compile(
    r"(?i)(?<=\w)[\s,;–—-]{1,4}(?:but|and)\s+(?:first\s+)?see\s+(?:below|above)\W{0,3}\Z"
)  # points elsewhere
_STEPS = re.compile(
    r"(?i)\b(?:next steps?|to-?dos?|action items?|(?:open|remaining|pending|next) (?:items|tasks|steps|work))\W*\Z"
)
_FORBIDS = re.compile(r"(?i)\W*(?:\d{1,2}[.)]\s+)?(?:do not|don['’]t|never|only|no)\b")
_BULLET = re.compile(r"\A\s*(?:[-*•]|\d{1,2}[.)])\s+")
_SMALL_STOP = re.compile(r"(?<=[^\W\d_][.!])[ ]+(?=[a-z])(?<!e\.g\. )(?<!i\.e\. )(?<!vs\. )(?<!etc\. )(?<!\.\.\. )")
_CLAUSE_CHARS = 20  # a shorter one says nothing alone
_MANY_POINTERS = 3
_OPENING_CHARS = 1_000  # in which a pasted review says that it is one
_FINDINGS = re.compile(
    r"(?im)^#{1,6}[ \t][^\n]{0,80}\b(?:review|findings|audit)\b|^[^\n]{0,80}\b(?:my|code) review\s*:"
    r"|^\W{0,4}(?:critical|high|medium|low) severity\W{0,4}$"
)
_TIPS = re.compile(  # up to the next heading, tag or note in parentheses; and notes on one tool
    r"(?im)^[ \t*_#]{0,12}(?:(?:important|useful|helpful|general|some|more)[ \t])*(?:tips|hints)[ \t*_:]{0,12}\n"
    r"(?:(?![#<(]|[A-Z][A-Z ]{1,40}:[ \t]*$)[^\n]*\n)*(?:(?![#<(])[^\n]+\Z)?"
    r"|^[ \t*_#]{0,12}note about the \w+ (?:command|tool)s?:[^\n]*$"
)
_LISTED = re.compile(r"(?m)^[ \t]*(?:#{1,6}[ \t]|[-*•][ \t]|\d{1,2}[.)][ \t]|---|\W{0,4}\w+ severity\W{0,4}$)")
_REMINDER = re.compile(r"<(system-?reminder)>.*?(?:</\1>|\Z)", re.S)  # what a host adds to what a tool printed
POINTS = re.compile(r"(?<![\w./-])[\w./-]+\.[A-Za-z]{1,5}:\d+")  # a line of a file
_ASIDE = re.compile(r"\([^()]*\)|\"[^\"\n]*\"|“[^”\n]*”|`[^`\n]*`")
_GOES_ON = re.compile(r"\s|[a-z`'\"})\]|]")
_CLAUSE_ENDS = re.compile(r"[.!?;。！？；](?=\s|$)|\n|(?<=[。！？；])")
