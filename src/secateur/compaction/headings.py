"""A summarizer's text read into sections, in whatever form its headings have.

Rule: the form that most headings share (Markdown, bold, numbered, `Label: text`, XML tags) is the form of the text;
names are matched by a table and then by the words they hold, in several languages. Where none of these is found, lines
that are a name of the table and nothing but marks are headings. Text before the first heading is dropped, a heading
that nothing is known about opens a section of findings. Nothing here judges.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from msgspec import Struct

from secateur.compaction.summary import Sections, is_void, parse_sections
from secateur.compaction.template import list_headings

FEWEST_LABELS = 2  # sections that bold, numbered and plain labels have to name before they count as headings
STATE_SECTIONS = frozenset({"discoveries", "accomplished", "files", "questions", "next", "decisions", "resolved"})

_Form = Literal["hash", "tag", "bold", "number", "label", "alone"]


class Heading(Struct, frozen=True):
    """A heading, the section that it opens, and the text beside it on its line."""

    id: str
    text: str = ""
    level: int = 0
    label: str = ""  # its own words


def parse_answer(text: str) -> Sections:
    """Parse the lines under each heading by section ID, in whatever form the headings are; {} without headings."""
    body = extract_body(text)
    named = list_headings()
    form = _detect_form(body, named)
    if form is None:
        return parse_sections(body)
    found: dict[str, list[str]] = {}
    for heading, line in _iterate_lines(body, form, named):
        lines = found.setdefault(heading.id, [])
        lines += [line] if line else []
    return {id: tuple(lines) for id, lines in found.items()}


def read_labels(text: str) -> dict[str, str]:
    """Return the words of the heading above each line: `Not done` above a task says that it is not done."""
    body = extract_body(text)
    named = list_headings()
    form = _detect_form(body, named)
    return {line: heading.label for heading, line in _iterate_lines(body, form, named) if line} if form else {}


def _iterate_lines(body: str, form: _Form, named: Mapping[str, str]) -> Iterator[tuple[Heading, str]]:
    """Yield each line with the heading above it; a heading itself with an empty line, or the text beside it."""
    here: Heading | None = None
    level = 0
    for line in body.splitlines():
        heading = _read_heading(line, form, named)
        if heading and not (here is not None and heading.level > level and _is_stage(line)):
            here, level = heading, heading.level or level
            yield here, ""
            line = heading.text
        elif form == "tag" and _CLOSING.match(line):
            continue
        elif form == "hash" and _TITLE.match(line):
            here = None
        if here is not None and line.strip() and not is_void(line):
            yield here, _CLOSING_END.sub("", line).rstrip() if form == "tag" else line.rstrip()


def name_section(label: str, named: Mapping[str, str]) -> str | None:
    """Return the section a heading's words stand for."""
    plain = re.sub(r"[_\s]+", " ", _DECORATION.sub("", label)).strip(" :*#").lower()
    plain = re.sub(r"\s*\(.*\)$", "", plain)
    if not plain or len(plain) > _LONGEST:
        return None
    known = named.get(plain) or named.get(plain.split(": ")[0])
    if known:
        return known
    return next((id for id, pattern in _BY_WORD if pattern.search(plain)), None)


