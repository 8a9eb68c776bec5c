"""Which language a text is in, as far as its letters and its commonest words tell.

Rule: doubt is None. Code, paths, quotes and addresses are no language and are left out before anything is counted.
Enough for one question, whether a summary is in the language of the user; not meant for more.
"""

import re
from collections import Counter
from types import MappingProxyType

from secateur.memoizing import memoize_texts

LEAST_LETTERS = 40  # of a script that has no words we know
LEAST_WORDS = 5  # common words that must be found
LEAST_DIFFERENT = 3  # of these: "Do 1. Do 2." repeats one that other languages have as well
LEAST_SHORT = 3  # of them in a text that is known to be short
CLEAR_SHARE = 1.6  # the first language must have so many times the common words of the second
LETTER_SHARE = 0.3  # letters of another script than Latin that decide: paths and names are Latin everywhere

MOST_CHARS = 20_000  # of a text are looked at

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]{0,200}`", re.S)
_NO_WORD = re.compile(r"[/\\_@#<>{}=$|:\d]|\w\.\w")
_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af\u1100-\u11ff]")),
    ("zh", re.compile(r"[\u3400-\u9fff\U00020000-\U0002ffff]")),
    ("cyrillic", re.compile(r"[\u0400-\u04ff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
)
_WORD = re.compile(r"[^\W\d_]+")
_COMMON: MappingProxyType[str, frozenset[str]] = MappingProxyType(
    {
        code: frozenset(words.split())
        for code, words in {
            "en": "the and of to is in that it for was with not this be are on have you we should what which has but",
            "es": "el la los las que de y en un una por con no para es se del al lo como más pero su está hay qué",
            "pt": "o os as que de e em um uma por com não para é se do da dos das ao como mais mas seu está há foi",
            "fr": "le les des que de et en un une pour avec ne pas est se du au aux dans sur qui ce cette il nous sont",
            "de": "der die das und ist nicht zu den dem ein eine mit für auf von im es wird sich auch nach bei wir",
            "it": "il gli che di e in un una per con non è si del della dei delle al come più ma sono nel questo anche",
            "nl": "de het een en van is niet dat op te zijn met voor in die er aan ook naar bij wordt maar om",
            "vi": "và của là không được có cho các này trong đã với một những để khi thì tôi từ vào phải đang nếu hãy",
            "ru": "и в не на что с по это как для из но то все был было от до при мы так же нет если",
            "uk": "і в не на що з по це як для із але то все був було від до при ми так є якщо та",
        }.items()
    }
)

_MARKED = {"de": re.compile("[äöüß]"), "es": re.compile("[ñ]"), "pt": re.compile("[ãõ]"), "fr": re.compile("[èêœ]")}


@memoize_texts(1_024)
def detect_language(text: str, least: int = LEAST_WORDS) -> str | None:
    """Return the language's code ("en", "vi", "zh", …), or None if the text is too short or mixed."""
    prose = " ".join(map(_mask_ascii, _CODE.sub(" ", text[:MOST_CHARS]).split()))
    words = [word.lower() for word in _WORD.findall(prose)]
    letters = sum(map(len, words))
    for code, letter in _SCRIPTS:
        found = len(letter.findall(prose))
        if found >= max(LEAST_LETTERS // 4 if code in ("ja", "ko", "zh") else LEAST_LETTERS, LETTER_SHARE * letters):
            return _detect_by_words(words, ("ru", "uk"), least) or "ru" if code == "cyrillic" else code
    return _detect_by_words(words, tuple(_COMMON), least)


def _mask_ascii(word: str) -> str:
    """Return a word as it is; for names and addresses only non-ASCII, as unspaced scripts may surround them."""
    return "".join(" " if char.isascii() else char for char in word) if _NO_WORD.search(word) else word


def _detect_by_words(words: list[str], codes: tuple[str, ...], least: int) -> str | None:
    seen = Counter(words)
    marks = {code: sum(map(bool, map(letters.search, words))) for code, letters in _MARKED.items()}
    votes = sorted(
        ((sum(seen[word] for word in _COMMON[code]) + marks.get(code, 0), code) for code in codes), reverse=True
    )
    (most, code), (second, _) = votes[0], votes[1]
    different = sum(word in seen for word in _COMMON[code]) + marks.get(code, 0)
    return code if most >= least and different >= LEAST_DIFFERENT and most >= CLEAR_SHARE * second else None
