"""Which rules of the project are shown: a few firm ones, those on how work ends and what must stay before others.

Rule: a rule of the project can be read again, so few have room; texts stay as they are. What guards secrets and data
goes first, and what several rules say is told once. Of a host's prompt only the procedure is told, in one entry: a host
demands nothing in the user's name. Rules that oppose each other are in `opposed_rules`.
"""

import posixpath
import re
from collections.abc import Collection, Iterable, Sequence

from msgspec.structs import replace

from secateur.compaction.ledger.entries import Constraint
from secateur.compaction.ledger.user.force_words import CASE, LOUD
from secateur.compaction.ledger.user.instructions import is_gate, is_instruction
from secateur.compaction.ledger.user.opposed_rules import ACTS, PUSH, is_banned, is_wanted
from secateur.compaction.ledger.user.protections import is_protective
from secateur.compaction.ledger.user.rule_units import clip_block
from secateur.compaction.ledger.user.rules import is_care, is_procedure, is_prompt, is_rule_file, join_procedure
from secateur.compaction.ledger.user.topics import extract_topic, is_negative, list_named

MOST_PROJECT_RULES, LEAST_PROJECT_RULES = 9, 4  # where there is room for all else, and where there is not
MOST_OF_CASES = 3  # rules after which none is shown that bears on no session or on some case only
RULE_CHARS = 240  # of a rule of the project, clipped where a sentence ends
BLOCK_CHARS = 400  # of one with a list, clipped where an item ends
SAME_SHARE = 0.6  # of the words of the shorter one of two rules: then they say the same
_FEWEST_WORDS = 5  # of it
_NUMBERED = re.compile(r"\w*\d\w*")


def list_rules(entries: Iterable[Constraint], work: str = "", acts: Collection[str] = ()) -> list[Constraint]:
    """Return the firm rules, those that bear on the rest of the work first, each by its first whole sentences.

    `acts` are what is left to do, as "push": rules that speak of one of these come before others.
    """
    told = work.casefold()
    ranked = sorted(filter(is_rule, entries), key=lambda one: _rank_rule(one, told, acts))
    ranked = [replace(one, text=clip_rule(_take_care(one))) for one in _tell_pushes_once(ranked)]
    steps = [one for one in ranked if _is_procedure(one)]
    banned = [act for act in ACTS if any(is_banned(one, act) for one in ranked)]
    beside = [one for one in steps if any(is_wanted(one, act) for act in banned)]  # the ban, and in no other line
    procedure = [*join_procedure([one for one in steps if one not in beside]), *beside]
    others = [one for one in ranked if not is_prompt(one.source) or is_protective(one.text) or is_care(one.text)]
    return [*procedure, *_drop_restated([one for one in others if not _is_procedure(one)])]


def _take_care(one: Constraint) -> str:
    """Return the text of a rule; of a list of a host's prompt, on what to take care of, its head."""
    return one.text.partition("\n")[0] if is_prompt(one.source) and is_care(one.text) else one.text


def _tell_pushes_once(rules: Sequence[Constraint]) -> list[Constraint]:
    """Keep of the rules that want a push one, a file's before a host's; where another forbids it one of each source."""
    wants = sorted((one for one in rules if is_wanted(one, PUSH)), key=lambda one: is_prompt(one.source))
    by_source = {one.source: one for one in reversed(wants)}
    kept = list(by_source.values()) if any(is_banned(one, PUSH) for one in rules) else wants[:1]
    return [one for one in rules if one not in wants or one in kept]


def _drop_restated(rules: Sequence[Constraint]) -> list[Constraint]:
    """Drop rules that say nearly what another one says, and forbid or demand as it does.

    The first stays, unless a longer one says all that it says.
    """
    kept: list[Constraint] = []
    for one in rules:
        if any(_is_restated(one.text, told.text) for told in kept):
            continue
        less = (at for at, told in enumerate(kept) if len(told.text) < len(one.text))
        at = next((at for at in less if _is_restated(kept[at].text, one.text)), len(kept))
        kept[at : at + 1] = [one]
    return kept


def _is_restated(text: str, told: str) -> bool:
    """Whether a rule says what another one says: as many of the same words, and no name or number beside.

    Which tool all of something is done with is told once.
    """
    one, other = _FOR_ALL.search(text), _FOR_ALL.search(told)
    if one and other and one[1] and other[1] and one[1].casefold() == other[1].casefold():
        return True
    mine, its = extract_topic(text), extract_topic(told)
    fewest = min(len(mine), len(its))
    if fewest < _FEWEST_WORDS or len(mine & its) < SAME_SHARE * fewest or is_negative(text) != is_negative(told):
        return False
    return list_named(text) <= list_named(told) and {*_NUMBERED.findall(text)} <= {*_NUMBERED.findall(told)}


