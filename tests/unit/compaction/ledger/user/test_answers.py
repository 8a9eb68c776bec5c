"""Replies that only answer the agent: the question or offer that they answer is quoted behind them."""

import pytest

from conversation import assistant, in_order, result, talk, user
from secateur.compaction.ledger import Ledger, UserRequest, build_ledger, fit_ledger, merge, read_back, render_ledger
from secateur.compaction.ledger.entries import PlanItem, Progress, State
from secateur.compaction.ledger.user.answers import find_answered_question, shorten_question
from secateur.compaction.ledger.user.goals import list_goals
from secateur.tokens import estimate

OFFER = "The cache works.\n\nShould I also close the gaps in the tests, or push it as it is?"
PICKED = "The cache works. Next I'd take the reader apart. It is small."
POINTS = "Two points are open: (1) whether tags are warned about too; (2) whether the flag implies it."
MIDWAY = "That is confusing.\n\nWant me to move it to the pending area? The changes would be:\n1. A flag\n2. A queue"


@pytest.mark.parametrize(
    ("said", "reply", "quoted"),
    [
        (OFFER, "yeah, let's close the gaps", "Should I also close the gaps in the tests, or push it as it is?"),
        (POINTS, "1: yes, 2: yes", "1) whether tags are warned about too · 2) whether the flag implies it."),
        (MIDWAY, "no, we want to put it in the chat area", "Want me to move it to the pending area?"),
        ("The cache works.", "yes, and write the docs for it", ""),
        (OFFER, "No new dependencies for the parser.", ""),
        (OFFER, "Write the docs for the parser.", ""),
        (PICKED, "let's do this then", "Next I'd take the reader apart."),
        (PICKED, "can we add that?", "Next I'd take the reader apart."),
        (PICKED, "let's do the docs", ""),
    ],
)
def test_a_reply_is_listed_with_the_question_that_it_answers(said: str, reply: str, quoted: str) -> None:
    ledger = build_ledger(talk(user("Write the cache."), assistant(text=said), user(reply)).messages)
    lines = render_ledger(fit_ledger(ledger, 4_000, estimate))
    shown = f"] asked “{quoted}”: {reply}" if quoted else f"] {reply}"
    if reply.endswith("?"):  # it says more than yes or no
        shown = f"] {reply} — in answer to: “{quoted}”"
    assert in_order(lines["goal"])[-1].endswith(shown)
    assert render_ledger(read_back(lines)) == lines
    assert render_ledger(merge(read_back(lines), build_ledger(())))["goal"] == lines["goal"]


ASKED = (
    "Here is the plan.\n\n**Which store is it?**\n\n1. **Files** - one per day\n2. **A table** - with an index\n3. Both"
)
LISTED = "What is left:\n1. Clean the history\n2. Sign the tags"


@pytest.mark.parametrize(
    ("said", "reply", "quoted"),
    [
        (ASKED, "2", "Which store is it? 2) A table - with an index"),
        (ASKED, "option 3 for now", "Which store is it? 3) Both"),
        (ASKED, "1, but keep a week only", "Which store is it? 1) Files - one per day"),
        (LISTED, "yeah do 2", "2) Sign the tags (not picked: 1) Clean the history)"),
        (LISTED, "fix issue 1 and tell me", "1) Clean the history (not picked: 2) Sign the tags)"),
        (LISTED, "do 1 and 2 please", "1) Clean the history · 2) Sign the tags"),
        (LISTED, "do all of them", "1) Clean the history · 2) Sign the tags"),
        (ASKED, "the second one", "Which store is it? 2) A table - with an index"),
        (ASKED, "die zweite", "Which store is it? 2) A table - with an index"),
        (ASKED, "第二个", "Which store is it? 2) A table - with an index"),
        ("Which port is it?", "the second, as before", "Which port is it?"),
        (LISTED, "2 is wrong", ""),
        (LISTED, "do 2 more of these", ""),
        (ASKED, "7", ""),
        ("Which port is it?", "Write the docs first.", ""),
    ],
)
def test_a_choice_is_listed_with_the_point_that_it_chooses(said: str, reply: str, quoted: str) -> None:
    messages = [user("Write the cache."), assistant(text=said), user(reply), assistant(text="Done.")]
    messages += [one for n in range(4) for one in (user(f"Write part {n} of it."), assistant(text="Done."))]
    ledger = build_ledger(talk(*messages).messages)
    assert ledger.requests[1].answers == quoted
    lines = render_ledger(fit_ledger(ledger, 4_000, estimate))
    if quoted:
        said = (*lines["accomplished"], *lines.get("constraints", ()))
        assert any(line.split("\n")[0].endswith(f"] {reply} — in answer to: “{quoted}”") for line in said)
    assert render_ledger(read_back(lines)) == lines


