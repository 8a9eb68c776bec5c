"""How a request of the Messages API begins and ends, and how its assistant messages end.

Rules A7, A13-A15. A history that begins in the middle gets a user message that says so; where a model refuses to go on
from its own words, the user asks it to continue. Reasoning that nothing follows goes: it was an answer cut off.
"""

from secateur.api.anthropic.models import at_least
from secateur.api.editable import Node
from secateur.api.repair_run import BEGINNING, GO_ON, NO_CONTENT, Work

_REFUSES_FROM = (4, 6)  # rule A14
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})


def refuses_prefill(model: str) -> bool:
    """Whether a model takes no last assistant message (rule A14: 4.6 and later). An unknown model is not taken to."""
    return at_least(model, _REFUSES_FROM)


def mend_beginning(work: Work) -> None:
    """The first message is the user's, or a compaction that stands for what was before (A7)."""
    first = work.nodes[0] if work.nodes else None
    if first is None or first.role != "assistant":
        return
    if first.role == "assistant" and first.inner and first.inner[0].role == "compaction":
        return
    work.nodes.insert(0, Node({"role": "user", "content": BEGINNING}))
    work.say("A7", first, "a message of the user was put before the first one")


def mend_thoughts(work: Work) -> None:
    """Reasoning that ends what an assistant said goes (A15): the API wants words or a call behind it."""
    for role, run in work.runs():
        spoken = [node for node in run if node.inner or str(node.get("content") or "").strip()]
        ends = spoken[-1] if spoken and role == "assistant" else None
        while ends is not None and ends.inner and ends.inner[-1].role in _THOUGHTS:
            last = ends.inner.pop()
            work.say("A15", last, "reasoning that nothing followed was taken out")
            if not ends.inner:
                ends.inner = [Node({"type": "text", "text": NO_CONTENT})]


def mend_ending(work: Work) -> None:
    """A last assistant message: the user asks to continue where it is refused (A14), else it ends in a word (A13)."""
    last = work.nodes[-1] if work.nodes else None
    if last is None or last.role != "assistant" or (last.inner and "_tool_" in last.inner[-1].role):
        return  # a server's tool at the end: the provider paused there and goes on from it
    if refuses_prefill(work.settings.model):
        work.nodes.append(Node({"role": "user", "content": GO_ON}))
        work.say("A14", last, f"this model cannot go on from its own words: the user now says {GO_ON!r}")
        return
    holder, name = (last.inner[-1], "text") if last.inner else (last, "content")
    said = holder.get(name)
    if isinstance(said, str) and said != said.rstrip():
        holder.put((name,), said.rstrip())
        work.say("A13", holder, "white space at the end of the last assistant text was taken off")
