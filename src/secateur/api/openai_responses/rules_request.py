"""Fields of the request, and items that concern all of it."""

from secateur.api.openai_responses.walk import Responses
from secateur.api.rule import Found, rule


@rule(
    "R10",
    "a compaction trigger is the last item, and there is one",
    "reported: CLIProxyAPI #5516, billion-context #249",
)
def trigger(history: Responses) -> Found:
    for number, kind in enumerate(history.kinds):
        if kind == "compaction_trigger" and (number < len(history.kinds) - 1 or not history.ends):
            yield (history.array, number), "a compaction trigger is not the last item: leave what follows it out"


@rule("R13", "history comes from a response or from a conversation", "reported")
def one_source(history: Responses) -> Found:
    if history.request.get("previous_response_id") and history.request.get("conversation"):
        yield ("previous_response_id",), "`previous_response_id` and `conversation` exclude each other: drop one"


@rule("R15", "with `json_object` the word json stands in a message", "general knowledge", whole=True)
def word_json(history: Responses) -> Found:
    if history.wants_json and not history.says_json and not history.partial and history.messages:
        yield ("text", "format"), "`json_object` is wanted and no message says json: say it in one"
