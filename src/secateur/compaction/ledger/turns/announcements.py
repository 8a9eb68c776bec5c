"""Whether the agent's words announce what it goes on to do.

Rule: their last line tells. For words that calls follow, a phrase anywhere in it is enough. For words that end a turn
its last sentence has to begin with one, since replies say "let me know" and "once you agree, I'll ...".
"""

import re

UNBEGUN = "its last words announce more work, which no call began"


def is_announcing(text: str) -> bool:
    """Whether the agent's words end with what it is about to do."""
    end = _get_last_line(text)
    return end.endswith(_COLONS) or _ANNOUNCES.search(end) is not None


def is_breaking_off(text: str) -> bool:
    """Whether words that end a turn are an announcement and nothing behind it: most likely the agent was cut off."""
    end = _get_last_line(text)
    return end.endswith(_COLONS) or _BEGINS.match(_SENTENCE_ENDS.split(end)[-1]) is not None


def _get_last_line(text: str) -> str:
    return text.rstrip().rpartition("\n")[2]


_COLONS = (":", "：")
_ANNOUNCES = re.compile(r"(?i)\b(?:let me|let['’]s|i['’]ll|i will|i['’]m going to|we['’]ll|next,? i)\b")
_SENTENCE_ENDS = re.compile(r"(?<=[.!。]) +")
_BEGINS = re.compile(
    r"(?i)(?:(?:now|next|first|then|ok(?:ay)?|so|good|great|perfect)[,:]? )*+"
    r"(?:let me |let['’]s |i['’]ll |i will |i['’]m (?:going to |(?=\w+ing\b)))(?:(?:now|first|also|then|next|just) )*+"
    r"(?!(?:know|be|wait|leav|stop|need|hold|keep|stay|not|remember|have|exit|end|finish|clos|paus)(?:e|ing)?\b)\w+"
)
