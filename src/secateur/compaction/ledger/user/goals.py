"""Which requests are goals: the first task, the newest one, and what is asked now.

Rule: a task is a statement of several words; of the first request also a question about how to do something ("how can
we ..."). No goals are questions, replies that only confirm, orders to look, run or try again and brief commands of the
host ("/simplify the tests") once that is done, and reviews and what a terminal printed, pasted and answered. A reply
that confirms is a goal only while it is the user's last word; where it opened work of its own, the brief order before
it is none any more.
The first task is none any more once the agent replied to it and the newest tasks changed other files, or many tasks
followed; two are enough where nothing is open. In its place, or beside it, stands the task that began the newest work,
where the newest one only goes on with the same files. Where nothing is open, the request that the newest work followed
stands beside them, whatever its words, unless it is a command of the host.
"""

import re
from collections.abc import Sequence

from secateur.compaction.ledger.entries import Ledger, UserRequest
from secateur.compaction.ledger.pasted import is_pasted, is_shown
from secateur.compaction.ledger.turns.progress import has_changed
from secateur.compaction.ledger.user.answers import is_confirming
from secateur.compaction.ledger.user.brief_units import GAP
from secateur.compaction.ledger.user.demand_units import strip_data
from secateur.compaction.ledger.user.demands import is_demand
from secateur.compaction.ledger.user.order_words import is_undoing
from secateur.compaction.ledger.user.requests import is_review, is_substantial, is_task
from secateur.compaction.ledger.user.topics import extract_topic, is_negative
from secateur.compaction.ledger.work.verdict import is_over
from secateur.text.host_texts import is_nudge

BRIEF_CHARS = 1_500  # of a request in the user's own words
_QUESTION_CHARS = 200
_ORDER_CHARS = 160  # of an order that leaves nothing to know once it is done and the user asked for more
_FLEETING_CHARS = 60  # of an order to look, to run or to go on that is no goal


def list_goals(ledger: Ledger) -> list[UserRequest]:
    """Return the first task, the newest task, what is asked now, and the last message while it is open.

    An order to go on that a host wrote is a request, and no goal. In a cut ledger, those that were goals before.
    """
    if any(one.goal for one in ledger.requests):
        return [one for one in ledger.requests if one.goal]
    requests = [one for one in ledger.requests if not is_nudge(one.text)]
    telling = [one for one in requests if is_substantial(one.text)]
    tasks = [one for one in telling if _is_goal(one)]
    tasks = [one for one in tasks if one.state in ("open", "done") and not _is_beginning(one.text)] or tasks
    first = next((one for one in telling if one in tasks or _is_proposal(one)), None)
    last = [one for one in requests[-1:] if one.state == "open" or not telling or is_confirming(one)]
    newest = [one for one in telling[-1:] if one.state == "open" or not tasks]
    worked = [one for one in tasks if one.progress and one.progress.steps]
    brief = [
        one for one in tasks if not _is_long(one) and one is not first
    ]  # a later long one often is a pasted report
    if brief and last and _has_opened(last[0]) and _is_finished_order(brief[-1]):
        brief = tasks = []
    latest = (brief or tasks)[-1:]
    chain = _list_chain(requests, latest[0]) if latest else []
    begun = [one for one in chain if one in tasks][:1] if first not in chain else []
    opening = [first] if first else telling[:1]
    if first and ((begun and _is_left(first, requests, chain)) or first.summarized):
        opening = []
    core = latest or last or newest
    goals = {*newest, *latest, *last}
    if is_over(ledger) and core:
        followed = [one for one in requests if one.progress and one.progress.steps]
        is_past = first is not None and _is_long_ago(first, requests, followed, _FEWEST_LATER)
        later = requests[requests.index(core[0]) + 1 :]
        worked = [one for one in later if has_changed(one.progress)][-1:]
        worked = [one for one in worked if not _COMMAND.fullmatch(one.text.strip())]
        goals = {core[0], *last, *worked, *_find_frame(tasks, core[0]), *(() if is_past else opening)}
    elif first and first not in chain and _is_long_ago(first, requests, worked, _MANY_LATER):
        goals |= {*begun}
    else:
        goals |= {*opening, *(begun if not opening else ())}
    goals |= {*_list_joined(requests, core[0]), *_find_corrected(requests, core[0])} if core else set()
    if goals and (not is_over(ledger) or any(one.kind == "running" for one in ledger.standing)):
        goals |= {*_find_context(requests, max(goals, key=requests.index))}
    return [one for one in ledger.requests if one in goals]


