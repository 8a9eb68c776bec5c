"""An agent's loop whose history grows without end, while what it sends stays small.

The loop keeps its own list of messages, as it always did. Just before each call the list goes through `fit`, together
with the plan of the turn before and how long ago the model was last called; the view is what would be sent. The policy
is the default one: it edits once that has earned what it costs. No model is called here: the "agent" reads a file.
"""

from typing import Any

import secateur

IDLE_S = 20.0  # the prompt cache is warm
SOURCE = "".join(f"{n:4}  line {n} of a file that the agent reads again and again\n" for n in range(1200))


def turn(number: int) -> list[dict[str, Any]]:
    """One turn of the conversation: a question, a call, its result, an answer."""
    call = {
        "id": f"call_{number}",
        "type": "function",
        "function": {"name": "read_file", "arguments": '{"path": "a.txt"}'},
    }
    return [
        {"role": "user", "content": f"Look at the file again, and tell me about line {number}."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call["id"], "content": SOURCE},
        {"role": "assistant", "content": f"It is line {number}."},
    ]


def main() -> None:
    history: list[dict[str, Any]] = [{"role": "system", "content": "You answer questions about files."}]
    plan = None
    for number in range(1, 13):
        history += turn(number)
        view = secateur.fit(history, plan=plan, model="gpt-5", idle_s=IDLE_S)
        plan = view.plan
        receipt = view.receipt
        did = f"opened an epoch of {len(receipt.edits)} edits" if receipt.opened else receipt.skipped_reason
        print(f"turn {number:2}: {receipt.tokens_raw:>7,} tokens of history, {receipt.tokens_view:>6,} sent; {did}")
    assert history[3]["content"] == SOURCE, "the history itself is never touched"


if __name__ == "__main__":
    main()
