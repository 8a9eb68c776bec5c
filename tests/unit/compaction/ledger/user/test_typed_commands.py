"""Commands of a host that the user typed: requests where the agent took them up, told as they were typed."""

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import build_ledger, render_ledger
from secateur.compaction.ledger.user.typed_commands import find_commands, find_expansions
from secateur.model import Message

TIDY = user(
    "<command-message>tidy</command-message>\n<command-name>/tidy</command-name>\n"
    "<command-args> the cart</command-args>",
    origin="harness",
)
EXPANDED = user("# Tidy\nLook at what was changed, and make it plain.", origin="harness")


def commands(*messages: Message) -> list[str]:
    said = talk(*messages).messages
    return [*find_commands(said, find_expansions(said)).values()]


def test_a_command_that_the_agent_took_up_is_told_with_its_arguments() -> None:
    assert commands(user("Build a cart."), TIDY, EXPANDED, assistant(text="I look.")) == ["/tidy the cart"]
    assert commands(TIDY, assistant(text="I look.")) == ["/tidy the cart"]


def test_a_command_that_the_host_carried_out_itself_or_that_nothing_followed_is_none() -> None:
    login = user("<command-name>/login</command-name>\n<command-args></command-args>", origin="harness")
    printed = user("<local-command-stdout>Done</local-command-stdout>", origin="harness")
    assert not commands(login, printed, assistant(text="Hello."))
    assert not commands(login, user("Build a cart."), assistant(text="I build."))
    assert not commands(TIDY)
    assert commands(login, TIDY, EXPANDED, assistant(text="I look.")) == ["/tidy the cart"]
    assert not commands(user("What does <command-name>tidy</command-name> mean?"), assistant(text="It names one."))


def test_a_typed_command_is_the_newest_request_and_answers_the_one_before() -> None:
    ledger = build_ledger(
        talk(
            user("Could the cart be a list?"),
            assistant(text="Yes. Want me to build it?"),
            TIDY,
            EXPANDED,
            assistant(("c", "bash", '{"command": "git diff"}')),
            result("+ cart", call="c"),
        ).messages
    )
    assert [(one.text, one.state) for one in ledger.requests] == [
        ("Could the cart be a list?", "done"),
        ("/tidy the cart", "open"),
    ]


def test_the_user_waits_for_what_was_chosen_of_the_plan_and_not_for_an_older_request() -> None:
    ledger = build_ledger(
        talk(
            user("Build the cart of the shop as a list of things."),
            assistant(("c", "write", '{"file_path": "/w/plan.md", "content": "x"}')),
            result("ok", "write", "c"),
            assistant(
                text="The plan is written. Two ways:\n\n1. Here, step by step\n2. In a new session\n\nWhich approach?"
            ),
            user("1"),
        ).messages
    )
    newest = ledger.requests[-1]
    line = next(one for one in render_ledger(ledger)["next"] if "where it stands" in one)
    mark = render_ledger(ledger)["goal"][0].split(",")[0].removeprefix("- [")
    assert newest.text == "1"
    assert f"waits for [{mark}]" in line
