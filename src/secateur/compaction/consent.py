"""Whether a summary puts words in the user's mouth: approvals nobody gave, prohibitions and demands turned around.

Rule: a claim is false only where the user spoke of the same thing and said otherwise, or where an approval is claimed
and nothing the user said can be one. A later word of the user that allows it, or a claim that is hedged, is enough to
let it stand. Ten languages by their common words; in others nothing is found.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from secateur.compaction.evidence import SENTENCE, Contradiction, Evidence, UserReply
from secateur.compaction.ledger.retractions import extract_topic, find_alternatives, is_negative
from secateur.compaction.summary import Sections

LEAST_SHARED = 0.5  # of the words of what the user said
LEAST_GRANTED = 0.5  # of the words of an approval, in a sentence of the user that may have given it
WHOLE_WORDS, WHOLE_SHARE = 3, 0.8  # of a prohibition, in a goal that turns it around
DEMANDING = ("constraints", "instructions")  # sections that say what the user demands


def find_false_approval(sections: Sections, evidence: Evidence) -> Contradiction | None:
    """Find an approval, a permission or an order of the user that no user message gave."""
    if _APPROVED.search(evidence.kept):
        return None
    spoken = "\n".join(one.text + "\n" + one.before for one in evidence.replies).casefold()
    for sentence in _list_sentences(line for lines in sections.values() for line in lines):
        if (found := _ORDERED.search(sentence)) and not is_negative(sentence):
            own = _extract_words(sentence[found.end() :]) or frozenset({found["act"][:5].casefold()})
            if found["act"][:5].casefold() not in spoken and len(own & _extract_words(spoken)) < LEAST_SHARED * len(
                own
            ):
                return Contradiction("approval", f"the user never asked for this: {sentence[:120]}")
        if _is_approval(sentence) and not any(_is_granting(reply, sentence) for reply in evidence.replies):
            return Contradiction("approval", f"the user never said so: {sentence[:120]}")
    return None


def find_inversion(sections: Sections, evidence: Evidence) -> Contradiction | None:
    """Find a prohibition or a demand of the user that a summary turns around, or that the user took back."""
    wished = [line for id in DEMANDING for line in sections.get(id, ())]
    known = [line for id in ("goal", "discoveries", "next") for line in sections.get(id, ())]
    clauses = tuple(_list_clauses(evidence))
    for find in (_find_lost_negation, _find_added_negation, _find_other_number, _find_restated, _find_exchanged):
        if found := find(wished, evidence, clauses):
            return found
    allowed = [line for line in known if _PERMITS.search(line)]
    asked = [line for line in _list_sentences(sections.get("goal", ())) if _has_whole(line, clauses)]
    return _find_lost_negation([*allowed, *asked], evidence, clauses)


_CLAUSE = re.compile(
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
    r"(?i)\b(?:approval|permission|go-?ahead|consent|sign-?off)\s+(?:was\s+|has\s+been\s+|is\s+)?(?:given"
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
_HEDGED = re.compile(
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
_PERMITS = re.compile(
    r"(?i)\b(?:may|must|always|allowed|permitted|can\s+(?:now\s+)?(?:be|use|add|change|edit|touch|run)|(?:is"
    r"|are)\s+(?:fine|ok(?:ay)?)|free\s+to"
    r"|darf|dürfen|immer|erlaubt|puede[ns]?|siempre|permitid[oa]s?|pode[m]?|sempre|permitid[oa]s?|peu[tvx]\w*"
    r"|toujours|autorisé\w*"
    r"|được\s+phép|luôn|можно|всегда|разрешен\w*)\b|可以|允许|必须|总是|してよい|必ず|해도|항상|반드시"
)
_GUARDED = re.compile(
    r"(?i)\b(?:nothing|none|off[\s-]limits|untouched|unchanged|intact|read-?only|forbid\w*|forbade|prohibit\w*"
    r"|banned|declined|refus\w*|refrain|except"
    r"|instead|rather|leave|leaves|keep|keeps|stays?|remains?|until|unless|ask|asks|only\s+(?:after|with|if)"
    r"|declines?|said\s+no"
    r"|bleib\w*|unberührt|unverändert|tabu|statt|außer|nur\s+(?:nach|mit|wenn)|untersagt|salvo|intact[oa]s?"
    r"|prohíbe\w*|interdit\w*|sauf|intacte?s?"
    r"|прежн\w*|кроме|нельзя|ngoại\s+trừ|giữ\s+nguyên)\b|除非|保持|除了|以外|そのまま|그대로|외에"
)
_MARKED = re.compile(
    r"(?i)\b(?:formerly|previous\w*|earlier|was|were|used\s+to|superseded|replaced|replaces|no\s+longer|instead"
    r"|rather|not|originally|at\s+first|then|now|later|but"
    r"|früher|zuvor|ersetzt|statt|anstatt|nicht|ursprünglich|zuerst|jetzt|später|antes|ya\s+no|en\s+vez"
    r"|en\s+lugar|ahora|em\s+vez|agora|avant"
    r"|au\s+lieu|désormais|maintenant|remplac\w*|trước|thay|giờ|раньше|вместо|теперь|больше)\b|以前|原先|改|不再|而不是"
    r"|现在|以前|代わり|なく|이전|대신|이제"
)
_BOTH = re.compile(
    r"(?i)\b(?P<new>[\w@./-]{2,30}),?\s+(?:not|instead\s+of|rather\s+than|over|statt|anstatt|nicht|en\s+(?:vez"
    r"|lugar)\s+de|em\s+vez\s+de"
    r"|ao\s+invés\s+de|au\s+lieu\s+de|plutôt\s+que|thay\s+vì|а\s+не|вместо|而不是|不是)\s+(?:the\s+|on\s+|in\s+"
    r"|with\s+|use\s+)?(?P<old>[\w@./-]{2,30})"
)


def _list_sentences(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield from (one.strip(" -*•\t") for one in SENTENCE.split(line) if one.strip(" -*•\t"))


def _list_clauses(evidence: Evidence) -> Iterator[str]:
    """Yield what the user said, clause by clause, each with words that say what it is about."""
    for reply in evidence.replies:
        for clause in _CLAUSE.split(reply.text):
            if extract_topic(clause) - _EMPTY_WORDS:
                yield clause


_EMPTY_WORDS = frozenset({"anyth", "every", "nothi", "somet", "user", "benut", "nutze", "what", "which", "it", "them"})


def _extract_words(text: str) -> frozenset[str]:
    return extract_topic(text) - _EMPTY_WORDS


def _is_approval(sentence: str) -> bool:
    found = _APPROVED.search(sentence) or _NOMINAL.search(sentence)
    return found is not None and not _HEDGED.search(sentence) and sentence[:1] not in "\"'“„"


def _is_granting(reply: UserReply, claim: str) -> bool:
    """Whether something the user said may be the approval that is claimed."""
    about = _extract_words(_APPROVED.sub(" ", claim))
    for clause in _CLAUSE.split(reply.text):
        if is_negative(clause):
            continue
        shared = len(about & _extract_words(clause))
        if shared >= max(1, LEAST_GRANTED * len(about)) and not clause.rstrip().endswith("?"):
            return True
        if _YES.search(clause) and (not about or shared or about & _extract_words(reply.before)):
            return True
    return False


def _is_about(clause: str, line: str) -> bool:
    """Whether a line is about what the user's clause is about."""
    own = _extract_words(clause)
    shared = own & _extract_words(line)
    return len(shared) >= min(2, len(own)) and len(shared) >= LEAST_SHARED * len(own)


