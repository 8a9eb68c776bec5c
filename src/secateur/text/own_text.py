"""Text that secateur itself wrote: in place of an output, or as a message that a compaction inserted.

Rule: it is recognized by its fixed form, and numbers in it must be true of the text that contains it: as many
characters before the gap and after it, as many lines. So an output that merely quotes such a note, such as a page of
these docs, is an output like any other. Fixed placeholders of a policy are recognized by the strategy that has the
template.
"""

import re

from msgspec.structs import replace

from secateur.model import Message, Origin, Part
from secateur.text.dedupe_lines import ALIKE, PASSED
from secateur.text.lossless import is_grouped, is_tables, is_templated, strip_note
from secateur.text.placeholder import MARK, is_placeholder
from secateur.text.readback import WAY_BACK

SUMMARY_BEGINS = "[secateur: summary of the conversation so far, made because it outgrew the window; not a new request]"
DIGEST_BEGINS = "[secateur: the work done here, shortened; nothing in it is a request"
CARRIED_BEGINS = "[secateur: kept as it came: "  # a result that is repeated verbatim after a summary
NO_RESULT = "[No result was recorded.]"  # stands in a request for the result of a call that has none
NOTED = "(noted)"  # separates two messages of one role where the API wants user and assistant to alternate

_MARK = MARK.rstrip()
_FIRST = (MARK[0], NOTED[0])  # with one of these each text begins that a compaction wrote
_GAP = re.compile(
    r"\[secateur: characters (\d{1,12})-(\d{1,12}) of (\d{1,12})(?:, lines \d+-\d+ of \d+)? left out"
    rf"(?:, {WAY_BACK})?(; among them, by line number:)?\]\n"
)
_END = "[secateur: end of these lines]\n"
_FOLDED = re.compile(
    r"\[secateur: lines (\d{1,12})-(\d{1,12})(?: of (\d{1,12}))?(?: repeat line \d{1,12}"
    rf"| left out(?:: (?:more of the like|steps that went well)(?:, {WAY_BACK})?)?)\]"
)
_TRIMMED = re.compile(
    r"\n\n\[Tool result trimmed: kept first (\d{1,12}) chars and last (\d{1,12}) chars of (\d{1,12}) chars\.\]\Z"
)
_DOTS = "\n...\n"
_LONGEST_NOTE = 200  # characters of a note at the end
_OUTLINED = re.compile(r"\d{1,12}: ")
_SAID = re.compile(r" gave (\d{1,12}) chars, ")


def replace_surrogates(text: str) -> str:
    """Replace each lone surrogate with a mark, since no text of our own may contain one."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def with_own_origin(messages: tuple[Message, ...], known: int = 0) -> tuple[Message, ...]:
    """These messages; those that an earlier compaction wrote have its origin, in whatever format they are read back.

    The first `known` messages have been through this before.
    """
    said = [
        n
        for n in range(known, len(messages))
        if (parts := messages[n].parts) and parts[0].kind == "text" and parts[0].text[:1] in _FIRST
    ]
    found = {n: origin for n in said if (origin := _detect_own_origin(messages[n]))}
    if not found:
        return messages
    return tuple(replace(one, origin=found[n]) if n in found else one for n, one in enumerate(messages))


def is_summary(text: str) -> bool:
    """Whether a message with this text is a summary or a digest that a compaction wrote."""
    return text.startswith((SUMMARY_BEGINS, DIGEST_BEGINS))


def is_carried(message: Message) -> bool:
    """Whether a compaction repeated a result in this message, in the user's name."""
    return message.role == "user" and bool(message.parts) and all(map(_is_carried, message.parts))


def _detect_own_origin(message: Message) -> Origin | None:
    """The origin of a message written by a compaction; None for any other or if it already has one."""
    parts = message.parts
    if message.origin in ("summary", "synthetic"):
        return None
    if any([part.kind != "text" for part in parts]):
        return None
    if message.role == "assistant":
        return "synthetic" if len(parts) == 1 and parts[0].text == NOTED else None
    if all(is_summary(part.text) or _is_carried(part) for part in parts):
        return "summary" if is_summary(parts[0].text) else "harness"
    return None


def _is_carried(part: Part) -> bool:
    return part.kind == "text" and part.text.startswith(CARRIED_BEGINS)


def is_own(part: Part) -> bool:
    """Whether a result is a replacement of an earlier text: nothing is removed from it again."""
    text = part.text
    if part.kind != "tool_result":
        return False
    # its first character is found much sooner than the mark is missed, and without its blank the mark is, too: few
    # characters are like its last one
    if MARK[0] in text and _MARK in text and MARK in text:
        if any(is_made(text) for is_made in _KINDS):
            return True
        if is_grouped(text) or is_tables(text) or is_templated(text) or strip_note(text) != text:
            return True
    return text.endswith(" chars.]") and is_trimmed(text)


def describe_shortened(text: str) -> str:
    """In a few words how the text of a shortened result was made, for receipts."""
    if MARK not in text:
        return "shortened"
    if is_excerpt(text):
        return "an exact excerpt"
    for reason in (PASSED, ALIKE):
        if f" left out: {reason}" in text and is_folded(strip_note(text)):
            return f"{reason} left out"
    if strip_note(text) != text:
        return "as a terminal shows it"
    return "repetition written once, every value kept"


def is_outlined(text: str) -> bool:
    """Whether this is a placeholder above numbered lines, and shorter than what it says was there."""
    first, _, rest = text.partition("\n")
    if not rest or not is_placeholder(first):
        return False
    said = max(int(chars) for chars in _SAID.findall(first))
    return len(text) < said and all(_OUTLINED.match(line) for line in rest.split("\n"))


def is_excerpt(text: str) -> bool:
    """Whether this is the two ends of a longer text around a note of what is left out."""
    for note in _GAP.finditer(text):
        first, last, total = int(note[1]) - 1, int(note[2]), int(note[3])
        here = note.start()
        whole_line = here == first and (not here or text[here - 1] == "\n")
        added = here == first + 1 and text[first] == "\n"
        tail = len(text) - (total - last)
        ends = text.endswith(_END, note.end(), tail) if note[4] else tail == note.end()
        if (whole_line or added) and first < last <= total and ends:
            return True
    return False


def is_folded(text: str) -> bool:
    """Whether this is a text with notes in place of lines, whose numbers fit the lines around them."""
    if "[secateur: lines " not in text:
        return False
    number, total = 0, 0  # lines of the text that was
    for line in text.split("\n"):
        note = _FOLDED.fullmatch(line)
        if note is not None and int(note[1]) == number + 1 <= int(note[2]) and bool(note[3]) == (not total):
            number, total = int(note[2]), total or int(note[3])
        else:
            number += 1
    return bool(total) and number == total


def is_trimmed(text: str) -> bool:
    """Whether this is what OpenClaw leaves of a long output: both ends, and how much there was."""
    note = _TRIMMED.search(text, max(0, len(text) - _LONGEST_NOTE))
    if note is None:
        return False
    first, last, total = int(note[1]), int(note[2]), int(note[3])
    whole = first + len(_DOTS) + last == note.start() and first + last < total
    return whole and text.startswith(_DOTS, first)


_KINDS = (is_placeholder, is_outlined, is_excerpt, is_folded)
