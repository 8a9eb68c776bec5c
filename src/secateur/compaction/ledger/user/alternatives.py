"""Which of things that exclude each other a sentence names or chooses: tabs or spaces, npm or yarn, English or German.

Rule: a list of groups, of which each project uses one member; in ten languages. Which demand gives way to a choice is
decided in `retractions` and `taken_back`.
"""

import re
import unicodedata

from secateur.compaction.ledger.user.topics import COMMON, STEM
from secateur.memoizing import memoize_texts


@memoize_texts(4_096)  # each demand is compared with all that came later
def find_alternatives(text: str) -> frozenset[tuple[int, int]]:
    """Return which of things that exclude each other a text names (tabs or spaces), as group and member."""
    return frozenset(
        (at, n) for at, group in enumerate(_ALTERNATIVES) for n, pattern in enumerate(group) if pattern.search(text)
    )


def is_alternative(text: str, later: str) -> bool:
    """Whether the two name different ones of things that exclude each other: tabs and spaces, npm and yarn."""
    mine, its = find_alternatives(text), find_alternatives(later)
    groups = {group for group, _ in mine}
    return any(group in groups for group, _ in its - mine)


def list_scopes(text: str) -> frozenset[str]:
    """Return what a choice is made for: "in Go files", "for indentation"."""
    words = (word.casefold() for word in _SCOPE.findall(unicodedata.normalize("NFC", text)))
    return frozenset(word[:STEM] for word in words if not find_alternatives(word) and word not in COMMON)


@memoize_texts(4_096)
def has_choice(sentence: str) -> bool:
    """Whether a short sentence orders the use of one of things that exclude each other: "use tabs"."""
    text = unicodedata.normalize("NFC", sentence)
    return len(text) <= _CHOICE_CHARS and _CHOOSES.search(text) is not None and bool(find_alternatives(text))


_CHOICE_CHARS = 80
_CHOOSES = re.compile(
    r"(?i)^\W*(?:please\s+|bitte\s+|por\s+favor,?\s+|пожалуйста,?\s+|hãy\s+)?(?:use|indent|utilise[rz]?|benutz\w*"
    r"|verwend\w+|nimm|nutz\w*|indente[rz]?|usa|usen|usad|usemos|utiliza|utilice|utilize|используй\w*|dùng|sử\s+dụng)\b"
    r"|^\W*(?:请|請)?(?:缩进)?(?:使?用)|を(?:使って|使用し|使い)|(?:을|를)\s*(?:사용|써|쓰)"
)
_SCOPE = re.compile(
    r"(?i)\b(?:in|for|inside|within|für|bei|dans|pour|en|para|em|в|для|trong|cho)\s+(?:all\s+|the\s+|our\s+)?([\w./*-]{2,60})"
)
_ALTERNATIVES = tuple(
    tuple(re.compile(rf"(?i)(?<![A-Za-zÀ-ӿ])(?:{word})") for word in words)
    for words in (
        (
            r"tabs?\b|tabulat\w*|tabula[çc]\w*|табы?\b|табул\w*|制表符|タブ|탭",
            r"(?:white)?spaces?\b|leerzeichen|espaces?\b|espacios?\b|espaços?\b|пробел\w*|dấu\s+cách"
            r"|khoảng\s+trắng|空格|スペース|공백|스페이스",
        ),
        (
            r"single\s+quot\w+|einfache\w*\s+anführ\w+|comillas\s+simples",
            r"double\s+quot\w+|doppelte\w*\s+anführ\w+|comillas\s+dobles",
        ),
        (r"npm\b", r"yarn\b", r"pnpm\b", r"bun\b"),
        (r"pip\b", r"poetry\b", r"uv\b", r"conda\b"),
        (r"jest\b", r"vitest\b", r"mocha\b"),
        (r"pytest\b", r"unittest\b"),
        (r"snake_?case", r"camel_?case", r"kebab-?case"),
        (r"squash", r"rebase", r"merge\s+commits?"),
        (
            r"english|englisch|anglais|ingl[eê]s|английск\w+|tiếng\s+anh|英文|英语|英語|영어",
            r"german|deutsch|allemand|alem[aá]n|alemão|немецк\w+|tiếng\s+đức|德语|ドイツ語|독일어",
            r"french|französisch|français|franc[eê]s|французск\w+|tiếng\s+pháp|法语|フランス語|프랑스어",
            r"spanish|spanisch|espagnol|español|espanhol|испанск\w+|西班牙语|スペイン語|스페인어",
            r"russian|russisch|russe|ruso|русск\w+|俄语|ロシア語|러시아어",
            r"portuguese|portugiesisch|portugais|portugu[eê]s|португальск\w+|葡萄牙语|ポルトガル語",
            r"japanese|japanisch|japonais|japon[eê]s|японск\w+|日语|日文|日本語|일본어",
            r"korean|koreanisch|coréen|coreano|корейск\w+|韩语|韓国語|한국어",
            r"chinese|chinesisch|chinois|chino|chinês|китайск\w+|tiếng\s+trung|中文|中国語|중국어",
            r"vietnamese|vietnamesisch|vietnamien|vietnamita|вьетнамск\w+|tiếng\s+việt|越南语|ベトナム語|베트남어",
        ),
    )
)
