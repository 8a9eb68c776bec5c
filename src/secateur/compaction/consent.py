"""Whether a summary puts words in the user's mouth: approvals nobody gave.

Rule: an approval or an order is false only where nothing the user said can be one; a hedged claim stands. Ten languages
by their common words; in others nothing is found.
"""

import re
from collections.abc import Iterable, Iterator

from secateur.compaction.evidence import SENTENCE, Contradiction, Evidence, UserReply
from secateur.compaction.ledger.retractions import extract_topic, is_negative
from secateur.compaction.summary import Sections

LEAST_SHARED = 0.5  # of the words of what the user said
LEAST_GRANTED = 0.5  # of the words of an approval, in a sentence of the user that may have given it


def find_false_approval(sections: Sections, evidence: Evidence) -> Contradiction | None:
    """Find an approval, a permission or an order of the user that no user message gave."""
    if _APPROVED.search(evidence.kept):
        return None
    spoken = "\n".join(one.text + "\n" + one.before for one in evidence.replies).casefold()
    for sentence in list_claims(line for lines in sections.values() for line in lines):
        if (found := _ORDERED.search(sentence)) and not is_negative(sentence):
            own = extract_words(sentence[found.end() :]) or frozenset({found["act"][:5].casefold()})
            if found["act"][:5].casefold() not in spoken and len(own & extract_words(spoken)) < LEAST_SHARED * len(own):
                return Contradiction("approval", f"the user never asked for this: {sentence[:120]}")
        if _is_approval(sentence) and not any(_is_granting(reply, sentence) for reply in evidence.replies):
            return Contradiction("approval", f"the user never said so: {sentence[:120]}")
    return None


