"""What the user pasted of logs and terminals, line by line.

Rule: a log is known by how its lines begin, what a terminal showed by the prompt before it. The command behind a prompt
and the user's words around it stay; of what was printed the ends stay, and no demand is looked for in it. Words below a
blank line, or enough of them for a sentence, may be the user's: they stay.
"""

import re
from collections.abc import Iterator, Sequence


def cut_pasted(text: str) -> str:
    """Return a text with only the ends of each run of lines that are of a log or of a screen, and a count."""
    lines = text.rstrip().split("\n")
    printed = frozenset(at for at in find_printed(lines) if not ADDED.search(lines[at]))
    is_told = ADDED.search(lines[-1]) is not None
    made: list[str] = []
    run: list[str] = []
    for at, line in enumerate((*lines, None)):
        is_last = at == len(lines) - 1 and is_told
        if line is not None and not is_last and (at in printed or _PASTED.match(line)):
            run.append(line)
            continue
        made += _shorten_run(run, is_log=at - 1 not in printed)
        run = []
        if line is not None:
            made.append(line)
    return "\n".join(made)


def is_pasted(text: str) -> bool:
    """Whether a text is of a log, of a terminal or of a test's report alone, without a word of the user's."""
    lines = [line for line in text.split("\n") if line.strip()]
    printed = frozenset(find_printed(lines))
    return bool(lines) and not any(
        ADDED.search(line) or not (at in printed or _is_of_screen(line)) for at, line in enumerate(lines)
    )


def is_shown(text: str) -> bool:
    """Whether a text only shows what a screen printed: pasted alone, or behind a brief line that leads to it."""
    if is_pasted(text):
        return True
    lead, _, shown = text.strip().partition("\n")
    lines = shown.split("\n")
    is_lead = len(lead) <= _LEAD_CHARS and lead.rstrip().endswith((":", "："))
    return is_lead and any(map(_is_of_screen, lines)) and not any(map(ADDED.search, lines))


def _is_of_screen(line: str) -> bool:
    return any(pattern.match(line) for pattern in (PROMPT, _PASTED, _REPORTS))


def _shorten_run(run: Sequence[str], is_log: bool) -> Iterator[str]:
    """Yield the first lines of a run and a count; of what a terminal printed the last ones, too."""
    first, last = (_LOG_LINES, 0) if is_log else (_PRINTED_LINES, _PRINTED_LINES)
    left = len(run) - first - last
    yield from run[:first] if left > 0 else run
    if left > 0:
        yield f"[{left} more lines]"
        yield from run[len(run) - last :]


def find_printed(lines: Sequence[str], is_strict: bool = False) -> Iterator[int]:
    """Yield the places of the lines that stand behind a prompt of a shell, up to the user's next words.

    `is_strict`: up to the next blank line.
    """
    is_printed = False
    for at, line in enumerate(lines):
        if PROMPT.search(line):
            is_printed = True
        elif is_strict and not line.strip():
            is_printed = False
        elif is_printed:
            yield at


_LEAD_CHARS = 60  # of the line before what a screen printed ("this is what I see:")
_LOG_LINES = 2  # of a run that are kept
_PRINTED_LINES = 3  # of what a terminal printed, at each end
PROMPT = re.compile(  # "me@host dir % ", "me@host:~/dir$ ", "➜  dir git:(main) ✗ "
    r"(?<![\w@.-])[\w.-]{1,40}@[\w.-]{1,60}(?:[: ]\s?[~\w./-]{0,80})?\s?[%$#](?=\s|\Z)"
    r"|^\s*[➜❯]\s+\S|^PS [A-Z]:\\[^>\n]{0,120}>"
)
_PASTED = re.compile(  # a line of a log, of a trace or of a screen
    r"\s*(?:(?:[A-Z][a-z]{2}\s{1,2}\d{1,2}\s|\d{4}-\d\d-\d\d[T ]|\[)?\d\d:\d\d:\d\d"
    r"|at\s+\S[^\n]*[:(]\d|\{\"|File \"[^\"]+\", line \d"
    r"|\[?(?:DEBUG|DEBU|INFO|WARN(?:ING)?|ERROR|TRACE)\b|[\u2500-\u257f]|[^\n]*[\u2500-\u257f]{4})"
)
_REPORTS = re.compile(  # a line by which a test or a compiler reports
    r"\s*(?:(?:===|---)\s+(?:RUN|NAME|PASS|FAIL|SKIP|CONT|PAUSE)\b|(?:FAIL|PASS|FAILED|PASSED|ok)\s"
    r"|[\w./\\-]{1,200}\.\w{1,5}:\d+|Traceback \(|\w*(?:Error|Exception)\b:)"
)
ADDED = re.compile(r"(?:(?<!\S)[^\W\d_]{1,20}(?:['’][a-z]{1,3})?,?[ ]){6}")  # the user's words behind a line of a log
