"""The headings of a summary: ours, localised, and those that other systems give theirs.

Rule: section ids are stable, whatever the headings say; what a template has no heading for has a home under another of
its headings, so that nothing is left out. Nothing here reads or writes a summary.
"""

from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

# Goal · Instructions · Constraints · Discoveries · Accomplished · Relevant files · Open questions · Next steps
SECTIONS = ("goal", "instructions", "constraints", "discoveries", "accomplished", "files", "questions", "next")
# What is true now replaces what was true; everything else is added to.
STATES = frozenset({"goal", "next"})
DEMANDING = ("constraints", "instructions")  # whose lines restate demands of the user
FORMERLY = "- as of an earlier summary: "  # begins a line of prose that an earlier summary had


class Section(Struct, frozen=True):
    """One heading. `hint` tells a model what belongs under it."""

    id: str
    heading: str
    hint: str


class Template(Struct, frozen=True):
    """A summary's headings in order; `homes` says where the sections go that have none of their own."""

    name: str
    sections: tuple[Section, ...]
    homes: dict[str, str] = {}
    shows_empty: bool = True  # whether a heading stands with nothing under it

    def get_home(self, section: str) -> str:
        """Return the section of this template that takes that section's lines."""
        return self.homes.get(section, section)

    @property
    def ids(self) -> tuple[str, ...]:
        """Its sections, in order."""
        return tuple(section.id for section in self.sections)


def get_template(name: str, language: str = "en") -> Template:
    """Return the template of that name; ours with the headings of that language, if available."""
    if name != OURS.name:
        return TEMPLATES[name]
    words = _HEADINGS.get(language, _HEADINGS["en"])
    sections = zip(OURS.sections, words, strict=True)
    return replace(OURS, sections=tuple(Section(one.id, word, one.hint) for one, word in sections))


def list_headings() -> dict[str, str]:
    """Return every heading of every template and language, in lower case, with its section's ID."""
    named = {one.heading.lower(): one.id for made in TEMPLATES.values() for one in made.sections}
    for words in _HEADINGS.values():
        named |= {word.lower(): id for word, id in zip(words, SECTIONS, strict=True)}
    return {**_HOST_HEADINGS, **named}


def _make_template(name: str, homes: dict[str, str], *rows: tuple[str, str, str]) -> Template:
    return Template(name, tuple(Section(*row) for row in rows), homes)


_HEADINGS: MappingProxyType[str, tuple[str, ...]] = MappingProxyType(
    {
        "en": (
            *("Goal", "Instructions", "Constraints", "Discoveries"),
            *("Accomplished", "Relevant files", "Open questions", "Next steps"),
        ),
        "vi": (
            *("Mục tiêu", "Chỉ dẫn", "Ràng buộc", "Phát hiện"),
            *("Đã hoàn thành", "Tệp liên quan", "Câu hỏi còn mở", "Bước tiếp theo"),
        ),
        "zh": ("目标", "指示", "约束", "发现", "已完成", "相关文件", "未决问题", "下一步"),
        "es": (
            *("Objetivo", "Instrucciones", "Restricciones", "Hallazgos"),
            *("Completado", "Archivos relevantes", "Preguntas abiertas", "Próximos pasos"),
        ),
        "pt": (
            *("Meta", "Instruções", "Restrições", "Descobertas"),
            *("Concluído", "Arquivos relevantes", "Perguntas em aberto", "Próximos passos"),
        ),
        "fr": (
            *("Objectif", "Consignes", "Contraintes", "Découvertes"),
            *("Accompli", "Fichiers concernés", "Questions ouvertes", "Étapes suivantes"),
        ),
        "de": (
            *("Ziel", "Anweisungen", "Einschränkungen", "Erkenntnisse"),
            *("Erledigt", "Wichtige Dateien", "Offene Fragen", "Nächste Schritte"),
        ),
        "ja": (
            "目的",
            "指示事項",
            "制約",
            "判明したこと",
            "完了したこと",
            "関連ファイル",
            "未解決の質問",
            "次のステップ",
        ),
        "ko": ("목표", "지시 사항", "제약", "알아낸 것", "완료한 일", "관련 파일", "미해결 질문", "다음 단계"),
        "ru": (
            *("Цель", "Указания", "Ограничения", "Что выяснено"),
            *("Сделано", "Важные файлы", "Открытые вопросы", "Следующие шаги"),
        ),
    }
)

