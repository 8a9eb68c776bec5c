"""What the user forbids and demands, sentence by sentence, in four languages.

Rule: verbatim and by pattern; a sentence too many costs a few tokens, a lost one costs the user's trust, so doubt
keeps. What stands beyond the patterns, and every other language, is kept as the user's messages themselves. Which
texts are the user's is decided in `said`; whether a constraint was kept to is not judged.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from secateur.acts.words import clip_text
from secateur.compaction.ledger.entries import Constraint
from secateur.compaction.ledger.said import get_user_text, split_sentences
from secateur.model import Message
from secateur.redact import redact

MAX_CHARS = 600  # of one constraint
MOST_PER_MESSAGE = 40  # a message with more is a document that was pasted: its first ones
SEARCHED_CHARS = 24_000  # of one message, from its beginning


def extract_constraints(messages: Iterable[Message]) -> tuple[Constraint, ...]:
    """Return every demand and prohibition in these messages, each once."""
    found: dict[str, Constraint] = {}
    for message in messages:
        if text := get_user_text(message):
            for one in _extract_demands(redact(text[:SEARCHED_CHARS]), message.key):
                found.setdefault(normalize_demand(one.text), one)
    return tuple(found.values())


def is_demand(sentence: str) -> bool:
    """Return whether this sentence forbids or demands something."""
    text = _UNSAID.sub(" ", unicodedata.normalize("NFC", sentence))
    if text.rstrip(" *_)\"'").endswith(("?", "？")):
        return bool(_HARD.search(text)) and not _ASKS.match(text)
    return bool(_DEMANDS.search(text)) and not _DATA.match(text)


def is_standing(sentence: str) -> bool:
    """Return whether a sentence holds from now on, not for one request only."""
    return bool(_STANDING.search(unicodedata.normalize("NFC", sentence)))


def normalize_demand(text: str) -> str:
    """Normalize a text so that case, spacing and end marks do not matter."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(" .!。！*-")


def _extract_demands(text: str, key: str) -> Iterator[Constraint]:
    left = MOST_PER_MESSAGE
    for sentence in split_sentences(text):
        if left and is_demand(sentence) and (kept := clip_text(sentence, MAX_CHARS)):
            left -= 1
            yield Constraint(kept, "standing" if is_standing(sentence) else "request", key)


