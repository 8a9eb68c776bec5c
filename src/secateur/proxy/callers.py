"""Who sent a request: the client, its session, the account that pays, and the kind of call.

Rule: what clients send is a table (`clients`), so that a new client is a row. A credential leaves this module only as a
keyed hash. Nothing is guessed: a session without a name is found by its history.
"""

import hashlib
import hmac
import json
import os
import re
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import msgspec
from msgspec import Struct

from secateur.errors import StoreError
from secateur.proxy.clients import CLIENTS, CODEX_TURN, SESSION_PLACES, AgentClient, Call
from secateur.proxy.headers import find_header, has_header
from secateur.proxy.inbound import Request
from secateur.proxy.routes import Headers
from secateur.stores.protocol import Store
from secateur.stores.sqlite import SqliteStore

Fields = dict[str, msgspec.Raw]
_DECODER = msgspec.json.Decoder(Fields)
_OLD_USER_ID = re.compile(r"_account_(?P<account>[0-9a-f-]*)_session_(?P<session>[0-9a-f-]+)$")
_KEYS = (b"x-api-key", b"x-goog-api-key", b"api-key")
_CREDENTIALS = (b"authorization", *_KEYS)
_CLAUDE_LOGIN, _CHATGPT_LOGIN = "sk-ant-oat", "eyJ"  # how the tokens of subscriptions begin; the latter is a JWT
_LONGEST_NAME = 200  # characters of a session's name; longer ones are hashed
_TAIL = 4_000  # bytes at the end of a conversation in which a client's own words are looked for


class Caller(Struct, frozen=True):
    """Who sent a request."""

    client: str  # "" if it is not known
    session: str  # "" if the client gives it no name
    tenant: str
    call: Call
    subscription: bool  # a person's subscription pays, not an API key


class Tenants:
    """Names of owners, made of what proves who they are.

    A login is renewed every few hours, so on a person's own proxy the account that it names owns the sessions. On a
    shared one only the login itself does: whoever has a login of their own can name any account beside it, and no
    provider checks what a request body claims.
    """

    def __init__(self, secret: bytes, fixed: str | None, is_shared: bool) -> None:
        self._secret = secret
        self._fixed = fixed
        self.is_shared = is_shared

    def find_name(self, proof: str) -> str:
        """The owner that a proof belongs to; the same in every process with the same secret."""
        if self._fixed is not None:
            return self._fixed
        if not proof:
            return "anyone"
        return "key-" + hmac.digest(self._secret, proof.encode(), "sha256").hex()[:16]


def read_secret(store: Store) -> bytes:
    """Read the secret for hashing credentials; it is kept in or next to the store, so all its proxies agree.

    Raises StoreError if its file can be neither read nor written.
    """
    if isinstance(store, SqliteStore):
        try:
            return _read_secret_file(store.path.parent)
        except OSError as error:
            raise StoreError(
                f"the store's folder {store.path.parent} cannot be used: {error.strerror or error}: make it writable, "
                "or name another store; memory:// keeps sessions as long as the process runs"
            ) from error
    get_secret = getattr(store, "get_secret", None)
    secret: bytes = secrets.token_bytes(32) if get_secret is None else get_secret("credentials")
    return secret


def _read_secret_file(folder: Path) -> bytes:
    path = folder / "proxy-secret"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        new = folder / f"proxy-secret-{secrets.token_hex(8)}"
        descriptor = os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(32))
        with suppress(FileExistsError):  # whole or not at all, and the first of several processes wins
            os.link(new, path)
        new.unlink()
    kept = path.read_bytes()
    return kept if len(kept) >= 16 else secrets.token_bytes(32)


def read_fields(body: bytes) -> Fields:
    """The outermost members of a body, not decoded; none if the body is not a JSON object."""
    try:
        return _DECODER.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return {}


def read_model(fields: Fields) -> str:
    """The model that a body names; "" if it names none."""
    return _read_text(fields, "model")


def is_subscription(headers: Headers) -> bool:
    """Whether a subscription pays: it may exclude requests that another program changed."""
    bearer = find_header(headers, b"authorization")
    oauth = _CLAUDE_LOGIN in bearer or "oauth-" in find_header(headers, b"anthropic-beta")
    return oauth or has_header(headers, b"chatgpt-account-id")