def _list_joined(requests: Sequence[UserRequest], goal: UserRequest) -> list[UserRequest]:
    """Return the first of the messages that the user wrote right before this one, with no reply between them."""
    joined: list[UserRequest] = []
    for one in reversed(requests[: requests.index(goal)]):
        if not one.passed_over or one.summarized or one.answers:
            break
        joined.insert(0, one)
    return [one for one in joined if _is_goal(one)][:1]


def _find_corrected(requests: Sequence[UserRequest], goal: UserRequest) -> list[UserRequest]:
    """Return the request before one that only corrects what was meant ("no, I meant the other page")."""
    return list(requests[: requests.index(goal)][-1:]) if _CORRECTS.match(goal.text) else []


def _find_context(requests: Sequence[UserRequest], goal: UserRequest) -> list[UserRequest]:
    """Return the task before a goal that says nothing alone: a question, a reply, a command, what a terminal printed.

    Of the tasks shortly before it, the one that shares most words with it; the newest where none shares any. One that
    goes on with what was said right before it ("but ...") has that beside it; what a screen shows has the newest work.
    """
    own = goal.text.strip()
    if is_shown(own) and (shown := _list_shown_work(requests[: requests.index(goal)])):
        return shown
    is_leaning = _LEANS.search(own) is not None or _COMMAND.fullmatch(own) is not None or is_confirming(goal)
    is_brief = len(own) <= _LEANING_CHARS and is_leaning
    if not is_pasted(own) and (not is_brief or _NAMES_OWN.search(own)):
        return []
    before = requests[: requests.index(goal)][-_CONTEXT_REACH:]
    before = [one for one in before if one.state in ("open", "done")]
    joined = [one for one in before[-1:] if _JOINS.match(own) and is_substantial(one.text)]
    tasks = (one for one in reversed(before) if _is_goal(one) and not _is_asking_or_ban(one.text))
    if len(goal.answers) >= _FEWEST_ASKED:  # the quoted words say what it is about
        tasks = (one for one in tasks if not _is_finished_order(one))
    said = "" if is_pasted(own) else f"{own} {goal.answers}"
    topic = {word for word in extract_topic(said) if len(word) >= _TOPIC_CHARS or not word.isascii()}
    whole = [one for one in tasks if len(one.text) > _LEANING_CHARS or not _LEANS.search(one.text)]
    return [*joined, *sorted(whole, key=lambda one: -len(extract_topic(one.text) & topic))[:1]]  # of equals the newest


def _list_shown_work(before: Sequence[UserRequest]) -> list[UserRequest]:
    """Return the newest request that changed files, and the task that began the work on these files."""
    changed = [one for one in before[-_CONTEXT_REACH:] if has_changed(one.progress)]
    if not changed:
        return []
    begun = [one for one in _list_chain(before, changed[-1]) if _is_goal(one)]
    return [*begun[:1], changed[-1]]


def _is_asking_or_ban(text: str) -> bool:
    """Whether a request only asks, or only forbids something in few words: neither is a task."""
    return text.rstrip().endswith(("?", "？")) or (
        len(text) <= _LEANING_CHARS and is_demand(text) and is_negative(text)
    )


def _find_frame(tasks: Sequence[UserRequest], goal: UserRequest) -> list[UserRequest]:
    """Return the task before one that mainly says to begin, and does not say with what.

    Where that only answers a question of the agent's, the task before it stands beside it.
    """
    if goal.answers or not _BEGINS.match(goal.text) or goal not in tasks:
        return []
    before = [*tasks[: tasks.index(goal)]]
    return before[-2:] if before and before[-1].answers else before[-1:]


