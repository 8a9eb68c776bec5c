"""Whether a summary has as done or as found what the history has only as a wish, a question, a plan or a prohibition.

Rule: the history is parted into what is (calls, what commands and files showed, plain statements of the agent) and what
is only spoken of (the user's words, questions, proposals, plans, denials, orders in outputs). A claim of something done
is false where its words are those of something spoken of, and one of them stands nowhere in what is.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from secateur.compaction.judge.claims import CLAUSE, SENTENCE, Claim, extract_words, is_negative
from secateur.compaction.judge.evidence import ClaimRule, Evidence
from secateur.compaction.judge.work.checks import INTENT

LEAST_SPOKEN = 0.5  # of the words of a claim, in one sentence that only speaks of it
LEAST_MISSING = 0.3  # of them that stand nowhere in what is
FEWEST_SPOKEN = 2  # such words
MOST_SPOKEN = 400  # sentences, the newest


def _explain_only_spoken(claim: Claim, evidence: Evidence) -> str:
    """Quote what only speaks of the thing that a claim has as done."""
    if claim.is_quoted or claim.is_question or claim.is_reported or claim.is_earlier:
        return ""
    for clause in _CLAUSES.split(claim.text):
        if not _TOLD.search(clause) or is_negative(clause) or _OPEN.search(clause) or _BY_USER.search(clause):
            continue
        own = split_words(clause)
        missing = frozenset(word for word in own - _GENERIC if not _is_known(word, evidence))
        for sentence, words in _list_spoken(evidence):
            if sentence.rstrip().endswith(("?", "？")) and _is_taken_up(sentence, words, evidence):
                continue
            shared = own & words
            new = shared & missing
            is_new = len(new) >= max(1, LEAST_MISSING * len(shared)) and (len(new) > 1 or _is_telling(clause, new))
            if is_new and len(shared) >= max(FEWEST_SPOKEN, LEAST_SPOKEN * len(own)):
                return f"it is only spoken of: {sentence.strip()[:80]!r}"
    return ""


def _is_taken_up(question: str, words: frozenset[str], evidence: Evidence) -> bool:
    """Whether the user's answer to a question is about the same thing."""
    return any(question.strip() in one.before and words & split_words(one.text) for one in evidence.replies)


def split_words(text: str) -> frozenset[str]:
    """Return the words of a text, names taken apart, without auxiliary verbs."""
    return extract_words(_AUXILIARY.sub(" ", re.sub(r"[_./:()`\"'-]+", " ", text)))


def _is_telling(clause: str, words: frozenset[str]) -> bool:
    """Whether one of these words is a clause's verb, or a name, and not just another noun."""
    return any(words & split_words(found.group()) for found in _VERB_OR_NAME.finditer(clause))


_VERB_OR_NAME = re.compile(
    r"(?i:\b\w{2,}(?:ed|iert|ado|ada|ados|adas|ido|ida|ée?s?|iert)\b|\bge\w+(?:t|en)\b|\bab\w*ge\w+|\b\w*(?:an|auf"
    r"|aus|um)ge\w+\b)|\b\w*[_.\d]\w+|\b\w+[A-Z]\w*|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0400-\u04ff]+"
    r"|(?<=\s)[A-ZÄÖÜ]\w+"
)
_CLAUSES = re.compile(r"[;:；：]\s+|,\s+|，|。|、|\s+(?:but|aber|mais|pero|mas|но)\s+")
_AUXILIARY = re.compile(
    r"(?i)\b(?:have|has|had|been|being|was|were|are|is|be|will|would|could|should|shall|now|then|also|too|well|yet"
    r"|still|here|there|its|with|after|wurden?|worden|sind|ist|hat|haben"
    r"|werden|wird|auch|jetzt|noch|nach|mit|est|sont|ont|été|sera|aussi|maintenant|fue|fueron|han|sido|está|están"
    r"|ahora|también|foi|foram|está|agora|были?|был[ао]?|уже|đã|được)\b"
)


def _is_known(word: str, evidence: Evidence) -> bool:
    """Whether what is holds a word, be it within another."""
    world = _join_world(_join_actual(evidence.agent), evidence.calls, evidence.kept, evidence.looked_up)
    return _DELETES.search(evidence.calls) is not None if word == "delet" else word in world


@lru_cache(maxsize=2)
def _join_actual(agent: str) -> str:
    """Return what the agent said that is no plan, no question and no denial."""
    return "\n".join(one for one in CLAUSE.split(agent) if one and not _is_spoken(one))


_DELETES = re.compile(r"(?i)delet|remov|drop|\brm\b|unlink|prune|clean|lösch|supprim|elimin|borr|удал")


@lru_cache(maxsize=2)
def _join_world(*texts: str) -> str:
    """Return what is in small letters; of outputs without the lines that give orders."""
    *others, shown = texts
    kept, at = list[str](), 0
    for found in _DIRECTS.finditer(shown):
        if found.start() >= at:
            kept.append(shown[at : shown.rfind("\n", 0, found.start()) + 1])
            end = shown.find("\n", found.end())
            at = end if end >= 0 else len(shown)
    return "\n".join((*others, *kept, shown[at:])).casefold()


def _is_spoken(sentence: str) -> bool:
    """Whether a sentence of the agent asks, plans, proposes or denies."""
    said = _BECAUSE.split(sentence)[0] or sentence
    is_plan = INTENT.search(said) or _MODAL.search(said)
    return (
        bool(is_plan)
        or (is_negative(said) and _NOT_DONE.search(said) is not None)
        or sentence.rstrip().endswith(("?", "？"))
    )


