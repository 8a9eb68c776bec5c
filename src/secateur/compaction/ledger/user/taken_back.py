"""Which of the user's demands a later message takes back in passing: "actually use tabs", "never mind the linter".

Rule: the later sentence is short, is no question, and supposes nothing. It takes back a demand if it chooses another
one of things that exclude each other, if it drops what the demand is about, if it corrects itself on the same thing, or
if it orders the very act that a demand for the request forbade ("don't commit", "ok, commit it now"); and words that
only drop what was just said ("never mind") take back the demands of the message before them. A standing ban on an act
is not lifted by an order for once. Ten languages.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from secateur.compaction.ledger.entries import Constraint, UserRequest
from secateur.compaction.ledger.said import is_question, split_sentences
from secateur.compaction.ledger.user.alternatives import find_alternatives, list_scopes
from secateur.compaction.ledger.user.retractions import ADDS, is_replaced
from secateur.compaction.ledger.user.topics import extract_topic, is_negative
from secateur.memoizing import memoize_texts
from secateur.toolcalls.actions import clip_text, collapse_whitespace

MAX_CHARS = 120  # of a sentence that takes something back in passing
_DEMAND_CHARS = 300  # of what it takes back: more says more than the one thing
_SHARED = 0.5  # of the words by which it names what it drops


def mark_taken_back(constraints: Iterable[Constraint], requests: Sequence[UserRequest]) -> tuple[Constraint, ...]:
    """Return the constraints; those that a later request takes back in passing name its sentence.

    A demand that stands in none of the requests is older than all of them.
    """
    told = [(at, one) for at, text in enumerate(requests) for one in list_retracting(text.text) if _may_take_back(one)]
    places = {one.key: at for at, one in enumerate(requests)} if told else {}
    made = []
    for one in constraints:
        is_open = bool(told) and not one.replaced_by and one.scope != "project" and len(one.text) <= _DEMAND_CHARS
        since = places.get(one.key, -1)
        later = [
            sentence for at, sentence in told if is_open and at > since and _is_taken_back(one, sentence, at - since)
        ]
        made.append(replace(one, replaced_by=clip_text(collapse_whitespace(later[-1]), MAX_CHARS)) if later else one)
    return tuple(made)


@memoize_texts(1_024)
def list_retracting(text: str) -> tuple[str, ...]:
    """Return the sentences of a message that may take something back in passing."""
    return tuple(
        one
        for one in map(collapse_whitespace, split_sentences(unicodedata.normalize("NFC", text[:_SEARCHED])))
        if len(one) <= MAX_CHARS and not is_question(one) and not _SUPPOSES.search(one)
    )


def is_bare_retraction(text: str) -> bool:
    """Whether a message only drops what was said before it: "never mind", "leave it", "算了"."""
    return _BARE.fullmatch(unicodedata.normalize("NFC", text.strip())) is not None


def is_retracting(text: str) -> bool:
    """Whether a message begins with words that drop what was said before it."""
    return _BEGINS_BARE.match(unicodedata.normalize("NFC", text)) is not None


def list_banned_acts(text: str) -> tuple[str, ...]:
    """Return which acts a message forbids or puts off: "don't push yet", "hold off on the commit"."""
    said = unicodedata.normalize("NFC", text[:_SEARCHED])
    return tuple(act for act, (bans, _) in _ACTS.items() if bans.search(said) or _HOLDS[act].search(said))


@memoize_texts(4_096)
def _may_take_back(sentence: str) -> bool:
    """Whether a sentence takes anything back, whatever was demanded: most do not, and none is compared in vain."""
    if _CORRECTS.match(sentence) or _NEEDLESS.search(sentence) or _DROPS.search(sentence):
        return True
    if is_bare_retraction(sentence) or any(orders.fullmatch(sentence) for _, orders in _ACTS.values()):
        return True
    return _CHANGES.search(sentence) is not None and bool(find_alternatives(sentence))


def _is_taken_back(one: Constraint, sentence: str, distance: int) -> bool:
    if collapse_whitespace(one.text) == sentence or _normalize(one.text) == _normalize(sentence):
        return False
    if is_bare_retraction(sentence):
        return distance == 1
    if _is_other_choice(one.text, sentence) or _is_dropped(one.text, sentence):
        return True
    if _CORRECTS.match(sentence) and not is_negative(sentence) and not find_alternatives(sentence):
        return is_replaced(one.text, sentence)
    return one.scope == "request" and any(
        bans.search(one.text) and orders.fullmatch(sentence) for bans, orders in _ACTS.values()
    )


def _normalize(text: str) -> str:
    """Return a text without case and marks at its ends."""
    return text.casefold().strip(" .!*-")


def _is_other_choice(text: str, sentence: str) -> bool:
    """Whether a sentence chooses another one of things that exclude each other than a demand does, for no less."""
    if not (_CORRECTS.match(sentence) or _CHANGES.search(sentence)) or not find_alternatives(sentence):
        return False
    mine, its = find_alternatives(text), find_alternatives(sentence)
    groups = {group for group, _ in mine} & {group for group, _ in its}
    is_other = any({one for one in its if one[0] == group} - mine for group in groups)
    return is_other and list_scopes(sentence) <= list_scopes(text) and not ADDS.search(sentence)


def _is_dropped(text: str, sentence: str) -> bool:
    """Whether a sentence drops what a demand is about."""
    hit = _NEEDLESS.search(sentence) or (None if is_negative(text) else _DROPS.search(sentence))
    if hit is None:
        return False
    topic = extract_topic(f"{sentence[: hit.start()]} {sentence[hit.end() :]}")
    return bool(topic) and len(topic & extract_topic(text)) >= _SHARED * len(topic)


_SEARCHED = 2_000  # characters of a message: a longer one is a document
_SUPPOSES = re.compile(
    r"(?i)\b(?:if|unless|until|once|whether|wenn|falls|sobald|bis|si|sauf|cuando|hasta|quando|até|se|если|пока|nếu|khi)\b"
    r"|如果|要是|たら|なら|면\s"
)
_ONLY_DROPS = (
    r"never\s?mind(?:\s+(?:that|this|it))?|forget\s+(?:it|that|this|about\s+(?:it|that|this))|scratch\s+(?:that|this|it)"
    r"|(?:you\s+can\s+|(?:let['’]?s|just)\s+)?(?:leave|skip|drop|cancel|ignore)\s+(?:it|that|this)"
    r"(?:\s+(?:as\s+(?:it\s+)?is|alone|out|be|for\s+now))?"
    r"|not\s+(?:now|needed|necessary)|let['’]?s\s+not|abort|hold\s+off(?:\s+on\s+(?:it|that|this))?"
    r"|(?:do\s+not|don['’]?t)\s+(?:bother|do\s+(?:it|that|this))"
    r"|vergiss\s+(?:es|das)|lass(?:t|en\s+wir)?\s+(?:es|das|mal)(?:\s+(?:sein|so|bleiben))?|schon\s+gut|doch\s+nicht|egal"
    r"|laisse[zr]?\s+(?:tomber|(?:ça|comme\s+ça))|oublie[zr]?(?:\s+ça)?|tant\s+pis|annule[zr]?(?:\s+ça)?|pas\s+la\s+peine"
    r"|olv[ií]da(?:lo)?|d[eé]ja(?:lo|\s+eso)(?:\s+as[ií])?|no\s+importa|cancela(?:lo)?|mejor\s+no"
    r"|deix[ae]\s+(?:pra\s+lá|assim|isso)|esque[cç]e(?:\s+isso)?|cancela(?:\s+isso)?|melhor\s+não"
    r"|забудь(?:те)?(?:\s+об\s+этом)?|не\s+надо|отмена|отмени(?:те)?|оставь(?:те)?(?:\s+так|\s+как\s+есть)?|не\s+важно|неважно"
    r"|thôi(?:\s+(?:bỏ\s+(?:đi|qua)|khỏi|được\s+rồi))?|bỏ\s+qua(?:\s+đi)?|khỏi(?:\s+cần)?|hủy(?:\s+đi)?|huỷ(?:\s+đi)?"
    r"|算了|不用了|不必了|先不要|别管了?|取消|当我没说"
    r"|やっぱり(?:いい|やめ(?:て|よう)?|なし)(?:です)?|忘れて(?:ください)?|取り消し(?:て)?|キャンセル(?:して)?|もういい(?:です)?|やめて(?:ください)?"
    r"|됐어(?:요)?|그만(?:둬)?|취소(?:해(?:\s*줘|요)?)?|잊어(?:버려|\s*줘)?|안\s*해도\s*(?:돼|됩니다)(?:요)?"
)
_LEAD = (
    r"(?:(?:ok(?:ay)?|no|nope|oh|hm+|wait|actually|sorry|please|and|but|well|yeah|just|ach|nein|ok|moment|non|en\s+fait|no"
    r"|espera|não|ah|нет|ладно|стой|không|à|不|嗯|哦|啊|いや|あ|아니(?:야)?|음)[\s,.!…，、。-]*)*"
)
_BARE = re.compile(rf"(?i)\W*{_LEAD}(?:{_ONLY_DROPS})(?:\s+(?:then|please|bitte|for\s+now|now|吧|了))*\W*")
_BEGINS_BARE = re.compile(rf"(?i)\W*{_LEAD}(?:{_ONLY_DROPS})(?=\W|$)")
_CORRECTS = re.compile(
    r"(?i)\W*(?:(?:ok(?:ay)?|hm+|oh|wait|sorry|and|but|please)[\s,.!]+)*"
    r"(?:no(?:pe)?,|actually|instead|rather|on\s+second\s+thoughts?|scratch\s+that|better|i\s+changed\s+my\s+mind|make\s+(?:it|that)"
    r"|let['’]?s\s+(?:use|go\s+with|switch)|use\b|switch\b|nein,|doch\b|eigentlich|lieber|stattdessen|non,|plutôt|finalement|en\s+fait"
    r"|mejor|en\s+realidad|al\s+final|na\s+verdade|melhor|não,|нет,|лучше|вообще-то|всё-таки|thôi\b|thực\s+ra|đổi\b|hay\s+là)"
    r"|\W*(?:还是|還是|改用|改成|换成|其实|不，|やっぱり|いや、|역시|그냥|아니,)"
)
_CHANGES = re.compile(
    r"(?i)\b(?:instead|rather|please|actually|after\s+all|bitte|stattdessen|doch|lieber|plutôt|s'il\s+(?:te|vous)\s+plaît|mejor"
    r"|por\s+favor|melhor|лучше|пожалуйста|đi|nhé)\b|\bno[,!]|吧|改用|改成|换成|にして|に変えて|로\s*(?:바꿔|해|하)|말고"
)
_DROPS = re.compile(
    r"(?i)\b(?:forget(?:\s+about)?|scratch|skip|drop|ignore|leave\s+out|vergiss|lass(?:t)?(?=.{0,40}\b(?:sein|weg)\b)"
    r"|laisse[zr]?\s+tomber|oublie[zr]?|olv[ií]da(?:te)?(?:\s+de)?|d[eé]ja(?:te)?\s+de|quita|esque[cç]a|esque[cç]e|deixa\s+de\s+lado"
    r"|забудь(?:те)?(?:\s+про)?|убери(?:те)?|bỏ(?:\s+qua)?)\b|忘了|别管|不管|去掉|やめて|なしで|忘れて|취소|빼(?:고|줘|요)?"
)
_NEEDLESS = re.compile(
    r"(?i)\bnever\s?mind(?:\s+about)?\b|\bno\s+need\s+(?:for|to)\b"
    r"|\b(?:is|are)(?:\s+not|n['’]t|\s+no\s+longer)\s+(?:needed|necessary|required)\b"
    r"|\b(?:you\s+)?(?:do\s+not|don['’]?t)\s+(?:need|have)\s+to\b|\bbrauch\w*\b(?=.{0,60}\bnicht\b)|\bnicht\s+(?:mehr\s+)?(?:nötig|gebraucht)\b"
    r"|\bplus\s+besoin\s+d\w*|\bpas\s+la\s+peine\s+d\w*|\binutile\s+de\b|\bno\s+hace\s+falta\b|\bya\s+no\s+(?:es\s+)?(?:necesari[oa]|hace\s+falta)\b"
    r"|\bnão\s+(?:precisa|é\s+(?:mais\s+)?necessári[oa])(?:\s+mais)?\b|\b(?:больше\s+)?не\s+(?:нуж\w+|надо|обязательно)\b"
    r"|\b(?:không|khỏi)\s+cần\b|不用|不必|不需要|いらない|いりません|不要です|なくていい|됐어(?:요)?|필요\s*없(?:어|습니다|다)?(?:요)?|안\s*해도\s*(?:돼|됩니다)"
)
_NO = (
    r"(?i)(?:\b(?:do\s+not|don['’]?t|dont|never|not)\s+(?:yet\s+|ever\s+)?"
    r"|\b(?:nicht|ne|no|não|не|đừng|không|chưa)\s+(?:\w+\s+){0,2}|不要|别|先不|勿)"
)
_YES = (
    r"(?i)\W*(?:(?:ok(?:ay)?|yes|yeah|now|then|and|so|alright|great|good|go\s+ahead\s+and|please|you\s+can|let['’]?s|can\s+you|just|ja"
    r"|jetzt|bitte|oui|maintenant|s[ií]|ahora|sim|agora|да|теперь|vâng|bây\s+giờ)[\s,.!:]+)*(?:好的?|现在|可以|请)?[，,]?"
)
_NO_MORE = (
    r"(?:\s*\b(?:it|this|that|them|everything|all|now|please|up|the\s+changes?|es|das|ça|lo|это|đi|and|commit|push)\b"
    r"|了|吧|して|해)*\W*"
)
_WHOLE = r"(?!\s*(?:to|onto|on|directly|without|before|until|unless|straight|secrets?|messages?)\b)"
_ACTS = {
    act: (re.compile(rf"{_NO}(?:{words})\w*{_WHOLE}"), re.compile(rf"{_YES}(?:{words})\w*{_NO_MORE}"))
    for act, words in (
        ("commit", r"commit|committe|comita|comite|закоммить|коммит|提交|コミット|커밋"),
        ("push", r"push|pousse|sube|suba|запушь|пуш|推送|プッシュ|푸시"),
        ("merge", r"merge|fusionne|fusiona|мерж|合并|マージ|머지"),
        ("deploy", r"deploy|déploie|despliega|задеплой|部署|デプロイ|배포"),
    )
}
_HOLDS = {act: re.compile(rf"(?i)\b(?:hold\s+off|wait)\s+(?:on|with)\s+(?:the\s+)?{act}") for act in _ACTS}