def identify(request: Request, fields: Fields, tenants: Tenants) -> Caller:
    """Identify who sent this request."""
    headers = request.headers
    client = next((one for one in CLIENTS if _is_of(one, headers)), AgentClient(""))
    user = _read_user(fields)
    subscription = is_subscription(headers)
    account = "" if tenants.is_shared else _find_account(headers, user)
    proof = f"account {account}" if account else _find_credential(request)
    session = _find_session(client, headers, fields, user)
    return Caller(client.name, session, tenants.find_name(proof), _find_call(client, headers, fields), subscription)


def _is_of(client: AgentClient, headers: Headers) -> bool:
    value = find_header(headers, client.header.encode())
    return value.startswith(client.value) if value else False


def _find_account(headers: Headers, user: dict[str, str]) -> str:
    """The account of a login, which is renewed now and then; "" beside a key, which proves no account."""
    if any(has_header(headers, name) for name in _KEYS):
        return ""
    login = find_header(headers, b"authorization").partition(" ")[2]
    if login.startswith(_CLAUDE_LOGIN):
        return user.get("account", "")
    return find_header(headers, b"chatgpt-account-id") if login.startswith(_CHATGPT_LOGIN) else ""


def _find_credential(request: Request) -> str:
    for name in _CREDENTIALS:
        if value := find_header(request.headers, name):
            return value
    return (parse_qs(request.query.decode("latin-1")).get("key") or [""])[0]


def _find_session(client: AgentClient, headers: Headers, fields: Fields, user: dict[str, str]) -> str:
    """The first name that the request gives its session; that of a sub-agent has both names."""
    values = {"user": user.get("session", ""), "prompt_cache_key": _read_text(fields, "prompt_cache_key")}
    places = (place for place in SESSION_PLACES if place in values or has_header(headers, place.encode()))
    name = next(filter(None, (values.get(one) or find_header(headers, one.encode()) for one in places)), "")
    agent = find_header(headers, client.agent.encode()) if client.agent else ""
    return _shorten("/".join(filter(None, (name, agent))) if name else "")


def _shorten(name: str) -> str:
    plain = name if name.isprintable() else repr(name)
    return plain if len(plain) <= _LONGEST_NAME else hashlib.sha256(plain.encode()).hexdigest()


def _find_call(client: AgentClient, headers: Headers, fields: Fields) -> Call:
    """Find the kind of the call."""
    turn = _read_json(find_header(headers, CODEX_TURN.encode()))
    if turn and turn.get("request_kind", "turn") != "turn":
        return "side"
    if any(has_header(headers, name.encode()) for name in filter(None, (client.agent, client.parent))):
        return "subagent"
    if client.always_has_tools and not _has_tools(fields):
        return "side"
    tail = next((bytes(fields[name])[-_TAIL:] for name in ("messages", "input", "contents") if name in fields), b"")
    return "side" if any(text.encode() in tail for text in client.side_texts) else "main"


def _has_tools(fields: Fields) -> bool:
    return len(bytes(fields.get("tools") or b"").strip()) > len(b"[]")


def _read_user(fields: Fields) -> dict[str, str]:
    """Session and account in `metadata.user_id`, as Claude Code writes them: as JSON, and before as one word."""
    metadata = _read_json(bytes(fields.get("metadata") or b""))
    said = metadata.get("user_id")
    if not isinstance(said, str):
        return {}
    inner = _read_json(said)
    if inner:
        found = {"session": inner.get("session_id"), "account": inner.get("account_uuid")}
        return {name: value for name, value in found.items() if isinstance(value, str)}
    old = _OLD_USER_ID.search(said)
    return old.groupdict() if old else {}


def _read_text(fields: Fields, name: str) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    try:
        found = json.loads(bytes(value))
    except ValueError:
        return ""
    return found if isinstance(found, str) else ""


def _read_json(text: str | bytes) -> dict[str, Any]:
    """A JSON object; {} for anything else."""
    try:
        found = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
