"""Which of the user's demands a later sentence of the user takes back or replaces.

Rule: only a sentence that says so ("from now on", "no longer", "you may ... again", in ten languages) and is about the
same thing replaces an earlier one; a further demand of the same kind does not. Nothing is deleted: the earlier sentence
stays, with the later one beside it, so that whoever reads both can judge. The last such sentence counts.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from msgspec.structs import replace

from secateur.compaction.ledger.entries import Constraint, UserRequest
from secateur.compaction.ledger.said import split_sentences
from secateur.memoizing import memoize_texts
from secateur.toolcalls.actions import clip_text, collapse_whitespace

LEAST_SHARED = 0.5  # of the words of the shorter sentence


@memoize_texts(4_096)
def is_retraction(sentence: str) -> bool:
    """Whether a sentence takes back what held before, or permits what was forbidden."""
    return _RETRACTS.search(unicodedata.normalize("NFC", sentence)) is not None


@memoize_texts(4_096)
def is_choice(sentence: str) -> bool:
    """Whether a short sentence orders the use of one of things that exclude each other: "use tabs"."""
    text = unicodedata.normalize("NFC", sentence)
    return len(text) <= _CHOICE_CHARS and _CHOOSES.search(text) is not None and bool(find_alternatives(text))


def mark_replaced(constraints: Iterable[Constraint], known: int = 0) -> tuple[Constraint, ...]:
    """Return the constraints; those that a later one replaces name it. The first `known` do not replace each other."""
    found = list(constraints)
    for later, one in enumerate(found):
        if later >= known and one.scope != "project" and _has_change(one.text):
            for at in range(later):
                if (
                    found[at].scope != "project"
                    and _may_replace(found[at], one)
                    and is_replaced(found[at].text, one.text)
                ):
                    found[at] = replace(found[at], replaced_by=one.text)
    return tuple(found)


def _may_replace(earlier: Constraint, later: Constraint) -> bool:
    """Whether a demand may take back another one: notes of one message stand beside each other unless one says so."""
    return not earlier.key or earlier.key != later.key or _CORRECTS.search(later.text) is not None


def mark_removed(constraints: Iterable[Constraint], requests: Sequence[UserRequest]) -> tuple[Constraint, ...]:
    """Return the constraints; those to keep something name the user's later order to remove it."""
    places = {one.key: number for number, one in enumerate(requests)}
    made = []
    for one in constraints:
        later = requests[places[one.key] + 1 :] if one.key in places and one.scope != "project" else ()
        sentences = (said for request in later for said in split_sentences(request.text))
        removal = "" if one.replaced_by else find_removal(one.text, sentences)
        made.append(replace(one, replaced_by=removal) if removal else one)
    return tuple(made)


def find_removal(demand: str, sentences: Iterable[str]) -> str:
    """Return the sentence that orders to remove what a demand says to keep; "" if there is none."""
    kept = _KEEPS.match(demand)
    word = next(iter(_OBJECT.findall(kept[1].casefold())), "") if kept else ""
    for sentence in sentences if word else ():
        removed = _REMOVES.search(sentence)
        if removed and word in _OBJECT.findall(removed[1].casefold())[:_OBJECT_WORDS]:
            return clip_text(collapse_whitespace(sentence), _REVOKING_CHARS)
    return ""


def find_denial(said: str, sentences: Iterable[str]) -> str:
    """Return the sentence that denies what an earlier text says is done or to be done; "" if there is none.

    The denied verb and something else before it have to be in the text as well: "teams should not persist" denies that
    the choice of a team persists.
    """
    if is_negative(said):
        return ""
    stems = _list_stems(said)
    for sentence in sentences:
        for hit in _DENIES.finditer(sentence[:_SEARCHED_CHARS]):
            verb, subject = _list_stems(hit["verb"]), _list_stems(hit["subject"])
            if verb and verb <= stems and (subject - verb) & stems:
                return clip_text(collapse_whitespace(sentence), _REVOKING_CHARS)
    return ""


def _list_stems(text: str) -> frozenset[str]:
    """Return the beginnings of the words of a text, the plural of a short word as its singular."""
    words = (word.rstrip("s") if len(word) <= _STEM else word[:_STEM] for word in _SPLIT.findall(text))
    return frozenset(word.casefold() for word in words if len(word) > 2 and word.casefold() not in _COMMON)


