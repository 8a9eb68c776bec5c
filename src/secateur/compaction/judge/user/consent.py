"""Whether a summary puts words in the user's mouth: orders, approvals and permissions that the user never gave.

Rule: an approval or an order is false only where nothing that the user said can be one; a hedged claim stands. Ten
languages by their common words; in others nothing is found.
"""

import re

from secateur.compaction.judge.claims import (
    CLAUSE,
    SENTENCE,
    Claim,
    extract_plain_words,
    extract_words,
    is_negative,
)
from secateur.compaction.judge.evidence import ClaimRule, Evidence, UserReply

LEAST_SHARED = 0.5  # of the words of what the user said
LEAST_GRANTED = 0.5  # of the words of an approval, in a sentence of the user that may have given it


def _explain_order(claim: Claim, evidence: Evidence) -> str:
    """Say that no user message gave an order or a decision that a claim attributes to the user."""
    if claim.is_negative or claim.is_quoted or claim.is_question or _APPROVED.search(evidence.kept):
        return ""
    if found := _ORDERED.search(claim.text):
        spoken = _join_decided(evidence)
        own = extract_words(claim.text[found.end() :]) or frozenset({found["act"][:5].casefold()})
        shared = len(own & extract_words(spoken))
        act = extract_words(claim.text[found.start("act") :].split()[0]) & extract_words(spoken)
        is_said = act or found["act"][:5].casefold() in spoken or (shared > 1 and shared >= LEAST_SHARED * len(own))
        return "" if is_said else "the user never asked for this"
    if _SAID_YES.search(claim.text) and not claim.is_hedged:
        clauses = [part for one in evidence.replies for part in CLAUSE.split(one.text)]
        return "" if any(_YES.search(one) and not is_negative(one) for one in clauses) else "the user never said so"
    return ""


def _join_decided(evidence: Evidence) -> str:
    """What the user said that leaves nothing open, and what it answers."""
    said = [one for one in evidence.replies if not _UNDECIDED.search(one.text)]
    said += [UserReply(one) for one in SENTENCE.split(evidence.user) if not _UNDECIDED.search(one)]
    return "\n".join(one.text + "\n" + one.before for one in said).casefold()


def _explain_approval(claim: Claim, evidence: Evidence) -> str:
    """Say that the user never approved or permitted anything, where a claim says so."""
    if any(map(_is_any_grant, evidence.replies)):
        return ""
    return _explain_other_approval(claim, evidence)


def _is_any_grant(reply: UserReply) -> bool:
    """Whether the user grants anything, whatever it is."""
    return any(_is_yes(one) or _is_taking_up(one, reply) for one in _list_plain(reply))


def _explain_other_approval(claim: Claim, evidence: Evidence) -> str:
    """Say that no user message can be the approval or the permission that is claimed."""
    found = _APPROVED.search(claim.text) or _NOMINAL.search(claim.text)
    if found is None or claim.is_hedged or claim.is_quoted or claim.is_reported or _APPROVED.search(evidence.kept):
        return ""
    topic = claim.text if extract_plain_words(_APPROVED.sub(" ", claim.text)) - _ANYTHING else claim.line
    is_given = any(_is_granting(reply, topic) for reply in evidence.replies)
    return "" if is_given else "the user never said so"


_ANYTHING = frozenset({"that", "this", "it", "dem", "dazu", "cela", "eso"})  # `the user agreed to that`
_USER = (
    r"(?:\b(?:the\s+)?(?:user|owner|customer|maintainer|client)\b|\bbenutzer\w*|\bnutzer\w*|\bauftraggeber\w*"
    r"|\busuari[oa]\b|\bcliente\b|\butilisateur\w*|\butilizador\w*|\busuário\b|\bngười\s+dùng\b|\bпользовател\w*"
    r"|用户|使用者|ユーザー?|사용자)"
)
_SAID_YES = re.compile(
    rf"(?i){_USER}\s+(?:has\s+)?(?:said|says|answered|replied)[:,]?\s+[\"“„]?(?:yes|ok|okay|sure|go\s+ahead)\b"
)
_UNDECIDED = re.compile(
    r"(?i)\b(?:whether|i\s+(?:will\s+)?decide|let\s+me\s+think|later|tomorrow|ob\b|entscheide\s+ich|je\s+décid\w*"
    r"|decido|decidiré)\b"
    r"|是否|以后再|かどうか|後で"
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
    r"|approuvée?|validée?|autorisée?|permis|confirmé|accepté|donné\s+son\s+accord"
    r"|đã\s+(?:đồng\s+ý|cho\s+phép|phê\s+duyệt|chấp\s+thuận|xác\s+nhận)"
    r"|разрешил\w*|одобрил\w*|согласил\w*|подтвердил\w*|позволил\w*)\b"
    r"|批准|同意|允许|允許|许可|授权|確認済|承認|許可|同意|승인|허락|허가|동의)"
)
_GRANTS = re.compile(rf"(?i)^\W*{_GRANTED}")
_APPROVED = re.compile(
    f"(?i){_USER}(?:[^.。\\n]|\\.(?=\\S)){{0,40}}?{_GRANTED}|{_GRANTED}[^.。\\n]{{0,30}}?\\b(?:by|vom|por|par)\\s+{_USER}"
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


def _is_granting(reply: UserReply, claim: str) -> bool:
    """Whether something the user said may be the approval that is claimed."""
    about = extract_words(_APPROVED.sub(" ", claim))
    asked = extract_words(reply.before)
    for clause in _list_plain(reply):
        shared = len(about & extract_words(clause))
        is_said = shared >= max(1, LEAST_GRANTED * len(about)) or (shared and _is_taking_up(clause, reply))
        if is_said or (_is_yes(clause) and (not about or shared or about & asked)):
            return True
    return False


def _list_plain(reply: UserReply) -> list[str]:
    """Return the clauses of a reply that neither deny nor ask."""
    return [one for one in CLAUSE.split(reply.text) if not is_negative(one) and not one.rstrip().endswith("?")]


def _is_yes(clause: str) -> bool:
    return _YES.search(clause) is not None or _GRANTS.search(clause) is not None


def _is_taking_up(clause: str, reply: UserReply) -> bool:
    """Whether a clause takes up what was proposed."""
    return bool(extract_words(clause) & extract_words(reply.before))


RULES = (
    ClaimRule("approval", _explain_order, strength="certain"),
    ClaimRule("approval", _explain_approval, strength="certain"),
    ClaimRule("approval", _explain_other_approval),
)
