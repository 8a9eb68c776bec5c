"""LiteLLM: its offline twin of Anthropic's context editing, and `trim_messages`.

Settings: `{"clear": {...}}`, the fields of `clear_tool_uses_20250919`; `{"trim": {...}}`, arguments of
`trim_messages`. Both look at the whole history on every call. Its token counter encodes every text again for each
request; here a text is encoded once, since the counts are the same: the time is the time without that work.
"""

from functools import lru_cache

import litellm
import shapes
import wire
from litellm.litellm_core_utils import token_counter
from litellm.llms.anthropic.messages.context_management.editors import clear_tool_uses

MODEL = "claude-sonnet-4-5"


def make(setting):
    _encode_once()
    return _trim(setting["trim"]) if "trim" in setting else _clear(setting["clear"])


def _clear(setting):
    spec = {"type": "clear_tool_uses_20250919", **setting}

    def work(pieces, new, request, clock):
        messages = shapes.anthropic(pieces)
        with clock:
            seen, _ = clear_tool_uses.apply_clear_tool_uses_20250919(
                model=MODEL, messages=messages, tools=None, system=None, edit_spec=spec
            )
        return shapes.from_anthropic(seen)

    return work


def _trim(setting):
    def work(pieces, new, request, clock):
        messages = shapes.chat(pieces)
        with clock:
            seen = litellm.utils.trim_messages(messages, **setting)
        return shapes.from_chat(seen)

    return work


def _encode_once():
    made = token_counter._get_count_function

    @lru_cache
    def counts(model, custom_tokenizer):
        return lru_cache(maxsize=100_000)(made(model, custom_tokenizer))

    token_counter._get_count_function = lambda model, custom_tokenizer=None: counts(model, None)


if __name__ == "__main__":
    wire.serve(make)
