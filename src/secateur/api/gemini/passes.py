"""A generateContent request, mended rule by rule: parts, roles, calls and responses, the beginning.

Rule: contents of one role in a row are one turn, as the API takes them, and stay as many as they are; only responses
are brought together in one content. Names keep the spelling they came with, camelCase or snake_case. A thought
signature stays on its part as it came. With `cachedContent` the history begins elsewhere, and may begin in the middle.
"""

from secateur.api.editable import Node
from secateur.api.gemini.repairs_calls import mend_pairs
from secateur.api.gemini.repairs_contents import datum, is_model, mend_contents, turns
from secateur.api.gemini.repairs_media import mend_media
from secateur.api.gemini.rules_signatures import wants
from secateur.api.repair_run import BEGINNING, Work

BLOCKS = "parts"  # the member of a content that holds its parts

UNSIGNED = "skip_thought_signature_validator"  # wire rule G10: what stands for a signature that nobody has (docs)


def mend(work: Work) -> None:
    """Mend all that is known to be refused and can be mended (wire rules G)."""
    mend_contents(work)
    mend_media(work)
    mend_pairs(work)
    _mend_beginning(work)
    if wants(work.settings.model):
        _sign(work)


def _mend_beginning(work: Work) -> None:
    """The first content is the user's (G1, G6)."""
    first = next((node for node in work.nodes if isinstance(node.value, dict)), None)
    if first is None or work.partial or not is_model(first):
        return
    at = next(number for number, node in enumerate(work.nodes) if node is first)
    work.nodes.insert(at, Node({"role": "user", "parts": [{"text": BEGINNING}]}))
    calls = any(datum(part)[0] == "functionCall" for part in first.inner or ())
    work.say("G1" if calls else "G6", first, "a content of the user was put before the first one")


def _sign(work: Work) -> None:
    """Each step of calls since the user last spoke carries a signature, or says that it has none (G10)."""
    steps: list[Node] = []  # the first call of each
    for role, run in turns(work.nodes):
        parts = [(part, datum(part)) for node in run for part in node.inner or ()]
        calls = [part for part, (kind, _) in parts if kind == "functionCall"]
        if role == "model":
            steps += calls[:1]
        elif any(kind not in ("", "functionCall", "functionResponse") for _, (kind, _) in parts):
            steps = []
    for call in steps:
        if not (call.get("thoughtSignature") or call.get("thought_signature")):
            name = "thought_signature" if datum(call)[1] == "function_call" else "thoughtSignature"
            call.put((name,), UNSIGNED)
            work.say("G10", call, "a call that lost its thought signature says that it has none")
