"""Which of the user's bans a later sentence lifts by a plain permission: "you can edit X" after "do not touch X".

Rule: a permission that says nothing else ("now", "again") lifts a ban only if both name the same: the same things by
name, the same verb, and no word more on either side. What is permitted under a condition, in part, or only once stays
forbidden. To touch, edit, modify and change are one verb here, in ten languages.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec.structs import replace

from secateur.compaction.ledger.entries import Constraint, UserRequest
from secateur.compaction.ledger.said import is_question, split_sentences
from secateur.compaction.ledger.user.topics import NAME, is_negative, list_named
from secateur.memoizing import memoize_texts
from secateur.toolcalls.actions import clip_text, collapse_whitespace

_MAX_CHARS = 200  # of a permission, and of a ban that one lifts: more says more than the one thing


def mark_lifted(constraints: Iterable[Constraint], requests: Sequence[UserRequest]) -> tuple[Constraint, ...]:
    """Return the constraints; bans that a later request lifts name its sentence.

    A ban that stands in none of the requests is older than all of them.
    """
    permissions = [
        (at, sentence)
        for at, one in enumerate(requests)
        if _PERMITS.search(one.text)
        for sentence in split_sentences(one.text)
        if is_permission(sentence)
    ]
    places = {one.key: at for at, one in enumerate(requests)} if permissions else {}
    made = []
    for one in constraints:
        is_open = bool(permissions) and not one.replaced_by and one.scope != "project" and len(one.text) <= _MAX_CHARS
        since = places.get(one.key, -1)
        lifted = find_permission(one.text, (said for at, said in permissions if at > since)) if is_open else ""
        made.append(replace(one, replaced_by=lifted) if lifted else one)
    return tuple(made)


def find_permission(ban: str, permissions: Iterable[str]) -> str:
    """Return the last of these permissions that lifts a ban; "" if none does."""
    if not is_negative(ban) or not (about := _list_things(ban)):
        return ""
    found = [one for one in permissions if _list_things(one) == about]
    return clip_text(collapse_whitespace(found[-1]), _MAX_CHARS) if found else ""


@memoize_texts(4_096)
def is_permission(sentence: str) -> bool:
    """Whether a sentence permits something, without a condition and without a ban beside it."""
    text = unicodedata.normalize("NFC", sentence)
    if len(text) > _MAX_CHARS or is_question(text) or not _PERMITS.search(text):
        return False
    return not is_negative(_PERMITS.sub(" ", text)) and not _CONDITION.search(text)


@lru_cache(maxsize=1_024)
def _list_things(text: str) -> frozenset[str]:
    """Return what a ban or a permission is about: names whole, other words by their beginnings, verbs of change as one.

    Nothing is returned for a sentence of one verb without an object, unless it has no object at all.
    """
    said = _PERMITS.sub(" ", unicodedata.normalize("NFKC", text).casefold())
    names = list_named(said)
    plain = _FORBIDS.sub(" ", NAME.sub(" ", said))
    is_generic = _GENERIC.search(plain) is not None
    found = frozenset(_iterate_stems(_CHANGES.sub(f" {_CHANGE} ", _GENERIC.sub(" ", plain))))
    return names | found if names or len(found) > 1 or not is_generic else frozenset()


def _iterate_stems(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        if word not in _COMMON and (len(word) > 1 or not word.isascii()):
            yield word[:_STEM]
    for run in _HAN.findall(text):
        yield from (run[at : at + 2] for at in range(max(1, len(run) - 1)))
    for word in _HANGUL.findall(text):
        if word not in _COMMON:
            yield word[:2]


_CHANGE = "edit"
_STEM = 4  # letters
_WORD = re.compile(r"[^\W\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_HAN = re.compile(r"[\u30a0-\u30ff\u3400-\u9fff]+")
_HANGUL = re.compile(r"[\uac00-\ud7af]+")
_PERMITS = re.compile(
    r"(?i)\byou\s+(?:can|may|are\s+(?:allowed|free|welcome)\s+to)\b|\bfeel\s+free\s+to\b|\bgo\s+ahead\s+and\b"
    r"|\b(?:it|that)(?:['’]s|\s+is)\s+(?:ok|okay|fine|all\s?right)\s+to\b"
    r"|\b(?:du|ihr|sie)\s+(?:darfst|dürft|dürfen|kannst|könnt|können)\b|\b(?:darfst|kannst)\s+du\b"
    r"|\b(?:tu\s+(?:peux|as\s+le\s+droit\s+d[e'’])|vous\s+(?:pouvez|avez\s+le\s+droit\s+d[e'’])|libre\s+à\s+toi\s+d[e'’])"
    r"|\bn['’]hésitez?\s+pas\s+à\b"
    r"|\b(?:puedes|podés|pueden|podéis|se\s+puede)\b|\b(?:você\s+|vocês\s+)?(?:pode|podes|podem)\b"
    r"|\b(?:bạn\s+)?(?:có\s+thể|được\s+phép|cứ)\b"
    r"|(?:你|您|你们)?(?:可以|允许|允許)(?:你|您)?"
    r"|(?:し)?て(?:も)?(?:いい|よい|良い|構いません|構わない|かまいません|かまわない|大丈夫)(?:です|よ)*"
    r"|(?:해|어|아)?도\s*(?:됩니다|되요|돼요|돼|된다|좋습니다|좋아요|괜찮습니다|괜찮아요|괜찮아)"
    r"|\b(?:ты\s+|вы\s+)?(?:можешь|можете|можно|разрешаю)\b"
)
_FORBIDS = re.compile(
    r"\b(?:don['’]?t|do\s+not|must\s+not|mustn['’]t|should\s+not|shouldn['’]t|never|may\s+not|not|n['’]y?"
    r"|ne|pas|jamais|nicht|nie|niemals|keine?[nrsm]?|no|nunca|jamás|não|jamais|không\s+được|không|đừng|chớ|cấm"
    r"|не|никогда|нельзя)\b"
    r"|不要|不准|不许|不能|不得|不可以?|别|別|勿|请|請|禁止|严禁|把|了|的"
    r"|(?:し)?ないでください|(?:し)?ないで|(?:し)?ては?(?:いけません|いけない|だめ|なりません)|てください"
    r"|지\s*(?:마세요|마십시오|말아\s*주세요|말아|말\s*것|마라|마)"
)
_CONDITION = re.compile(
    r"(?i)\b(?:if|once|after|when|only|just|unless|until|but|except|this\s+time|wenn|falls|sobald|nur|aber|außer|diesmal"
    r"|si|quand|dès|seulement|juste|mais|sauf|cette\s+fois|cuando|solo|sólo|pero|salvo|excepto|esta\s+vez"
    r"|se|quando|só|apenas|somente|exceto|desta\s+vez|nếu|khi|chỉ|nhưng|trừ|lần\s+này"
    r"|если|когда|только|но|кроме|после)\b"
    r"|如果|只|但|除了|之后|以后|这次|だけ|場合|たら|なら|ただし|以外|今回|만\s|면\s|경우|하지만|단,|이번"
)
_CHANGES = re.compile(
    r"\b(?:touch\w*|edit\w*|modif\w+|chang\w+|alter\w*|touche\w*|toque\w*|toca\w*|édit\w+|anfass\w*|fass\w*|anrühr\w*"
    r"|rühr\w*|änder\w*|veränder\w*|bearbeit\w*|berühr\w*|cambi\w+|mexa\w*|mexe\w*|mude\w*|muda\w*|sửa|chỉnh\s+sửa"
    r"|đụng(?:\s+vào)?|chạm(?:\s+vào)?|thay\s+đổi|đổi|трога\w+|тронь\w*|меня\w+|измен\w+|редактир\w+|прав(?:ь|ить|ьте))\b"
    r"|修改|编辑|編輯|改动|改動|更改|触碰|碰|动|動|改|変更|編集|修正|触ら|触っ|触|いじ[らっ]|(?:수정|변경|편집)(?:하|해)?|건드[리려]"
)
_GENERIC = re.compile(
    r"\b(?:files?|folders?|director(?:y|ies)|modules?|fichiers?|dossiers?|répertoires?|datei(?:en)?|ordner|verzeichnis\w*"
    r"|archivos?|ficheros?|carpetas?|directorios?|arquivos?|pastas?|diretórios?|tệp|tập\s+tin|thư\s+mục"
    r"|файл\w*|папк\w+|каталог\w*)\b"
    r"|文件夹|文件|目录|ファイル|フォルダ|ディレクトリ|파일|폴더|디렉터리"
)
_COMMON_WORDS = """
the a an this that these those any anything all to of in on at it its is are be my your our please ok okay yes sure now
le la les un une des du de à au aux en et sur ce cette ces mon ton notre votre te toi y aussi d l s'il plaît oui bien
der die das den dem des ein eine einen einem an am im in zu bitte auch ja gern ruhig mein dein unser
el los las lo una unos al del por favor sí también mi tu su nuestro ya
o os as um uma ao à no na nos nas em do da dos das favor sim também meu seu este esta
hãy xin vui lòng bạn các những này đó vào nhé ạ vâng
пожалуйста да и в на это эту этот мой твой к
을 를 은 는 이 가 에 도 네 주세요 그 이제
"""
_COMMON = frozenset(_COMMON_WORDS.split())
