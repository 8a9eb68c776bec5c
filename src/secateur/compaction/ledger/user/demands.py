"""The words by which ten languages forbid and demand, and by which they only tell or ask.

Rule: patterns only, one for each language; a sentence is looked at alone. Which sentences are looked at is decided in
`demand_units`, what becomes of what is found in `constraints`.
"""

import re
import unicodedata

from secateur.compaction.ledger.said import is_question
from secateur.compaction.ledger.user.alternatives import has_choice
from secateur.compaction.ledger.user.force_words import QUOTED_WORD, is_habit, is_leaving, is_refusal, is_settled
from secateur.compaction.ledger.user.order_words import is_order_for
from secateur.compaction.ledger.user.retractions import is_retraction
from secateur.compaction.ledger.user.taken_back import is_bare_retraction
from secateur.memoizing import memoize_texts

_ENGLISH = r"""
 \b(?:do\s+not|don['’]?t|dont|never|must(?:\s+not|n['’]?t)?|should(?:\s+not|n['’]?t)?|shall(?:\s+not)?|may\s+not
 |(?:^|[,;:(]\s*|\b(?:and|but|please|should|can|may)\s+)only
 |(?:you|we)\s+(?:can(?:not|['’]t|\s+not|\s+only)|are\s+not|aren['’]t)|you\s+(?:have|need)\s+to|always|avoid|refrain
 |make\s+sure|ensure|be\s+sure|be\s+careful|remember\s+(?:to|that|not)|from\s+now\s+on|going\s+forward|whenever
 |no\s+(?:more|longer|need\s+(?:to|for|of))|(?:stop|without)\s+\w+ing|forbidden|prohibited|(?:not|n['’]t)\s+(?:be\s+)?allowed
 |required?|mandatory|instead\s+of|rather\s+than|at\s+(?:most|least)|no\s+more\s+than|prefer(?:ably)?|stick\s+(?:to|with)
 |keep\s+(?!going|on\b|up\b|trying|track)\w+|(?:before|after)\s+(?:each|every|any|you)|(?:answer|respond|reply)\s+in|leave\s+.{1,80}\b(?:alone|untouched|as\s+(?:is|it\s+is))
 |(?:ask|check\s+with)\s+(?:me|us)\s+(?:first|before)|under\s+no\s+circumstances|nothing\s+else|i['’]d\s+rather
 |(?:i|we)\s+(?:would\s+)?(?:only|just)\s+(?:want|need|accept)
 |(?:i|we)\s+(?:want|need|expect|insist|prefer)\s+(?!to\b)\w+|hands\s+off|off[- ]limits|read[- ]only)\b
 |(?:^|[.,;:!]\s*|\band\s+|\bbut\s+|\bplease\s+)(?:not\s+(?!(?:everything|everyone|sure|really|much|yet)\b)|no\s+(?!(?:problem|idea|worries|wonder|doubt)\b))\w+
 |\bonly[\s.!)]*$
 |(?:^|[.,;:!(]\s*|\b(?:so|and|but|then|please|just)\s+)(?:ignore|skip)\s+(?:it|this|that|the|them|these|those|any|all)\b
 |\b(?:make|with|keep|do|want|need)\s+(?:only\s+)?(?:the\s+|an?\s+)?(?:minimal|minimum|smallest|fewest|least)\s+(?:\w+\s+)?(?:changes?|edits?|diffs?|modifications?|patch(?:es)?)\b
 |\bsubmit\w*\b[^.;\n]{0,80}\bby\s+(?:\w+\s+)?(?:running|using|typing|calling|issuing)\b
 |\blet['’]?s\s+(?:not|skip|leave|ignore|stick|(?:call|name)\s+(?:it|this|that|them|the)|use|go\s+with)\b
 |\b(?:in|as|into|on)\s+(?:an?\s+|its\s+|their\s+)?(?:separate|own|different|another)\s+(?:task|pr|pull\s+request|branch|commit|issue|ticket|file)s?\b
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
_GERMAN = r"""
 \b(?:nie(?:mals)?|immer|(?:vor|nach)\s+jede[mnrs]|stets|nicht|muss(?:t)?|müssen|sollst|sollen|sollte[nst]*|darf(?:st)?|dürfen|verboten|untersagt
 |vermeide[nt]?|achte[nt]?|stell(?:e|en|t)?\s+sicher|sorge?\s+dafür|nur|ausschließlich|lediglich|keinesfalls|kein(?:e[nmrs]?)?
 |auf\s+keinen\s+fall|unbedingt|ab\s+(?:jetzt|sofort|heute)|von\s+nun\s+an|künftig|zukünftig|(?:an)?statt|anstelle
 |höchstens|mindestens|maximal|lass(?:e|en|t)?\b.{1,80}\b(?:unverändert|ruhe|so)|behalte[nt]?|bevorzuge?
 |frag(?:e|en|t)?\s+(?:mich|uns|vorher)|denk(?:e|t)?\s+daran|ohne)\b
