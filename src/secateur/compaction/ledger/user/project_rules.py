"""Which rules of the project are shown: a few firm ones, those on how work ends and what must stay before others.

Rule: a rule of the project can be read again, so few have room; texts stay as they are. Rules that oppose each other
are named together, and which of them holds is not judged.
"""

import posixpath
import re
from collections.abc import Collection, Iterable, Sequence

from msgspec.structs import replace

from secateur.compaction.ledger.entries import Constraint
from secateur.compaction.ledger.user.force_words import CASE, LOUD
from secateur.compaction.ledger.user.rules import is_procedure, is_prompt, is_rule_file
from secateur.toolcalls.actions import clip_text, collapse_whitespace

MOST_PROJECT_RULES, LEAST_PROJECT_RULES = 6, 4  # where there is room for all else, and where there is not
LEAST_BESIDE = 3  # beside the procedure of the host's prompt
MOST_OF_CASES = 3  # rules after which none is shown that bears on no session or on some case only
OPPOSED_CHARS = 120  # of each of two rules that oppose each other
RULE_CHARS = 240  # of a rule of the project, clipped where a sentence ends


def quote_opposed(entries: Iterable[Constraint]) -> list[str]:
    """Quote the rules of which one wants a push and one of another source forbids it, the ban first."""
    rules = [one for one in entries if one.scope == "project" and not one.replaced_by]
    bans = [one for one in rules if _FORBIDS_PUSH.search(one.text)]
    wants = [one for one in rules if is_push_demanded(one.text)]
    pairs = [(ban, want) for ban in bans[:1] for want in wants[:1] if ban.source != want.source]
    return [" · ".join(map(_quote, pair)) for pair in pairs]


def _quote(one: Constraint) -> str:
    return f"“{clip_text(collapse_whitespace(one.text), OPPOSED_CHARS)}” ({one.source})"


def is_push_demanded(text: str) -> bool:
    """Whether a rule wants work to be pushed."""
    return _WANTS_PUSH.search(text) is not None and _FORBIDS_PUSH.search(text) is None


def _tell_pushes_once(rules: Sequence[Constraint]) -> list[Constraint]:
    """Keep of the rules of one source that want a push only the first."""
    first = {one.source: one for one in reversed(rules) if is_push_demanded(one.text)}
    return [one for one in rules if not is_push_demanded(one.text) or one is first[one.source]]


def limit_rules(rules: Sequence[Constraint], most: int, work: str = "") -> list[Constraint]:
    """Return the procedure of the host's prompt, and the first others in the room beside it.

    Of rules that hold in some case only, or bear on nothing that every session does, few have room.
    """
    others = [one for one in rules if not _is_procedure(one)]
    room = max(LEAST_BESIDE, most - (len(rules) - len(others)))
    told = work.casefold()
    kept: list[Constraint] = []
    for one in others:
        if len(kept) < (room if _is_bearing(one.text, told) else min(room, MOST_OF_CASES)):
            kept.append(one)
    return [one for one in rules if _is_procedure(one) or one in kept]


def _is_procedure(one: Constraint) -> bool:
    return is_prompt(one.source) and is_procedure(one.text)


def list_rules(entries: Iterable[Constraint], work: str = "", acts: Collection[str] = ()) -> list[Constraint]:
    """Return the firm rules, those that bear on the rest of the work first, each by its first whole sentences.

    `acts` are what is left to do, as "push": rules that speak of one of these come before others.
    """
    told = work.casefold()
    ranked = sorted(filter(is_rule, entries), key=lambda one: _rank_rule(one, told, acts))
    rules = {(one.source, clip_rule(one.text)): one for one in reversed(_tell_pushes_once(ranked))}
    return [replace(one, text=text) for (_, text), one in reversed(rules.items())]


def clip_rule(text: str) -> str:
    """Return as many of the sentences of a rule as have room, one at least, from the first one with force on."""
    if len(text) <= RULE_CHARS:
        return text
    ends = [found.end() for found in _SENTENCE_ENDS.finditer(text)]
    begin = 0
    for start, end in zip([0, *ends], ends, strict=False):
        if not CASE.match(text) and _FIRM.search(text, start, end):
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
    is_firm = _FIRM.search(one.text) is not None and not _NO_RULE.search(one.text)
    return is_firm or _is_procedure(one)


