"""The user's own words in a message, and sentences of them.

Rule: only a message of role and origin "user" speaks for the user, and of it only its text parts; what hosts and tools
write into such messages between tags, what is fenced as code and what is quoted is not the user's demand. Text is
taken as it is; clipping falls between words, so that no name is cut into another.
"""

import re
from collections.abc import Iterator, Sequence

from secateur.memoizing import memoize_texts
from secateur.model import Message, Part
from secateur.redact import redact
from secateur.text.host_texts import is_nudge, strip_host_text
from secateur.tool_kinds import detect_tool_kind
from secateur.toolcalls.actions import clip_text, collapse_whitespace


def get_user_text(message: Message) -> str:
    """Return what the user wrote in this message; "" if the user did not write it."""
    if message.role != "user" or message.origin != "user":
        return ""
    texts = [part.text for part in message.parts if part.kind == "text" and not part.container_key]
    return "" if _is_shell_record(texts) else strip_host_text("\n".join(texts))


def get_rejection(message: Message) -> str:
    """Return what the user said in rejecting a call, which the host puts in place of its result; "" if nothing.

    Only of calls whose results no file, page or program writes: those that edit, that show a plan, or that ask.
    """
    parts = message.parts if message.role != "assistant" else ()
    for part in parts:
        found = _REJECTED.match(part.text) if part.kind == "tool_result" and part.is_error else None
        if found and (detect_tool_kind(part.tool, "") in ("edit", "plan") or _ASKING_TOOL.fullmatch(part.tool)):
            return "" if is_nudge(found[1]) or _CLARIFIES.match(found[1]) else strip_host_text(found[1])
    return ""


def describe_rejected(message: Message, before: Sequence[Message]) -> str:
    """Name the call that the user rejected with these words, and the file that it was to change."""
    if not get_rejection(message):
        return ""
    ids = {part.call_id for part in message.parts if part.kind == "tool_result"}
    calls = (
        part
        for one in reversed(before[-_CALLS_BEFORE:])
        for part in one.parts
        if part.kind == "tool_call" and part.call_id in ids
    )
    part = next(calls, None)
    path = _PATH.search(part.text) if part else None
    return f"{part.tool} {path[1]}{REJECTED}" if part and path else f"{part.tool if part else 'a call'}{REJECTED}"


def get_nudge(message: Message) -> str:
    """Return the text by which a host tells the agent to go on, in the user's name; "" if the message is none."""
    if message.role != "user" or message.origin != "user":
        return ""
    text = "\n".join(part.text for part in message.parts if part.kind == "text" and not part.container_key).strip()
    return text if is_nudge(text) else ""


def _is_shell_record(texts: list[str]) -> bool:
    """Whether a message holds a command that the user ran in the host's shell, with its output behind it.

    As one text, which is how another format holds it, it could also be pasted to have it looked at: there the output
    must hold neither prose nor errors.
    """
    if len(texts) == 1:
        command, _, output = texts[0].partition("\n\n")
        return _RAN.match(texts[0]) is not None or (
            _is_output(command, output, _FEWEST_PASTED)
            and not _ORDERS.search(command)
            and not any(_PROSE.search(line) or _ERRORS.search(line) for line in (command, *output.splitlines()))
        )
    return len(texts) == 2 and _is_output(texts[0], texts[1], _FEWEST_LINES)


def _is_output(command: str, text: str, fewest: int) -> bool:
    """Whether a text can be the output of a command that people run."""
    if _COMMAND.fullmatch(command.strip()) is None:
        return False
    lines = [line for line in text.splitlines() if line.strip()]
    return len(lines) >= fewest and not any(line.rstrip().endswith((".", "?", "!")) for line in lines[:20])


_FEWEST_LINES, _FEWEST_PASTED = 2, 4  # of the output of a command, beside it and in one text with it
_RAN = re.compile(r"Ran `[^\n]{1,400}`\n(?:```\n|\(no output\))")  # how Pi tells the model of it
_ORDERS = re.compile(  # "find the parser", "make it fast"
    r"(?i)^\w+ (?:the|an?|all|this|that|these|those|it|me|us|my|our|your|through|over|to|for|out|and|sure|every|each"
    r"|any|some|where|what|why|how|is|are|of|ahead|on|with|both)\b"
)
_PROSE = re.compile(r"[^\W\d_]+,? [^\W\d_]+,? [^\W\d_]+")
_ERRORS = re.compile(
    r"(?i)(?<![\w./-])(?:\w*error|fail(?:ed|ure|ing)?|traceback|fatal|panic|warning|exception)(?![\w./-])"
)
_COMMAND = re.compile(
    r"(?:ls|find|cat|pwd|git|gh|grep|rg|head|tail|tree|wc|du|df|ps|env|npm|npx|pnpm|yarn|bun|node|python3?|pip|uv|pytest"
    r"|cargo|go|make|docker|kubectl|curl|echo|which|diff|sed|awk|stat|file)(?: [^\n?]{1,200})?"
)