def _is_long_ago(
    first: UserRequest, requests: Sequence[UserRequest], tasks: Sequence[UserRequest], fewest: int
) -> bool:
    """Whether the agent replied to a task that so many others followed; a long one tells what they are for."""
    later = requests[requests.index(first) + 1 :]
    is_brief = len(strip_data(first.text)) <= _FRAME_CHARS
    return first.state == "done" and is_brief and sum(one in later for one in tasks) >= fewest


def _list_chain(requests: Sequence[UserRequest], newest: UserRequest) -> list[UserRequest]:
    """Return the requests up to this one that changed the same files, without any other work between them."""
    names = _list_changed(newest)
    chain = [newest]
    for one in reversed(requests[: requests.index(newest)]):
        changed = _list_changed(one)
        if changed and not changed & names:
            break
        if changed:
            names |= changed
            chain.append(one)
    return chain[::-1] if names else [newest]


def _is_left(first: UserRequest, requests: Sequence[UserRequest], chain: Sequence[UserRequest]) -> bool:
    """Whether the agent replied to a task, and others that came behind it changed other files and none of its own."""
    names = _list_changed(first)
    if first.state != "done" or not names or _is_long(first):
        return False
    later = requests[requests.index(first) + 1 :]
    return sum(one in later for one in chain) >= _FEWEST_LATER and not any(names & _list_changed(one) for one in chain)


def _list_changed(one: UserRequest) -> set[str]:
    """Return the names of the files that the steps behind a request changed."""
    steps = one.progress.steps if one.progress else ()
    found = (hit for step in steps if (hit := _CHANGED.fullmatch(step)))
    return {name.rpartition(" to ")[2] for hit in found for name in hit[1].split(", ")}


def is_opening(one: UserRequest) -> bool:
    """Whether a request can be the first task."""
    return _is_goal(one) or _is_proposal(one)


def is_answered_review(one: UserRequest) -> bool:
    """Whether a request is a pasted review that was answered: its findings describe what was so before."""
    return one.state == "done" and is_review(one.text)


def is_fleeting(text: str) -> bool:
    """Whether a request asks to look, to run or to go on, and leaves nothing to know once that is done."""
    return _FLEETING.fullmatch(text) is not None


def _is_goal(one: UserRequest) -> bool:
    if not is_task(one.text) or is_nudge(one.text) or _is_answered_question(one) or is_answered_review(one):
        return False
    is_brief = one.state == "done" and len(one.text) <= _FLEETING_CHARS
    if one.state == "done" and (is_pasted(one.text) or (len(one.text) <= _ORDER_CHARS and is_undoing(one.text))):
        return False
    is_passing = is_fleeting(one.text) or _COMMAND.fullmatch(one.text.strip()) is not None
    return not is_confirming(one) and not (is_brief and is_passing)


def _is_proposal(one: UserRequest) -> bool:
    """Whether a request asks how something is to be built or changed."""
    return _PROPOSES.search(one.text) is not None and not is_confirming(one)


def _has_opened(one: UserRequest) -> bool:
    """Whether calls changed or ran something for a reply that confirms."""
    return is_confirming(one) and one.progress is not None and bool(one.progress.steps)


def _is_finished_order(one: UserRequest) -> bool:
    return one.state == "done" and len(one.text) <= _ORDER_CHARS


def _is_long(one: UserRequest) -> bool:
    """Whether a request is long, and not by a log behind a question."""
    own = strip_data(one.text)
    is_cut = f"\n{GAP}" in one.text or _is_beginning(one.text)
    return is_cut or len(own) > BRIEF_CHARS or (len(one.text) > BRIEF_CHARS and "?" not in own)


def _is_beginning(text: str) -> bool:
    """Whether only the beginning of a request is left, in one line."""
    return "\n" not in text and text.endswith(f" {GAP}")


def _is_answered_question(one: UserRequest) -> bool:
    """Whether a request is one line that only asks, or asks to be shown something, and was answered."""
    said = one.text.strip()
    return one.state == "done" and len(said) <= _QUESTION_CHARS and _ASKS.fullmatch(said) is not None


