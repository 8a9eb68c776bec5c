"""Which lines of a project's file order how every change is made, in words without force: "Stage paths one by one".

Rule: an order, a ban of a kind of thing, or an order for a point of the work ("after code changes: ..."), and one that
bears on what is committed, checked, written or answered in any session. What a file tells of its project, of what its
functions are for and of its commands orders nothing.
"""

import re
from collections.abc import Iterable, Iterator

from secateur.compaction.ledger.user.force_words import CASE, strip_asides
from secateur.compaction.ledger.user.opposed_rules import has_push_demand
from secateur.memoizing import memoize_texts


def mark_instructions(lines: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield each line with whether it is an instruction, and none of a list for some case ("When closing issues:")."""
    is_case = False
    for line in lines:
        if line and not _BULLET.match(line):
            is_case = CASE.match(line) is not None and line.endswith((":", "："))
        yield line, not is_case and is_instruction(line)


def is_gate(text: str) -> bool:
    """Whether a rule says what else has to be done before work is committed, sent out or called complete."""
    said = strip_asides(text)
    return len(text.split()) >= _FEWEST_WORDS and _GATES.search(said) is not None and not has_push_demand(text)


@memoize_texts(4_096)
def is_instruction(text: str) -> bool:
    """Whether a line or bullet orders something of any change, or bans it, or says what comes before its end."""
    if is_gate(text):
        return True
    said = _OPENING.sub("", text.partition("\n")[0], 1)
    if _TELLS.search(said):
        return False
    return (_ORDERS.match(said) is not None and _BEARS.search(said) is not None) or _BANS.match(said) is not None


_FEWEST_WORDS = 5  # a shorter line is the heading of what has to be done
_BULLET = re.compile(r"\s*(?:[-*•+]|\d{1,2}[.)])\s+\S")
_OPENING = re.compile(  # the mark of a list, a name in bold, and the point of the work or a case that comes up in any
    r"(?i)\A\s*(?:(?:[-*•+]|\d{1,2}[.)])\s+)?(?:\*\*[^*\n]{1,60}\*\*\s*(?:[:–—-]\s*)?)?"
    r"(?:(?:before|after|on|at)\b[^.:;\n]{1,60}[:,]\s*|if\b[^.:;,\n]{1,40}\bfails?,\s*)?"
)
_GATES = re.compile(
    r"(?i)\bbefore (?:(?:you|every|each|any|the|a|an|saying|declaring|marking|opening|making|creating|doing)\W+){0,3}"
    r"(?:(?!(?:they|we|it|this)\b)[\w'’-]+\W+){0,4}?"
    r"(?:commit(?:s|ting)?|push(?:es|ing)?|merg(?:e|es|ing)|complet(?:e|ed|ing|ion)|done|finish(?:ed|ing)?"
    r"|PRs?|pull requests?|submit(?:ting)?|releas(?:e|es|ing)|ready\W+for\W+(?:review|merge))\b"
    r"|\b(?:not|n['’]t|never)\s+(?:considered\s+)?(?:complete|done|finished)\s+(?:until|unless|before)\b"
)
_VERBS = (
    r"use|run|keep|stage|start|begin|search|look\s+for|check|create|follow|update|put|write|add|fix|verify|open|push|rebase|squash"
    r"|prefer|ask|answer|respond|reply|include|avoid|rebuild|resolve|retry|commit(?!\s+(?:convention|message|format|style|guide)\w*\b|\s+\w+:)"
    r"|verwende|nutze|benutze|führe|halte|schreibe|prüfe|utilise[rz]?|exécute[rz]?|écri(?:s|vez|re)|garde[rz]?"
    r"|usa[r]?|ejecuta[r]?|escrib(?:e|ir)|mant[eé]n|execute|escreva|mantenha|используй\w*|запускай\w*|пиши\w*"
    r"|dùng|chạy|viết|giữ"
)
_ORDERS = re.compile(
    rf"(?i)\W{{0,3}}(?:please\s+|then\s+)?(?:{_VERBS})\b(?![:=])|(?:使用|运行|保持|编写|提交)|\W{{0,3}}`[^`\n]{{3,80}}`(?=\s*(?:\Z|\())"
)
_BEARS = re.compile(
    r"(?i)\bcommit(?:s|ted|ting)?\b(?!-)|\b(?:pull|merge)\s+requests?\b|\bPRs?\b|\b(?:stage|rebase|squash|changelog|retry)\b"
    r"|\b(?:lint\w*|typecheck\w*|type-check\w*|tests|formatter|answers|responses|replies|comments)\b"
    r"|`[^`\n]*\b(?:check|lint|test|verify|fmt|format|typecheck)\b(?![.(])[^`\n]*`"
    r"|\bbefore\s+(?:writing|creating|adding|changing|implementing)\s+(?:\w+\s+){0,2}code\b"
    r"|\bfor\s+(?:all|every|any)\b|\b(?:each|every|any)\s+(?:\w+\s+)?(?:change|edit|task|session|feature)\b"
    r"|\buse\s+`[a-z][a-z-]*`\s+(?:for|to|instead)\b|提交|测试|コミット|テスト|커밋|테스트|коммит\w*|тест\w*"
)
_BANS = re.compile(  # "No emojis in commits", "No `any` types unless they are needed"
    r"(?i)\Ano\s+(?!\w+\s+(?:is|are|was|were|has|have)\b|(?:need|longer|matter|one|changes|results?|files?)\b)[`\w]"
)
_TELLS = re.compile(
    r"(?i)\A\W*#|\bwhen\s+you\s+(?:want|need)\b|\bif\s+(?:needed|necessary|you\s+(?:want|need))\b|\b(?:e\.g\.|for\s+example)\s"
    r"|[?:]\s*\Z|\A\W*`[^`\n]+`\s*(?:[-–—:]|is\b)"
)
