"""What was to leave the machine or the working tree and failed: commits, pushes, merges, releases, deployments.

Rule: the newest try of each counts. It is done where a later try succeeded, or where the result of any later call shows
it: the hash of a commit, a clean tree, a branch that is up to date. Of a chain of commands that failed, what stands
before a command whose output shows it done is done, too; where more than one is left, nobody knows which of them failed
and what behind it did not run, so that they are told as the one chain. A dry run publishes nothing. A merge that
stopped on its way is under way until a commit ends it or a call gives it up.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from secateur.compaction.ledger.repository.commits import has_git_failed
from secateur.compaction.ledger.runs.checks import is_refused
from secateur.compaction.ledger.runs.last_errors import judge_action
from secateur.compaction.ledger.runs.probes import is_probe
from secateur.model import Message
from secateur.redact import redact
from secateur.toolcalls.actions import Action, clip_command, clip_text, collapse_whitespace
from secateur.toolcalls.commands import COMMIT_LINE, ExecutedCommand
from secateur.toolcalls.shell import parse_command_line

MOST_FAILED = 2
MOST_CONFLICTS = 12  # files of a merge that stopped, by name
LINE_CHARS = 160  # of a command, and of a result
_RESULT_CHARS = 20_000  # that are searched


def quote_line(line: str) -> str:
    """Quote a command line on one line, without secrets and clipped."""
    whole = collapse_whitespace(redact(line)).replace(" · ", " - ").replace("; run since", ", run")
    return clip_command(whole, LINE_CHARS)


def list_undone_acts(messages: Sequence[Message], ran: Iterable[ExecutedCommand]) -> tuple[list[str], list[str]]:
    """Return what was to leave the machine or the working tree and failed, and what of it the user did not allow."""
    left = _trace_acts(messages, ran)
    failed = {act: one for act, one in left.items() if not one.is_refused}
    refused = {act: one for act, one in left.items() if one.is_refused}
    declined = list(dict.fromkeys(_describe(chain, refused) for chain in refused.values()))
    return _list_by_cause(failed)[-MOST_FAILED:], declined[-MOST_FAILED:]


def _trace_acts(messages: Sequence[Message], ran: Iterable[ExecutedCommand]) -> dict[str, "_Chain"]:
    """Return the acts whose newest try was not done, and that no result shows done since."""
    runs: dict[str, list[ExecutedCommand]] = {}
    for run in ran:
        runs.setdefault(run.action.key, []).append(run)
    left: dict[str, _Chain] = {}
    for part in (part for message in messages for part in message.parts if part.kind == "tool_result"):
        for run in runs.get(part.key, ()):
            acts = {act: words for words in run.does if (act := _name_act(words))}
            has_failed = is_refused(run) or (has_run_failed(run) and not is_probe(run))
            for act in acts:
                left.pop(act, None)
            if has_failed:
                rest = run.does if is_refused(run) else list_failed_programs(run)
                some = {act: words for act, words in acts.items() if words in rest}
                left |= {
                    act: _Chain(rest if _is_chain(run.line) else (words,), run.action.said, is_refused(run))
                    for act, words in some.items()
                }
        for act, shows in _SHOWS_DONE.items() if left else ():
            if (
                act in left
                and _is_shown_done(shows, part.text[:_RESULT_CHARS])
                and _is_same_number(left[act], part.text)
            ):
                del left[act]
    return left


def list_begun(ran: Sequence[ExecutedCommand], done: Sequence[Action] = ()) -> Iterator[str]:
    """Yield the merge or rebase that stopped on its way, and that no later call ended or gave up.

    Of the files that git could not merge those are named that no later call resolved: it was staged, or a search for
    the marks of a conflict found none.
    """
    begun = ""
    at = 0  # the run that stopped
    for number, run in enumerate(ran):
        said = run.action.said[:_RESULT_CHARS]
        verbs = [words[:2] for words in run.does if words[:1] == ("git",)]
        if _ENDS_MERGE.search(run.line) or (begun and _SHOWS_DONE["git commit"].search(said)):
            begun = ""
        if hit := _find_broken_merge(said):
            acting = next((words for words in run.does if words[:2] in (("git", "merge"), ("git", "rebase"))), ())
            told = quote_line(" ".join(acting) or run.line)
            begun = f"{told} — said: {clip_text(hit[0], LINE_CHARS)}" if verbs else begun
            at = number if verbs else at
    if begun:
        yield f"{begun}{_list_conflicts(ran[at], ran[at + 1 :], done)}"


def _find_broken_merge(said: str) -> re.Match[str] | None:
    """Return where git says that a merge or a rebase stopped; most outputs lack what each form of that has."""
    return _STOPS.search(said) if "Automatic merge " in said or "could not apply " in said else None


def _list_conflicts(stopped: ExecutedCommand, later: Sequence[ExecutedCommand], done: Sequence[Action]) -> str:
    """Name the files that git could not merge, those apart that were resolved since."""
    paths = list(dict.fromkeys(_CONFLICTS.findall(stopped.action.said[:_RESULT_CHARS])))
    keys = [action.call.key for action in done]
    start = keys.index(stopped.action.call.key) + 1 if stopped.action.call.key in keys else len(keys)
    resolved = [path for path in paths if _is_resolved(path, later, done[start:])]
    told = (("Conflicts", [path for path in paths if path not in resolved]), ("Conflicts resolved since", resolved))
    return "".join(f" {label}: {_name_paths(some)}." for label, some in told if some).removesuffix(".")


def _name_paths(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - MOST_CONFLICTS} more" if len(paths) > MOST_CONFLICTS else ""
    return f"{', '.join(map(redact, paths[:MOST_CONFLICTS]))}{more}"


def _is_resolved(path: str, later: Iterable[ExecutedCommand], done: Iterable[Action]) -> bool:
    """Whether a later call staged a file, or looked for the marks of a conflict in it and found none."""
    name = posixpath.basename(path)
    staged = (words for run in later if run.ok for words in run.does if _STAGES.match(" ".join(words[:5])))
    if any(word in _EVERYTHING or path.endswith(word.removeprefix("./")) for words in staged for word in words[2:]):
        return True
    searches = (one for one in done if _MARKS.search(one.call.text[:_SEARCHED]) and one.kind in ("run", "search"))
    found = next((one for one in reversed([*searches]) if _is_covering(one.call.text[:_SEARCHED], name)), None)
    return found is not None and found.result is not None and not _MARKS_LEFT.search(found.said[:_RESULT_CHARS])


def _is_covering(call: str, name: str) -> bool:
    """Whether a search names this file, or no file at all."""
    return name in call or not _NAMES_FILE.search(_MARKS.sub("", call))


def _list_by_cause(left: Mapping[str, "_Chain"]) -> list[str]:
    """Return what failed with the same error together, so that one cause is told once."""
    told: dict[str, dict[str, None]] = {}
    for chain in left.values():
        told.setdefault(_quote_error(chain.said), {})[_describe(chain, left)] = None
    return [f"{' · '.join(acts)}{error}" for error, acts in told.items()]


class _Chain(Struct, frozen=True):
    """The programs of a command line that failed, and what it printed."""

    does: tuple[tuple[str, ...], ...]
    said: str
    is_refused: bool = False


def _describe(chain: _Chain, left: Mapping[str, _Chain]) -> str:
    """Quote what is left of a chain, from its first act that failed or did not run to its last."""
    at = [number for number, words in enumerate(chain.does) if left.get(_name_act(words)) == chain]
    told = " && ".join(" ".join(words) for words in chain.does[at[0] : at[-1] + 1])
    return quote_line(told)


def has_run_failed(run: ExecutedCommand) -> bool:
    """Whether a run failed by its status, by the end of its output or by the words of git or npm."""
    said = run.action.said[:_RESULT_CHARS]
    if not run.ok or has_git_failed(said) or not judge_action(run.action):
        return True
    return "npm " in said and _NPM_FAILED.search(said) is not None


def list_failed_programs(run: ExecutedCommand) -> tuple[tuple[str, ...], ...]:
    """Return the programs of a failed command line without those that its output shows done, and those before them."""
    said = run.action.said[:_RESULT_CHARS]
    shown = [_SHOWS_DONE.get(_name_act(words)) for words in run.does]
    done = [number for number, shows in enumerate(shown) if shows and _is_shown_done(shows, said)]
    if not _is_chain(run.line):
        return tuple(words for number, words in enumerate(run.does) if number not in done)
    return run.does[done[-1] + 1 if done else 0 :]


def _is_shown_done(shows: re.Pattern[str], said: str) -> bool:
    is_of_upstream = shows is _SHOWS_DONE["git push"]
    return shows.search(said) is not None and not (is_of_upstream and _REJECTED.search(said))


def _is_same_number(chain: "_Chain", said: str) -> bool:
    """Whether a result is about the pull request that a call names by its number, if it names one."""
    numbers = [words[3] for words in chain.does if words[:2] == ("gh", "pr") and len(words) > 3 and words[3].isdigit()]
    return all(number in said for number in numbers)


def _is_chain(line: str) -> bool:
    """Whether each command of a line runs only if the one before it succeeded."""
    return all(simple.then in _CHAINING for simple in parse_command_line(line).commands)


def _name_act(words: tuple[str, ...]) -> str:
    """Return the program and the verb of a command that commits, pushes, merges, publishes or deploys."""
    found = _ACT.match(" ".join(word for word in words[:6] if not word.startswith(("-", "/", "."))))
    if found is None or "--dry-run" in words:
        return ""
    return "npm publish" if found["package"] else found[0]


def _quote_error(said: str) -> str:
    lines = [line for line in said[:_RESULT_CHARS].split("\n") if _TELLS.search(line)]
    line = next((one for one in lines if _ERROR.search(one)), lines[0] if lines else "")
    return f" — said: {clip_text(collapse_whitespace(redact(line)), LINE_CHARS)}" if line else ""


_ACT = re.compile(
    r"git (?:push|pull|merge|rebase|commit|cherry-pick)(?![\w-])|gh (?:pr|release|issue) (?:create|merge)"
    r"|glab mr (?:create|merge)|(?:cargo|poetry|uv|twine) (?:publish|upload)|docker push|kubectl apply"
    r"|terraform apply|vercel (?:deploy|--prod)|fly deploy"
    r"|(?P<package>(?:npm|pnpm|yarn|bun) (?:run )?publish(?::(?!dry)[\w.-]{1,40})?(?![\w:.-]))"
    r"|(?:(?:npm|pnpm|yarn|bun) (?:run )?|make |just )(?:release|deploy)(?::(?!dry)[\w.-]{1,40})?(?![\w:.-])"
    r"|(?:(?:ba|z)?sh |node |tsx |bun |python[\d.]* )?(?:\S{0,100}/)?(?:publish|release|deploy)[\w-]{0,40}"
    r"\.(?:sh|[cm]?[jt]s|py)(?!\S)"
)
_STOPS = re.compile(
    r"^Automatic merge (?:failed; fix conflicts|went well; stopped before committing)[^\n]*"
    r"|^error: could not apply [0-9a-f]{7}[^\n]*",
    re.M,
)
_CONFLICTS = re.compile(r"^CONFLICT \([^)\n]{1,60}\): (?:Merge conflict in )?(\S{1,300}?)(?= |$)", re.M)
_ENDS_MERGE = re.compile(
    r"\bgit (?:-C \S+ )?(?:(?:merge|rebase|cherry-pick) --(?:abort|quit|continue|skip)|reset --(?:hard|merge)|commit)\b"
)
_STAGES = re.compile(r"git (?:-C \S+ )?(?:add|rm|checkout --(?:ours|theirs))\b")
_EVERYTHING = frozenset({"-A", "--all", ".", "-u", "--update"})
_MARKS = re.compile(r"<{4,7}|={7}|>{4,7}")
_MARKS_LEFT = re.compile(r"<{7}|>{7}|^=={6}$", re.M)
_NAMES_FILE = re.compile(r"[\w-]\.[A-Za-z]\w{0,5}(?=[\"'\s]|$)")
_SEARCHED = 4_000  # characters of a call
_CHAINING = ("", "&&", "|", "|&")
_FETCHED = r"(?! +(\S{1,200}) +-> \S{1,80}/\1(?:\s|$))"  # a branch of the remote, taken from there
_UPSTREAM = (
    r"^Everything up-to-date|^Your branch is up to date with "
    rf"|^(?: {{2,}}[+]?[0-9a-f]{{7,}}\.{{2,3}}[0-9a-f]{{7,}}(?= )| \* \[new (?:branch|tag)\]){_FETCHED}"
)
_PULLED = (
    r"^Already up to date|^Fast-forward$|^(?:Rebasing \(\d{1,6}/\d{1,6}\)\r?){0,9999}Successfully rebased"
    r"|^Current branch \S{1,200} is up to date|^Merge made by"
)
_REJECTED = re.compile(r"^error: failed to push |^ ! \[(?:remote )?rejected\]", re.M)
_NPM_FAILED = re.compile(r"^npm (?:ERR!|error) (?:code |Lifecycle |publish )", re.M)
_SHOWS_DONE = {
    "gh pr merge": re.compile(r'"state": ?"MERGED"|^state:\s+MERGED\b|\b[Mm]erged pull request ', re.M),
    "gh pr create": re.compile(r"^https://\S{1,200}/pull/\d", re.M),
    "git commit": re.compile(COMMIT_LINE + r"[0-9a-f]{7,40}\] |^nothing to commit, working", re.M),
    "git merge": re.compile(COMMIT_LINE + r"[0-9a-f]{7,40}\] Merge (?:remote-tracking |branch|tag|commit)", re.M),
    "git push": re.compile(_UPSTREAM, re.M),
    "git pull": re.compile(f"{_UPSTREAM}|{_PULLED}", re.M),
}
_TELLS = re.compile(r"[^\W\d_]{3,}")
_ERROR = re.compile(r"(?i)\b(?:fatal|error|rejected|denied|timed out|failed|refused|conflict|could not|cannot)\b")
