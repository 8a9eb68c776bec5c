"""What was to leave the machine or the working tree and failed: commits, pushes, merges, releases, deployments.

Rule: the newest try of each counts. It is done where a later try succeeded, or where the result of any later call shows
it: the hash of a commit, a clean tree, a branch that is up to date.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from secateur.compaction.ledger.work.checks import is_refused
from secateur.compaction.ledger.work.repository import has_git_failed
from secateur.model import Message
from secateur.redact import redact
from secateur.toolcalls.actions import clip_text, collapse_whitespace
from secateur.toolcalls.commands import ExecutedCommand

MOST_FAILED = 2
LINE_CHARS = 160  # of a command, and of a result
_RESULT_CHARS = 20_000  # that are searched


def quote_line(line: str) -> str:
    """Quote a command line on one line, without secrets and clipped."""
    return (
        clip_text(collapse_whitespace(redact(line)), LINE_CHARS).replace(" · ", " - ").replace("; run since", ", run")
    )


def list_failed_acts(messages: Sequence[Message], ran: Iterable[ExecutedCommand]) -> Iterator[str]:
    """Yield what was to leave the machine or the working tree, failed."""
    runs: dict[str, list[ExecutedCommand]] = {}
    for run in ran:
        runs.setdefault(run.action.key, []).append(run)
    left: dict[str, str] = {}
    for part in (part for message in messages for part in message.parts if part.kind == "tool_result"):
        for run in runs.get(part.key, ()):
            has_failed = has_git_failed(run.action.said) or not run.ok
            acts = {} if is_refused(run) else {act: words for words in run.does if (act := _name_act(words))}
            for act, words in acts.items():
                left.pop(act, None)
                if has_failed:
                    left[act] = f"{quote_line(' '.join(words))}{_quote_error(run.action.said)}"
        for act, shows in _SHOWS_DONE.items() if left else ():
            if act in left and shows.search(part.text[:_RESULT_CHARS]):
                del left[act]
    yield from list(dict.fromkeys(left.values()))[-MOST_FAILED:]


def _name_act(words: tuple[str, ...]) -> str:
    """Return the program and the verb of a command that commits, pushes, merges, publishes or deploys."""
    found = _ACT.match(" ".join(word for word in words[:6] if not word.startswith(("-", "/", "."))))
    return found[0] if found else ""


def _quote_error(said: str) -> str:
    lines = [line for line in said[:_RESULT_CHARS].split("\n") if _TELLS.search(line)]
    line = next((one for one in lines if _ERROR.search(one)), lines[0] if lines else "")
    return f" — said: {clip_text(collapse_whitespace(redact(line)), LINE_CHARS)}" if line else ""


_ACT = re.compile(
    r"git (?:push|pull|merge|rebase|commit|cherry-pick)(?![\w-])|gh (?:pr|release|issue) (?:create|merge)"
    r"|glab mr (?:create|merge)|(?:npm|pnpm|yarn|cargo|poetry|uv|twine) (?:publish|upload)|docker push|kubectl apply"
    r"|terraform apply|vercel (?:deploy|--prod)|fly deploy"
)
_UPSTREAM = (
    r"^Everything up-to-date|^Your branch is up to date with "
    r"|^ {2,}[+]?[0-9a-f]{7,}\.{2,3}[0-9a-f]{7,} |^ \* \[new (?:branch|tag)\]"
)
_SHOWS_DONE = {
    "gh pr create": re.compile(r"^https://\S{1,200}/pull/\d", re.M),
    "git commit": re.compile(
        r"^\[[\w./ -]{1,200}(?:\(root-commit\) )?[0-9a-f]{7,40}\] |^nothing to commit, working", re.M
    ),
    "git push": re.compile(_UPSTREAM, re.M),
    "git pull": re.compile(_UPSTREAM, re.M),
}
_TELLS = re.compile(r"[^\W\d_]{3,}")
_ERROR = re.compile(r"(?i)\b(?:fatal|error|rejected|denied|timed out|failed|refused|conflict|could not|cannot)\b")
