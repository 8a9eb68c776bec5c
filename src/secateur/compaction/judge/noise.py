"""Whether a text is language at all: the same line or phrase again and again, or words without sentences.

Rule: only what no true summary does counts, so that a clumsy one stands. What a text says is not looked at here.
"""

import re
from collections import Counter
from collections.abc import Sequence

from secateur.compaction.judge.claims import Contradiction

FEWEST_REPEATS = 4  # of one line
MOST_REPEATED = 0.4  # of a text's lines, or of its words in phrases that repeat
PHRASE_WORDS, PHRASE_REPEATS = 5, 6
MOST_NOISE = 0.4  # of the lines with words


def find_repetition(lines: Sequence[str]) -> Contradiction | None:
    """Find a line or a phrase that makes up much of a text."""
    plain = [" ".join(_WORD.findall(line.casefold())) for line in lines]
    plain = [line for line in plain if len(line) > 3]
    if not plain:
        return None
    line, times = Counter(plain).most_common(1)[0]
    if times >= FEWEST_REPEATS and times >= MOST_REPEATED * len(plain):
        return Contradiction("repetition", f"the same line stands {times} times: {line[:80]}")
    words = " ".join(plain).split()
    phrases = Counter(tuple(words[at : at + PHRASE_WORDS]) for at in range(len(words) - PHRASE_WORDS + 1))
    often = {phrase: n for phrase, n in phrases.items() if n >= PHRASE_REPEATS}
    if often and sum(often.values()) >= MOST_REPEATED * len(words):
        phrase, times = max(often.items(), key=lambda item: item[1])
        return Contradiction("repetition", f"the same words stand {times} times: {' '.join(phrase)}")
    return None


def find_gibberish(lines: Sequence[str], known: str) -> Contradiction | None:
    """Find lines that are no sentences: words twice in a row, articles before prepositions, letters at random."""
    worded = [line for line in lines if len(_WORD.findall(line)) >= 3]
    noisy = [line for line in worded if _is_noise(line, known)]
    if len(noisy) >= 2 and len(noisy) >= MOST_NOISE * len(worded):
        return Contradiction("gibberish", f"{len(noisy)} lines are no sentences, such as: {noisy[0].strip()[:80]}")
    return None


_WORD = re.compile(r"[^\W_]+")
_LATIN = re.compile(r"(?<![\w./-])[a-z]+(?![\w./-])")
_DOUBLE = re.compile(r"(?i)\b([^\W\d_]{2,})(?:\s+\1\b)+(?!-)")
_BROKEN = re.compile(
    r"(?i)\b(the|a|an|of|to|and|in|der|die|das|und|le|la|les|de|el|los|y|e|o)\s+\1\b(?!-)"
    r"|\b(?:the|a|an)\s+(?:of|the|an?|is|are|and|or|to|which|when|whose|from|was|were)\b"
    r"|\bof\s+(?:when|is|are|of|to|and|was)\b|\b(?:which|whose|and)\s+(?:of|whose)\b|\bof which the$"
)
_VOWELS = re.compile(r"[aeiouyäöüàáâãèéêìíòóôõùúæøœ]")


def _is_noise(line: str, known: str) -> bool:
    broken = [found.span() for found in _BROKEN.finditer(line)]
    doubled = [found for found in _DOUBLE.finditer(line) if found.span() not in broken]
    random = [
        word for word in _LATIN.findall(line) if len(word) >= 4 and not _VOWELS.search(word) and word not in known
    ]
    return len(broken) + len(doubled) + len(random) >= 2 or bool(broken and len(_WORD.findall(line)) <= 12)
