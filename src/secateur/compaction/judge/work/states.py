"""Whether a summary says of work that it is done or open what the agent's plan and words say.

Rule: what the agent said last that it had not done, or had yet to do, is not done. Plans are often not kept up to date,
so an open task may be done unless the plan was told after all work.
"""

import re

from secateur.compaction.judge.claims import (
    REPORTING,
    SENTENCE,
    Claim,
    extract_words,
    is_negative,
    quote,
)
from secateur.compaction.judge.evidence import ClaimRule, Evidence
from secateur.compaction.judge.lexicon import build_pattern

LEAST_INTENDED = 0.6  # of the words of what the agent had yet to do
MOST_TOLD = 0.8  # of the words of an open task, in a claim that has it as done
LEAST_SHARED = 0.7  # of the words of a task or of what the agent denied


def _explain_open_task(claim: Claim, evidence: Evidence) -> str:
    """Name a task that an up-to-date plan has as open and that a claim has as done."""
    if not evidence.planned_last or claim.is_negative or not (_CHECKED.search(claim.text) or claim.is_done):
        return ""
    for task in evidence.tasks if len(evidence.tasks) <= MOST_TASKS else ():
        own = extract_words(task.text)
        is_box = _CHECKED.search(claim.text) is not None and task.text.casefold() in claim.text.casefold()
        is_told = len(own) >= 3 and len(own & claim.words) >= MOST_TOLD * len(own) and not claim.is_wished
        if task.state == "open" and own and (is_box or is_told):
            return f"the agent's plan has {task.text[:60]!r} as open"
    return ""


MOST_TASKS = 20  # of a plan: more are the lines of a document
_CHECKED = re.compile(r"(?i)^(?:\d+\.\s*)?\[\s*(?:x|done|completed|erledigt|fait|hecho|✓|✔)\s*\]|^[✓✔✅]")


def _explain_denied(claim: Claim, evidence: Evidence) -> str:
    """Quote the agent's last words where they deny what a claim says, or call it outstanding."""
    if (
        is_denial(claim.text)
        or claim.is_pending
        or claim.is_reported
        or claim.is_wished
        or claim.is_question
        or claim.is_earlier
        or not claim.is_done
        or _WANTED.search(claim.text)
    ):
        return ""
    for clause in STATEMENT.split(evidence.last_words) if evidence.rests else ():
        if not _DENIES.search(clause) or clause.rstrip().endswith("?") or _FUTURE.search(clause):
            continue
        if _AGAIN.search(clause) and not _AGAIN.search(claim.text):
            continue  # once it was done
        own = extract_words(FRAME.sub(" ", clause))
        topic = own - extract_words(" ".join(_GENERIC.findall(clause)))
        is_whole = len(own) >= 3 and len(own & claim.words) >= LEAST_SHARED * len(own)
        is_short = bool(_NOTHING.match(clause)) and len(own) <= 2 and not _FAILED.search(claim.text)
        is_whole = is_whole or (len(own) >= 2 and own <= claim.words)
        if (is_whole or (own and is_short and own <= claim.words)) or (topic and topic < own and topic <= claim.words):
            return quote("the agent", clause)
    return ""


_WANTED = re.compile(r"(?i)\b(?:is|are|was|were)\s+(?:still\s+)?(?:wanted|requested|demanded|awaited|expected)\b")


def is_denial(text: str) -> bool:
    """Whether a text denies something other than errors: `no errors` is a result."""
    plain = _NO_ERRORS.sub(" ", text)
    return _UNDONE.search(plain) is not None or is_negative(plain) or _NONE_OF.search(plain) is not None