def is_replaced(text: str, later: str) -> bool:
    """Whether a sentence that changes something is about what a demand is about, and says something else of it."""
    own, new = extract_topic(text), extract_topic(later)
    if not own or not new or ADDS.search(later):
        return False
    mine, its = list_named(text), list_named(later)
    if mine and its and mine.isdisjoint(its):
        return False
    if _is_alternative(text, later):
        mine, its = list_scopes(text), list_scopes(later)
        return not (mine and its) or not mine.isdisjoint(its)
    if len(own & new) < LEAST_SHARED * min(len(own), len(new)):
        return False
    if is_negative(text) != is_negative(later) or _RETRACTS.search(later):
        return True
    return not is_negative(text) and not own <= new  # the same demand, with something else in it


def list_named(text: str) -> frozenset[str]:
    """Return the files, folders and dotted names in a text."""
    return frozenset(name.strip("./-`") for name in NAME.findall(text))


@memoize_texts(4_096)  # each demand is compared with all that came later
def find_alternatives(text: str) -> frozenset[tuple[int, int]]:
    """Return which of things that exclude each other a text names (tabs or spaces), as group and member."""
    return frozenset(
        (at, n) for at, group in enumerate(_ALTERNATIVES) for n, pattern in enumerate(group) if pattern.search(text)
    )


def _is_alternative(text: str, later: str) -> bool:
    """Whether the two name different ones of things that exclude each other: tabs and spaces, npm and yarn."""
    mine, its = find_alternatives(text), find_alternatives(later)
    groups = {group for group, _ in mine}
    return any(group in groups for group, _ in its - mine)


def list_scopes(text: str) -> frozenset[str]:
    """Return what a choice is made for: "in Go files", "for indentation"."""
    words = (word.casefold() for word in _SCOPE.findall(unicodedata.normalize("NFC", text)))
    return frozenset(word[:_STEM] for word in words if not find_alternatives(word) and word not in _COMMON)


@lru_cache(maxsize=1_024)
def _has_change(text: str) -> bool:
    said = unicodedata.normalize("NFC", text)
    return bool(_CHANGES.search(said) or _RETRACTS.search(said)) and not _BELIEVES.match(said)


@lru_cache(maxsize=1_024)
def is_negative(text: str) -> bool:
    """Whether a sentence forbids or denies."""
    return _NEGATIVE.search(unicodedata.normalize("NFC", text)) is not None


@lru_cache(maxsize=1_024)
def extract_topic(text: str) -> frozenset[str]:
    """Return the words that say what a sentence is about; of scripts without spaces, pairs of their letters."""
    said = unicodedata.normalize("NFKC", _FRAME.sub(" ", unicodedata.normalize("NFC", text))).casefold()
    words = {word[:5] for word in _WORD.findall(said) if (len(word) > 2 or word.isdigit()) and word not in _COMMON}
    return frozenset(words | {run[n : n + 2] for run in _UNSPACED.findall(said) for n in range(len(run) - 1)})


