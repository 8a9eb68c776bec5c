"""What a vector is: a body that breaks one rule and a like one that breaks none. A list stands for its messages."""

from typing import Any

from msgspec import Struct

from secateur.api import Violation, check

ARRAYS = {"openai_responses": "input", "gemini": "contents"}


class Case(Struct, frozen=True, kw_only=True):
    """Two bodies, read under the same profile; headers may differ."""

    rule: str
    breaks: Any
    passes: Any
    at: str = ""  # where the breaking body breaks it: messages.1.content.0
    profile: str | None = None
    headers: dict[str, str] = {}
    good_headers: dict[str, str] | None = None


def judged(family: str, body: Any, profile: str | None = None, headers: Any = None) -> list[Violation]:
    """The violations of a body."""
    array = ARRAYS.get(family, "messages")
    whole = body if isinstance(body, dict) else {array: body}
    return check(family, whole[array], whole, profile=profile, headers=headers)


def user(*content: Any) -> dict[str, Any]:
    return {"role": "user", "content": said(content)}


def assistant(*content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": said(content)}


def said(content: tuple[Any, ...]) -> Any:
    """One string, or a list of blocks with strings as text blocks."""
    if len(content) == 1 and isinstance(content[0], str):
        return content[0]
    return [{"type": "text", "text": one} if isinstance(one, str) else one for one in content]