_NO_ERRORS = re.compile(
    r"(?i)\b(?:no|without(?:\s+any)?|zero|keine?|ohne|sin|ning[úu]n|sem|aucune?|sans"
    r"|без)\s+(?:\w+\s+){0,2}?(?:errors?|failures?|problems?|warnings?|leaks?"
    r"|findings?|fehler\w*|lecks?|warnung\w*|befunde?|errores|fallos|erros|falhas|erreurs?|échecs?|ошибок)\b"
    r"|没有(?:错误|问题)|エラーは?な[しい]|오류\s*없"
)
_NONE_OF = re.compile(
    r"(?i)\b(?:untouched|unchanged|intact|unberührt|unverändert|inchangée?|intacte?|intact[oa])\b|(?:^"
    r"|[:;,]\s+)(?:nothing|none|neither|nichts|keine?r?|rien|aucune?|nada|ning\w+|nenhum\w*|ничего)\b"
)
_UNDONE = re.compile(
    r"(?i)\bun(?:done|examined|tested|touched|finished|answered|changed|committed|pushed|merged|run|fixed|resolved|used|explored)\b"
)
STATEMENT = re.compile(rf"{SENTENCE.pattern}|;\s+|,\s+|[、，]")
_DENIES = re.compile(
    r"(?i)^\s*(?:nothing|nichts|rien|nada)\b|\b(?:I|we)\s+(?:have|had|did)\s*(?:not|n['’]t|never)|\b(?:I"
    r"|we)\s+(?:haven|hadn|didn)['’]t"
    r"|\b(?:was|were|has|have|is|are)\s+(?:not|never)\s+(?:yet\s+)?(?:been\s+)?\w+ed\b"
    r"|\bhabe\s+ich\s+(?:noch\s+)?nicht|\bich\s+habe\b.*\bnicht"
    r"|\b(?:ist|sind|wurden?)\b.*\bnoch\s+nicht\b|\bnoch\s+nicht\s+\w+t\b|\bn['’](?:ai|a|ont|est)\s+(?:pas|rien)\b"
    r"|\bno\s+(?:la|lo|las|los|se|he|ha)\s+\w+"
    r"|\bnão\s+(?:fiz|foi|o\s+|a\s+)|\bя\s+(?:ещё\s+|пока\s+)?не\b|\bещё\s+не\b|\b(?:tôi\s+)?chưa\b|还没有?|尚未"
    r"|まだ.*(?:ません|ない)|아직"
)
_AGAIN = build_pattern(
    r"again|since|once\s+more|re-?(?:ran|run|tested|built)|erneut|nochmals?|wieder|seitdem|de\s+nouveau|depuis|de\s+nuevo|otra\s+vez|desde|de\s+novo|снова",
    r"再次|重新|再び|다시",
)
_NOTHING = re.compile(r"(?i)\s*(?:nothing|nichts|rien|nada|ничего|没有)")
_FAILED = re.compile(r"(?i)fail|fehl|échou|fall|ошиб|失")
_FUTURE = re.compile(r"(?i)\b(?:will|should|must|next|need|werde|soll\w*|vais|doit)\b|下一步|次に")
FRAME = re.compile(
    r"(?i)\b(?:(?:since|seit|depuis|desde)\s+\w+\s+\w+|neu|have|has|had|haven|hasn|been|being|was|were|are|not"
    r"|never|did|habe|haben|wurden?|worden|sind|pas|ont|est|été|sido|yet|so\s+far|still|again|since|that|this|my"
    r"|after|noch|bisher|seit\w*|diese\w*|encore|depuis|aún|todavía|desde|ainda|пока|ещё)\b"
)
# Verbs that only say that something was done at all: what it was done to decides
_GENERIC = re.compile(
    r"(?i)\b(?:look\w*|touch\w*|start\w*|begun|begin\w*|done|do|work\w*|deal\w*|tackl\w*|handl\w*|examin\w*"
    r"|investigat\w*|explor\w*|get\w*|got"
    r"|angefasst|angesehen|begonnen|gemacht|touché|regardé|commencé|tocado|mirado|empezado|mexi|трогал\w*|смотрел\w*)\b"
)