def test_a_reply_is_no_goal_but_as_the_last_word() -> None:
    reply = (
        assistant(text="The cache works.\n\nShould the gaps in the tests be closed?"),
        user("yeah, close them all"),
    )
    messages = [user("Write the cache."), *reply, assistant(text="Closed.")]
    shown = in_order(render_ledger(build_ledger(talk(*messages).messages))["goal"])
    assert [line.partition("] ")[2] for line in shown[1:]] == [
        "Write the cache.",
        "asked “Should the gaps in the tests be closed?”: yeah, close them all",
    ]
    messages += [user("Write the docs of the cache."), assistant(text="Done.")]
    shown = in_order(render_ledger(build_ledger(talk(*messages).messages))["goal"])
    assert [line.partition("] ")[2] for line in shown[1:]] == ["Write the cache.", "Write the docs of the cache."]


def test_a_demand_that_begins_as_a_reply_is_listed_with_the_question_too() -> None:
    reply = "yes, but never push without asking me"
    ledger = build_ledger(talk(user("Write the cache."), assistant(text=OFFER), user(reply)).messages)
    lines = render_ledger(ledger)
    assert lines["constraints"][0].endswith(f"] {reply} — in answer to: “{OFFER.splitlines()[-1]}”")
    assert render_ledger(read_back(lines)) == lines


RELEASE = (
    "Ready to release. The steps are:\n\n```bash\nmake tag\nmake push\n```\n\nThen:\n```bash\nmake ship\n```\n\n"
    "Should I go on with tagging?"
)
DONE = "Done:\n- the parser\n- the cache\n\nShould I tag it?"


@pytest.mark.parametrize(
    ("said", "reply", "quoted"),
    [
        (RELEASE, "yeah, do it all", "make tag · make push · make ship · Should I go on with tagging?"),
        (
            RELEASE,
            "yes but skip the last one, and write down why it is skipped, please do",
            "Should I go on with tagging?",
        ),
        (DONE, "yes", "Should I tag it?"),
    ],
)
def test_a_bare_yes_is_listed_with_the_steps_that_it_agrees_to(said: str, reply: str, quoted: str) -> None:
    ledger = build_ledger(talk(user("Write the cache."), assistant(text=said), user(reply)).messages)
    assert ledger.requests[-1].answers == quoted
    lines = render_ledger(fit_ledger(ledger, 4_000, estimate))
    assert render_ledger(read_back(lines)) == lines


def test_a_finished_order_is_no_goal_beside_the_proposal_that_was_agreed_to() -> None:
    messages = [user("Port the parser to the new grammar."), assistant(text="Ported.")]
    messages += [user("Drop the old note in the log."), assistant(text=RELEASE), user("yeah, do it all")]
    assert len(in_order(render_ledger(build_ledger(talk(*messages).messages))["goal"])) == 3
    messages += [assistant(("1", "bash", '{"command": "make ship"}')), result("shipped", "bash", "1")]
    shown = in_order(render_ledger(build_ledger(talk(*messages).messages))["goal"])
    assert [line.partition("] ")[2].rpartition("”: ")[2] for line in shown] == [
        "Port the parser to the new grammar.",
        "yeah, do it all",
    ]


def test_the_question_of_an_older_reply_is_shortened() -> None:
    steps = "Write the table · Write the menu · Shall I go on with both?"
    assert shorten_question(steps) == "Shall I go on with both?"
    kept = "Which store is it for the rows of the menu? 2) A table - with an index on the day"
    assert shorten_question(f"{kept}, and another one on the price of the row") == f"{kept} …"
    assert shorten_question(kept) == kept


