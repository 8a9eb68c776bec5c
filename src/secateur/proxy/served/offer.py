"""Requests with the recall tool in them, and with the turns that their client has not seen whole.

Rule: the tool is there from the first request of a conversation on, or never; a conversation that began without it is
not offered it, since its cached beginning and its signed reasoning do not have it. Turns that were hidden are put back
wherever the history has them, also in requests that are not offered the tool. A request in which nothing is to be put
keeps its bytes.
"""

from collections.abc import Callable
from itertools import takewhile

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from secateur.proxy.asked import Asked, Edited
from secateur.proxy.body_members import Members, join_elements, join_members, split_elements, split_members
from secateur.proxy.editing import Editor
from secateur.proxy.served.anthropic import AnthropicDialect
from secateur.proxy.served.chat import ChatDialect
from secateur.proxy.served.gemini import GeminiDialect
from secateur.proxy.served.responses import ResponsesDialect
from secateur.proxy.served.turn_log import KnownConversation, TurnLog, find_root
from secateur.proxy.served.turns import Dialect, HiddenTurn, RecallAnswer, RecallCall
from secateur.sessions.recall_handles import has_listed_recall_tool

_DIALECTS: dict[str, Dialect] = {
    "anthropic_messages": AnthropicDialect(),
    "openai_chat": ChatDialect(),
    "openai_responses": ResponsesDialect(),
    "gemini": GeminiDialect(),
}
_APIS = ("anthropic", "openai", "gemini", "vertex")  # whose streams are events as text


class Offer(Struct, frozen=True):
    """The tool in one request."""

    dialect: Dialect
    root: str  # the conversation
    at: int  # elements of the client's request
    is_new: bool  # the conversation begins with it
    log: TurnLog
    editor: Editor
    edited: Edited
    asked: Asked

    def answer(self, call: RecallCall) -> RecallAnswer:
        """Answer a call of the model. In a thread."""
        return self.log.answer(self.editor.get_sessions(self.asked.route), self.edited.who, call)

    def keep(self, turn: HiddenTurn) -> None:
        """Keep a turn of which the client did not see all. In a thread."""
        self.log.add(self.editor.get_sessions(self.asked.route), self.edited.who, self.root, turn)


class SplitRequest(Struct, frozen=True):
    """A request of a format that may have the tool, taken apart."""

    dialect: Dialect
    members: Members
    elements: list[Raw]
    root: str


class Extended(Struct, frozen=True):
    """A request as the engine reads it."""

    asked: Asked
    offered: Callable[[Edited], Offer] | None = None  # makes the offer of what was made of the request


class ServedRequest(Struct, frozen=True):
    """A request as it is sent, and the tool in it."""

    asked: Asked
    edited: Edited
    offer: Offer | None = None


class ServedRecall:
    """Puts the tool into requests."""

    def __init__(self) -> None:
        self._log = TurnLog()

    def edit(self, editor: Editor, asked: Asked, query: bytes) -> ServedRequest:
        """The request with what belongs in it, edited. Never raises for a reason of its own."""
        try:
            extended = self._extend(editor, asked, query)
        except Exception as error:  # whatever it is, the client's request continues
            return ServedRequest(asked, editor.fail_open(asked, error))
        edited = editor.edit(extended.asked)
        if extended.offered is None:
            return ServedRequest(extended.asked, edited)
        offer = extended.offered(edited)
        if offer.is_new and not self._begin(offer):
            return ServedRequest(asked, editor.edit(asked))
        return ServedRequest(extended.asked, edited, offer)

    def _begin(self, offer: Offer) -> bool:
        """Keep that a conversation has the tool from now on; False if it is not to have it."""
        if offer.edited.view is None or not offer.edited.who.session:
            return False
        return self._log.begin(offer.editor.get_sessions(offer.asked.route), offer.edited.who, offer.root)

    def _extend(self, editor: Editor, asked: Asked, query: bytes) -> Extended:
        history = _read_history(asked)
        if history is None:
            return Extended(asked)
        dialect, members, elements = history.dialect, history.members, history.elements
        known = self._log.find(editor.get_sessions(asked.route), asked.caller.tenant, history.root)
        has_tools = len(bytes(members.get("tools", Raw())).strip()) > len(b"[]")  # else calls may not be in the history
        whole = insert_turns(dialect, elements, known.turns) if has_tools else elements
        if whole is not elements:
            members = {**members, dialect.messages: join_elements(whole)}
        is_new, has_begun = not any(map(dialect.is_output, elements)), self._has_begun(editor, asked, known)
        is_wanted = asked.caller.call == "main" or (asked.caller.call == "side" and has_begun and not is_new)
        if is_wanted and (is_new or has_begun) and _can_offer(dialect, asked, members, query):
            extended = replace(asked, body=join_members(dialect.add_tool(members)))
            start = (dialect, history.root, len(elements), is_new and not has_begun, self._log, editor)
            return Extended(extended, lambda edited: Offer(*start, edited, extended))
        return Extended(asked if whole is elements else replace(asked, body=join_members(members)))

    def _has_begun(self, editor: Editor, asked: Asked, known: KnownConversation) -> bool:
        """Whether a conversation has the tool: also where its client gave it a new name since."""
        name = asked.caller.session
        if not known.sessions or not name or name in known.sessions:
            return bool(known.sessions)
        return not editor.has_session(asked)


def insert_turns(dialect: Dialect, elements: list[Raw], turns: tuple[HiddenTurn, ...]) -> list[Raw]:
    """A history with the turns that its client has not seen whole; the same list if it has none of them."""
    found: list[Raw] = []
    begun = 0
    for turn in sorted(turns, key=lambda one: one.at):
        if not begun <= turn.at < len(elements):
            continue
        count = dialect.match_turn(elements[turn.at :], turn)
        end = turn.at + count
        follower = dialect.insert_results(elements[end], turn) if turn.results and end < len(elements) else None
        if not count or (turn.results and follower is None):
            continue
        found += [*elements[begun : turn.at], *dialect.expand_turn(elements[turn.at : end], turn)]
        found += [follower] if follower is not None else []
        begun = end + (follower is not None)
    return [*found, *elements[begun:]] if begun else elements


def _read_history(asked: Asked) -> SplitRequest | None:
    """A request taken apart; None if its format is another, or it has no user's message."""
    dialect = _DIALECTS.get(asked.route.format)
    if dialect is None or asked.route.api not in _APIS:
        return None
    try:
        members = split_members(asked.body)
        elements = split_elements(members[dialect.messages])
    except (ValueError, KeyError, RecursionError):
        return None
    first = [
        element for element in takewhile(lambda one: not dialect.is_output(one), elements) if dialect.is_user(element)
    ]
    return SplitRequest(dialect, members, elements, find_root(first)) if first else None


def _can_offer(dialect: Dialect, asked: Asked, members: Members, query: bytes) -> bool:
    route = asked.route
    is_array = route.path.endswith(b":streamGenerateContent") and b"alt=sse" not in query  # not a stream of events
    if route.kind != "generate" or "tools" not in members or is_array:
        return False
    try:
        return dialect.can_offer(members) and not has_listed_recall_tool(msgspec.json.decode(members["tools"]))
    except (ValueError, RecursionError):
        return False
