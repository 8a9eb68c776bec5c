"""Whether a summary says truly of a file that it was created, changed or deleted.

Rule: what the calls did to a file decides (the ledger's record of it), and lines of outputs that say so (`create mode`,
`renamed`). A file that was only read, or that only outputs name, was not changed; one that was written and never
removed was not deleted. Where a formatter or a generator ran, any file may have changed.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from secateur.compaction.judge.claims import REPORTING, Claim
from secateur.compaction.judge.clauses import is_ahead, is_denied, is_earlier
from secateur.compaction.judge.evidence import ClaimRule, Evidence
from secateur.compaction.judge.lexicon import FORBIDS, USER, build_pattern

_State = Literal["created", "changed", "deleted"]
_BEFORE, _BEHIND = 24, 32  # characters around a file's name in which a verb is looked for
_FILE = re.compile(r"(?<![\w./@-])(?:[\w@.-]+/)*[\w@-][\w@.-]*\.(?!\d)[A-Za-z][A-Za-z0-9]{0,7}(?![\w/])")
_VERBS: tuple[tuple[_State, re.Pattern[str]], ...] = (
    (
        "created",
        build_pattern(
            r"created|new|newly|added|introduced|written|from\s+scratch|angelegt|erstellt|neu|hinzugefügt|geschrieben|"
            r"créée?s?|nouveau|nouvelle|ajoutée?s?|écrite?s?|cread[oa]s?|nuev[oa]s?|añadid[oa]s?|escrit[oa]s?|criad[oa]s?|nov[oa]s?|"
            r"создан\w*|добавлен\w*|нов\w+",
            r"新建|创建|新增|作成|新規|追加|생성|추가",
        ),
    ),
    (
        "changed",
        build_pattern(
            r"changed|edited|modified|updated|adapted|adjusted|rewritten|reworked|overhauled|refactored|patched|extended|amended|altered|"
            r"geändert|angepasst|bearbeitet|überarbeitet|erweitert|umgeschrieben|modifiée?s?|adaptée?s?|réécrite?s?|"
            r"modificad[oa]s?|editad[oa]s?|editó|adaptad[oa]s?|cambiad[oa]s?|actualizad[oa]s?|reescrit[oa]s?|alterad[oa]s?|"
            r"изменён\w*|изменен\w*|обновл\w*",
            r"修改|更改|更新|変更|編集|수정|변경",
        ),
    ),
    (
        "deleted",
        build_pattern(
            r"deleted|removed|erased|dropped|gone|gelöscht|entfernt|supprimée?s?|effacée?s?|eliminad[oa]s?|borrad[oa]s?|excluíd[oa]s?|"
            r"удал[её]н\w*",
            r"删除|移除|削除|삭제",
        ),
    ),
)


def _explain_state(claim: Claim, evidence: Evidence) -> str:
    """Say what became of a file of which a claim says something else."""
    if claim.is_question or claim.is_quoted or claim.is_reported or evidence.rewrites:
        return ""
    for path, state in _read_states(claim.text):
        name = path.rsplit("/", 1)[-1]
        if name in evidence.kept or name not in evidence.story or _is_told(name, evidence.user):
            continue
        uses = {one.use for one in evidence.files if name in (_get_name(one.path), _get_name(one.to))}
        shown = _list_shown(name, evidence.outputs)
        if any(_SHOWS[state].search(line) for line in shown):
            continue
        if (
            state == "deleted"
            and uses
            and not uses & {"deleted", "moved", "discarded"}
            and not _is_removed(name, evidence.acts)
        ):
            return f"no call deleted {path}"
        if state != "deleted" and uses and uses <= {"deleted"}:
            return f"{path} was deleted"
        if state == "changed" and uses <= {"read"} and not _is_acted_on(name, evidence):
            return f"no call changed {path}"
    return ""


def _is_acted_on(name: str, evidence: Evidence) -> bool:
    """Whether a command that does more than look names a file."""
    return any(name in run.text and not _LOOKS.match(run.text) for run in evidence.runs)


_LOOKS = re.compile(
    r"\W*(?:(?:bash|sh)\s+-l?c\s+)?\W*(?:cat|sed\s+-n|head|tail|e?grep|rg|ls|less|wc|diff|nl|git\s+(?:diff|log|show|status))\b"
)


def _read_states(text: str) -> Iterator[tuple[str, _State]]:
    """Yield the files of a text with what is said to have been done to them."""
    files = list(_FILE.finditer(text))
    for at, found in enumerate(files):
        start = max(files[at - 1].end() if at else 0, found.start() - _BEFORE)
        end = min(files[at + 1].start() if at + 1 < len(files) else len(text), found.end() + _BEHIND)
        behind = re.split(r"[;；。]|,\s|，|\.\s", text[found.end() : end])[0]
        before = re.split(
            r"[;；。,，]|\.\s|\b(?:in|by|from|of|for|to|with|and|aus|durch|mit|dans|par|de|en|con)\b",
            text[start : found.start()],
        )[-1]
        around = f"{before} {behind}"
        if is_denied(around) or is_ahead(around) or is_earlier(around) or FORBIDS.search(around) or USER.search(text):
            continue
        adjoining = _ADJOINING.match(behind)
        verbs = [state for state, pattern in _VERBS if adjoining and pattern.search(adjoining.group())]
        verbs = verbs or [
            state for state, pattern in _VERBS if (one := pattern.search(before)) and len(before) - one.end() < 6
        ]
        if len(verbs) == 1:
            yield found.group(), verbs[0]


# What may stand between a file and its verb: `was`, a bracket, a column's name
_ADJOINING = re.compile(
    r"[`\"'’]?\s*(?:[:：(（|–—-]|\b(?:was|were|is|has|have|been|wurde|ist|sind|a|été|est|fue|se|ha|sido|foi|state|status|estado|stand|état)\b|[已被がはを经]|\s)*"
    r"\s*[^\W\d_]+(?:\s+[^\W\d_]+)?"
)
_SHOWS: dict[_State, re.Pattern[str]] = {
    "created": re.compile(r"(?i)creat|add|new|wrote|writ|generat|^\s*(?:A|\?\?)\s"),
    "changed": re.compile(
        r"(?i)creat|modif|chang|updat|wrote|writ|renam|reformat|fixed|generat|^\s*[AMR]\d*\s|\|\s+\d+\s+[+-]"
    ),
    "deleted": re.compile(r"(?i)delet|remov|\brm\b|renam|^\s*[DR]\d*\s"),
}  # fmt: skip


@lru_cache(maxsize=64)
def _list_shown(name: str, outputs: tuple[str, ...]) -> tuple[str, ...]:
    """Return the lines of outputs that name a file."""
    return tuple(line for text in outputs if name in text for line in text.split("\n") if name in line)


def _is_removed(name: str, acts: str) -> bool:
    """Whether a command that names a file may remove it, or one removes without naming files."""
    return any(_REMOVES.search(line) and (name in line or _WIDE.search(line)) for line in acts.split("\n"))


_WIDE = re.compile(r"\*|\s-\w*r|clean|checkout|reset|restore|stash")
_REMOVES = re.compile(r"(?i)\b(?:rm|del|unlink|delete|remove|rmtree|clean|mv|prune|checkout|reset|restore|stash)\b")


def _is_told(name: str, user: str) -> bool:
    """Whether the user says that something was done to a file."""
    return any(
        name in line and any(pattern.search(line) for _, pattern in _VERBS) for line in re.split(r"[.;!?]\s|\n", user)
    )


def _get_name(path: str) -> str:
    return path.rsplit("/", 1)[-1]


RULES = (ClaimRule("unchanged_file", _explain_state, tuple(one for one in REPORTING if one != "next")),)
