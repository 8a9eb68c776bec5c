"""The words by which a demand has force: it forbids or commands, prefers, decides, or says how work is to go.

Rule: patterns only; a sentence is looked at alone. What is for once is told by the words in `order_words`; which
demands are shown is decided in `force`.
"""

import re

from secateur.memoizing import memoize_texts


@memoize_texts(4_096)
def is_forced(text: str) -> bool:
    """Whether a sentence forbids or commands in every case, and does not only wish or advise."""
    said = QUOTED_WORD.sub(" ", strip_asides(text))
    if is_manner(said):
        return True
    return has_force(said) and (not CASE.match(text) or LOUD.search(text) is not None)


def is_weak(text: str) -> bool:
    """Whether a sentence neither forbids nor commands, in any case, and neither prefers nor chooses one thing."""
    is_forcing = has_force(strip_asides(text)) or is_manner(text)
    return not (is_forcing or is_decision(text) or is_refusal(text) or is_preference(text) or _ATTENDS.search(text))


def is_general(text: str) -> bool:
    """Whether a clause of a sentence says how all things of a kind ought to be."""
    return any(_OUGHT.search(one) and _ALL.search(one) for one in _STOPS.split(text))


def is_leaving(text: str) -> bool:
    """Whether a sentence decides, of what was just said, that it is to stay as it is."""
    return _LEAVES.search(text) is not None


def is_preference(text: str) -> bool:
    """Whether a sentence says what is to stay as it is, or to be preferred, and names it."""
    return _PREFERS.search(_UNNAMED.sub(" ", text)) is not None


def is_decision(text: str) -> bool:
    """Whether a sentence puts one thing in the place of another one, or says what stays or how all of a kind is."""
    return _DECIDES.search(text) is not None or is_leaving(text) or is_general(text) or is_settled(text)


def is_settled(text: str) -> bool:
    """Whether a sentence says that something is meant to be as it is, is not worth having, or what some part needs."""
    return _SETTLES.search(text) is not None


def is_manner(text: str) -> bool:
    """Whether a sentence says how the user wants work to go: what to commit when, and what to leave out."""
    return _MANNER.search(text) is not None


@memoize_texts(4_096)
def is_habit(text: str) -> bool:
    """Whether a text says how all work is to be committed or tested: in small commits, tests first."""
    return _HABIT.search(text) is not None


def list_manners(text: str) -> frozenset[str]:
    """Return the words by which a sentence says how work is to go."""
    return frozenset(" ".join(found[0].casefold().split()) for found in _MANNER.finditer(text))


def is_forced_otherwise(text: str) -> bool:
    """Whether a sentence forbids or commands in other words than those on how work is to go."""
    return has_force(_MANNER.sub(" ", text))


def is_refusal(text: str) -> bool:
    """Whether a sentence says what the user does not want, whatever it asks besides."""
    return _REFUSES.search(text) is not None


def has_force(text: str) -> bool:
    """Whether words of a text forbid or command."""
    return _FORCED.search(text) is not None


def strip_asides(text: str) -> str:
    """Return a text without what stands in parentheses."""
    return _ASIDE.sub(" ", text)