"""
_FRENCH = r"""
 \b(?:jamais|toujours|ne\s+(?:\S+\s+){1,4}?(?:pas|plus|rien|que)|n['’]\S+\s+(?:\S+\s+){0,3}?(?:pas|plus|rien|que)|ne\s+pas
 |il\s+(?:ne\s+)?faut|doi(?:s|t|vent)|devez|interdi(?:te?s?|ction)|évite[zr]?|seulement|uniquement|exclusivement
 |assure[zr]?[-\s](?:toi|vous)|veille[zr]?\s+à|obligatoire(?:ment|s)?|impérati(?:f|vement)|surtout|à\s+partir\s+de\s+maintenant
 |désormais|dorénavant|au\s+lieu\s+d|plutôt\s+que|au\s+(?:moins|plus|maximum|minimum)|sans\s+\w+[eio](?:r|re)\b
 |laisse[zr]?\b.{1,80}\b(?:tel|intact|comme)|garde[zr]?|conserve[zr]?|pas\s+de\s+\w+|aucune?|préfère|je\s+(?:veux|voudrais)\s+que)\b
"""
_RUSSIAN = r"""
 \b(?:не\s+(?:надо|нужно|должн\w*|следует|\w+(?:[йиь]|йте|ите|ьте))\b|никогда|всегда|нельзя|запрещ\w+|обязательно|обязан\w*|должн\w+
 |нужно|надо|необходимо|только|лишь|исключительно|избега\w+|убедись|убедитесь|следи(?:те)?|отныне|впредь|теперь
 |с\s+этого\s+момента|вместо|ни\s+в\s+коем\s+случае|не\s+(?:более|менее|больше|меньше)|как\s+минимум|максимум|минимум
 |остав(?:ь|ьте|ляй|ляйте)|без\s+\w+|спроси\w*|сначала\s+спр\w+|предпочитаю|хочу,?\s+чтобы)\b
"""
_PORTUGUESE = r"""
 \b(?:nunca|jamais|sempre|dev(?:e|em|es|emos|erá)|não\s+(?:[aoe]s?\s+|se\s+|me\s+)?(?:deve|pode|é\s+(?:para|permitido)|quero|precisa
 |(?:mex|faç|sub|escrev|remov|inclu|exclu|corrij|insir|abr)a[ms]?\b|(?!existe\b|quer\b|este\b|esse\b)\w+(?:e|em|es))|é\s+(?:proibid[oa]|obrigatóri[oa])|proibid[oa]s?|obrigatóri[oa]s?|evit(?:e|a|ar|em)
 |apenas|somente|só|unicamente|certifique|garanta|lembre|a\s+partir\s+de\s+(?:agora|hoje)|de\s+agora\s+em\s+diante
 |daqui\s+(?:para|pra)\s+(?:a\s+)?frente|em\s+vez\s+de|ao\s+invés\s+de|no\s+(?:máximo|mínimo)|pelo\s+menos|mantenha\w*|mantém
 |deixe\b.{1,80}\b(?:como\s+está|intact\w+)|tem\s+que|têm\s+que|sem\s+\w+(?:ar|er|ir)|prefiro|quero\s+que|preciso\s+que)\b
"""
_JAPANESE = r"""
 ないで|しない(?:こと|ように)?|ません?こと|禁止|いけ(?:ない|ません)|なら(?:ない|ず)|(?:ダメ|だめ)|べき|べからず|必ず|絶対に?|常に|いつも|のみ
 |だけ(?:を|に|で|が|使|は|変)|なければ|これから|今後|以降|今から|代わり|避け|守って|ように(?:して|する|お願い)|こと[。.]|触らな|優先
 |以内|以上|以下|最大|最低|少なくとも|事前に|前に.{0,12}(?:確認|聞|尋|実行)|で(?:書|答|回答|統一)|統一|保っ|維持|そのまま
"""
_KOREAN = r"""
 지\s*마|지\s*말|말\s*것|말아|금지|절대|항상|언제나|반드시|꼭|만\s*(?:사용|써|쓰|수정|변경|작성|편집)|야\s*(?:합니다|해|한다|함|됩니다|돼)
 |지\s*않(?:도록|아야|게)|안\s*(?:됩니다|돼|된다|되요)|이제부터|앞으로|지금부터|대신|피하|피해|유지|최대|최소|이상|이하|우선
 |먼저\s*.{0,20}(?:물어|확인)|도록\s*(?:하|해)|없이|전에\s*.{0,20}(?:물어|실행|확인)|로만|그대로
"""
_ENGLISH_DIRECT = r"""
 (?:^|[\n;:(—–]|[,.]\s|(?<![*\w])[-*•]\s|\b(?:and|but|then|so|please|also|you|we|i)\s)[\s*_"'`]*(?:do\s+not|don['’]?t|dont|avoid|refrain
 |make\s+sure|be\s+(?:sure|careful)|stick\s+(?:to|with)|leave|keep)\b
 |(?:^|[\n;:]|(?<![*\w])[-*•]\s|\b(?:please|but)\s)[\s*_"'`]*(?:never|always|only|stop|no\s+(?:more|longer|need|new|changes?)|prefer(?:ably)?
 |ensure|remember|whenever|before|after|at\s+(?:most|least)|use\b.{1,80}\binstead)\b
 |\band\s+never\s+(?!(?:got|had|did|been|was|went)\b|\w+(?:s|ed)\b)\w+
 |\b(?:you|we|agents?|workers?)\s+(?:must|should|shall|have\s+to|need\s+to|may|can(?:not|['’]t|\s+only)|are\s+(?:not|only))\b
 |\b(?:must(?:\s+not|n['’]?t)?|should\s+(?:not|never|only|always)|shouldn['’]?t|shall|may\s+not|please|from\s+now\s+on
 |going\s+forward|under\s+no\s+circumstances|forbidden|prohibited|not\s+(?:be\s+)?allowed|hands\s+off|off[- ]limits
 |i\s+(?:want|need|expect|insist|prefer))\b
"""
_DEMANDS = re.compile(
    f"(?ix){_ENGLISH}|{_VIETNAMESE}|{_CHINESE}|{_SPANISH}|{_GERMAN}|{_FRENCH}|{_RUSSIAN}|{_PORTUGUESE}|{_JAPANESE}|{_KOREAN}"
)
_ASCII_DEMANDS = re.compile(  # all that can be in a text of ASCII, found in a third of the time
    f"(?aix){_ENGLISH}|{_VIETNAMESE}|{_SPANISH}|{_GERMAN}|{_FRENCH}|{_PORTUGUESE}"
)
DIRECT = re.compile(f"(?ix){_ENGLISH_DIRECT}")  # what a pasted English text asks of its reader; the rest of it reports
_UNSAID = re.compile(  # these say what is, or what one thinks, not what ought to be
    r"(?i)\b(?:i|we|they|you)\s+(?:do\s+not|don['’]?t|dont)\s+(?:know|think|see|understand|remember|believe|get|have(?!\s+to))\b"
    r"|\bi\s+(?:do\s+not|don['’]?t|dont)\s+(?!(?:want|need|like|allow|accept|expect|wish|ever)\b)\w+"
    r"|\b(?:i|we)\s+(?:currently|already|still|usually)\s+(?:do\s+not|don['’]?t)\s+\w+"
    r"|\bi\s+(?:do\s+not|don['’]?t|dont)\s+(?:really\s+)?(?:th?in?k|like\s+how|recall|mind|care|notice|follow|feel|agree|trust)\b"
    r"|(?<!must )(?<!should )(?<!shall )(?<!may )(?<!you )(?<!we )"
    r"\bnever\s+(?:\w{2,}(?<!e)(?<!mb)(?<!sh)ed|\w{3,}(?<![suio'])s)\b(?!\s+\w+ed\b)"
    r"|\b(?:is|are|was|were|has|have|had|been|gets?|got|\b(?!you\b|we\b)\w+\s+can)\s+never\s+(?!to\b)\w+"
    r"|\b(?:they|these|those|(?:the|our|both|all|some|most|other)\s+(?:\w+\s+){0,2}\w+s)\s+(?:do\s+not|don['’]?t)\s+\w+"
    r"|\b(?:had|has|is|are|was|were|there['’]s|got|found|saw|gives?|shows?|prints?|says?|makes|made|does|did)"
    r"\s+no\s+(?!need|longer|more\b)\w+"
    r"|\bno\s+\w+\s+(?:created|found|returned|shown|printed|sent)\b|\bdoes(?:n['’]t|\s+not)\s+(?:require|need)\b"
    r"|\b(?:i|we|they|it)\s+(?:do(?:es)?\s+not|do(?:es)?n['’]?t)\s+(?:always|necessarily|really)\b"
    r"|\bshould(?:n['’]t|\s+not)?\s+(?:mean|matter|suffice|help(?:\s+(?:to\s+|with\s+)?(?:make|making|ensur)\w*[^.;\n]*)?)\b"
    r"|\((?:e\.g|i\.e|z\.\s?b|p\.\s?ex|p\.\s?ej|например|ví dụ)\b[^()\n]*\)"
    r"|(?<!need )(?<!want )(?<!have )(?<!try )(?<!sure )(?<!careful )(?<!remember )(?<!supposed )(?<!required )"
    r"(?<!you )(?<!us )\bto\s+(?:avoid|ensure)\b|\bshould\b[^.;:\n]{0,60}\balready\b"
    r"|\b(?:not|if|the)\s+only\b|\bonly\s+(?:then|if\s+you\s+want)\b|\b(?:it|this|that|he|she|they"
    r"|which)\s+(?:never|only)\b"
    r"|\b(?:geht|funktioniert|klappt|ist|sind|wei(?:ß|ss)|verstehe|habe?|hat|war|sehe"
    r"|kenne)\s+(?:\w+\s+){0,3}(?:nicht|kein\w*)\b"
    r"|\b(?:ne\s+(?:sais|marche|fonctionne|comprends|vois|trouve|peux|suis|sont)|n['’](?:est|a|ai|ont"
    r"|était))\s+(?:\w+\s+)?(?:pas|plus)\b(?!\s+besoin\b)"
    r"|\b(?<!note\s)(?<!note\showever\s)(?:when|if|because|since|where|that|which|once|as|so)"
    r"\s+(?:you|we|i|it|they)\s+(?:can(?:not|['’]t|\s+not)"
    r"|could(?:n['’]t|\s+not)|do(?:es)?(?:n['’]t|\s+not))\b"
    r"|\b(?:where|what|which|how|why|who|when)\s+(?:\w+\s+){1,6}?(?:should|must|shall|need|have)\b"
    r"|\bwe\s+should\s+(?:also\s+|then\s+)?(?:have\s+a\s+(?:look|talk|chat)|look|check|discuss|talk|think|see|start|spawn"
    r"|consider|review|investigate|try|find|figure|decide)\b"
    r"|\bshould\s+have\s+(?!(?:the|an?|no|one|two|its|their|our|only|at|same)\b)\w+|\bshould(?:n['’]t|\s+not)\s+be\s+\w+ing\b|\bit\s+should\s+be\s+possible\b"
    r"|\bno\s+longer\s+(?:(?:support|need|requir|us|maintain|reproduc)ed|useful|necessary|valid|relevant|works?|exists?|in\s+use"
    r"|appli(?:es|cable)|available|the\s+case)\b"
    r"|\byour\s+(?:thinking|reasoning)\s+(?:should|can|may)\b[^.;\n]*"
    r"|\bnot\s+(?:(?:so|too|that|half)\s+)?(?:bad|shabby)(?=\W*\Z|[.,;:!)]|\s+(?:at\s+all|but|though)\b)"
    r"|^\W*(?![^\n]*\b(?:please|should|must|wants?|always|never|use|do\s+not|don['’]?t)\b)"
    r"(?:(?:it|this|that|which)\s+(?!(?:needs|goes|belongs)\b)\w{2,}s"
    r"|the\s+(?:[\w.-]+\s+){1,3}?(?:uses|does|returns|shows|prints|calls|reads|writes|makes|gives|runs|says))\s"
    r"[^.;:\n]*?\b(?:instead\s+of|rather\s+than)\b"
    r"|\bremember\s+when\b|\bwhy\s+(?:do\s+not|don['’]?t)\b|\bif\s+(?:you|we|i)\s+(?:don['’]?t|do\s+not)\b|不能用了|是不是"
)
HARD = re.compile(  # what makes a demand even of a question
    r"(?i)\b(?:do\s+not|don['’]?t|never|must|without|avoid|always|make\s+sure|đừng|không\s+được"
    r"|niemals|nicht|jamais|никогда|нельзя|não|no\s+\w+(?:es|as)|nunca|siempre|sin)\b"
    r"|不要|不能|ないで|지\s*마|必须|必須|别(?!的|人)"
)
DATA = re.compile(  # a line of a log or of code, pasted
    r"\s*(?:(?:Failed|Unable)\s+to\s+[^\n:]{1,60}:\s"
    r"|at\s+\S+\s*\(|\w*(?:Error|Exception|Warning)\b:|\d{4}-\d\d-\d\d[T ]"
    r"|(?:[A-Z][a-z]{2}\s{1,2}\d{1,2}\s|\[)?\d\d:\d\d:\d\d[\]\s.,]|[{}\[<|➜+]|\$(?![a-z][\w-]*\s+[^\W\d_])|#(?!#+\s)"
    r"|(?:import|from(?!\s+(?:now|here|today|this)\b)|const|def|func|return)\s)"
    r"|[\w./\\-]{1,200}\.\w{1,5}:\d{1,6}(?::\d{1,6})?: "  # as compilers and tests name a place
    r"|[^\n]*(?:\\n|\{\"|\":)"
)
ASKS = re.compile(
    r"(?i)\s*(?:(?:why|what|where|who|which|how|when|did|does|is|are|was|were|have|has|should\s+(?:i|we)"
    r"|por\s+qué|qué|cómo|dónde|tại\s+sao)\b|为什么|為什麼|怎么)[^\n]*[?？]\s*$"
)
ASKS_UNMARKED = re.compile(  # questions as people type them, without their mark
    r"(?i)\s*(?:(?:ok|okay|so|and|also|hm+|wait)[,\s]+)*(?:why\s+(?:do|does|did|is|are|was|were|not|would|should|can|can['’]?t)"
    r"|what\s+(?:is|are|was|were|does|do|did|about|would)|where\s+(?:is|are|do|does|did)|who\s+(?:is|are|does)"
    r"|how\s+(?:do|does|did|is|are|come|can|would)|should\s+(?:i|we)|do\s+we|does\s+\w+)\b(?:[^\n.!]|\.(?=\S))*$"
)
SUPPOSES = re.compile(  # a question about what is so, in whose words something is denied
    r"(?i)\W*(?:(?:so|and|but|then|hm+|ok|okay|wait|oh|also)[,\s]+)*"
    r"(?:i(?:['’]m)?\b(?!\s+(?:want|need|prefer|insist|(?:do\s+not|don['’]?t)\s+want)\b)|if|without(?!\s+\w+ing\b[^\n]*\b(?:can|could|would|will)\s+(?:you|we)\b)|there|they|he|she|(?:are|is|was|were|did|does|would|wo)n['’]?t"
    r"|(?:don|can)['’]?t\s+(?:we|you|they|i))\b(?![^\n]*\b(?:must|please|(?<!to )make\s+sure)\b|[^\n]*\bok(?:ay)?\W*\Z)"
)
WONDERS = re.compile(  # a case that is only thought through, or something to think about
    r"(?i)\W*(?:(?:but|and|so|also|now|still|just|hm+|ok(?:ay)?|i(?:['’]m|\s+(?:am|was))?)[,\s]+)*"
    r"(?:wondering|what\s+if|imagine|suppos(?:e|ing)|let['’]?s\s+say|consider\s+\w+ing|(?:i\s+)?might\s+be\s+wrong"
    r"|guess)\b(?![^\n]*\b(?:must|please|never|always)\b)"
    r"|\W*just\s+to\s+(?:be\s+sure|confirm|clarify|check|double-check),\s+(?!(?:please|never|always|only|do|don['’]t|you)\b)"
)
PRAISES = re.compile(  # what something would be good for
    r"(?i)(?<!\bi )(?<!\bwe )\bwould\s+(?:also\s+)?(?:make|ensure|help|eliminate|improve|simplify|allow|prevent"
    r"|be\s+(?:more|better|easier|clearer|cleaner|safer|nicer))\b"
)
STANDING = re.compile(
    r"(?i)\b(?:always|never|from\s+now\s+on|going\s+forward|whenever|every\s+time|any\s?time|at\s+all\s+times"
    r"|(?:not|n['’]?t)\s+(?:\w+\s+)?ever|in\s+general|each\s+time"
    r"|under\s+no\s+circumstances|all\s+(?:future|the\s+time)|until\s+i|luôn|không\s+bao\s+giờ|từ\s+(?:nay|giờ)"
    r"|mỗi\s+(?:khi|lần)|tuyệt\s+đối"
    r"|immer|nie|niemals|stets|grundsätzlich|ab\s+(?:jetzt|sofort)|von\s+nun\s+an|künftig|keinesfalls"
    r"|auf\s+keinen\s+fall"
    r"|toujours|jamais|désormais|dorénavant|à\s+partir\s+de\s+maintenant|chaque\s+fois|en\s+aucun\s+cas"
    r"|всегда|никогда|отныне|впредь|каждый\s+раз|теперь|с\s+этого\s+момента|ни\s+в\s+коем\s+случае"
    r"|sempre|a\s+partir\s+de\s+agora|de\s+agora\s+em\s+diante|em\s+hipótese\s+alguma"
    r"|siempre|nunca|jam[aá]s|a\s+partir\s+de\s+ahora|cada\s+vez|en\s+ning[uú]n\s+caso)\b"
    r"|总是|總是|始终|始終|永远|永遠|以后|以後|今后|今後|从现在|從現在|每次|任何|一律|绝不|絕不|严禁|嚴禁"
    r"|常に|いつも|必ず|絶対|これから|今から|以降|毎回|決して|二度と|항상|언제나|절대|앞으로|이제부터|지금부터|매번|반드시"
)
_ASCII_UNSAID = re.compile(_UNSAID.pattern, re.ASCII)
_PUTS_OFF = re.compile(  # these drop a matter, or leave it for another time
    r"(?i)\bnever\s?mind\b|(?:\A|[.,;:!(–—-]\s*|\b(?:but|and|or|maybe|please)\s+)(?:maybe\s+)?not\s+(?:right\s+)?now\b"
    r"|\b(?:let['’]?s|(?:we|you)\s+can)\s+(?:just\s+)?leave\s+(?:it|this|that)"
    r"(?=\W*\Z|[.,;!]\s|\s+(?:for|until|till)\s+(?:now|later|tomorrow|another|next|the\s+next)\b)"
    r"|\b(?:let['’]?s\s+not|do\s+not|don['’]?t)\s+(?:do|bother\s+with|worry\s+about|look\s+(?:at|into))"
    r"\s+(?:it|this|that|them)\s+(?:right\s+)?now\b"
    r"|\b(?:i|we|you|let['’]?s)(?:['’]ll)?\s+(?:(?!(?:not|never)\b)\w+\s+){1,4}(?:it|this|that|them)\s+"
    r"(?:later|next\s+time|(?:another|some\s+other)\s+(?:time|day))\b(?=\W*\Z|[.,;!]\s)"
    r"|\bnicht\s+jetzt\b|以后再说|以後再說"
)


@memoize_texts(4_096)  # a sentence is asked about for itself and as part of its request
def has_demand(text: str) -> bool:
    """Whether words of a text forbid or demand."""
    is_found = (_ASCII_DEMANDS if text.isascii() else _DEMANDS).search(text) is not None
    return is_found or is_habit(text) or is_leaving(text) or is_refusal(text) or is_settled(text)


def strip_unsaid(text: str) -> str:
    """Blank what only says how things are, or what one thinks."""
    return (_ASCII_UNSAID if text.isascii() else _UNSAID).sub(" ", text)


def strip_put_off(text: str) -> str:
    """Blank the words that drop a matter or put it off: they forbid nothing."""
    return _PUTS_OFF.sub(" ", text)


@memoize_texts(4_096)  # of a text its parts are asked about, too
def is_demand(sentence: str) -> bool:
    """Return whether this sentence forbids or demands something."""
    if WONDERS.match(sentence) or PRAISES.search(sentence) or is_bare_retraction(sentence):
        return False
    text = strip_unsaid(unicodedata.normalize("NFC", sentence))
    left = strip_put_off(text)
    if is_question(text) or ASKS_UNMARKED.match(text):
        return bool(HARD.search(left)) and not (ASKS.match(text) or SUPPOSES.match(sentence))
    return bool(has_demand(left) or is_retraction(text) or has_choice(left)) and not DATA.match(text)


def is_standing(sentence: str) -> bool:
    """Return whether a sentence holds from now on, not for one request only: an order says what it is for as well."""
    text = QUOTED_WORD.sub(" ", strip_put_off(unicodedata.normalize("NFC", sentence)))
    return (hit := STANDING.search(text)) is not None and not is_order_for(text, hit.start())