_LEANING_CHARS = 160  # of a goal that may say nothing without the task before it
_FEWEST_ASKED = 40  # characters of a question that says what it is about
_JOINS = re.compile(
    r"(?i)\W*(?:but|and|so|then|still|or|aber|und|mais|et|pero|y|mas|e|но|и|а)\b|\W*(?:但|那|でも|じゃあ|그런데|그럼)"
)
_TOPIC_CHARS = 4  # of a word that says what a request is about
_CONTEXT_REACH = 8  # requests, among which that task is looked for
_LEANS = re.compile(  # it asks, replies, goes on, or speaks of what was said before
    r"(?i)[?？]\W*$|^\W*(?:or|but|and|so|then|no|nope|yes|yeah|yep|ok|okay|sure|continue|go\s+on|keep\s+going|proceed|next|weiter|继续|続けて|계속)\b"
    r"|\b(?:it|its|this|that|these|those|they|them|the\s+same|the\s+(?:first|second|other|rest)|es|das|cela|ça|eso|isso|это)\b"
    r"|这|那|これ|それ|그거|이거"
)
_NAMES_OWN = re.compile(r"`[^`\n]+`|[\w-]+/[\w./-]+|https?://|\b\w+\.(?:py|ts|tsx|js|go|rs|md|json|toml|ya?ml|sh)\b")
_FEWEST_LATER = 2  # requests that calls followed, on other files or where nothing is left, before the first one is past
_MANY_LATER = 3  # tasks that calls followed, on whatever files
_FRAME_CHARS = 800  # of a task that tells what others behind it are for
_BEGINS = re.compile(  # "ok, let's go, make a new branch"
    r"(?i)\s*(?:(?:ok|okay|yes|yeah|yep|sure|alright|great|cool|perfect|nice)[\s,.!]+)*"
    r"(?:let['’]?s\s+(?:go|start|begin|proceed|do\s+(?:it|this|that))|go(?:\s+ahead)?|do\s+it|sounds\s+good)\b(?=\W*(?:$|[,.;!\n]))"
)
_CORRECTS = re.compile(
    r"(?i)\s*(?:(?:no|nope|sorry|oh|ah|wait)[,.!\s]+)*(?:what )?"
    r"i (?:meant|mean|was (?:talking|asking|referring)|am asking)\b"
)
_CHANGED = re.compile(r"(?:created|changed|moved|deleted|restored) ([^\n]+?)(?: and \d+ more)?")  # a step on files
_COMMAND = re.compile(r"/[a-z][\w:-]*(?:[ \t][^\n]*)?")  # of the host: "/simplify the tests"
_PROPOSES = re.compile(
    r"(?i)\A\s*(?:brainstorm|design|propose)\b"
    r"|\bhow (?:do|can|could|should|would|might) (?:we|i|you)\s+(?:best\s+)?"
    r"(?:add|build|make|implement|fix|improve|support|handle|prevent|detect|guard|reduce|speed|migrate|refactor|test"
    r"|replace|remove|set up|create|design|solve|avoid|split|rewrite|move|port|extend|integrate|deploy)\b"
)
_ASKS = re.compile(
    r"(?i)(?:(?:what|why|how|where|when|which|who|is|are|was|were|do|does|did|has|have)\b[^\n.!?]*\?"
    r"|(?:can|could|would|will) you (?:please )?(?:give|show|tell|explain|print|repeat|summari[sz]e)\b[^\n.!]*\??)"
)
_FLEETING = re.compile(  # it asks to look, to run or to go on, and leaves nothing to know once that is done
    r"(?i)\W*(?:(?:ok(?:ay)?|and|now|also|then|please|can you|could you|are we|yes|yeah|nice|great|cool|perfect|good"
    r"|after (?:that|this)|afterwards|finally)[\s,.!]+){0,4}"
    r"(?:look|show|tell|explain|give|list|print|read|check|continue|go on|re-?(?:run|try)|run|commit|push"
    r"|try|all)\b[^\n]{0,160}"
)