def get_agent_text(message: Message) -> str:
    """Return the text of an assistant message, without reasoning and calls."""
    if message.role != "assistant" or message.origin not in ("user", "synthetic"):
        return ""
    return _join_text(message.parts)


def get_closing_text(message: Message) -> str:
    """Return the text with which an assistant message ends: behind what the provider did, as a search of the web."""
    whole = get_agent_text(message)
    done = [at for at, part in enumerate(message.parts) if part.kind == "other"] if whole else []
    return (_join_text(message.parts[done[-1] :]) if done else "") or whole


def _join_text(parts: Sequence[Part]) -> str:
    return strip_file_links(
        "\n".join(one.text for one in parts if one.kind == "text" and not one.container_key)
    ).strip()


def get_reasoning(message: Message) -> str:
    """Return the reasoning of an assistant message that can be read; "" where it is encrypted, or there is none."""
    if message.role != "assistant" or message.origin not in ("user", "synthetic"):
        return ""
    text = "\n".join(part.text for part in message.parts if part.kind == "reasoning").strip()
    return text if text.count(" ") >= _FEWEST_BLANKS else ""


_FEWEST_BLANKS = 4  # of reasoning in words


def strip_file_links(text: str) -> str:
    """Replace each Markdown link that names its file by the file and its line: `[a.py](src/a.py#L3)` is `a.py:3`."""
    return _LINE_LINK.sub(r"\2:\1", _FILE_LINK.sub(_name_line, text)) if "](" in text else text


def _name_line(found: re.Match[str]) -> str:
    return f"{found[1]}:{found[2]}" if found[2] else found[1]


def clean_words(text: str) -> str:
    """Return what the agent said without secrets, empty tags and long code; a text of code alone without its fences."""
    if not FENCED.sub("\n", text).strip():
        text = _FENCE.sub("", text)
    text = redact(_EMPTY_TAG.sub("", FENCED.sub(_shorten_code, _drop_stray_fence(text))))
    return _BLANK_LINES.sub("\n\n", text).strip()


def _drop_stray_fence(text: str) -> str:
    """Return a text without the fence that ends a block in which another one stood, and which nothing closes."""
    blocks = list(FENCED.finditer(text))
    is_nested = len(blocks) > 1 and len(_FENCE.findall(blocks[-2][0])) > 2
    head, _, rest = blocks[-1][0].partition("\n") if is_nested else ("", "", "")
    if head.strip() not in ("```", "~~~") or _FENCE.search(rest):
        return text
    return text[: blocks[-1].start()] + rest


def strip_opening(text: str) -> str:
    """Return what the agent said without an opening that only announces it; a text of nothing else stays."""
    return text[hit.end() :] if (hit := _OPENING.match(text)) and hit.end() < len(text) else text


def _shorten_code(found: re.Match[str]) -> str:
    lines = [line for line in found[0].strip("\n").split("\n")[1:] if not _FENCE.match(line) and line.strip()]
    is_short = len(lines) <= CODE_LINES and sum(map(len, lines)) <= CODE_CHARS
    return "\n" + ("\n".join(f"    {line}" for line in lines) if is_short else "[code]") + "\n"


def is_question(sentence: str) -> bool:
    """Whether a sentence ends as a question, whatever marks close it."""
    return sentence.rstrip(" *_)\"'").endswith(("?", "？"))


@memoize_texts(4_096)  # many parts of a ledger read the same answer
def split_sentences(text: str) -> tuple[str, ...]:
    """Split a text without code blocks and quotes into sentences; a list stays with its opening line."""
    return tuple(_split_sentences(text))


def _split_sentences(text: str) -> Iterator[str]:
    lines = [line for line in FENCED.sub("\n", text).split("\n") if not line.lstrip().startswith(">")]
    at = 0
    while at < len(lines):
        block = [lines[at].strip()]
        at += 1
        if block[0].rstrip("*_").endswith((":", "：")):
            while at < len(lines) and (_BULLET.match(lines[at]) or not lines[at].strip()) and len(block) < 30:
                block.append(lines[at].rstrip())
                at += 1
        if len(block) > 1:
            yield "\n".join(line for line in block if line.strip())
        else:
            yield from (one.strip() for one in STOP.split(block[0]) if one.strip())


def strip_emphasis(text: str) -> str:
    """Return a text in one line, without marks of emphasis and of code."""
    return collapse_whitespace(_EMPHASIS.sub("", text))


def is_quoted(text: str, told: str, fewest: int) -> bool:
    """Whether `told` has these words, or most of them behind an opening ("I like: ..."), in pieces of `fewest`."""
    parts = [one for one in _OPENED.split(text) if len(one) >= fewest and one in told]
    return text in told or sum(map(len, parts)) >= _QUOTED_SHARE * len(text)