_LONGEST = 60  # characters of a heading
_DECORATION = re.compile(r"^(?:\W|\d+[.)])+|\W+$")
_HASH = re.compile(r"^\s{0,3}(?P<mark>#{1,4})\s+(?P<name>[^\n]+?)\s*#*\s*$")
_BOLD = re.compile(
    r"^\s{0,3}(?:[-*•]\s+|\d{1,2}[.)]\s+)?\*\*(?:\d{1,2}[.)]\s+)?(?P<name>[^*\n]{1,60}?)"
    r"(?:[:.]\*\*|\*\*\s*[:：]|\*\*\s*$|：\*\*)\s*(?P<text>.*)$"
)
_PARAGRAPH = re.compile(r"^\s{0,3}\*\*[^*\n]{1,40}\.\*\*")  # a bold beginning of a paragraph: `**Where we are.**`
_NUMBER = re.compile(
    r"^\s{0,3}\d{1,2}[.)]\s+(?:\*\*)?(?P<name>[^*:：\n.]{2,50}?)(?:\*\*)?(?::(?=\s|\*|$)|：)(?:\*\*)?(?:\s*(?P<text>.*))?$"
)
_LABEL = re.compile(r"^(?P<name>[^\W\d_][^:：\n.,;|`(\"'=/]{1,40})\s*(?:\([^)\n]*\)\s*)?[:：](?:\s*(?P<text>.*))?$")
_TAG = re.compile(r"^\s{0,12}<(?P<name>[A-Za-z][\w-]{2,40})>\s*(?P<text>.*)$")
_CLOSING = re.compile(r"^\s*</[\w-]+>\s*$")
_CLOSING_END = re.compile(r"\s*</[\w-]+>\s*$")
_TITLE = re.compile(r"^\s{0,3}#\s")
_FORMS: tuple[tuple[_Form, re.Pattern[str]], ...] = (
    ("hash", _HASH),
    ("tag", _TAG),
    ("bold", _BOLD),
    ("number", _NUMBER),
    ("label", _LABEL),
)
_ALONE = re.compile(r"^\W*(?:\d{1,2}[.)]\s*)?(?P<name>[^\W\d_][^:：\n.,;|`]{1,40}?)\W*$")
_PATTERNS: dict[_Form, re.Pattern[str]] = {**dict(_FORMS), "alone": _ALONE}
_STAGE = re.compile(
    r"(?i)\W*(?:done|in progress|blocked|completed|active|pending|todo|erledigt|in arbeit|blockiert)\W*"
)
_ROOT = re.compile(r"<(summary|state_snapshot|context_summary|handoff|compaction)>\s*(.*?)\s*(?:</\1>|\Z)", re.S | re.I)
_FENCED = re.compile(r"\A\s*```(?:markdown|md|xml|text)?\s*\n(.*?)\n```\s*\Z", re.S)
_BY_WORD: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (id, re.compile(rf"(?i)\b(?:{words})|{unspaced}" if unspaced else rf"(?i)\b(?:{words})"))
    for id, words, unspaced in (
        (
            "questions",
            r"(?:open|unanswered|unresolved|pending) (?:question|issue)|question|blocked|blocker|waiting|unresolved"
            r"|offene frage|rückfrage|pregunta|pergunta|câu hỏi|вопрос",
            "问题|問題点|質問|질문|疑问",
        ),
        (
            "constraints",
            r"constraint|rules?\b|restriction|prohibit|must not|do not|don't|never|limits?\b|guardrail|boundar"
            r"|regel|vorgabe|einschränk|restric|regla|regra|contrainte|règle|ràng buộc|quy tắc|ограничен|правил",
            "约束|限制|规则|規則|制約|ルール|제약|규칙",
        ),
        (
            "instructions",
            r"instruction|preference|user messages|convention|guideline|anweisung|wünsche|instruc|consigne|préférence"
            r"|chỉ dẫn|yêu cầu thêm|указани|предпочт",
            "指示|偏好|要求事项|지시|선호",
        ),
        (
            "next",
            r"next|not (?:yet )?(?:done|made|finished|completed?|started|tested|run)\b|undone|unfinished|missing"
            r"|noch nicht|fehlt|manque"
            r"|to-?dos?\b|remaining|remains|left to|pending|outstanding|still to|plan\b|upcoming|follow-?up"
            r"|in progress"
            r"|open (?:task|item|work|point)|open\b|nächst|offen\w*\b|ausstehend|próxim|pendient|pendent|siguiente"
            r"|suivant|prochain|reste|à faire|tiếp theo|còn lại|следующ|осталось|дальше|план",
            "下一步|待办|待办事项|剩余|次の|残り|次にやる|다음|남은|할 일|計画|计划",
        ),
        (
            "goal",
            r"goals?\b|objective|intent|request|aim\b|mission|purpose|task\b|assignment|asked|what the user"
            r"|user wants"
            r"|problem statement|ziel|aufgabe|auftrag|objetivo|tarea|tarefa|pedido|petición|objectif|tâche|demande"
            r"|mục tiêu|nhiệm vụ|yêu cầu|цель|задача|запрос",
            "目标|任务|目的|目標|依頼|목표|요청|需求|課題",
        ),
        (
            "files",
            r"files?\b|paths?\b|artifacts?\b|file system|modified\b|dateien|archivos|arquivos|fichiers|tệp|tập tin"
            r"|файл",
            "文件|ファイル|파일",
        ),
        ("decisions", r"decision|entscheidung|decisi[oó]n|decis|décision|quyết định|решени", "决定|決定|결정"),
        (
            "accomplished",
            r"accomplish|done\b|complete|progress|actions?\b|work so far|current (?:work|state|status)|status|state\b"
            r"|changes?\b|changed\b|implemented|finished|result|history|verified|erledigt|stand\b|bisher|fortschritt"
            r"|geändert|hecho|completad|progreso|avance|estado|feito|concluíd|progresso|fait\b|terminé"
            r"|avancement|état"
            r"|đã (?:làm|hoàn)|tiến độ|trạng thái|сделано|выполнено|состояние|прогресс",
            "已完成|完成|进展|状态|進捗|状況|完了|완료|진행|상태|现状",
        ),
        (
            "discoveries",
            r"discover|finding|found\b|context|knowledge|learn|insight|notes?\b|errors?\b|fix(?:es)?\b"
            r"|problems?\b|root cause"
            r"|technical|concepts?\b|identifiers?\b|facts?\b|tools?\b|references?\b|details?\b|background"
            r"|environment|tried"
            r"|told the user|answered|erkenntnis|gefunden|ursache|fehler|hinweis|hallazgo|descob|contexto"
            r"|découvert|trouvé"
            r"|contexte|phát hiện|bối cảnh|выяснен|найдено|контекст|ошибк",
            "发现|背景|上下文|错误|原因|発見|判明|알아낸|발견|맥락|エラー|技术",
        ),
    )
)


