"""What a sentence is about, and whether it forbids, in ten languages.

Rule: words without those that every demand has, by their beginnings; of scripts without spaces, pairs of letters.
Names are compared whole.
"""

import re
import unicodedata
from functools import lru_cache


def list_named(text: str) -> frozenset[str]:
    """Return the files, folders and dotted names in a text."""
    return frozenset(name.strip("./-`") for name in NAME.findall(text))


@lru_cache(maxsize=1_024)
def is_negative(text: str) -> bool:
    """Whether a sentence forbids or denies."""
    return _NEGATIVE.search(unicodedata.normalize("NFC", text)) is not None


@lru_cache(maxsize=1_024)
def extract_topic(text: str) -> frozenset[str]:
    """Return the words that say what a sentence is about; of scripts without spaces, pairs of their letters."""
    said = unicodedata.normalize("NFKC", _FRAME.sub(" ", unicodedata.normalize("NFC", text))).casefold()
    words = {word[:STEM] for word in _WORD.findall(said) if (len(word) > 2 or word.isdigit()) and word not in COMMON}
    return frozenset(words | {run[n : n + 2] for run in _UNSPACED.findall(said) for n in range(len(run) - 1)})


NAME = re.compile(r"`[^`\n]{1,80}`|(?<![\w./-])[\w./-]*\w[./_]\w[\w./-]*", re.A)
_WORD = re.compile(r"[a-z\u00c0-\u024f\u1e00-\u1eff\u0400-\u04ff][\w.\-/\u0300-\u036f]*|\d+")
_UNSPACED = re.compile(r"[\u4e00-\u9fff]{2,}|[\u30a0-\u30ff]{2,}|[\uac00-\ud7af]{2,}")
_COMMON_WORDS = """
musst mehr brauchst darfst kannst aus ich du sie mich you're need besoin plus precisa hace falta
all alle always and any avec bei bitte can cho com con các của dans das dem den der des die dos ein eine einen
est for from für immer into jamais không las les los luôn may mit must más never nicht nie not nunca nur não
only para pas phải please plus por pour que sempre should siempre ta tes that the this ton toujours trong uma
una und une usa use using when with write you your zum zur được все всегда для никогда при только это
"""
COMMON = frozenset(_COMMON_WORDS.split())
_NEGATIVE = re.compile(
    r"(?i)\b(?:not|never|no|don['’]?t|dont|avoid|without|stop|forbidden|cannot|can['’]t|nicht|nie|niemals"
    r"|kein\w*|verboten|ohne|ne|n['’]\w+"
    r"|jamais|pas|sans|interdit\w*|не|никогда|нельзя|запрещ\w+|без|não|nunca|jamais|sem|proibid[oa]s?|nada|sin"
    r"|prohibid[oa]s?"
    r"|không|đừng|chớ|cấm|chưa)\b|\bno\s+\w+|不|勿|别|別|禁止|严禁|ない(?!と)|ません|禁止|지\s*마|지\s*말|지\s*않|금지|안\s*(?:돼|됩|된)|없이"
)
_FRAME = re.compile(
    r"(?i)\b(?:from\s+now\s+on|as\s+of\s+now|going\s+forward|no\s+longer|any\s?more|ab\s+(?:jetzt|sofort)"
    r"|von\s+nun\s+an|à\s+partir\s+de"
    r"\s+maintenant|a\s+partir\s+de\s+(?:agora|ahora)|de\s+agora\s+em\s+diante|с\s+этого\s+момента|từ\s+(?:giờ"
    r"|nay|bây\s+giờ)|now|again"
    r"|instead|actually|jetzt|wieder|désormais|maintenant|теперь|agora|ahora|bây\s+giờ|nữa|what\s+i\s+said|rule"
    r"|forget|about)\b"
    r"|从现在(?:开始|起)?|今后|以后|现在|可以|不要|必须|总是|一律|これから|今後|必ず|常に|絶対|禁止|이제부터|앞으로|지금부터|항상|절대|반드시"
)
STEM = 5  # letters of a word, by which it is known