def _has_whole(line: str, clauses: Sequence[str]) -> bool:
    """Whether a line holds nearly every word of a prohibition, three at least."""
    topics = (_extract_words(clause) for clause in clauses if is_negative(clause))
    words = _extract_words(line)
    return any(len(own & words) >= max(WHOLE_WORDS, WHOLE_SHARE * len(own)) for own in topics)


def _find_lost_negation(lines: Sequence[str], evidence: Evidence, clauses: Sequence[str]) -> Contradiction | None:
    """Find a line that orders or allows what the user forbade and never allowed."""
    forbidden = [clause for clause in clauses if is_negative(clause)]
    for line in _list_sentences(lines):
        if " ".join(line.split()) in evidence.user:
            continue  # verbatim
        if is_negative(line) or _GUARDED.search(line) or line.rstrip().endswith("?") or line[:1] in "\"'“„":
            continue
        against = next((clause for clause in forbidden if _is_about(clause, line)), None)
        if against is None:
            continue
        if not any(_is_about(line, one) or _is_about(one, line) for one in clauses if not is_negative(one)):
            return Contradiction("inverted", f"the user said {against.strip()[:80]!r}, and the summary: {line[:80]}")
    return None


def _find_added_negation(lines: Sequence[str], evidence: Evidence, clauses: Sequence[str]) -> Contradiction | None:
    """Find a line that forbids what the user demands, in nearly all of its words."""
    wanted = [clause for clause in clauses if not is_negative(clause) and len(_extract_words(clause)) >= 2]
    for line in _list_sentences(lines):
        if not is_negative(line) or _GUARDED.search(line) or _BOUND.search(line) or line in evidence.user:
            continue
        words = _extract_words(line)
        if any(_is_about(clause, line) for clause in clauses if is_negative(clause)):
            continue
        against = next(
            (one for one in wanted if len(_extract_words(one) & words) >= WHOLE_SHARE * len(_extract_words(one))), None
        )
        if against:
            return Contradiction("inverted", f"the user said {against.strip()[:80]!r}, and the summary: {line[:80]}")
    return None


