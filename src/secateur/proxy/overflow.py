"""Whether a provider rejected a request because it exceeds the model's window.

Rule: status and text decide, since providers share no error code for it. Rate limits, quotas and limits on single
values never count: pruning does not help there. Unrecognized errors are left to the client.
"""

import re

from msgspec import Struct

from secateur.receipt import Receipt

_ROOM = 0.9  # of a window, that a request is cut to after its provider refused it
_CUT = 0.75  # of a request, where the provider does not say how long it may be
_NEVER = frozenset((401, 403, 408, 409, 429))
_CERTAIN = (  # these say it whatever else the text holds
    r"prompt is too long(?::\s*(?P<have>[\d,]+)\s*tokens?\s*>\s*(?P<most>[\d,]+)\s*maximum)?",
    r"input length and `?max_tokens`? exceed context limit(?::\s*(?P<have>\d+)\s*\+\s*\d+\s*>\s*(?P<most>\d+))?",
    r"request_too_large|Request exceeds the maximum size|Request too large \(max",
    r"tokens to keep from the initial prompt is greater than the context length",
    r"capability_rejected:\s*prompt_too_long",
    r"max_tokens must be at least 1, got -\d+",
    r"prompt.{0,40}longer than the maximum model length of (?P<most>\d+)",
)
_OTHERWISE = (  # these mean something else, even if they resemble a limit
    r"rate[ _-]?limit|tokens per (?:min|minute|day)|\bTPM\b|\bRPM\b|too many tokens,? please wait",
    r"throttl|quota|billing",
    r"string_above_max_length|string too long",
    r"max_tokens.{0,40}(?:must be|maximum allowed|> \d+, which is the maximum)",
    r"image.{0,40}(?:exceed|too large)|pdf pages",
)
_PROBABLE = (
    r"maximum context length (?:is|of) (?P<most>[\d,]+) tokens(?:.{0,80}?resulted in (?P<have>[\d,]+))?",
    r"context_length_exceeded|exceeds the context window",
    r"reduce the length of (?:the|your) (?:messages|input|prompt)",
    r"maximum prompt length is (?P<most>[\d,]+) but the request contains (?P<have>[\d,]+)",
    r"input token count(?: \((?P<have>[\d,]+)\))? exceeds the maximum number of tokens allowed"
    r"(?: \((?P<most>[\d,]+)\))?",
    r"Request payload size exceeds the limit",
    r"Input is too long for requested model",
    r"prompt tokens \((?P<have>\d+)\) exceed model maximum \((?P<most>\d+)\)",
    r"input \((?P<have>\d+) tokens?\) is longer than the model'?s context length \((?P<most>\d+)",
    r"prompt token count of (?P<have>\d+) exceeds the limit of (?P<most>\d+)",
    r"exceed_context_size_error|exceeds the available context size",
    r"context window exceeds limit",
    r"exceeded model token limit: (?P<most>\d+) \(requested: (?P<have>\d+)\)",
    r"Prompt contains (?P<have>\d+) tokens.{0,30}too large for model with (?P<most>\d+) maximum context length",
    r"prompt too long; exceeded max context length",
    r"exceeds the maximum allowed input length of (?P<most>[\d,]+) tokens",
    r"Range of input length should be \[1, ?(?P<most>\d+)\]",
    r"Current length is (?P<have>\d+) while limit is (?P<most>\d+)",
    r"decoder prompt.{0,60}(?:longer|exceeds)",
    r"token limit exceeded|context (?:window|length) (?:is )?exceeded|too many tokens in (?:the )?(?:prompt|input)",
)


class Overflow(Struct, frozen=True):
    """A request that was too long."""

    tokens: int = 0  # that the provider counted; 0 where it does not say
    window: int = 0  # that it takes; 0 where it does not say


def classify_error(status: int, body: bytes) -> Overflow | None:
    """What an error says about the window; None if the request was rejected for another reason."""
    if status in _NEVER or not 400 <= status < 600:
        return None
    text = body.decode("utf-8", "replace")
    found = _search(_CERTAIN_RE, text)
    if found is None and any(pattern.search(text) for pattern in _OTHERWISE_RE):
        return None
    found = found or _search(_PROBABLE_RE, text)
    if found is None:
        return Overflow() if status == 413 else None
    numbers = found.groupdict()
    return Overflow(_read_number(numbers.get("have")), _read_number(numbers.get("most")))


def choose_window(receipt: Receipt, overflow: Overflow) -> int:
    """The window, in tokens as the engine takes them to be counted, by which a refused view becomes short enough."""
    ours = receipt.tokens_view * receipt.token_ratio
    if overflow.window and overflow.tokens:
        return max(1, round(_ROOM * ours * overflow.window / overflow.tokens))
    if overflow.window:
        return max(1, round(min(_ROOM * overflow.window, _CUT * ours)))
    return max(1, round(_CUT * ours))


def _search(patterns: tuple[re.Pattern[str], ...], text: str) -> re.Match[str] | None:
    return next(filter(None, (pattern.search(text) for pattern in patterns)), None)


def _read_number(digits: str | None) -> int:
    return int(digits.replace(",", "")) if digits else 0


_CERTAIN_RE, _OTHERWISE_RE, _PROBABLE_RE = (
    tuple(re.compile(one, re.IGNORECASE) for one in patterns) for patterns in (_CERTAIN, _OTHERWISE, _PROBABLE)
)