def test_a_request_of_which_only_the_beginning_is_left_is_no_goal() -> None:
    texts = ("Add a flag to the parser.", "Make the cache fast.", "These are the rows of the last run. […]")
    requests = tuple(UserRequest(text, "done", str(at)) for at, text in enumerate(texts))
    assert [one.text for one in list_goals(Ledger(requests=requests))] == list(texts[:2])
    assert [one.text for one in list_goals(Ledger(requests=requests[::-1]))] == [texts[1], texts[0]]


def asked(text: str, *steps: str, state: State = "done") -> UserRequest:
    return UserRequest(text, state, text, progress=Progress(steps))


def test_the_task_that_began_the_newest_work_takes_the_place_of_one_that_was_left() -> None:
    requests = (
        asked("Set up the skills of this project for me", "changed setup.sh"),
        asked("Make the header of the start page a small table", "created header.ts", "changed settings.json"),
        asked("it shows nothing now", "changed header.ts"),
        asked("align the first column of it left", "changed header.ts"),
    )
    left = (PlanItem("Write the footer."),)
    assert list_goals(Ledger(requests=requests, tasks=left)) == [requests[1], requests[3]]
    again = (*requests[:3], asked("align the first column of it left", "changed header.ts, setup.sh"))
    assert list_goals(Ledger(requests=again, tasks=left)) == [again[0], again[1], again[3]]  # what "it" is
    unanswered = (asked(requests[0].text, "changed setup.sh", state="open"), *requests[1:])
    assert unanswered[0] in list_goals(Ledger(requests=unanswered))
    assert list_goals(Ledger(requests=requests)) == [requests[3]]
    assert list_goals(Ledger(requests=again)) == [again[3]]
    alone = (requests[0], asked("Make the header of the start page a small table", "created header.ts"))
    assert list_goals(Ledger(requests=alone)) == [*alone]


@pytest.mark.parametrize(
    ("asked", "is_open"),
    [
        ("Is there anything else you'd like to change?", False),
        ("Anything else?", False),
        ("What else can I help you with?", False),
        ("How can I assist you further?", False),
        ("Is there anything else that writes to this table?", True),
        ("Which store is it?", True),
        ("Should I also close the gaps in the tests?", True),
    ],
)
def test_a_question_of_courtesy_leaves_nothing_open(asked: str, is_open: bool) -> None:
    said = f"The cache works.\n\n{asked}"
    ledger = build_ledger(talk(user("Write the cache."), assistant(text=said)).messages)
    lines = render_ledger(ledger)
    assert bool(read_back(lines).questions) is is_open
    assert (f"“{asked}”" in lines["next"][0]) is is_open


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("fix issue 1", 1),
        ("let's do the second one", 2),
        ("address 1 first, and leave the rest", 1),
        ("ok, the last", 3),
        ("can you fix the third issue?", 3),
        ("fix 3 rows", 0),
    ],
)
def test_a_point_that_a_reply_names_is_quoted(said: str, number: int) -> None:
    points = ["The cache is never cleared", "The menu has no title", "Rows are lost"]
    listed = "\n".join(f"{at}. {point}" for at, point in enumerate(points, 1))
    found = find_answered_question(said, f"Findings:\n\n{listed}\n\nWhich of them should I fix?")
    picked = found.partition(" (not picked: ")[0]
    assert [point for point in points if point in picked] == points[number - 1 : number]


def test_a_reply_that_picks_no_point_is_told_with_all_of_them() -> None:
    said = "Two ways:\n\n1. **One step** - all at once\n2. **Two steps** - with a flag\n\nWhich way do you prefer?"
    quoted = "Which way do you prefer? 1) One step - all at once; 2) Two steps - with a flag"
    assert find_answered_question("yeah, it must not be broken in between", said) == quoted
    assert find_answered_question("not half-way", said) == quoted
    both = "It is at the left.\n\nIs that what you want? Or do you want it at the right?"
    assert find_answered_question("yes, that is it", both) == "Is that what you want? Or do you want it at the right?"


def test_the_same_words_sent_again_before_any_reply_are_one_request() -> None:
    again = [user("The menu has no title, can it have one?"), user("The rows are lost as well, look.")]
    ledger = build_ledger(talk(*again, *again, assistant(text="It has one now.")).messages)
    assert [one.text for one in ledger.requests] == [one.parts[0].text for one in again]


NEXT = (
    "Next I'd do one of these:\n\n1. A planner\n2. Smaller requests\n\nLater maybe filters, if you want to read less."
    "\n\nSo my recommendation is: build the planner next."
)


