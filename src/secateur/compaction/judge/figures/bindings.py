"""Whether a figure of a summary is said of what the history says it of.

A figure is bound to the words beside it, and to the subject of its line. Two figures that have changed places are found
by their bindings, and so is one that the history has for other things only. Both need another figure in the history
that fits better: a figure in new words stands.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from secateur.compaction.judge.claims import Claim, extract_words
from secateur.compaction.judge.evidence import ClaimRule, Evidence

MOST_LINES = 40  # of the history that are looked at for one figure
LINE_CHARS = 400  # of a line, around a figure
FEWEST_DIGITS = 2  # of a figure that is looked for: smaller ones stand everywhere
TELLING_DIGITS = 3  # the same in a long history
AROUND_WORDS = 4  # on either side of the only figure of a part of a line
NEAR_WORDS = 2  # on either side of one of several

_FIGURE = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?![\d.]*\w*[/:]\d)(?!\d*[hm]\d)")


def _explain_exchanged(claim: Claim, evidence: Evidence) -> str:
    """Say that the history gives each of two figures of a summary to what the summary says of the other."""
    if claim.is_quoted or claim.section in ("next", "goal"):
        return ""
    return _find_exchanged(claim.summary, evidence.story).get(claim.line, "")


@lru_cache(maxsize=2)
def _find_exchanged(summary: str, story: str) -> dict[str, str]:
    """Return the lines of a summary with figures that have changed places with others, each with a reason."""
    said = [(line, *one) for line in summary.split("\n") for one in read_bindings(line)][:MOST_BINDINGS]
    figures = {figure for _, figure, _ in said}
    fewest = FEWEST_DIGITS if len(story) < LONG_STORY else TELLING_DIGITS
    known = {one: _list_bindings(one, story) for one in figures}
    found: dict[str, str] = {}
    for line, figure, labels in said:
        for _, other, others in said:
            own, theirs = labels - others, others - labels
            is_telling = max(len(figure), len(other)) >= fewest and figure != other and _is_alike(figure, other)
            if not own or not theirs or not is_telling:
                continue
            if _is_bound(theirs, own, known[figure]) and _is_bound(own, theirs, known[other]):
                found[line] = f"the history has {other} for {min(own)}, and {figure} for {min(theirs)}"
    return found


LONG_STORY = 100_000  # characters of a history in which short figures stand beside any word
MOST_BINDINGS = 60  # figures of a summary that are compared with one another


def _is_bound(labels: frozenset[str], others: frozenset[str], bindings: tuple[frozenset[str], ...]) -> bool:
    """Whether a figure has one of some labels in the history, and never one of others."""
    return any(one & labels for one in bindings) and not any(one & others for one in bindings)


def _list_bindings(figure: str, story: str) -> tuple[frozenset[str], ...]:
    """Return the labels that a figure has in the history, place by place."""
    grouped = f"{int(figure):,}" if figure.isdigit() else figure
    lines = {line for one in {figure, grouped, _DIGITS.get(figure, figure)} for line in _list_lines(one, story)}
    return tuple(labels for line in lines for number, labels in read_bindings(line) if number == figure)


@lru_cache(maxsize=2_048)
def read_bindings(line: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return the figures of a line with the words that they are said of.

    In a part that begins with a figure these are the words behind it, in one that ends with a figure those before it,
    and otherwise the nearest ones. What is before a colon, and before the figures of a row, is said of all of them.
    """
    head, colon, rest = line[:LINE_CHARS].partition(": ")
    subject = _read_words(head) if colon and len(head.split()) <= SUBJECT_WORDS else frozenset[str]()
    parts = _PIECE.split(rest if subject else line[:LINE_CHARS])
    found = list(_bind(head, list(_NUMERAL.finditer(head)))) if subject else []
    for part in parts:
        figures = list(_NUMERAL.finditer(part))
        row = _read_words(part[: figures[0].start()]) if len(parts) == 1 < len(figures) else frozenset[str]()
        found += [(figure, words | subject | row) for figure, words in _bind(part, figures)]
    return tuple(found)


SUBJECT_WORDS = 6  # of what is before a colon
_PIECE = re.compile(r"[;|()\[\]]\s*|,\s+|\s{2,}|\s+(?:and|und|y|et|e|и|và|vs\.?)\s+")