CLAUSE = re.compile(
    r"[,;:。；，、]\s*|\s+(?:and|but|und|aber|y|pero|et|mais|e|mas|và|nhưng|и|а|но)\s+|(?<=[.!?])\s+|\s+[-–—]\s+|\n"
)
_USER = (
    r"(?:\b(?:the\s+)?(?:user|owner|customer|maintainer|client)\b|\bbenutzer\w*|\bnutzer\w*|\bauftraggeber\w*"
    r"|\busuari[oa]\b|\bcliente\b|\butilisateur\w*|\butilizador\w*|\busuário\b|\bngười\s+dùng\b|\bпользовател\w*"
    r"|用户|使用者|ユーザー?|사용자)"
)
_GRANTED = (
    r"(?:\b(?:approved|agreed|allowed|permitted|authori[sz]ed|confirmed|consented|okayed|signed\s+off|green-?lit"
    r"|granted|gave\s+(?:\w+\s+){0,3}(?:permission|approval|consent|go-?ahead|ok|okay|green\s+light)"
    r"|(?:now\s+)?(?:allows|permits|approves|agrees|consents)|(?:is|was)\s+(?:fine|ok|okay|happy)\s+with"
    r"|(?:lifted|waived|withdrew|dropped)\s+(?:the|that|this|all|any)\s+(?:\w+\s+)?(?:restriction|rule|ban"
    r"|requirement|limit\w*|prohibition)s?"
    r"|said\s+(?:yes|ok|okay)|accepted|cleared|has\s+no\s+objection"
    r"|erlaubt|genehmigt|zugestimmt|freigegeben|bestätigt|eingewilligt|gestattet|einverstanden"
    r"|aprob[óo]|autoriz[óo]|permiti[óo]|confirm[óo]|acept[óo]|(?:dio|ha\s+dado)\s+(?:su\s+)?permiso"
    r"|ha\s+(?:aprobado|autorizado|permitido|aceptado|confirmado)"
    r"|aprovou|autorizou|confirmou|concordou|aceitou"
    r"|approuvé|autorisé|permis|confirmé|accepté|donné\s+son\s+accord"
    r"|đã\s+(?:đồng\s+ý|cho\s+phép|phê\s+duyệt|chấp\s+thuận|xác\s+nhận)"
    r"|разрешил\w*|одобрил\w*|согласил\w*|подтвердил\w*|позволил\w*)\b"
    r"|批准|同意|允许|允許|许可|授权|確認済|承認|許可|同意|승인|허락|허가|동의)"
)
_APPROVED = re.compile(
    f"(?i){_USER}[^.。\\n]{{0,40}}?{_GRANTED}|{_GRANTED}[^.。\\n]{{0,30}}?\\b(?:by|vom|por|par)\\s+{_USER}"
)
_NOMINAL = re.compile(
    r"(?i)\bwith\s+(?:the\s+)?user['’]s\s+(?:\w+\s+)?(?:approval|permission|consent|blessing|agreement)\b"
    r"|\b(?:approval|permission|go-?ahead|consent|sign-?off)\s+(?:was\s+|has\s+been\s+|is\s+)?(?:given"
    r"|granted|received|obtained)"
    r"|\b(?:approved|authori[sz]ed|permitted)\s+(?:explicitly\s+)?by\s+the\s+user"
    r"|\b(?:genehmigung|erlaubnis|freigabe|zustimmung)\s+(?:\w+\s+){0,2}(?:erteilt|liegt\s+vor|erhalten)"
)
_ORDERED = re.compile(
    rf"(?i){_USER}\s+(?:also\s+|explicitly\s+|then\s+)?(?:asked|wants?|wanted|requested|told|instructed|ordered"
    rf"|decided|demanded|requires?|expects?)\s+(?:us\s+|me\s+|the\s+agent\s+)?"
    r"(?:to|that|for)?\s*(?:\S+\s+){0,6}?(?P<act>delet|drop|push|deploy|publish|releas|merg|force|install"
    r"|disabl|skip|bypass|wip|truncat|upload|email|send|reset|destroy|uninstall)"
)
HEDGED = re.compile(
    r"(?i)\b(?:not|no|never|n['’]t|yet|once|until|unless|if|whether|when|before|after|wait\w*|needs?|ask\w*"
    r"|pending|should"
    r"|awaiting|without|declined|refused|only|nicht|kein\w*|noch|sobald|falls|wenn|ob|bevor|erst|ohne|wartet"
    r"|sin|aún|todavía"
    r"|si|cuando|hasta|antes|não|ainda|se|quando|até|pas|encore|avant|quand|lorsque|jusqu\w*|chưa|không|khi|nếu|trước"
    r"|не|ещё|еще|если|когда|пока|до)\b|[?？]|未|没|沒|不|若|如果|等|まで|ない|なければ|たら|않|아직|면|없"
)
_YES = re.compile(
    r"(?i)^\W*(?:yes|yep|yeah|yup|ok(?:ay)?|sure|fine|right|correct|agreed|approved?|confirmed?|go(?:\s+ahead"
    r"|\s+for\s+it)?|do\s+(?:it|that|so)"
    r"|please|proceed|continue|lgtm|looks\s+good|sounds\s+good|perfect|great|absolutely|of\s+course|y\b"
    r"|ship\s+it|ja\b|gerne|klar|passt|mach"
    r"|einverstanden|sí|si\b|claro|vale|adelante|de\s+acuerdo|hazlo|sim\b|pode|claro|certo|vá\s+em\s+frente|oui"
    r"|d['’]accord|vas-y|allez-y"
    r"|bien\s+sûr|được|đồng\s+ý|vâng|ừ|cứ|да\b|хорошо|конечно|давай|ладно|можно)"
    r"|^\W*(?:好|可以|行|是的|对|同意|没问题|はい|うん|いい|お願い|どうぞ|了解|네|예|응|좋|그래|진행)"
    r"|\b(?:you\s+(?:may|can|are\s+allowed)|feel\s+free|go\s+ahead|i\s+(?:approve|agree|allow|confirm)"
    r"|is\s+(?:fine|ok(?:ay)?|allowed)"
    r"|no\s+objections?|du\s+(?:darfst|kannst)|ist\s+(?:erlaubt|ok|in\s+ordnung)|puedes|podés|pode[sm]?\b"
    r"|tu\s+peux|vous\s+pouvez"
    r"|có\s+thể|можешь|можете|разрешаю)\b|可以|允许|同意|批准|してよい|していい|ても(?:いい|よい)|해도\s*(?:돼|됩|좋)"
)


def list_claims(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield from (one.strip(" -*•\t") for one in SENTENCE.split(line) if one.strip(" -*•\t"))


_EMPTY_WORDS = frozenset({"anyth", "every", "nothi", "somet", "user", "benut", "nutze", "what", "which", "it", "them"})


def extract_words(text: str) -> frozenset[str]:
    return extract_topic(text) - _EMPTY_WORDS


def _is_approval(sentence: str) -> bool:
    found = _APPROVED.search(sentence) or _NOMINAL.search(sentence)
    return found is not None and not HEDGED.search(sentence) and sentence[:1] not in "\"'“„"


def _is_granting(reply: UserReply, claim: str) -> bool:
    """Whether something the user said may be the approval that is claimed."""
    about = extract_words(_APPROVED.sub(" ", claim))
    for clause in CLAUSE.split(reply.text):
        if is_negative(clause):
            continue
        shared = len(about & extract_words(clause))
        if shared >= max(1, LEAST_GRANTED * len(about)) and not clause.rstrip().endswith("?"):
            return True
        if _YES.search(clause) and (not about or shared or about & extract_words(reply.before)):
            return True
    return False