def limit_rules(rules: Sequence[Constraint], most: int, work: str = "", acts: Collection[str] = ()) -> list[Constraint]:
    """Return the procedure of the host's prompt, and the first others in the room beside it.

    Of rules that hold in some case only, or bear on nothing that every session does, few have room.
    """
    told = work.casefold()
    procedure = [one for one in rules if _is_procedure(one)]
    room = most - bool(procedure)
    kept: list[Constraint] = []
    for one in rules:
        most = room if _is_bearing(one.text, told, acts) else min(room, MOST_OF_CASES)
        if one not in procedure and len(kept) < most:
            kept.append(one)
    return [one for one in rules if one in procedure or one in kept]


def _is_procedure(one: Constraint) -> bool:
    return is_prompt(one.source) and is_procedure(one.text)


def clip_rule(text: str) -> str:
    """Return as many of the sentences of a rule as have room, one at least, from the first one with force on.

    Of a rule with a list its head stays with as many of the items as have room.
    """
    if "\n" in text:
        return clip_block(text, BLOCK_CHARS)
    if len(text) <= RULE_CHARS:
        return text
    ends = [found.end() for found in _SENTENCE_ENDS.finditer(text)]
    begin = 0
    for start, end in zip([0, *ends], ends, strict=False):
        if is_gate(text[start:end]) or (not CASE.match(text) and _FIRM.search(text, start, end)):
            begin = start if end > RULE_CHARS else 0
            break
    kept = [end for end in ends if end <= begin + RULE_CHARS and end > begin][-1:] or [
        one for one in ends if one > begin
    ][:1]
    return text[begin : kept[0]].strip() if kept else text


def find_protection(entries: Iterable[Constraint], branch: str) -> Constraint | None:
    """Return the first demand in force that keeps work off this branch; None if none does."""
    if not branch or not _TRUNK.fullmatch(branch):
        return None
    named = re.compile(_PROTECTS.format(branch=re.escape(branch)))
    return next((one for one in entries if not one.replaced_by and named.search(one.text)), None)


def is_rule(one: Constraint) -> bool:
    """Whether a demand is a firm rule of the project that says something alone."""
    if one.scope != "project":
        return False
    if _is_procedure(one) or (is_prompt(one.source) and is_care(one.text)):
        return True
    is_firm = _FIRM.search(_DESCRIBES.sub(" ", one.text)) is not None and not _NO_RULE.search(one.text)
    return (is_firm or is_instruction(one.text)) and not _REFERS.search(one.text)


def _rank_rule(one: Constraint, work: str, acts: Collection[str]) -> tuple[int, ...]:
    """The procedure of the prompt first, then the task's own document, what has to come before a commit or the end.

    Then what is left to do, how work ends, every case. Firm ones go before others. Rules that name files and tools go
    behind others where none of these was worked with.
    """
    text = one.text[:RULE_CHARS]
    if _is_procedure(one):
        return ()
    is_weak = _FIRM.search(text) is None
    return (
        is_rule_file(one.source) or "." not in one.source,
        not is_protective(text) or _is_of_other_tools(text, work),
        not is_gate(text) or _is_of_other_tools(text, work),
        2 * is_weak + (not _is_left(text, work, acts)) if _is_bearing(text, work, acts) else 4,
        _BEARS.search(text) is None,
        _is_of_other_files(text, work),
        CASE.match(text) is not None,
        LOUD.search(text) is None,
        is_weak,
    )


def _is_left(text: str, work: str, acts: Collection[str]) -> bool:
    """Whether a rule speaks of what is left to do."""
    return any(_ACTS[act].search(text) for act in acts if act in _ACTS) and not _is_of_other_tools(text, work)


def _is_bearing(text: str, work: str, acts: Collection[str]) -> bool:
    """Whether a rule says how any work ends or what must stay, in every case, and not of what was not worked with.

    What is left to do is no case only.
    """
    text = text[:RULE_CHARS]
    if is_protective(text):
        return not _is_of_other_tools(text, work)
    return _is_left(text, work, acts) or (
        (_BEARS.search(text) is not None or is_instruction(text) or is_care(text))
        and CASE.match(text) is None
        and not (_is_of_other_files(text, work) or _is_of_other_tools(text, work))
    )


def _is_of_other_files(text: str, work: str) -> bool:
    names = [posixpath.basename(name.rstrip("/")).casefold() for name in _NAMED_FILES.findall(text)]
    return bool(names) and not any(name and name in work for name in names)


def _is_of_other_tools(text: str, work: str) -> bool:
    """Whether a rule names tools, and none of them is one that the work was done with: those to be used, not others."""
    said = _RULED_OUT.sub(" ", text)
    names = [] if _FOR_ALL.search(text) else [name.casefold() for name in _NAMED_TOOLS.findall(said)]
    return bool(names) and not any(name in work for name in names)