def _bind(part: str, figures: Sequence[re.Match[str]]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the figures of a part of a line with the words beside them."""
    is_first = bool(figures) and not _read_words(part[: figures[0].start()])
    is_last = bool(figures) and not is_first and not _read_words(part[figures[-1].end() :])
    for at, one in enumerate(figures):
        before = part[figures[at - 1].end() if at else 0 : one.start()].split()
        behind = part[one.end() : figures[at + 1].start() if at + 1 < len(figures) else len(part)].split()
        near = NEAR_WORDS if len(figures) > 1 else AROUND_WORDS
        before = [] if is_first else before[-near:]
        behind = [] if is_last and len(figures) > 1 else behind[:near]
        figure = one.group().casefold().rstrip(".,")
        yield str(_VALUES.get(figure, figure)).replace(",", ""), _read_words(" ".join((*before, *behind)))


def _read_words(text: str) -> frozenset[str]:
    return frozenset(word for word in _split_words(_NUMERAL.sub(" ", text)) if not word.isdigit())


_VALUES = {
    word: value
    for value, words in enumerate(
        (
            "one eine einen un une uno una",
            "two zwei deux dos dois",
            "three drei trois tres três",
            "four vier quatre cuatro quatro",
            "five fünf cinq cinco",
            "six sechs seis",
            "seven sieben sept siete sete",
            "eight acht huit ocho oito",
            "nine neun neuf nueve nove",
            "ten zehn dix diez dez",
            "eleven elf onze once",
            "twelve zwölf douze doce doze",
        ),
        start=1,
    )
    for word in words.split()
}
_DIGITS = {str(value): word for word, value in reversed(_VALUES.items())}
_ARTICLES = frozenset({"one", "eine", "einen", "un", "une", "uno", "una", "once"})  # also other words than numbers
_NUMERAL = re.compile(rf"(?<![-/#]){_FIGURE.pattern}|(?i:\b(?:{'|'.join(sorted(_VALUES.keys() - _ARTICLES))})\b)")


def _explain_unrelated(claim: Claim, evidence: Evidence) -> str:
    """Name the figure that the history has for a thing to which a claim gives one that is said of other things only."""
    if claim.is_quoted or claim.is_wished or claim.is_reported or claim.section == "next":
        return ""
    for found in _COUNTED.finditer(claim.text):
        figure = (found["figure"] or found["figure2"]).replace(",", "")
        label = min(_read_words(found["thing"] or found["thing2"]), default="")
        around = _read_surroundings(figure, evidence) if len(figure) >= FEWEST_DIGITS and label else frozenset[str]()
        if not around or around & (claim.words | _read_words(claim.line)):
            continue
        theirs = [one for one in _list_figures(label, evidence.story) if len(one) == len(figure)]
        if theirs and figure not in theirs:
            return f"the history has {min(theirs)} for {label}, and {figure} for other things"
    return ""


_COUNTED = re.compile(
    r"(?<![\w.,/:#@+$-])(?P<figure>\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)\s+(?P<thing>[^\W\d_]{4,})"
    r"|(?<![\w./-])(?P<thing2>[^\W\d_]{4,})\W{1,2}(?P<figure2>\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?![\w/:-]|[.,]\d)"
)


def _read_surroundings(figure: str, evidence: Evidence) -> frozenset[str]:
    """Return the words of all that the history says with a figure: lines, calls, and answers with their questions."""
    found = re.compile(rf"(?<![\d.,]){re.escape(figure)}(?!\d|[.,]\d)")
    told = [f"{one.text}\n{one.before}" for one in evidence.replies if found.search(one.text)]
    lines = (*_list_lines(figure, evidence.story), *_list_lines(figure, evidence.calls), *told)
    return frozenset(word for line in lines for word in _read_words(line))


@lru_cache(maxsize=512)
def _list_figures(label: str, story: str) -> frozenset[str]:
    """Return the figures that the history has beside a word."""
    found: set[str] = set()
    for count, one in enumerate(re.finditer(rf"(?i)(?<![^\W_]){re.escape(label)}", story)):
        if count == MOST_LINES:
            break
        start = max(story.rfind("\n", 0, one.start()) + 1, one.start() - LINE_CHARS // 2)
        end = story.find("\n", one.end())
        line = story[start : min(len(story) if end < 0 else end, one.end() + LINE_CHARS // 2)]
        found |= {figure for figure, labels in read_bindings(line) if label in labels}
    return frozenset(found)


def _is_alike(figure: str, other: str) -> bool:
    """Whether two figures may measure the same thing: the same number of places, about as many digits."""
    if figure.count(".") > 1 or other.count(".") > 1:
        return figure.count(".") == other.count(".")
    (whole, _, places), (whole2, _, places2) = figure.partition("."), other.partition(".")
    return len(places) == len(places2) and abs(len(whole) - len(whole2)) <= 1


@lru_cache(maxsize=512)
def _list_lines(figure: str, text: str) -> tuple[str, ...]:
    """Return the lines of a text that hold a figure, as far as they are near it."""
    found: list[str] = []
    for at, end in _find_figure(figure, text):
        start = max(text.rfind("\n", 0, at) + 1, at - LINE_CHARS)
        stop = text.find("\n", end, end + LINE_CHARS)
        found.append(text[start : stop if stop >= 0 else end + LINE_CHARS])
        if len(found) == MOST_LINES:
            break
    return tuple(found)


def _find_figure(figure: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield where a figure begins and ends that is no part of another one; a plain search is faster than a pattern."""
    at = text.find(figure)
    while at >= 0:
        end = at + len(figure)
        before, behind = text[at - 1 : at] if at else "", text[end : end + 2]
        is_begun = before.isdigit() or before in (".", ",")
        is_continued = behind[:1].isdigit() or (behind[:1] in (".", ",") and behind[1:].isdigit())
        if not (is_begun or is_continued):
            yield at, end
        at = text.find(figure, end)


def _split_words(text: str) -> frozenset[str]:
    """Return the words of a text, names taken apart, without auxiliary verbs."""
    return extract_words(_AUXILIARY.sub(" ", re.sub(r"[_./:()`\"'-]+", " ", text)))


_AUXILIARY = re.compile(
    r"(?i)\b(?:have|has|had|been|being|was|were|are|is|be|will|would|could|should|shall|now|then|also|too|well|yet"
    r"|still|here|there|its|with|after|wurden?|worden|sind|ist|hat|haben"
    r"|werden|wird|auch|jetzt|noch|nach|mit|est|sont|ont|été|sera|aussi|maintenant|fue|fueron|han|sido|está|están"
    r"|ahora|también|foi|foram|está|agora|были?|был[ао]?|уже|đã|được)\b"
)


RULES = (
    ClaimRule("unsupported", _explain_exchanged, strength="doubt"),
    ClaimRule("unsupported", _explain_unrelated, strength="doubt"),
)