def _rank_rule(one: Constraint, work: str, acts: Collection[str]) -> tuple[bool, ...]:
    """The procedure of the prompt first, then the task's own document, what is left to do, how work ends, every case.

    Firm ones go before others. Rules that name files and tools go behind others where none of these was worked with.
    """
    text = one.text[:RULE_CHARS]
    if _is_procedure(one):
        return ()
    return (
        is_rule_file(one.source) or "." not in one.source,
        not any(_ACTS[act].search(text) for act in acts if act in _ACTS) or _is_of_other_tools(text, work),
        not _is_bearing(text, work),
        _BEARS.search(text) is None,
        _is_of_other_files(text, work),
        CASE.match(text) is not None,
        LOUD.search(text) is None,
        _FIRM.search(text) is None,
    )


def _is_bearing(text: str, work: str) -> bool:
    """Whether a rule says how any work ends or what must stay, in every case, and not of what was not worked with."""
    text = text[:RULE_CHARS]
    return (
        _BEARS.search(text) is not None
        and CASE.match(text) is None
        and not (_is_of_other_files(text, work) or _is_of_other_tools(text, work))
    )


def _is_of_other_files(text: str, work: str) -> bool:
    names = [posixpath.basename(name.rstrip("/")).casefold() for name in _NAMED_FILES.findall(text)]
    return bool(names) and not any(name and name in work for name in names)


def _is_of_other_tools(text: str, work: str) -> bool:
    """Whether a rule names tools, and none of them is one that the work was done with."""
    names = [] if _FOR_ALL.search(text) else [name.casefold() for name in _NAMED_TOOLS.findall(text)]
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
    "push": re.compile(r"(?i)\bpush(?:es|ed|ing)?\b|\bpull requests?\b|\bPRs?\b|\bmerge requests?\b"),
    "test": re.compile(
        r"(?i)\b(?:run|pass\w*|execute)\b[^.;\n]{0,60}\b(?:tests?|lint\w*|checks?|build)\b|\btests? (?:must|first)\b"
    ),
    "ticket": re.compile(r"(?i)\b(?:clos\w+|updat\w+)\b[^.;\n]{0,40}\b(?:tickets?|issues?|beads?)\b"),
}
_NAMED_FILES = re.compile(r"`([\w.@-]*(?:/[\w.@*-]+)+/?|[\w-]+\.[a-z]{1,5})`")
_NAMED_TOOLS = re.compile(r"\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b")
_FOR_ALL = re.compile(r"(?i)\buse\s+\S{1,40}(?:\s+\S{1,40})?\s+for\s+all\b")  # it names others only to rule them out
_SENTENCE_ENDS = re.compile(r"(?<!\d)(?<!\be\.g)(?<!\bi\.e)[.!?](?=[\s*_]|$)[*_]*|[。！？]|(?<=[.!?]) \[…\]\Z")
_FORBIDS_PUSH = re.compile(
    r"(?i)\b(?:never|do\s+not|don['’]?t|must\s+not|may\s+not|not)\s+(?:\w+\s+){0,2}?push\b"
    r"(?!\s+(?:until|before|without|directly|(?:straight\s+)?(?:to|on|onto)\b))"
)
_WANTS_PUSH = re.compile(
    r"(?i)\b(?:must|always|mandatory|required|need(?:s)?\s+to)\b[^.;]{0,60}\bpush(?:ed|ing)?\b"
    r"|\bpush(?:ed|ing)?\b[^.;]{0,60}\b(?:must|mandatory|required|succeeds?)\b"
    r"|\b(?:never|not)\s+(?:stop|finish|end|done|complete)\b[^.;]{0,30}\bpush(?:ed|ing)?\b"
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
_BEARS = re.compile(  # on how work ends, where it is done, and what must stay as it is
    r"\b(?:NEVER|MUST|ALWAYS|NOT)\b"
    r"|(?i:\b(?:submit\w*|commit\w*(?!-)\b|push\w*|merg(?:e|ing)|force-push|interactive|comments?"
    r"|only\s+(?:write|edit|change|touch)"
    r"|(?:not|never|n['’]t)\s+(?:touch|edit|modify|change|delete)"
    r"|(?:run|pass)\s+(?:all\s+)?(?:the\s+)?(?:tests?|checks?|lint)|complete\s+(?:\w+\s+){0,3}verification)\b)"
)