NAME = re.compile(r"`[^`\n]{1,80}`|(?<![\w./-])[\w./-]*\w[./_]\w[\w./-]*", re.A)
_REVOKING_CHARS, _SEARCHED_CHARS = 200, 2_000  # of a sentence that revokes, and of one that is searched
_STEM = 5  # letters
_CHOICE_CHARS = 80
_CHOOSES = re.compile(
    r"(?i)^\W*(?:please\s+|bitte\s+|por\s+favor,?\s+|пожалуйста,?\s+|hãy\s+)?(?:use|indent|utilise[rz]?|benutz\w*"
    r"|verwend\w+|nimm|nutz\w*|indente[rz]?|usa|usen|usad|usemos|utiliza|utilice|utilize|используй\w*|dùng|sử\s+dụng)\b"
    r"|^\W*(?:请|請)?(?:缩进)?(?:使?用)|を(?:使って|使用し|使い)|(?:을|를)\s*(?:사용|써|쓰)"
)
_SCOPE = re.compile(
    r"(?i)\b(?:in|for|inside|within|für|bei|dans|pour|en|para|em|в|для|trong|cho)\s+(?:all\s+|the\s+|our\s+)?([\w./*-]{2,60})"
)
_BELIEVES = re.compile(r"(?i)\W*(?:(?:but|and|hm+|oh|wait)[,\s]+)*i\s+(?:th?ought|assumed|believed|figured)\b")
_CORRECTS = re.compile(
    r"(?i)\b(?:actually|on\s+second\s+thought|changed\s+my\s+mind|scratch\s+that|no,|wait|from\s+now\s+on"
    r"|as\s+of\s+now|no\s+longer|any\s?more|again)\b"
)
_SPLIT = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{3,}")
_DENIES = re.compile(
    r"(?i)(?P<subject>\b\w[\w '’-]{2,80}?)"
    r"\s(?:should|must|may|can|do|does|is|are|will|ought)(?:\s+(?:not|never|no longer)|n['’]t)"
    r"\s+(?:be\s+|get\s+|to\s+)?(?P<verb>[a-z]{4,})"
)
_OBJECT_WORDS = 3  # of what is removed, among which is the first of what is to be kept
_OBJECT = re.compile(
    r"\b(?!(?:the|all|any|this|that|its|your|our|code|files?|functions?|tests?|changes?|lines?)\b)\w{3,}"
)
_KEEPS = re.compile(r"(?i)\W*(?:keep|preserve|retain|leave|maintain)\s+([^.;(]+)")
_REMOVES = re.compile(
    r"(?i)(?<!not )(?<!n['’]t )(?<!never )\b(?:rem[aeov]{2,4}|delete|drop|get\s+rid\s+of)\s+([^.;(]+)"
)
_WORD = re.compile(r"[a-z\u00c0-\u024f\u1e00-\u1eff\u0400-\u04ff][\w.\-/\u0300-\u036f]*|\d+")
_UNSPACED = re.compile(r"[\u4e00-\u9fff]{2,}|[\u30a0-\u30ff]{2,}|[\uac00-\ud7af]{2,}")
_COMMON_WORDS = """
musst mehr brauchst darfst kannst aus ich du sie mich you're need besoin plus precisa hace falta
all alle always and any avec bei bitte can cho com con các của dans das dem den der des die dos ein eine einen
est for from für immer into jamais không las les los luôn may mit must más never nicht nie not nunca nur não
only para pas phải please plus por pour que sempre should siempre ta tes that the this ton toujours trong uma
una und une usa use using when with write you your zum zur được все всегда для никогда при только это
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_CHANGES = re.compile(
    r"(?i)\b(?:from\s+now\s+on|as\s+of\s+now|going\s+forward|instead|no\s+longer|any\s?more|actually"
    r"|on\s+second\s+thought"
    r"|after\s+all|changed\s+my\s+mind|switch(?:ed|ing)?\s+to|now|ab\s+(?:jetzt|sofort)|von\s+nun\s+an|künftig"
    r"|nicht\s+mehr"
    r"|stattdessen|doch|jetzt|nun|désormais|dorénavant|maintenant|plutôt|au\s+lieu|finalement|теперь|отныне|впредь"
    r"|с\s+этого\s+момента|больше\s+не|вместо|a\s+partir\s+de\s+(?:agora|ahora|hoje)|de\s+agora\s+em\s+diante"
    r"|agora|ahora"
    r"|em\s+vez|ao\s+invés|en\s+vez|en\s+lugar|mais|ya\s+no|từ\s+(?:giờ|nay|bây)|bây\s+giờ|thay\s+vì|nữa)\b"
    r"|从现在|從現在|今后|今後|以后|现在|改用|改为|改成|不再|これから|今から|今後|代わり|이제|앞으로|지금부터|대신|더\s*이상"
)
_RETRACTS = re.compile(
    r"(?i)\b(?:forget|ignore|disregard|scratch|drop|lift|never\s?mind)\s+(?:what|the\s+(?:rule|limit"
    r"|restriction|ban)|that\s+rule"
    r"|my|about|it\b|everything)|\b(?:you\s+)?(?:may|can|are\s+allowed\s+to)\s+now\b|\bnow\s+(?:you\s+)?(?:may|can)\b"
    r"|\byou\s+(?:may|can)\b.{1,80}\b(?:now|again|after\s+all|any\s?more)\b|\b(?:is|are)\s+(?:fine|ok|okay"
    r"|allowed)\s+(?:now|again)"
    r"|\bno\s+longer\s+(?:need|have|applies|required|necessary)|\b(?:does\s+not|doesn['’]t)\s+apply\s+any"
    r"|\bno\s+need\s+to\b.{1,80}any\s?more"
    r"|\bdon['’]t\s+(?:need|have)\s+to\b.{1,80}any\s?more|\bvergiss\b|\bignoriere?\b|\bgilt\s+nicht\s+mehr"
    r"|\b(?:darfst|dürft|kannst|könnt)\b"
    r".{1,80}\b(?:jetzt|nun|wieder|doch)\b|\b(?:jetzt|nun)\s+(?:darfst|kannst)\b|\b(?:musst"
    r"|brauchst)\b.{1,80}\bnicht\s+mehr\b"
    r"|\boublie[zr]?\b|\b(?:tu\s+peux|vous\s+pouvez)\b.{0,60}\b(?:maintenant|désormais|de\s+nouveau)\b"
    r"|\b(?:maintenant|désormais),?\s+"
    r"(?:tu\s+peux|vous\s+pouvez)|\bplus\s+(?:besoin|nécessaire)\b|\bзабудь\w*|\bтеперь\b.{0,40}\b(?:можно"
    r"|можешь|можете)\b"
    r"|\bбольше\s+не\s+(?:нужно|надо|действует|обязательно)|\besque(?:ça|ce|cer)\b|\b(?:pode"
    r"|podem)\b.{1,80}\b(?:agora|de\s+novo)\b"
    r"|\bagora\s+(?:\w+\s+)?(?:pode|podem|podes)\b|\bnão\s+precisa\b.{1,80}\bmais\b|\bolvid(?:a|e|en)\b|\b(?:puedes"
    r"|pueden)\b.{1,80}\bahora\b"
    r"|\bahora\s+(?:\w+\s+)?(?:puedes|pueden)\b|\bya\s+no\s+(?:hace\s+falta|es\s+necesario|tienes)|\bquên\b"
    r"|\b(?:giờ|bây\s+giờ|nay)\b"
    r".{0,40}\b(?:được|có\s+thể)\b|\bkhông\s+cần\b.{1,80}\bnữa\b"
    r"|忘(?:了|掉|记|記)|忽略|作废|不用再|不必再|不需要再|现在(?:可以|允许)|現在(?:可以|允許)|可以.{1,30}了|忘れて|取り消|撤回|無視して"
    r"|ても(?:いい|よい|良い|構いません|かまいません|大丈夫)|もう.{0,30}(?:なくて(?:いい|よい)|不要|必要(?:ない|はありません|ありません))"
    r"|잊어|무시(?:해|하)|취소|이제.{0,30}도\s*(?:됩니다|돼|된다|좋)|더\s*이상.{0,30}(?:않아도|필요)"
)
_NEGATIVE = re.compile(
    r"(?i)\b(?:not|never|no|don['’]?t|dont|avoid|without|stop|forbidden|cannot|can['’]t|nicht|nie|niemals"
    r"|kein\w*|verboten|ohne|ne|n['’]\w+"
    r"|jamais|pas|sans|interdit\w*|не|никогда|нельзя|запрещ\w+|без|não|nunca|jamais|sem|proibid[oa]s?|nada|sin"
    r"|prohibid[oa]s?"
    r"|không|đừng|chớ|cấm|chưa)\b|\bno\s+\w+|不|勿|别|別|禁止|严禁|ない(?!と)|ません|禁止|지\s*마|지\s*말|지\s*않|금지|안\s*(?:돼|됩|된)|없이"
)
ADDS = re.compile(
    r"(?i)\b(?:also|too|as\s+well|additionally|in\s+addition|auch|zusätzlich|aussi|également|также|тоже|também"
    r"|también|además|cũng"
    r"|thêm\s+vào)\b|也要|同时|另外|それから|も必ず|또한"
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