_QUOTED_SHARE = 0.6  # of its characters
_EMPHASIS = re.compile(r"[*`]+")
_OPENED = re.compile(r"\s[-–—•]\s|[:：]\s")


def strip_code(text: str) -> str:
    """Return a text without its code blocks; one of few lines stays with the line that opens it, marked."""
    return FENCED.sub("\n", _BRIEF_CODE.sub(_mark_code, text))


def _mark_code(found: re.Match[str]) -> str:
    return found[1] + "\n" + "\n".join(f"{CODE}{line}" for line in found[3].splitlines()) + "\n"


def keep_ends(text: str, max_chars: int) -> str:
    """Shorten a long text to its beginning and end, about two to one, each cut between words."""
    if len(text) <= max_chars:
        return text
    tail = text[-max_chars // 3 :]
    start = min((at for blank in " \n" if (at := tail.find(blank)) >= 0), default=len(tail))
    return f"{clip_text(text, max_chars - max_chars // 3)}\n[…]\n{tail[start:].strip()}".strip()


_PICTURE = (
    r"(?:now\s+)?i(?:['’]ve)?\s+(?:now\s+)?(?:have|got)\s+(?:now\s+)?(?:an?|the|enough)\s+(?:[\w-]+\s+){0,2}"
    r"(?:picture|understanding|overview|view|context|information)\b[^.!?:\n]{0,80}"
)
_OPENING = re.compile(  # "Now I have the full picture. Let me summarize it."
    rf"(?i)\s*(?:(?:perfect|great|good|excellent|ok(?:ay)?)[.!,]\s+)?{_PICTURE}[.!:]\s+"
    r"(?:let\s+me\s+(?:summari[sz]e|share|explain|lay\s+out|present|give)\b[^.!?:\n]{0,120}[.!:]\s+"
    r"|here(?:['’]s|\s+(?:is|are))\s+(?:my|the|an?)\s+(?:\w+\s+){0,2}(?:review|analysis|summary|findings|assessment)[.!:]\s+)?"
)
_REJECTED = re.compile(  # Claude Code
    r"The user doesn['’]t want to proceed with this tool use\. [^\n]{0,200}the user said:\n(.+)\Z", re.S
)
REJECTED = ", rejected"  # ends what names a call that the user rejected
_CALLS_BEFORE = 12  # messages in which a call stands whose result this is
_ASKING_TOOL = re.compile(r"(?i)ask_?user_?questions?")
_CLARIFIES = re.compile(r"\s*The user wants to clarify these questions")
_PATH = re.compile(r"\"file_?path\"\s*:\s*\"(?:[^\"\n]*[/\\\\])?([^\"\n/\\\\]{1,80})\"")
_FILE_LINK = re.compile(  # the text is the end of the target; the line behind it, if any
    r"\[`?([^\]\[`\n]{1,200})`?\]\((?:[^()\s]{0,400}/)?\1(?:(?:#L|:)(\d{1,7})(?!\d)|(?=[#:)]))(?:[#:–-][^()\s]{0,40})?\)"
)
_LINE_LINK = re.compile(  # "[line 12](src/a.py:12)"
    r"\[`?[Ll](?:ines? )?(\d{1,7})`?\]\((?:[^()\s]{0,400}/)?([^()\s/:#]{1,120})(?:#L|:)\1\)"
)
CODE_LINES, CODE_CHARS = 12, 500  # of a block of code that is kept
_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*$", re.M)
_EMPTY_TAG = re.compile(r"<(\w{1,40})>\s*</\1>")  # around a command that is a call
_BLANK_LINES = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")
FENCED = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t\r]*$|\Z)", re.S | re.M)
CODE = "\u2063"  # before a line of code that belongs to the line before it
_BRIEF_CODE = re.compile(
    r"(?<=[:：])([*_]*)[ \t\r]*\n(?:[ \t\r]*\n)?[ \t]*(```|~~~)[\w-]*[ \t\r]*\n"
    r"((?:(?![ \t]*\2)[^\n]{1,300}\n){1,4})[ \t]*\2[ \t\r]*$",
    re.M,
)
_BULLET = re.compile(rf"\s*(?:[-*•+]|\d{{1,2}}[.)])\s|{CODE}")
STOP = re.compile(r"(?<=[.!?…])\s+(?=[^\W\d_a-z]|[¿¡\"'(*`]|$)|(?<=[。！？；])|(?<=[!?])\s+|(?<=[가-힣][.])\s+")
CONTRADICTS = re.compile(  # how a user begins who says that it is not so
    r"(?i)\W{0,9}(?:(?:no|nope|wrong|incorrect|false)(?=\s{0,3}(?:[,.!;:—–-]|$))|actually\b|not true\b"
    r"|that['’]?s (?:not\b|wrong\b|incorrect\b|false\b)|that is (?:not\b|wrong\b|incorrect\b|false\b)"
    r"|(?:this|that|it) (?:isn['’]t|is not) (?:true|right|correct|so)\b)"
)