_TRUNK = re.compile(r"main|master|trunk|develop")
_PROTECTS = (
    r"(?i)\b(?:never|do not|don['’]t|must not|may not|no|not)\b[^.;\n]{{0,40}}\b(?:commit|push|merg|work|edit)\w*\b"
    r"[^.;\n]{{0,40}}\b(?:to|on|onto|into|in) (?:the )?[`'\"*]*{branch}\b(?! without| unless)"
    r"|\b(?:all|every|any)\b[^.;\n]{{0,40}}\b(?:to|into|on) [`'\"*]*{branch}\b[^.;\n]{{0,40}}"
    r"\b(?:requires?|needs?|must)\b"
)
_ACTS = {
    "commit": re.compile(r"(?i)\bcommit(?:s|ted|ting)?\b"),
    "push": re.compile(
        r"(?i)\bpush(?:es|ed|ing)?\b(?!\s+(?:an?|for|back|through)\b)|\bpull requests?\b|\bPRs?\b|\bmerge requests?\b"
    ),
    "test": re.compile(
        r"(?i)\b(?:run|pass\w*|execute)\b[^.;\n]{0,60}\b(?:tests?|lint\w*|checks?|build)\b|\btests? (?:must|first)\b"
    ),
    "ticket": re.compile(r"(?i)\b(?:clos\w+|updat\w+)\b[^.;\n]{0,40}\b(?:tickets?|issues?|beads?)\b"),
}
_NAMED_FILES = re.compile(r"`([\w.@-]*(?:/[\w.@*-]+)+/?|[\w-]+\.[a-z]{1,5})`")
_NAMED_TOOLS = re.compile(r"\b(?!(?:Git(?:Hub|Lab)|(?:Type|Java)Script)\b)[A-Z][a-z]+(?:[A-Z][a-z]+)+\b")
_RULED_OUT = re.compile(r"(?i)\b(?:not|never|n['’]t|avoid)\s+(?:use|using|call)\s[^.;\n]*")
_FOR_ALL = re.compile(
    r"(?i)\buse\s+\S{1,40}(?:\s+\S{1,40})?\s+for\s+all\b(\s+\w+(?:\s+\w+)?)?"
)  # it names others only to rule them out
_SENTENCE_ENDS = re.compile(r"(?<!\d)(?<!\be\.g)(?<!\bi\.e)[.!?](?=[\s*_]|$)[*_]*|[。！？]|(?<=[.!?]) \[…\]\Z")
_DESCRIBES = re.compile(  # what a program does, what something is, and what follows from it
    r"(?i)\([^()\n]*\bonly\)|\b(?:is|are|was|were)\s+(?:always|only|never)\s+(?:in|at|on|the|an?|\w+ed)\b"
    r"|\w-only\b|\b(?:valid|allowed|possible|available)\s+only\b|\b(?:if|when)\s+[^.,;]{1,60}\bis\s+only\b|\bthe\s+only\b"
    r"|\bin\s+[^.,;\s]+(?:\s+[^.,;\s]+)?\s+only(?=\W*(?:[.;]|\Z))|(?<!\w\s)\balways\s+\w{2,}ed\b"
    r"|\b(?:always|never|only)\s+(?!focus\b)\w{2,}[^\Wsu]s\b|,\s+so\s+[^.;\n]*"
)
_FIRM = re.compile(
    r"(?i)\b(?:never|must(?:\s+not|n['’]t)?|do\s+not|don['’]t|always|only|forbidden|prohibited|required|may\s+not|cannot"
    r"|niemals|nie|immer|nicht|jamais|toujours|nunca|siempre|sempre|никогда|нельзя|всегда)\b|不要|禁止|必须|必須|必ず|절대|반드시"
)
_NO_RULE = re.compile(  # the head of a list, a value, a heading, what a command does, what is allowed
    r"[:：]\s*[*_]*$|^\W*(?:[\w-]+\s){0,5}[\w-]+\s?:\W*\w+\W*$|^#|^\W*`[^`]+`\W*\s[-–—]?\s*|^\W*`[^`]+`\s*:"
    r"|\b(?:no|not)\s+\w+\s+required\b|\balways\s+(?:permitted|allowed|possible|present)\b"
    r"|\b(?:skip|forget|ignore) this\b|\b(?:user|these) instructions (?:are|OVERRIDE)\b"
)
_REFERS = re.compile(r"\b(?:[Ss]ee|[Ff]ollow)\b[^.;\n]{1,80}\b(?:above|below)\b")
_BEARS = re.compile(  # on how work ends, where it is done, and what must stay as it is
    r"\b(?:NEVER|MUST|ALWAYS|NOT)\b"
    r"|(?i:\b(?:submit\w*|commit\w*(?!-)\b|push\w*|merg(?:e|ing)|force-push|interactive|comments?"
    r"|only\s+(?:write|edit|change|touch)"
    r"|(?:not|never|n['’]t)\s+(?:touch|edit|modify|change|delete)"
    r"|(?:run|pass)\s+(?:all\s+)?(?:the\s+)?(?:tests?|checks?|lint)|complete\s+(?:\w+\s+){0,3}verification)\b)"
)