@pytest.mark.parametrize(
    ("reply", "quoted"),
    [
        ("continue", "So my recommendation is: build the planner next."),
        ("ok, now just keep going, do small commits", "So my recommendation is: build the planner next."),
        ("好的，继续", "So my recommendation is: build the planner next."),
        ("продолжай", "So my recommendation is: build the planner next."),
        ("Continue the sentence in the header with the name of the harbor, and keep the old ones as well.", ""),
    ],
)
def test_an_order_to_go_on_is_told_with_what_the_agent_proposed(reply: str, quoted: str) -> None:
    assert find_answered_question(reply, NEXT) == quoted
    assert not find_answered_question(reply, "")  # it was at work


def test_a_point_is_looked_up_in_an_older_list_by_its_kind() -> None:
    messages = [user("Review the cache."), assistant(text=LISTED), user("fix issue 1"), assistant(text="Cleaned.")]
    ledger = build_ledger(talk(*messages, user("now issue 2")).messages)
    assert ledger.requests[-1].answers == "2) Sign the tags (not picked: 1) Clean the history)"
    assert build_ledger(talk(*messages, user("do 2")).messages).requests[-1].answers == ""


LETTERED = (
    "Three decisions:\n\n1. **The switch.** Options:\n   - **(a) Hard**: at once\n   - **(b) Soft**: with a warning\n"
    "   - **(c) Loud**: it is an error\n2. **The name.** It stays.\n\nIf (c) is right, I start."
)


@pytest.mark.parametrize(
    ("reply", "quoted"),
    [
        ("do c", "c) (c) Loud: it is an error"),
        ("or no, do c", "c) (c) Loud: it is an error"),
        ("option b", "b) (b) Soft: with a warning"),
        ("do 2", "2) The name. It stays."),
        ("a quick question: why?", ""),
        ("use a hammer", ""),
    ],
)
def test_a_letter_picks_a_point_of_a_lettered_list(reply: str, quoted: str) -> None:
    picked = find_answered_question(reply, LETTERED).partition(" (not picked")[0]
    assert picked == quoted.replace(f"{quoted[:1]}) ({quoted[:1]}) ", f"{quoted[:1]}) ")
    if quoted and reply != "do 2":  # found in an older text, too
        assert find_answered_question(reply, "Do you mean the switch?", LETTERED).partition(" (not")[0] == picked


@pytest.mark.parametrize(
    ("reply", "is_answer"),
    [
        ("the one by the door", True),
        ("where did you get these names", False),
        ("wait what is this: read the plan", False),
        ("wow, it shines, you are a wizard", False),
        ("/theme", False),
        ("also the roof leaks", False),
        ("okay, so I stand before it, what do I have to press? (and for how long?)", False),
        ("ok, the left one", True),
        ("yes, and can we also test it?", True),
    ],
)
def test_a_few_words_that_turn_to_something_else_answer_nothing(reply: str, is_answer: bool) -> None:
    assert bool(find_answered_question(reply, "The lamps hang.\n\nWhich of them is to be lit first?")) is is_answer


FOUND = "Three things are wrong:\n\n1. **The mast** bends\n2. The boom has no stop\n3. The keel is loose\n\n"


@pytest.mark.parametrize(
    ("question", "reply", "is_quoted"),
    [
        ("Want me to fix these?", "yes", True),
        ("Should I mend all of them?", "yes please", True),
        ("Should I mend the mast?", "yes", False),
        ("Want me to fix these?", "no", False),
    ],
)
def test_an_assent_to_these_quotes_what_is_meant(question: str, reply: str, is_quoted: bool) -> None:
    quoted = "The mast bends · The boom has no stop · The keel is loose · "
    assert find_answered_question(reply, f"{FOUND}{question}") == f"{quoted if is_quoted else ''}{question}"


def test_points_under_a_heading_answer_no_question_that_stands_before_it() -> None:
    said = "**Can it be faster today?**\nOnly a little.\n\n**What would have to change**\n1. Read less\n2. Keep it open"
    assert find_answered_question("2. Keep it open", said) == "What would have to change 2) Keep it open"
    bare = said.replace("**What would have to change**", "These would help:")
    assert find_answered_question("2. Keep it open", bare) == "Can it be faster today? 2) Keep it open"