# A denial of the agent's own work: that a page does not load is a fact
_NOT_DONE = re.compile(
    r"(?i)\b(?:I|we|yet|so\s+far|ich|wir|noch|bisher|je|nous|encore|he|hemos|aún|todavía|ainda|я|мы|ещё|пока|tôi|chưa)\b|\bj['’]"
    r"|还没|尚未|没有|未|まだ|아직|ません|ていない"
)
_BECAUSE = re.compile(r"(?i),?\s+(?:because|since|as|weil|da|parce\s+qu\w*|car|porque|ya\s+que)\s")


def _list_spoken(evidence: Evidence) -> tuple[tuple[str, frozenset[str]], ...]:
    return _split_spoken(evidence.user, evidence.agent, evidence.outputs)


@lru_cache(maxsize=2)
def _split_spoken(user: str, agent: str, outputs: tuple[str, ...]) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return the sentences that only speak of something, with their words."""
    found = [one for one in CLAUSE.split(user) if _PUT_OFF.search(one)]
    found += filter(_is_spoken, SENTENCE.split(agent))
    found += _list_directives(outputs)
    return tuple((one, split_words(one)) for one in found[-MOST_SPOKEN:] if one.strip())


def _list_directives(outputs: tuple[str, ...]) -> Iterator[str]:
    for text in outputs:
        if _DIRECTS.search(text):
            yield from (one for one in SENTENCE.split(text) if _DIRECTS.search(one))


_MODAL = re.compile(
    r"(?i)\b(?:could|should|shall|may|might|suggest|propose|recommend|plan\s+to|want\s+to|going\s+to|about\s+to"
    r"|start\s+with|begin\s+with|comes\s+next|is\s+next|next\s+step"
    r"|könnte\w*|würde|sollte|soll|schlage\s+vor|steht\s+noch|werde|möchte|pourrais|devrait|propose|vais|podría"
    r"|debería|propongo|voy|falta\w*|hay\s+que|poderia|sugiro|vou|мог|предлагаю|буду"
    r"|có\s+thể|đề\s+xuất|sẽ)\b|可以|建议|打算|できます|提案|予定|べき|수\s*있|제안"
)
_DIRECTS = re.compile(
    r"(?i)\b(?:must|should|please|important|todo|to\s+continue|you\s+(?:can|may|need)|have\s+to|need\s+to"
    r"|apply\s+it|run\s+[\"'`])|必须|请|てください"
)
# What the user forbids, binds to a condition or puts off; a plain order is carried out in other words
_PUT_OFF = re.compile(
    r"(?i)\b(?:not|never|no|n['’]t|without|if|unless|until|before|later|tomorrow|tonight|myself|nicht|nie|kein\w*"
    r"|wenn|bevor|erst|später|morgen|noch|ne|pas|jamais|sans|aucun\w*|si|avant|no|nunca|sin"
    r"|antes|cuando|não|sem|se|quando|не|без|если|до|không|đừng|nếu|trước)\b|不|别|如果|之前|ない|なら|前に|지\s*마|전에"
)
_GENERIC = frozenset(
    {
        "set",
        "use",
        "used",
        "uses",
        "take",
        "taken",
        "takes",
        "keep",
        "kept",
        "give",
        "given",
        "get",
        "got",
        "put",
        "make",
        "made",
        "chang",
        "add",
        "added",
        "adds",
        "go",
        "goes",
        "run",
        "runs",
        "look",
        "looks",
        "need",
        "work",
        "works",
        "one",
        "two",
        "three",
        "both",
        "all",
    }
)
_TOLD = re.compile(
    r"(?i)^(?:\d+\.\s*)?\[(?:x|done|completed)\]|\b(?:done|was|were|has|have|is|are|now|ran|passes|passed|works"
    r"|uses|wurden?|worden|sind|ist|hat|haben|lief\w*|jetzt|läuft|laufen|est|sont|ont|a\s+été|fue|fueron|han?"
    r"|se\s+\w+(?:ó|aron|ieron)|ya|está[n]?|foi|foram|já|был[аои]?|уже|đã)\b|\b\w{3,}ed\b|已|了|完成|した|済|ました|ている|했|됐"
)
_OPEN = re.compile(
    r"(?i)\b(?:will|would|could|should|shall|must|may|might|to\s+be|going\s+to|needs?|next|if|whether|unless|until|before"
    r"|once|when|todo|start\w*|begin\w*|begun|began|begonnen|commencé|empezado|pending|planned|asked|wants?|wanted"
    r"|proposed|suggested|offered|tried|attempted|prefer\w*|chose\w*|consider\w*|rather|instead|against|decided|left\s+for"
    r"|still\s+to|yet"
    r"|soll\w*|muss|müssen|darf|dürfen|möchte|will|wenn|ob|bis|noch|offen|geplant|vorgeschlagen|doit|doivent|veut"
    r"|si|quand|prévu|proposé|debe\w*|quiere|cuando|pidió|falta|deve\w*|quer|pediu|quando"
    r"|долж\w+|если|когда|хочет|cần|phải|nếu|khi)\b|[?？]|应|需要|如果|待|未|べき|なら|まだ|予定|相談|ない|해야|면"
)
_BY_USER = re.compile(
    r"(?i)\buser\b|\bbenutzer\w*|\butilisateur|\busuari[oa]\b|\busuário\b|пользовател|người\s+dùng|用户|ユーザ|사용자"
)

RULES = (ClaimRule("not_run", _explain_only_spoken, ("accomplished", "discoveries", "files", "decisions", "resolved")),)
