"""A hand-off document from a session file: what a new session must know, also of what its host compacted away.

    done = recovered(Path("session.jsonl").read_bytes())
    done.document  # Markdown

Rule: no model writes here. Facts are the ledger's, sentences the agent's own, the last words verbatim; all of it from
the whole file, not from what the host would send. A secret is taken out. The file itself is never changed.
"""

from msgspec import Struct

from secateur.compaction.extract import extract
from secateur.compaction.language import detect_language
from secateur.compaction.ledger import build_ledger
from secateur.compaction.ledger.said import get_agent_text, get_user_text, keep_ends
from secateur.compaction.summary import render_sections
from secateur.compaction.template import get_template
from secateur.errors import FormatError
from secateur.model import Message
from secateur.recover.whole import Whole, read_whole
from secateur.redact import redact
from secateur.tokens import get_model_counter

__all__ = ["MAX_TOKENS", "Recovered", "recover_session"]

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


def recover_session(
    data: bytes, *, format: str | None = None, model: str = "", max_tokens: int = MAX_TOKENS, name: str = ""
) -> Recovered:
    """The hand-off document of a session file or request body; `name` is its title. Raises FormatError."""
    found = read_whole(data, format, model)
    said = found.messages
    if not any(message.parts for message in said):
        raise FormatError("it has no messages, so there is nothing to hand off")
    language = detect_language("\n".join(filter(None, map(get_user_text, said)))) or "en"
    read = found.document.transcript
    count = get_model_counter("estimate", read.model)
    sections = extract(said, build_ledger(said), max_tokens, count)
    sizes = (part.tokens if part.kind == "media" else count(part.text) for message in said for part in message.parts)
    tokens = read.fixed_tokens + sum(sizes)
    text = "\n\n".join(
        (
            f"# Hand-off{f' from {name}' if name else ''}",
            _describe_source(found, tokens),
            render_sections(get_template("secateur", language), sections),
            *_quote_last_words(said),
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


def _describe_source(found: Whole, tokens: int) -> str:
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


def _quote_last_words(said: tuple[Message, ...]) -> list[str]:
    """The last words of user and agent, verbatim."""
    user = next(filter(None, map(get_user_text, reversed(said))), "")
    agent = next(filter(None, map(get_agent_text, reversed(said))), "")
    told = [("The user's last message", user), ("The agent's last words", agent)]
    return [f"## {title}\n\n{_quote_text(keep_ends(text, LAST_CHARS))}" for title, text in told if text]


def _quote_text(text: str) -> str:
    """Quote a text, so that no line of it can open a section."""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())