QUOTED_WORD = re.compile(r"[\"“„«「]\s?\w{2,20}\s?[\"”“»」]")  # it is spoken of
_ASIDE = re.compile(r"\([^()]*\)")
_FORCED = re.compile(
    r"(?i)\b(?:never|must(?:\s+not|n['’]t)?|do\s+not|don['’]?t|dont|may\s+not|can(?:not|['’]t|\s+only)|always|only|exactly"
    r"|at\s+(?:least|most)|no\s+(?:more|less|fewer|longer)\b|no\s+(?:new|changes?)|without|avoid|forbidden|prohibited"
    r"|required?|mandatory|under\s+no\s+circumstances|from\s+now\s+on|should\s+(?:not|never|only|always)|stop\s+\w+ing"
    r"|niemals|nie|immer|nicht|muss|musst|müssen|darf|dürfen|nur|kein\w*|ohne|mindestens|höchstens|genau"
    r"|jamais|toujours|ne\s+\S+\s+(?:pas|plus|rien)|doit|doivent|seulement|uniquement|sans|au\s+(?:moins|plus)|interdit\w*"
    r"|nunca|siempre|sempre|jam[aá]s|debe\w*|dev(?:e|em)|s[oó]lo|só|apenas|sin|sem|al\s+menos|pelo\s+menos|prohibid\w+|proibid\w+"
    r"|no\s+\w+(?:es|as|en|an)|não\s+\w+|никогда|нельзя|всегда|не\s+\w+|только|должн\w+|обязательно|без|запрещ\w+"
    r"|đừng|không\s+(?:được|bao\s+giờ|nên)|phải|luôn|chỉ|cấm|bắt\s+buộc|tuyệt\s+đối|ít\s+nhất|tối\s+đa)\b"
    r"|不要|不能|不得|不准|禁止|严禁|必须|必須|务必|总是|始终|只(?!要|有|是)|至少|最多|一律"
    r"|ないで|禁止|必ず|絶対|常に|のみ|だけ|しない|以内|以上|지\s*마|금지|항상|반드시|절대|만\s|이하|이상"
    r"|(?:\A\W*|[.,;:!]\s*|\bplease\s+)no\s+(?:[\w-]+\s+){0,2}(?!errors?\b|issues?\b|results?\b|failures?\b|warnings?\b"
    r"|problems?\b|match|hits?\b|diffs?\b|conflicts?\b|bugs?\b|worries\b|tests?\b|crash|regressions?\b|changes\b|files?\b|users?\b)"
    r"[\w-]{2,}[^s\W]s(?=\s*(?:\Z|[.,;!)]|(?:in|please|here)\b))"
)
_STOPS = re.compile(r"[.;:!?]\s|[。；！？\n]")
_OUGHT = re.compile(
    r"(?i)\b(?:should|must|ought\s+to|needs?\s+to|ha(?:s|ve)\s+to)\s+(?:(?:also|only|not|just)\s+)?"
    r"(?:be|use|have|stay|look|follow|match|live|keep|come|start|begin|end)\b|\b(?:make\s+sure|ensure)\b"
    r"|\bsoll(?:en|te|ten)?\b|\bdevr(?:ait|aient)\b|\bdeber[ií]an?\b|\bdeveria[m]?\b|\bследует\b|\bnên\b|应该|應該|应当|べき|는\s*게\s*좋"
)
_ALL = re.compile(
    r"(?i)\b(?:any|every|each|all|wherever|everywhere|across|throughout|in\s+general|jede\w*|alle\w*|überall|chaque|tou(?:s|tes)\s+les"
    r"|partout|cada|tod[oa]s|кажд\w+|везде|все\w?|mọi|mỗi|tất\s+cả)\b|所有|每个|每一|任何|到处|すべて|全て|各|どこでも|모든|각|어디서나"
)
_LEAVES = re.compile(
    r"(?i)(?:\A\W*|[,.;:!]\s*)(?:(?:then|so|ok(?:ay)?,?|and|let['’]?s)\s+){1,3}(?:just\s+)?(?:keep|leave)\s+(?:it|that|this|them|these|those)"
    r"(?=\W*(?:\Z|[,.;!])|\s+(?:as|like|for|the\s+way|where)\b)"
    r"|\bdann\s+(?:lass|behalt)\w*|\balors\s+(?:on\s+garde|laisse|gardons)\b|\bentonces\s+(?:d[eé]jalo|lo\s+dejamos|lo\s+mantenemos)\b"
    r"|\bentão\s+(?:deixa|mantém|mantenha)\b|\bтогда\s+остав\w+|\b(?:vậy|thế)\s+(?:thì\s+)?(?:cứ\s+)?(?:giữ|để)\b"
    r"|那就(?:保留|保持|这样|留着)|(?:では|じゃあ)、?(?:そのまま|残)|그럼\s*(?:그대로|유지|놔)"
)
_SETTLES = re.compile(
    r"(?i)\b(?:on\s+purpose|by\s+design|(?:is|was|are|were)\s+(?:intentional|deliberate)(?:ly)?"
    r"|(?:i|we)\s+(?:intentionally|deliberately|purposely)"
    r"|(?:is|seems|feels|would\s+be|sounds)\s+(?:a\s+bit\s+|probably\s+|just\s+|way\s+)?(?:(?:to|too)\s+much(?=\W*\Z|[,.;]|\s+but\b)|overkill"
    r"|not\s+worth\s+it)"
    r"|(?:every|each)\s+(?:[\w-]+\s+){1,6}?needs\s+(?:an?|its)\b|(?:in|for)\s+(?:this|the|our)\s+(?:[\w-]+\s+){1,2}we\s+(?:want|prefer)"
    r"|mit\s+absicht|absichtlich|exprès|volontairement|a\s+propósito|de\s+propósito|намеренно|нарочно|специально|cố\s+(?:ý|tình))\b"
    r"|故意|有意(?:的|为之)|わざと|意図的|일부러|의도적"
)
_HABITS = (  # how work is to be committed and tested, whatever it is
    r"\b(?:do|make|use|in|with|as)\s+(?:[\w-]+\s+){0,2}(?:meaningful|individual|separate|small\w*|atomic|logical|single)\s+commits?\b"
    r"|\bcommit\s+(?:(?:it|them|things?|stuff|changes|work)\s+)?(?:meaningful\w*|often|individual\w*|separate\w*|as\s+you\s+go"
    r"|on\s+the\s+go|in\s+between|(?:after|at)\s+each)\b"
    r"|\b(?:i['’]d\s+(?:like|prefer)|let['’]?s|use|follow|with|want|do)\b[^.;\n]{0,40}\b(?:tdd|test[- ]driven)\b"
    r"|\bwrite\s+(?:the\s+)?tests?\s+first\b"
    r"|\b(?:sinnvolle|aussagekräftige|einzelne|kleine|getrennte|atomare)n?\s+commits?\b"
    r"|\bcommitte\w*\s+(?:einzeln|regelmäßig|kleinschrittig|getrennt|nach\s+jede\w+)\b"
    r"|\b(?:petits|vrais)\s+commits\b|\bcommits\s+(?:atomiques|séparés|distincts|parlants|réguliers)\b"
    r"|\bcommits\s+(?:pequeñ[oa]s|pequenos|separados|at[óô]micos|individua(?:les|is)|significativos|frecuentes|frequentes)\b"
    r"|\b(?:отдельн|небольш|маленьк|атомарн|осмысленн)\w+\s+коммит\w*|\bcommit\s+(?:riêng|nhỏ|từng|thường\s+xuyên)\b"
    r"|(?:分开|分别|分批|逐个|小步|单独)提交|(?:有意义|独立|小)的?提交|(?:こまめに|小さく|個別に|分けて)コミット|(?:意味のある|個別の|小さな)コミット"
    r"|(?:의미\s*있는|작은|개별)\s*커밋|(?:나눠서?|따로|자주)\s*커밋"
)
_HABIT = re.compile(rf"(?i){_HABITS}")
_MANNER = re.compile(
    rf"(?i){_HABITS}|\b(?:meaningful|individual|separate|small\w*|atomic|logical|single)\s+commits?\b"
    r"|\b(?:after|before|with|for|at|on)\s+(?:each|every)\b|\bin\s+the\s+mean\s?time\b"
    r"|\b(?:so|and|but|please|just)\s+(?:ignore|skip)\s+(?:it|this|that|the|them|these|those)\b"
    r"|\blet['’]?s\s+(?:skip|ignore|leave|not)\b|\bno\s+(?:need\s+for|(?:more|need\s+to)\s+keep)\b"
    r"|\b(?:in|as|into|on)\s+(?:an?\s+|its\s+|their\s+)?(?:separate|own|different|another)\s+"
    r"(?:task|pr|pull\s+request|branch|commit|issue|ticket)s?\b"
    r"|\btdd\b|\btest[- ]driven\b"
)
_PREFERS = re.compile(
    r"(?i)\bprefer\w*|\brather\b|\bkeep\b(?!\s+(?:track|going|trying))"
    r"|\bleave\b|\bstick (?:to|with)\b|\blieber\b|\bpréf\w+|\bplutôt\b"
    r"|\bprefier\w+|\bprefir\w+|\bпредпоч\w+|\bưu tiên\b|优先|できれば"
)
_UNNAMED = re.compile(r"(?i)\b(?:prefer|keep|leave)\s+(?:it|that|this|them|these|those)(?=\W*(?:\Z|[.,;!?]))")
_ATTENDS = re.compile(r"(?i)\b(?:make sure|ensure|remember|each|every|whenever)\b")
_DECIDES = re.compile(  # one thing in the place of another one
    r"(?i)\binstead\b|\buse\b[^.;\n]{1,80}?,? (?:no|not)\b|\b(?:let['’]?s|we should) (?:use|call|name|go with)\b"
    r"|\bgo with\b|\bstatt\b|\bau lieu de\b|\ben vez de\b|\bem vez de\b|\bвместо\b|\bthay vì\b|而不是|代わりに|대신"
)
_REFUSES = re.compile(
    r"(?i)\b(?:i|we)\s+(?:do\s+not|don['’]?t)\s+want\b"
    r"|\b(?:i|we)\s+want\b[^.,;\n]{1,60}\bto\s+(?:not|never)\b|\bich\s+(?:will|möchte)\s+(?:\w+\s+){0,3}(?:nicht|kein\w*)\b"
    r"|\bje\s+ne\s+veux\s+pas\b|\bno\s+quiero\b|\bnão\s+quero\b|\bя\s+не\s+хочу\b|\b(?:tôi|mình)\s+không\s+muốn\b"
    r"|我不(?:想|要|希望)|たくない|원하지\s*않"
    r"|\b(?:i\s+(?:do\s+not|don['’]?t)\s+think\s+(?:that\s+)?we\s+need|we\s+(?:do\s+not|don['’]?t)\s+need)"
    r"\s+(?!(?:to|it|this|that|them|any\s?more|more)\b)\w(?![^.;\n]*\b(?:if|when|unless|do\s+you)\b)"
    r"|\bwir\s+brauchen\s+(?:\w+\s+)?kein\w*|\b(?:on|nous)\s+n['’](?:a|avons)\s+pas\s+besoin\s+d\w*|\bno\s+necesitamos\b(?!\s+\w+r\b)"
    r"|\bnão\s+precisamos\s+de\b|\bнам\s+не\s+нуж\w+|\b(?:chúng\s+ta|mình)\s+không\s+cần\b|我们不需要|我們不需要"
)
LOUD = re.compile(r"\b(?:NEVER|MUST|DO NOT|Do NOT|DON'T|ALWAYS|ONLY|CRITICAL|REQUIRED|Never|Always|Do not|Don't)\b")
CASE = re.compile(
    r"(?i)\W*(?:[^:.\n]{1,40}:[*_]*\s+)?(?:when|if|where|for|in case"
    r"|note(?!\s+(?:\w+\s+)?that\s+you\s+(?:cannot|can['’]t|must|may\s+not)))\b"
)