def _find_other_number(lines: Sequence[str], evidence: Evidence, clauses: Sequence[str]) -> Contradiction | None:
    """Find a demand with another number than the user's, which nothing in the history holds."""
    known = set(
        _NUMBER.findall("\n".join((evidence.user, evidence.agent, evidence.calls, evidence.kept, *evidence.outputs)))
    )
    for line in _list_sentences(lines):
        numbers = set(_NUMBER.findall(line))
        if not numbers or numbers & known:
            continue
        for clause in clauses:
            own = _NUMBER.findall(clause)
            if own and not numbers & set(own) and _is_about(_NUMBER.sub(" ", clause), line):
                return Contradiction("inverted", f"the user said {clause.strip()[:80]!r}, and the summary: {line[:80]}")
    return None


_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")
_BOUND = re.compile(
    r"(?i)\b(?:before|without|unless|until|after|when|while|if|vor|bevor|ohne|wenn|antes|sin|sem|avant|sans"
    r"|trước|без|если|что)\b|[,;:]|之前|前に|전에"
)


def _find_restated(lines: Sequence[str], evidence: Evidence, clauses: Sequence[str]) -> Contradiction | None:
    """Find a line that states as current what the user took back."""
    for constraint in evidence.constraints:
        if not constraint.replaced_by:
            continue
        old = find_alternatives(constraint.text)
        new = find_alternatives(constraint.replaced_by) - old
        for line in _list_sentences(lines):
            named = find_alternatives(line)
            if new and old & named and not new & named and not _MARKED.search(line) and not is_negative(line):
                return Contradiction("inverted", f"the user took this back: {line[:120]}")
    return None


def _find_exchanged(lines: Sequence[str], evidence: Evidence, clauses: Sequence[str]) -> Contradiction | None:
    """Find `Y, not X` where the user said `X, not Y`."""
    pairs = set(map(_get_pair, _BOTH.finditer(evidence.user)))
    for line in _list_sentences(lines):
        for pair in map(_get_pair, _BOTH.finditer(line)):
            if pair[::-1] in pairs and pair not in pairs:
                return Contradiction("inverted", f"the user said it the other way around: {line[:120]}")
    return None


def _get_pair(found: re.Match[str]) -> tuple[str, str]:
    """Return what is wanted, and what is not."""
    return found["new"].casefold().strip("./-"), found["old"].casefold().strip("./-")