_HOST_HEADINGS = {  # of summaries that hosts write: Claude Code, Codex, Gemini CLI, Pi
    "primary request and intent": "goal",
    "overall goal": "goal",
    "task description": "goal",
    "task overview": "goal",
    "key technical concepts": "discoveries",
    "key knowledge": "discoveries",
    "key learnings": "discoveries",
    "key insights": "discoveries",
    "files and code sections": "files",
    "file system state": "files",
    "errors and fixes": "discoveries",
    "problem solving": "discoveries",
    "all user messages": "instructions",
    "user constraints": "constraints",
    "active constraints": "constraints",
    "user preferences": "constraints",
    "completed work": "accomplished",
    "work completed": "accomplished",
    "recent actions": "accomplished",
    "current work": "accomplished",
    "current state": "accomplished",
    "current task": "next",
    "pending tasks": "next",
    "tasks": "next",
    "remaining tasks": "next",
    "current plan": "next",
    "optional next step": "next",
    "what remains": "next",
    "active task": "goal",
    "pending user asks": "questions",
    "open todos": "next",
    "constraints/rules": "constraints",
    "artifact trail": "files",
    "task state": "next",
    "exact identifiers": "discoveries",
    "completed actions": "accomplished",
}

_OURS = _make_template(
    "secateur",
    {},
    ("goal", "Goal", "what the user wants now, in one or two sentences"),
    ("instructions", "Instructions", "how the user wants it done: preferences, conventions"),
    ("constraints", "Constraints", "what must not or must be done; only what the user said"),
    ("discoveries", "Discoveries", "findings, decisions with their reason, what was tried and failed"),
    ("accomplished", "Accomplished", "what is done, in the past tense; what is half done"),
    ("files", "Relevant files", "paths that matter from here on, and why"),
    ("questions", "Open questions", "what nobody has answered yet, and who was asked"),
    ("next", "Next steps", "what remains, in order"),
)
OURS = replace(_OURS, shows_empty=False)

TEMPLATES: MappingProxyType[str, Template] = MappingProxyType(
    {
        one.name: one
        for one in (
            OURS,
            _make_template(  # opencode 1.17
                "opencode",
                {"instructions": "constraints", "questions": "next"},
                ("goal", "Goal", "one sentence"),
                ("constraints", "Constraints & Preferences", "what the user demands and prefers"),
                ("accomplished", "Progress", "done, in progress, blocked"),
                ("decisions", "Key Decisions", "each decision and why"),
                ("next", "Next Steps", "in order"),
                ("discoveries", "Critical Context", "facts, errors, open questions"),
                ("files", "Relevant Files", "each path and why"),
            ),
            _make_template(  # SEEDS 1.2
                "kilocode",
                {"constraints": "instructions", "questions": "discoveries", "next": "accomplished"},
                ("goal", "Goal", "what the user is trying to accomplish"),
                ("instructions", "Instructions", "standing instructions from the user"),
                ("discoveries", "Discoveries", "key findings, relevant code, data discovered"),
                ("accomplished", "Accomplished", "what has been completed so far, and what remains"),
                ("files", "Relevant files/directories", "files and paths that matter for the ongoing task"),
            ),
            _make_template(  # SEEDS 1.5
                "hermes",
                {"constraints": "instructions", "questions": "next"},
                ("goal", "Goal", "what the user is trying to accomplish"),
                ("instructions", "Standing Instructions", "persistent instructions or constraints from the user"),
                ("discoveries", "Key Discoveries", "important findings, relevant code, data, error messages"),
                ("accomplished", "Accomplished So Far", "what has been completed: files changed, commands run"),
                ("files", "Relevant Files & Paths", "all file paths, URLs and resources that matter"),
                ("next", "Next Steps", "what the agent was about to do"),
            ),
            _make_template(  # Pi's own; its file lists are below the headings, ours are part of the context
                "pi",
                {"instructions": "constraints", "files": "discoveries", "questions": "discoveries"},
                ("goal", "Goal", "what the user is trying to accomplish"),
                ("constraints", "Constraints & Preferences", "what the user demands and prefers"),
                ("accomplished", "Progress", "done, in progress, blocked"),
                ("decisions", "Key Decisions", "each decision and its rationale"),
                ("next", "Next Steps", "in order"),
                ("discoveries", "Critical Context", "data, examples and references needed to go on"),
            ),
            _make_template(
                "pi-auto-compressor",
                {"instructions": "constraints"},
                ("goal", "Goal", "what the user is trying to accomplish"),
                ("constraints", "Constraints & Preferences", "what the user demands and prefers"),
                ("accomplished", "Progress", "done, in progress, blocked"),
                ("decisions", "Key Decisions", "each decision and its rationale"),
                ("resolved", "Resolved Questions", "questions that were answered, with the answer"),
                ("questions", "Pending User Asks", "what the user asked for and has not got"),
                ("files", "Relevant Files", "each path and why"),
                ("next", "Remaining Work", "what is left to do"),
                ("discoveries", "Critical Context", "facts that would be costly to find again"),
                ("tools", "Tools & Patterns", "how the tools are used to good effect"),
            ),
        )
    }
)