def extract_body(text: str) -> str:
    """Return the summary out of the tag or the code block around it."""
    fenced = _FENCED.match(text)
    body = fenced.group(1) if fenced else text
    root = _ROOT.search(body)
    return root.group(2) if root and len(root.group(2)) > len(body) // 4 else body


def _detect_form(text: str, named: Mapping[str, str]) -> _Form | None:
    """Return the form that names the most sections; labels that name too few are none."""
    counts: dict[_Form, int] = {}
    lines = text.splitlines()
    for form, _ in _FORMS:
        ids = {heading.id for line in lines if (heading := _read_heading(line, form, named, knows_all=False))}
        if len(ids) >= (1 if form in ("hash", "tag") else FEWEST_LABELS):
            counts[form] = len(ids)
    if not counts and len({one.id for line in lines if (one := _read_heading(line, "alone", named))}) >= FEWEST_LABELS:
        return "alone"
    if not counts and any((found := _HASH.match(line)) and len(found["mark"]) == 2 for line in lines):
        return "hash"  # all of its headings are the writer's own
    return max(counts, key=lambda form: counts[form], default=None)


def _read_heading(line: str, form: _Form, named: Mapping[str, str], *, knows_all: bool = True) -> Heading | None:
    match = _PATTERNS[form].match(line)
    if match is None:
        return None
    label = match["name"]
    id = named.get(label.lower()) if form == "alone" else name_section(label, named)
    groups = match.groupdict()
    level = len(groups.get("mark") or "")
    if id is None and knows_all and (form == "tag" or level == 2 or (form == "bold" and _PARAGRAPH.match(line))):
        id = "discoveries"
    return Heading(id, (groups.get("text") or "").strip(), level, label.strip(" :*")) if id else None


def _is_stage(line: str) -> bool:
    """Whether a heading names a stage of the work ("### Done") of the section around it."""
    return _STAGE.fullmatch(line) is not None
