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
from secateur.compaction.ledger.user.alternatives import is_alternative, list_scopes
from secateur.compaction.ledger.user.topics import COMMON, STEM, extract_topic, is_negative, list_named
from secateur.memoizing import memoize_texts
from secateur.toolcalls.actions import clip_text, collapse_whitespace

LEAST_SHARED = 0.5  # of the words of the shorter sentence


@memoize_texts(4_096)
def is_retraction(sentence: str) -> bool:
    """Whether a sentence takes back what held before, or permits what was forbidden."""
    return _RETRACTS.search(unicodedata.normalize("NFC", sentence)) is not None


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
    words = (word.rstrip("s") if len(word) <= STEM else word[:STEM] for word in _SPLIT.findall(text))
    return frozenset(word.casefold() for word in words if len(word) > 2 and word.casefold() not in COMMON)


def is_replaced(text: str, later: str) -> bool:
    """Whether a sentence that changes something is about what a demand is about, and says something else of it."""
    own, new = extract_topic(text), extract_topic(later)
    if not own or not new or ADDS.search(later):
        return False
    mine, its = list_named(text), list_named(later)
    if mine and its and mine.isdisjoint(its):
        return False
    if is_alternative(text, later):
        mine, its = list_scopes(text), list_scopes(later)
        return not (mine and its) or not mine.isdisjoint(its)
    if len(own & new) < LEAST_SHARED * min(len(own), len(new)):
        return False
    if is_negative(text) != is_negative(later) or _RETRACTS.search(later):
        return True
    return not is_negative(text) and not own <= new  # the same demand, with something else in it


@lru_cache(maxsize=1_024)
def _has_change(text: str) -> bool:
    said = unicodedata.normalize("NFC", text)
    return bool(_CHANGES.search(said) or _RETRACTS.search(said)) and not _BELIEVES.match(said)


_REVOKING_CHARS, _SEARCHED_CHARS = 200, 2_000  # of a sentence that revokes, and of one that is searched
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
ADDS = re.compile(
    r"(?i)\b(?:also|too|as\s+well|additionally|in\s+addition|auch|zusätzlich|aussi|également|также|тоже|também"
    r"|también|además|cũng"
    r"|thêm\s+vào)\b|也要|同时|另外|それから|も必ず|또한"
)