def _explain_early_done(claim: Claim, evidence: Evidence) -> str:
    """Quote what the agent said last that it had yet to do, where a claim has it as done."""
    if not evidence.rests or is_denial(claim.text) or claim.is_wished or claim.is_quoted or not claim.is_done:
        return ""
    for sentence in SENTENCE.split(evidence.last_words):
        if claim.is_earlier or not (INTENT.search(sentence) or OUTSTANDING.search(sentence)):
            continue
        plain = _PURPOSE.split(OUTSTANDING.sub(" ", INTENT.sub(" ", sentence)))[0]
        own = extract_words(FRAME.sub(" ", plain))
        if len(own) >= 2 and len(own & claim.words) >= LEAST_INTENDED * len(own):
            return quote("the agent", sentence)
    return ""


OUTSTANDING = re.compile(
    r"(?i)\b(?:(?:is|are)\s+(?:still\s+)?(?:to\s+come|missing|outstanding|pending|due)|remains?\s+(?:to\s+be|open|undone)"
    r"|(?:steht|stehen|steht\s+noch|stehen\s+noch)\s+(?:noch\s+)?aus"
    r"|(?:und\s+)?kommt\s+als\s+nächstes|fehlt\s+noch|fehlen\s+noch|fehlt|falta|faltan|queda|reste|manque|falta"
    r"|осталось|còn\s+thiếu)\b|残って|还差|待办|남았"
)
_PURPOSE = re.compile(
    r"(?i)\b(?:so\s+that|in\s+order\s+to|because|damit|weil|para\s+que|porque|pour\s+que|parce\s+que|чтобы|để)\b"
)


_PAST_SECTIONS = ("accomplished", "discoveries", "files", "decisions", "resolved", "constraints", "instructions")

_COMPLETE = re.compile(
    r"(?i)\b(?:everything|all\s+(?:the\s+)?(?:work|tasks?|requests?|items?|steps)|the\s+(?:whole\s+)?(?:task"
    r"|work|job|request))\s+(?:is|are|was|were|has\s+been"
    r"|have\s+been)\s+(?:now\s+)?(?:fully\s+)?(?:done|finished|complete[d]?|implemented|resolved)\b"
    r"|\bnothing\s+(?:is\s+)?(?:left|remains|open|pending)"
    r"|\bno\s+(?:open|remaining|outstanding)\s+(?:tasks?|work|items?|issues?|todos?)"
    r"|\balles\s+(?:ist\s+)?(?:erledigt|fertig)|\bnichts\s+(?:mehr\s+)?offen"
    r"|\btodo\s+está\s+(?:hecho|listo|terminado)|\btout\s+est\s+(?:fait|terminé)|всё\s+(?:готово|сделано)|全部完成"
    r"|すべて完了|모두\s*완료"
)
INTENT = re.compile(
    r"(?i)\b(?:next,?\s+(?:i|we)|i\s+will|i[’']ll|i\s+(?:still\s+)?(?:have|need)\s+to|still\s+(?:fails?|to\s+do"
    r"|open)|is\s+next\b|remains?\s+to|als\s+nächstes|ich\s+werde|mache\s+ich|noch\s+offen|il\s+reste\s+à"
    r"|a\s+continuación|voy\s+a|falta\s+\w+r\b|próximo\s+passo|vou|ensuite|je\s+vais|tiếp\s+theo|дальше\s+я"
    r"|осталось)\b|接下来"
    r"|下一步|次に|다음"
)


def _explain_open_work(claim: Claim, evidence: Evidence) -> str:
    """Explain why work is left: the last check failed, or the agent's last words say what comes next."""
    last = evidence.checks[-1] if evidence.checks else None
    is_open = (last is not None and last.ok is False) or INTENT.search(evidence.last_words) is not None
    is_whole = _COMPLETE.search(claim.text) and not _EXCEPT.search(claim.text)
    return "work is left" if is_open and is_whole else ""


_EXCEPT = re.compile(r"(?i)\b(?:except|but|until|once|when|if|before)\b")


RULES = (
    ClaimRule("unfinished_work", _explain_open_work, REPORTING, strength="certain"),
    ClaimRule("unfinished_work", _explain_open_task),
    ClaimRule("unfinished_work", _explain_denied),
    ClaimRule("unfinished_work", _explain_early_done, _PAST_SECTIONS),
)
