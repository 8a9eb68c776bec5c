"""Whether a compaction can be made of this conversation at all, whatever anybody wants.

Rule: asked before a summary is; each refusal says what to do instead.
"""

from secateur.bounds import running
from secateur.compaction.outcome import Refused
from secateur.session import Session
from secateur.session.appending import hosted
from secateur.settle import headless


def cannot(work: Session, written: bool = True) -> Refused | None:
    """Why not; None if it can be. What is not `written` needs no place in its document."""
    read, format = work.document.transcript, work.document.format
    if read.partial:
        return Refused("partial", "the provider holds history that is not in this request: it is only observed")
    if read.thinks_first and headless(read.messages, work.aligned, running(read)):
        return Refused("running_turn", "the running turn must begin with its reasoning, so nothing is edited")
    if written and (format.log or read.in_place) and not hosted(work.document):
        text = f"a session of {format.name} has no compaction of its own to append: compact the request, or prune it"
        return Refused("no_entry", text)
    return None