_ENGLISH = r"""
 \b(?:do\s+not|don['’]?t|dont|never|must(?:\s+not|n['’]?t)?|should(?:\s+not|n['’]?t)?|shall(?:\s+not)?|may\s+not
 |(?:^|[,;:(]\s*|\b(?:and|but|please|should|can|may)\s+)only
 |(?:you|we)\s+(?:can(?:not|['’]t|\s+not|\s+only)|are\s+not|aren['’]t)|you\s+(?:have|need)\s+to|always|avoid|refrain
 |make\s+sure|ensure|be\s+sure|be\s+careful|remember\s+(?:to|that|not)|from\s+now\s+on|going\s+forward|whenever
 |no\s+(?:more|longer|need\s+to)|(?:stop|without)\s+\w+ing|forbidden|prohibited|(?:not|n['’]t)\s+(?:be\s+)?allowed
 |required?|mandatory|instead\s+of|rather\s+than|at\s+(?:most|least)|no\s+more\s+than|prefer(?:ably)?|stick\s+(?:to|with)
 |keep\s+(?:the|it|this|that|all|your|everything|in)|leave\s+.{1,80}\b(?:alone|untouched|as\s+(?:is|it\s+is))
 |(?:ask|check\s+with)\s+(?:me|us)\s+(?:first|before)|under\s+no\s+circumstances|nothing\s+else|i['’]d\s+rather
 |(?:i|we)\s+(?:want|need|expect|insist|prefer)\s+(?!to\b)\w+|hands\s+off|off[- ]limits|read[- ]only)\b
 |(?:^|[.,;:!]\s*|\band\s+|\bbut\s+|\bplease\s+)(?:not|no)\s+\w+
"""
_VIETNAMESE = r"""
 \b(?:đừng|chớ|cấm|tuyệt\s+đối|không\s+(?:được|nên|bao\s+giờ|cần|thể|muốn)|luôn|phải|chỉ|bắt\s+buộc|ưu\s+tiên
 |giữ\s+nguyên|thay\s+vì|từ\s+(?:giờ|nay)|tránh|nhớ|hãy\s+(?:dùng|giữ|nhớ|đảm\s+bảo|chắc)|đảm\s+bảo|yêu\s+cầu
 |không\s+(?:sửa|xóa|xoá|dùng|đụng|chạm|thay|thêm|commit|push|chạy|viết|tạo|làm|gọi|cài|đổi|động)|trước\s+khi|ít\s+nhất
 |tối\s+đa|dung\s+(?:sua|xoa|dung|cham|chay|doi|lam)|khong\s+(?:duoc|nen|bao\s+gio|sua|xoa|dung|cham|doi)
 |tuyet\s+doi|bat\s+buoc|luon\s+luon)\b
"""
_CHINESE = r"""
 不要|不准|不许|不許|不得|不能|不可|不应|不應|不用|不必|不允许|不允許|禁止|严禁|嚴禁|切勿|请勿|請勿|切记|切記|勿
 |别(?!的|人|处|名|是)|別(?!的|人|處|名|是)|必须|必須|务必|務必|一定要|总是|總是|始终|始終|只(?!要|有|是|不过)|仅|僅
 |应该|應該|应当|應當|记住|記住|记得|記得|确保|確保|保证|保證|保持|从现在|從現在|以后|以後|今后|今後|避免|优先|優先
 |无需|無需|至少|最多|需要|而不是|先问|先問|要求
"""
_SPANISH = r"""
 \b(?:nunca|jam[aá]s|siempre|deb(?:e|es|en|éis|emos)|hay\s+que|ten(?:emos|éis)?\s+que|tienes?\s+que|evit(?:a|e|ar|en)
 |s[oó]lo|solamente|[uú]nicamente|aseg[uú]ra(?:te|os)|aseg[uú]rese|recuerd[ae]|prohibid[oa]s?|no\s+se\s+(?:debe|puede|permite)
 |a\s+partir\s+de\s+ahora|en\s+(?:vez|lugar)\s+de|obligatori[oa]|prefiero|mant[eé]n(?:ga)?|dej[ae]\s+.{1,80}\b(?:intact[oa]s?|como\s+est[aá]n?)
 |no\s+(?:l[aeo]s?\s+|me\s+|te\s+|se\s+|nos\s+)?(?!tienes|puedes|sabes|eres|estás|estas|es\b|las\b|los\b|más|mas\b|entiendes|ves\b)\w{2,}(?:es|as|éis|áis)
 |no\s+(?:l[aeo]s?\s+)?(?:toque|modifique|borre|use|cambie|elimine|haga|a[gñ]ada|cree|ejecute|instale|suba|escriba|agregue)n?
 |no\s+(?:quiero|queremos|hace\s+falta|debe)|sin\s+\w+(?:ar|er|ir)(?:l[aeo]s?)?|como\s+(?:m[aá]ximo|m[ií]nimo)|al\s+menos|necesito\s+que|quiero\s+que)\b
"""
_DEMANDS = re.compile(f"(?ix){_ENGLISH}|{_VIETNAMESE}|{_CHINESE}|{_SPANISH}")
_UNSAID = re.compile(  # these say what is, or what one thinks, not what ought to be
    r"(?i)\b(?:i|we|they|you)\s+(?:do\s+not|don['’]?t|dont)\s+(?:know|think|see|understand|remember|believe|get|have)\b"
    r"|\b(?:not|if|the)\s+only\b|\bonly\s+(?:then|if\s+you\s+want)\b|\b(?:it|this|that|he|she|they|which)\s+(?:never|only)\b"
    r"|\bremember\s+when\b|\bwhy\s+(?:do\s+not|don['’]?t)\b|\bif\s+(?:you|we|i)\s+(?:don['’]?t|do\s+not)\b|不能用了|是不是"
)
_HARD = re.compile(  # what makes a demand even of a question
    r"(?i)\b(?:do\s+not|don['’]?t|never|must|without|avoid|always|make\s+sure|đừng|không\s+được"
    r"|no\s+\w+(?:es|as)|nunca|siempre|sin)\b"
    r"|不要|不能|必须|必須|别(?!的|人)"
)
_DATA = re.compile(  # a line of a log or of code, pasted
    r"\s*(?:at\s+\S+\s*\(|\w*(?:Error|Exception|Warning)\b:|\d{4}-\d\d-\d\d[T ]|[{}\[<|#$➜+]"
    r"|(?:import|from|const|def|func|return)\s)"
    r"|[^\n]*(?:\\n|\{\"|\":)"
)
_ASKS = re.compile(
    r"(?i)\s*(?:(?:why|what|where|who|which|how|when|did|does|is|are|was|were|have|has|should\s+(?:i|we)"
    r"|por\s+qué|qué|cómo|dónde|tại\s+sao)\b|为什么|為什麼|怎么)[^\n]*[?？]\s*$"
)
_STANDING = re.compile(
    r"(?i)\b(?:always|never|from\s+now\s+on|going\s+forward|whenever|every\s+time|any\s?time|at\s+all\s+times|ever|in\s+general|each\s+time"
    r"|under\s+no\s+circumstances|all\s+(?:future|the\s+time)|until\s+i|luôn|không\s+bao\s+giờ|từ\s+(?:nay|giờ)|mỗi\s+(?:khi|lần)|tuyệt\s+đối"
    r"|siempre|nunca|jam[aá]s|a\s+partir\s+de\s+ahora|cada\s+vez|en\s+ning[uú]n\s+caso)\b"
    r"|总是|總是|始终|始終|永远|永遠|以后|以後|今后|今後|从现在|從現在|每次|任何|一律|绝不|絕不|严禁|嚴禁"
)
