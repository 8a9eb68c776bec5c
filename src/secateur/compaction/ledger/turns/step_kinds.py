"""What kind of command a step tells: one that leaves the machine, runs a task of the project, or tries something.

Rule: a command is known by its words alone, without the folder, the variables and the pipe around it. Which steps are
told is decided elsewhere.
"""

import re
from collections.abc import Iterable

from secateur.compaction.ledger.coverage import name_command
from secateur.compaction.ledger.turns.outcomes import SEPARATOR
from secateur.toolcalls.actions import clip_command

COMMAND_CHARS = 100  # of a command line in a step


def name_line(line: str) -> str:
    """Return a command line without the folder, the variables, the pipe and the long texts around it."""
    return _LEAD.sub("", _TAKEN.sub("", name_command(line))) or line


def split_chain(line: str) -> list[str]:
    """Split a command line into its commands."""
    return [command.strip() for command in _JOINTS.split(line)]


def name_told(line: str) -> str:
    """Return a command line as a step tells it."""
    return clip_command(name_line(line), COMMAND_CHARS).replace(SEPARATOR, " - ")


def is_step(line: str, steps: Iterable[str]) -> bool:
    """Whether one of these steps tells of this command line, clipped or not."""
    name = name_line(line)[:_FEWEST_CHARS]
    return any(step.startswith(name) for step in steps)


def shorten_arguments(line: str) -> str:
    """Return a command line without the long texts that it was given; "" if nothing else is left."""
    made = _LONG_TEXT.sub(r"\1…\1", line)
    return "" if _UNSAID.fullmatch(made) else made


def is_lasting(line: str) -> bool:
    """Whether a command line changes more than files, or runs a task of the project."""
    return _LASTING.search(line) is not None


def is_bulk_edit(line: str) -> bool:
    """Whether a command line changes files that it may name by a pattern or a list only."""
    return _BULK.search(line) is not None


def is_task_run(line: str) -> bool:
    """Whether a command line runs a task of the project by its name."""
    return _TASK.search(line) is not None


def is_outward(step: str) -> bool:
    """Whether a step left the machine."""
    return _OUTWARD.search(name_step(step)) is not None


def is_trial(step: str) -> bool:
    """Whether a step runs a program by its file or its text, as one does to try something."""
    return _TRIAL.match(name_step(step)) is not None


def name_step(step: str) -> str:
    """Return the command of a step, or the whole step if it is none."""
    return step.partition(" → ")[0]


_JOINTS = re.compile(r"&&|\|\||[;|]")
LOOKS = re.compile(r"(?:find|grep|egrep|rg|ls|cat|head|tail|which|wc|tree|type|file|stat|sed -n|command -v)\b")
_OUTWARD = re.compile(
    r"\b(?:git push|git tag|(?:npm|pnpm|yarn|bun|cargo|poetry|uv|twine) (?:run )?(?:publish|upload)|docker push|submit"
    r"|(?:gh|glab) \w+ (?:create|merge|close|comment|edit|review|ready|reopen)|(?:kubectl|terraform) apply|deploy)\b"
    r"|(?:^|[;&|]\s*)(?:bd (?:update|create|close|reopen)|workmux send)\b|\b(?:gh|glab) api\b[^\n;|]{0,300}?"
    r"\s(?:-[fF]\b|--(?:raw-)?field\b|--input\b|(?:-X\s*|--method[ =])(?:POST|PUT|PATCH|DELETE)\b)"
)
_LONG_TEXT = re.compile(r"([\"'])(?:(?!\1)[^\n]){60,}(?:\1|$)")  # given to a command, such as a description
_UNSAID = re.compile(r"\W*(?:bash|sh|zsh|python3?|node|eval|cd \S+|env|-\w+|&&|\s|([\"'])…\1)+")  # a long text only
_FEWEST_CHARS = 48  # by which a command line is known again
_TAKEN = re.compile(r" --?[\w-]+[ =]\"\$\(cat (?:<<-? ?\\?[\"']?\w+[\"']? )?… ?\)?\"?")  # a text from a here-document
_LEAD = re.compile(
    r"^(?:\s*(?:cd\s+\S+|export\s+\S+|set\s+-\S+)\s*(?:&&|;)\s*)*(?:(?:env\s+)?(?:[A-Za-z_]\w*=(?![^\s;]*(?:\$\(|`))\S*\s+)+)?"
)
_TASK = re.compile(
    r"(?i)(?:^|[;&|]\s*)"
    r"(?:make|just|task|mise|invoke|rake|(?:npm|pnpm|yarn|bun|deno) (?:run )?|(?:uv|poetry|hatch) run|\./)"
    r"(?:\s|\b)\S"
)
_LASTING = re.compile(  # it changes more than files, or runs a task of the project
    rf"{_TASK.pattern}|\bgit (?:-C \S+ )?branch [\w./]"
    r"|(?:^|[\s;&|:/])(?:add(?!\s+(?:-|\.))|create|close|update|upgrade|delete|remove|apply|deploy|publish|push|install|uninstall"
    r"|migrate|migration|start|stop|restart|enable|disable|tag|release|upload|submit|merge|rebase|cherry-pick|revert|reset"
    r"|clone|init|import|export|build|up|down|kill|seed|restore|dump|worktree|switch|checkout\s+-[bB]|set(?:-url)?|login)"
    r"(?=$|[\s:;&|-])"
)
_BULK = re.compile(
    r"(?:^|[;&|(]\s*|\b(?:do|then|xargs(?:\s+-\S+)*|-exec)\s+)"
    r"(?:(?:sed|perl)\s+(?:-\S+\s+)*?-\w*i|(?:git\s+)?(?:mv|rm)\s|cp\s|rsync\s|unzip\s|tar\s+-?\w*x)"
    r"|\bfind\b[^\n;&|]*\s-delete\b"
)
_TRIAL = re.compile(
    r"(?:python[\d.]*|node|ruby|perl|php|deno run|bun|tsx|npx tsx|bash|sh)"
    r" (?!(?:-m|run|test|install|x|add)\b|\S*(?:manage|runtests|setup|conftest)\.|\S*scripts?/)\S"
)
