"""A Chat Completions request, mended rule by rule.

Rule: as for the Messages API, what stands inside messages comes first, then ids, then pairs. Roles alternate only where
the caller says that the server is strict (O13): most are not, and merging moves what the user said.
"""

from secateur.api.anthropic.repairs_ends import refuses_prefill
from secateur.api.editable import Node
from secateur.api.openai_chat.repairs_calls import mend_pairs
from secateur.api.openai_chat.repairs_messages import mend_calls, mend_content
from secateur.api.openai_chat.repairs_servers import alternate, respell
from secateur.api.repair_run import GO_ON, Work

BLOCKS = ""  # messages are mended whole


def mend(work: Work) -> None:
    """Mend all that is known to be refused (wire rules O)."""
    mend_content(work)
    mend_calls(work)
    mend_pairs(work)
    if work.settings.profile in ("strict", "mistral"):
        alternate(work)
    if work.settings.profile == "mistral":
        respell(work)
    _mend_ending(work)


def _mend_ending(work: Work) -> None:
    """A last assistant message, where the server refuses to go on from it (A14; Mistral: O13)."""
    last = work.nodes[-1] if work.nodes else None
    refused = refuses_prefill(work.settings.model) or work.settings.profile == "mistral"
    if last is not None and last.role == "assistant" and refused:
        work.nodes.append(Node({"role": "user", "content": GO_ON}))
        work.say("A14", last, f"this model cannot go on from its own words: the user now says {GO_ON!r}")
