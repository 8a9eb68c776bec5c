"""The words by which a request gives its task, tells its reason, describes how to work, or says that work is done.

Rule: patterns only; a sentence or a heading is looked at alone. What becomes of it is decided in `briefs`.
"""

import re

SUMMARIZES = re.compile(
    r"(?i)^\W*(?:[\w ]{0,40}\b)?(?:issue|pr|pull request|problem|bug|task|feature|spec|plan)?[\s_]?"
    r"(?:issue|description|statement|summary|goals?|overview|motivation|objective|purpose|issue text)\W*$"
    r"|^\W*(?:observed|actual|current|expected|desired) (?:behaviou?r|results?|outputs?)\W*$"
)
CAPS = (  # what describes the machine says nothing of the task; how to work says less than what to do
    (
        re.compile(
            r"(?i)^\W*(?:(?:your|the|my) )?(?:versions?|environment(?: details| info\w*)?|compiler|system(?: info\w*)?"
            r"|dialect|platform|configuration|os|dependencies)\W*$"
            r"|^\W*(?:(?:important|useful|helpful|general|some|more) )*(?:tips|hints)\W*$"
            r"|\b(?:execution rules|response format|(?:for )?each response"
            r"|(?:useful |command |response ){1,2}examples?|examples? of an? (?:\w+ ){0,2}(?:response|answer)"
            r"|example_(?:response|answer))\b"
        ),
        0.0,
    ),
    (re.compile(r"(?i)\bonly (?:do (?:this|so|it) )?(?:if|when|where)\b|\bif (?:the user|you are) ask\w*\b"), 0.0),
    (re.compile(r"(?i)\bworkflow\b"), 0.4),
)
INSTRUCTS = re.compile(r"(?i)^\W*(?:task |your )?instructions\W*$")  # of a harness, behind the issue that it quotes
HANDS_IN = re.compile(
    r"(?i)^\W*step \d{1,2}\b|\bsubmi(?:t|ssion)\w*\b(?! commands)|\bpatch(?:\.txt| file)\b|\byour (?:task|goal|job)\b"
)
REPRODUCES = re.compile(r"(?i)\b(?:reproduc\w*|examples?|expected|minimal)\b")
RECIPE = re.compile(r"(?i)\breproduc\w*|\brepro\b|^\W*sequence\W*$")  # before the steps that show a defect
STEPS = re.compile(r"(?i)^(?!.*\breproduc).*\b(?:follow|these|the following) (?:\w+ ){0,2}(?:steps|instructions)\b")
FINISHES = re.compile(  # how the reader says that the work is done
    r"(?i)\b(?:when|once|after|if) you(?:['’]re| are|['’]ve| have)\b[^.!?\n]{0,100}"
    r"\b(?:submit|finish tool|hand (?:it|them) in)\b"
    r"|^\W*(?:\d{1,2}[.)]\s+)?(?:(?:to finish|finally),?\s[^.!?\n]{0,60}\bsubmit\b|submit (?:your|the|all)\b)"
)
NUMBERS = {"two": 2, "2": 2, "three": 3, "3": 3, "four": 4, "4": 4, "five": 5, "5": 5, "six": 6, "6": 6}
ANNOUNCES = re.compile(
    rf"(?i)\b({'|'.join(NUMBERS)})\s+(?:\w+\s+){{0,2}}"
    r"(?:issues|problems|bugs|causes|cases|reasons|things|parts|options|changes|requirements|steps|points|questions|tasks)"
    r"\b[^.!?]{0,60}[:：]\W*$"
)
MUSES = re.compile(r"(?i)\W*your (?:thinking|reasoning|response) (?:should|can|may)\b")
ASIDE = re.compile(
    r"(?i)\W*(?:(?:os|python|node|version|platform|environment|extra tools?|extensions?)\b[^.]{0,60}$|note\b|e\.g\."
    r"|for example|in (?:such|that|this) (?:a )?case\b"
    r"|you (?:can|could|may)\b|it['’]s (?:much|fine|ok)|if\b|tip\b|thanks|hi\b|hello\b)"
)
TASK = re.compile(
    r"(?i)\b(?:(?:your|the|our|my) (?:task|goal|job|aim|objective|mission)\b"
    r"|you(?:['’]ll| will| are going to|['’]re going to)\b"
    r"|(?:i|we)(?:['’]d)? (?:want|would like|like you|need you)\b|we need to\b|(?:please|can you|could you)\b"
    r"|acceptance|criteri\w+|deliverables?"
    r"|expect(?:ed|s|ation)?\b|in order to\b|should (?:have|be|give|return|print|show|work|use|fail|also)\b"
    r"|aufgabe|ziel|soll(?:te)?\b|objectif|but est|objetivo|tarea|tarefa|задача|цель|nhiệm vụ|mục tiêu)\b"
    r"|目标|任务|需求|应该|期望|目的|してください|目标是|해\s*주세요"
)
GIVES_TASK = re.compile(
    r"(?i)\b(?:your (?:task|goal|job)\b|please\b|(?:can|could) you\b|you(?:['’]re| are) going to\b"
    r"|we need (?:you )?to\b|(?:i|we)(?:['’]d)? (?:want|would like|like|need) (?:you\b|to\b))"
)
TELLS = re.compile(
    r"(?i)^\W*(?:\d{1,2}[.)]\s+)?(?:add|build|change|clean|convert|create|delete|drop"
    r"|establish|connect|run|preserve|extend|find|fix|implement|improve|introduce|make|merge|migrate|move|optimi[sz]e|port|reduce|refactor|remove|rename|replace|resolve|rewrite|split|support|switch|update|use|write)\b"
    r"|\b(?:problem|bug|because|fails?|failing|broken|wrong|regression|crash\w*|caus(?:e[sd]?|ing)|unexpected\w*"
    r"|incorrect\w*|instead of)\b|\b(?:it|this|that) (?:looks like|seems|appears)\b"
)
REPORTS = re.compile(  # a line that announces an error, which stands quoted behind it
    r"(?i)\b(?:error|warning|exception|message|crash|panic|trace|failure|fehler(?:meldung)?|erreur|ошибк\w*|lỗi)s?\b"
    r"|\b(?:fails?|failed|failing|crash(?:es|ed))\b|错误|報錯|报错|エラー|오류"
)
REPORTED = re.compile(r"(?i)(?<![\w-])(?:\w*(?:error|exception|warning)|fail(?:ed|ure|s)?|fatal|panic|conflict)\b")
FRAME = re.compile(  # a word of sentences that would fit any task
    r"(?i)(?:a|all|an|and|any|approach|are|as|be|below|by|can|carefully|change|changes|code|codebase|"
    r"completely|continue|could|described|description|directory|do|ensure|express|files|fix|following|for|given|go|going|"
    r"have|help|i|implement|in|instructions|is|issue|it|ll|make|me|met|minimal|must|my|necessary|"
    r"need|needed|next|non|now|of|on|or|our|own|please|pr|problem|proceed|project|provided|re|"
    r"repo|repository|request|required|requirements|resolve|satisfied|so|solution|solve|specified|"
    r"start|step|suitable|task|tests|that|the|then|there|these|things|think|this|to|us|want|we|what|"
    r"whatever|will|work|working|workspace|would|you|your)"
)
