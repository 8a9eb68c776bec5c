"""A hand-off document from a session file: what a new session must know, also of what its host compacted away.

    done = recovered(Path("session.jsonl").read_bytes())
    done.document  # Markdown

Rule: no model writes here. Facts are the ledger's, sentences the agent's own, the last words verbatim; all of it from
the whole file, not from what the host would send. A secret is taken out. The file itself is never changed.
"""

from msgspec import Struct

from secateur.compaction.extract import extract
from secateur.compaction.language import language_of
from secateur.compaction.ledger import ledger_of
from secateur.compaction.ledger.said import ends, said_by_agent, said_by_user
from secateur.compaction.summary import rendered
from secateur.compaction.template import template
from secateur.errors import FormatError
from secateur.model import Message
from secateur.recover.whole import Whole, whole
from secateur.redact import redact
from secateur.tokens import counter_for

__all__ = ["MAX_TOKENS", "Recovered", "recovered"]

MAX_TOKENS = 8_000  # of facts and sentences: a summary of a long session, and no burden in any window
LAST_CHARS = 4_000  # of the user's last message, and of the agent's


class Recovered(Struct, frozen=True):
    """A document, and what it was made from."""

    document: str  # Markdown
    tokens: int  # of the document, about, in the tokens of the session's model
    format: str
    messages: int  # of the whole file
    sent: int  # of these, the messages that the host would still send as they were
    compactions: int  # of the host
    whole_tokens: int  # of the whole file, in the same
    warnings: tuple[str, ...] = ()


def recovered(
    data: bytes, *, format: str | None = None, model: str = "", max_tokens: int = MAX_TOKENS, name: str = ""
) -> Recovered:
    """The hand-off document of a session file or request body; `name` stands in its title. Raises FormatError."""
    found = whole(data, format, model)
    said = found.messages
    if not any(message.parts for message in said):
        raise FormatError("it holds no messages, so there is nothing to hand on")
    language = language_of("\n".join(filter(None, map(said_by_user, said)))) or "en"
    read = found.document.transcript
    count = counter_for("estimate", read.model)
    sections = extract(said, ledger_of(said), max_tokens, count)
    sizes = (part.tokens if part.kind == "media" else count(part.text) for message in said for part in message.parts)
    tokens = read.fixed_tokens + sum(sizes)
    text = "\n\n".join(
        (
            f"# Hand-off{f' from {name}' if name else ''}",
            _made_from(found, tokens),
            rendered(template("secateur", language), sections),
            *_last(said),
        )
    )
    document = redact(text, thorough=True) + "\n"
    return Recovered(
        document=document,
        tokens=count(document),
        format=found.document.format.name,
        messages=len(said),
        sent=found.sent,
        compactions=found.compactions,
        whole_tokens=tokens,
        warnings=read.warnings,
    )


def _made_from(found: Whole, tokens: int) -> str:
    count, gone = len(found.messages), len(found.messages) - found.sent
    lost = ""
    if found.compactions:
        times = "once" if found.compactions == 1 else f"{found.compactions} times"
        lost = f" The host compacted it {times}; {gone:,} messages from before that are among them."
    return (
        f"Made from the whole {found.document.format.name} session: {count:,} messages, about {tokens:,} tokens.{lost} "
        "No model wrote this: facts come from what was said and done, sentences are the agent's own. Check what "
        "matters before you rely on it."
    )


def _last(said: tuple[Message, ...]) -> list[str]:
    """The last words of both, verbatim."""
    user = next(filter(None, map(said_by_user, reversed(said))), "")
    agent = next(filter(None, map(said_by_agent, reversed(said))), "")
    told = [("The user's last message", user), ("The agent's last words", agent)]
    return [f"## {title}\n\n{_quoted(ends(text, LAST_CHARS))}" for title, text in told if text]


def _quoted(text: str) -> str:
    """As a quotation, so that no line of it can open a section."""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())
