"""Modes for single routes, models or keys, different from the proxy's mode.

Rule: the first rule that matches decides, else the proxy's own mode. A key is named by its tenant, never by itself. A
request whose signature covers its body is only observed, and so is one paid for by a subscription, unless its pruning
was requested.
"""

from fnmatch import translate
from functools import lru_cache
from re import IGNORECASE, Pattern, compile

from msgspec import Struct

from secateur.errors import ConfigError
from secateur.proxy.callers import Caller, is_subscription
from secateur.proxy.headers import find_header
from secateur.proxy.routes import Headers
from secateur.proxy.settings import APIS, MODES, Mode, ModeRule, ProxySettings

_SIGNED = "AWS4-HMAC-"  # the signature covers the body


class Asking(Struct, frozen=True):
    """The properties of a request that a rule can match."""

    api: str
    model: str
    caller: Caller


def parse_mode_rule(text: str) -> ModeRule:
    """A rule such as `model:claude-haiku*=observe`, `openai=prune` or `tenant:NAME=full`. Raises ConfigError."""
    selector, _, mode = text.rpartition("=")
    kind, _, pattern = selector.partition(":")
    if kind in APIS and not pattern:
        kind, pattern = "api", kind
    if mode not in MODES or kind not in ("api", "model", "tenant") or not pattern:
        raise ConfigError(
            f"{text!r:.80} is not a rule for a mode: write WHAT=MODE, where WHAT is {', '.join(APIS)}, model:GLOB or "
            f"tenant:NAME, and MODE is {', '.join(MODES)}"
        )
    return ModeRule(kind=kind, pattern=pattern, mode=next(one for one in MODES if one == mode))


def is_only_observed(settings: ProxySettings, headers: Headers) -> bool:
    """Whether a request is sent as it is, whatever the mode: a subscription pays, or its signature covers the body."""
    if find_header(headers, b"authorization").startswith(_SIGNED):
        return True
    return not settings.subscriptions and is_subscription(headers)


def choose_mode(settings: ProxySettings, asking: Asking) -> Mode:
    """The mode of a request."""
    found = {"api": asking.api, "model": asking.model, "tenant": asking.caller.tenant}
    for rule in settings.rules:
        if _compile(rule.pattern).fullmatch(found[rule.kind]):
            return rule.mode
    return settings.mode


@lru_cache(maxsize=256)
def _compile(pattern: str) -> Pattern[str]:
    return compile(translate(pattern), IGNORECASE)
