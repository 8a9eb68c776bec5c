"""Turn the lines of a summary into claims that can be judged on their own.

A sentence often needs its surroundings: the heading above it (`Not done`), the columns of its table, the question that
it answers, or the sentence before it whose subject it calls `it`. Each of these is put into the text of the claim, so
that a rule sees all of it. Code and the output of tools are no claims.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from secateur.compaction.judge.claims import Claim, split_claims
from secateur.compaction.judge.lexicon import DENIES, build_pattern
from secateur.compaction.summary import Sections

CLAIM_CHARS, LINE_CHARS = 1_000, 4_000  # of a sentence and of a line that are judged
LONGEST_LABEL = 40  # characters of a heading that is put before its lines


def read_claims(sections: Sections, labels: Mapping[str, str]) -> tuple[Claim, ...]:
    """Read the sections of a summary, sentence by sentence. `labels`: the words of the heading above each line."""
    summary = "\n".join(line[:LINE_CHARS] for lines in sections.values() for _, line in _name_columns(lines))
    return tuple(
        Claim(text if _is_sentence(text) else f"{label}{text}", id, line[:LINE_CHARS], summary, raw, sentence)
        for id, lines in sections.items()
        for raw, line in _name_columns(_skip_code(lines))
        for label in (_get_label(labels.get(raw, "")),)
        for sentences in (tuple(one[:CLAIM_CHARS] for one in split_claims([line])),)
        for sentence, text in zip(sentences, _join_context(sentences), strict=True)
    )


def _get_label(label: str) -> str:
    """Return a heading that denies, forbids or dates what is below it, as the beginning of a sentence."""
    is_telling = len(label) <= LONGEST_LABEL and (DENIES.search(label) or _FORBIDDING.search(label))
    return f"{_MARKS.sub(' ', _DONTS.sub('do not', label))} " if is_telling or _DATING.match(label) else ""


_MARKS = re.compile(r"[,;:.()–—-]+")  # that would part a heading from what is below it
_DONTS = re.compile(r"(?i)\bdon['’]?ts\b")


def _is_sentence(text: str) -> bool:
    """Whether a text says by itself what is so: a fragment needs its heading for that."""
    return text.endswith("。") or (_FINITE.search(text) is not None and not text.casefold().startswith("that "))


_FINITE = build_pattern(
    r"was|were|is|are|has|have|had|did|does|must|may|will|ist|sind|war|waren|wurden?|hat|haben|est|sont|ont|été|es|son|está[n]?"
    r"|fue|fueron|han?|são|foi|foram|был[аои]?"
)
_FORBIDDING = build_pattern(
    r"don['’]?ts|forbidden|prohibited|banned|prohibitions?|taboos?|off[\s-]limits|out\s+of\s+(?:scope|bounds)|untouched|unknown"
    r"|withdrawn|rejected|discarded|dismissed|ignored|declined|ruled\s+out|excluded|verboten|tabu|verworfen"
    r"|interdit\w*|écartée?s?|prohibid[oa]s?|descartad[oa]s?|proibid[oa]s?|запре\w+",
    r"禁止|除外|却下|금지",
)
_DATING = re.compile(
    r"(?i)(?:before|previously|initially|earlier|at\s+(?:first|the\s+(?:start|beginning))|vorher|zuvor|anfangs|avant"
    r"|auparavant|antes|раньше|trước)\b|之前|以前|当初"
)


def _join_context(sentences: Sequence[str]) -> Iterator[str]:
    """Yield the sentences of a line, each with the question that it answers or the subject that it refers to."""
    asked = subject = ""
    for sentence in sentences:
        text, asked = (_answer(asked, sentence) if asked else sentence), ""
        if text.endswith("?") and len(text) <= LONGEST_QUESTION:
            asked = text
        text = _name_subject(text, subject)
        subject = _find_subject(text) or subject
        yield text


LONGEST_QUESTION = 120  # characters


def _answer(question: str, sentence: str) -> str:
    """Return the answer to a question as a statement: `Is it green? No.` says that it is not green."""
    answer = _YES_OR_NO.match(sentence)
    if answer is None:
        return sentence
    rest = sentence[answer.end() :].lstrip(" ,.;")
    said = _INVERTED.sub(lambda found: f"{found['subject']} {found['verb'].lower()} ", question.rstrip("? "))
    return f"{'not ' if answer['no'] else ''}{said}{', ' if rest else '.'}{rest}"


_YES_OR_NO = re.compile(
    r"(?i)\W*(?:(?P<no>no|not\s+yet|never|nein|noch\s+nicht|non|não|нет)|yes|ja|oui|sí|sim|да)\b(?!\s+\w)"
)
_INVERTED = re.compile(
    r"(?i)^(?P<verb>is|are|was|were|has|have|did|does|do|ist|sind|hat|wurden?)\s+"
    r"(?P<subject>(?:(?:the|an?|der|die|das|all|any)\s+)?\S+)\s+"
)


def _name_subject(sentence: str, subject: str) -> str:
    """Return a sentence with the subject of an earlier one in place of the pronoun that it begins with."""
    found = _PRONOUN.match(sentence) if subject else None
    return f"{subject} {sentence[found.end() :]}" if found else sentence


def _find_subject(sentence: str) -> str:
    """Return the words before the first verb of a sentence, unless they are a person that no `it` refers to."""
    found = _SUBJECT.match(sentence)
    return found["subject"] if found and not _PERSON.match(found["subject"]) else ""


_VERB = (
    r"(?:was|were|is|are|has|have|had|did|does|do|will|can|could|may|must|should|failed|fails|passed|passes|runs|ran"
    r"|stays?|remains?|needs?|takes?|took|lasts?|lasted|stands?|uses?|used|gives?|gave)"
)
_SUBJECT = re.compile(
    rf"(?P<subject>[^\W\d_](?:[^\s,;:.!?]|[.:](?=\S))*(?:\s+(?!{_VERB}\b)[^\s,;:!?]+){{0,7}}?)\s+{_VERB}\b"
)
_PRONOUN = re.compile(rf"(?:It|They)\s+(?=(?:(?:also|then|now|all|both|later)\s+)?{_VERB}\b)")
_PERSON = re.compile(
    r"(?i)(?:(?:the|my|our)\s+)?(?:users?|i|we|you|he|she|it|they|this|that|these|those|there|nobody|nothing|no)\b"
)


def _name_columns(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each line as written and as read: a row of a table as `row: column value, column value`."""
    columns: list[str] = []
    for line in lines:
        cells = [one.strip() for one in line.strip().strip("|").split("|")] if line.strip().startswith("|") else []
        if not cells:
            columns = []
            yield line, line
        elif not columns:
            columns = cells
        elif any(cell.strip("-: ") for cell in cells):
            pairs = zip(columns[1:], cells[1:], strict=False)
            yield line, f"{cells[0]}: " + ", ".join(f"{column} {cell}" for column, cell in pairs)


def _skip_code(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines that are no code and no output of a tool."""
    return (line for line in lines if not _CODE.search(line))


_CODE = re.compile(
    r"^\s*(?:[-*•]\s+)?(?:---|\+\+\+|@@|//|#include)|^\s*(?:const|let|var|func|def|class|return|import"
    r"|type)\s.*[=({:]|[{};]\s*$|^\s*\w+:\s+[\w\"']+,$"
)
