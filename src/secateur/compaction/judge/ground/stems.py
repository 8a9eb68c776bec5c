"""The stems of a text: what its words have in common with the words of another text that says the same.

Rule: made for comparing, not for reading. Names are taken apart (`clearCache`, `clear_cache`), numbers in words are
numbers, common irregular verbs have the stem of their infinitive, and words that any text holds are left out. Scripts
without spaces give pairs of letters. Linear in the text.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

STEM_CHARS = 6  # of a word at most
FEWEST_CHARS = 3  # that are left when an ending is taken off


def list_stems(text: str) -> Iterator[str]:
    """Yield the stems of a text in their order."""
    for found in _WORD.finditer(text):
        yield from _list_word_stems(found.group())


def get_stems(text: str) -> frozenset[str]:
    """Return the stems of a text."""
    return frozenset(list_stems(text))


def read_count(word: str) -> str:
    """Return a number in digits, be it written in words; "" for any other word."""
    return word.replace(",", "") if word[:1].isdigit() else COUNTS.get(word.casefold(), "")


@lru_cache(maxsize=65_536)
def _list_word_stems(word: str) -> tuple[str, ...]:
    if number := read_count(word):
        return (number,)
    if word[0] >= "\u3040":
        return tuple(word[at : at + 2] for at in range(max(1, len(word) - 1)))
    parts = (part.casefold() for part in _JOINT.split(word))
    return tuple(_cut_ending(part) for part in parts if len(part) > 1 and part not in _COMMON)


def _cut_ending(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.isascii():
        ending = next((one for one in _ENDINGS if word.endswith(one) and len(word) - len(one) >= FEWEST_CHARS), "")
        word = word[: len(word) - len(ending)]
        if len(word) > FEWEST_CHARS and word[-1] == word[-2]:
            word = word[:-1]
        if len(word) > FEWEST_CHARS and word[-1] in "eiy":
            word = word[:-1]
    return word[:STEM_CHARS]


_WORD = re.compile(
    r"[A-Za-z\u00c0-\u024f\u0400-\u04ff\u1e00-\u1eff]+|\d+(?:[.,]\d+)*|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+"
)
_JOINT = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ENDINGS = ("ations", "ation", "ingly", "ings", "ing", "edly", "ies", "ied", "ed", "es", "ly", "s")
COUNTS = {
    word: str(value)
    for value, words in enumerate(
        (
            "zero null cero",
            "one",
            "two zwei deux dos dois both",
            "three drei trois tres três",
            "four vier quatre cuatro quatro",
            "five fünf cinq cinco",
            "six sechs seis",
            "seven sieben sept siete sete",
            "eight acht huit ocho oito",
            "nine neun neuf nueve nove",
            "ten zehn dix diez dez",
            "eleven elf onze",
            "twelve zwölf douze doce doze",
        )
    )
    for word in words.split()
}
_IRREGULAR = {
    form: base
    for base, forms in (
        ("write", "write writes wrote written writing"),
        ("run", "run runs ran running"),
        ("keep", "keep keeps kept"),
        ("take", "take takes took taken"),
        ("make", "make makes made making"),
        ("send", "send sends sent"),
        ("find", "find finds found"),
        ("break", "break breaks broke broken"),
        ("build", "build builds built"),
        ("leave", "leave leaves left"),
        ("lose", "lose loses lost"),
        ("choose", "choose chooses chose chosen"),
        ("hold", "hold holds held"),
        ("give", "give gives gave given"),
        ("go", "go goes went gone"),
        ("say", "say says said"),
        ("see", "see sees saw seen"),
        ("show", "show shows shown"),
        ("tell", "tell tells told"),
        ("begin", "begin begins began begun"),
        ("stand", "stand stands stood"),
        ("mean", "mean means meant"),
        ("fail", "fail fails failed failing failure failures"),
        ("pass", "pass passes passed passing"),
    )
    for form in forms.split()
}
_COMMON = frozenset(
    word
    for words in (
        "twenty thirty forty fifty sixty hundred thousand zwanzig dreißig vingt trente veinte treinta",
        "an the of to in on at for by with without from into as is are was were be been being am do does did done has",
        "have had having will would shall should can could may might must and or but nor so than then that this these",
        "those it its they them their there here he she his her we our you your me my not no yes if when while which",
        "who whom whose what how why where also too very just only already still yet now after before since because",
        "due until again once more most less least other others another any all each some such same own about over",
        "under up down out off between during through user agent assistant",
        "der die das den dem des ein eine einen einem einer und oder aber nicht kein keine ist sind war waren wird",
        "werden wurde wurden hat haben hatte mit ohne von vom zu zum zur im am auf für bei nach vor aus als wie er sie",
        "wir ihr ich man sich auch noch nur schon weil dass",
        "le la les un une du de et ou mais ne pas est sont était été ont avec sans pour par sur dans au aux ce cette",
        "ces il elle ils elles nous vous je qui que se sa son ses plus parce",
        "el los las uno unos unas no es son fue eran ser ha han con sin por para en al del su sus lo como más porque",
        "not and не на что как это для при или был была было были есть нет его она они",
    )
    for word in words.split()
)
