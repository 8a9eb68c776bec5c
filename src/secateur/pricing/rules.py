"""How providers cache prompts: one set of rules per provider and family of models, each with source and date.

Rule: rules are data (`cache_rules.toml`), read on first use; the first whose patterns match a model's normalized name
applies. A set can be stated in configuration with the same names. A model that no pattern matches has no rules.
"""

import tomllib
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from secateur.decoding import prepare_type
from secateur.pricing.model_names import TUNED, normalize_model

Positions = Literal["marks", "messages", "answers", "steps", "none"]
Scope = Literal["all", "system", "messages"]
Count = Annotated[int, Meta(ge=0)]


class CacheRules(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`positions` says where a prefix can end that is kept, and found again:

    - marks: at blocks that the client marks (at most `breakpoints` per request), found by walking back `look_back`
      blocks from a mark of the new request
    - messages: at the end of each request's newest message, found at any of the newest `look_back` message ends
    - answers: at the end of a request and of its answer, found wherever the new prompt has that prefix
    - steps: anywhere, in steps of `step_tokens`
    - none: there is no cache
    """

    name: str
    models: tuple[str, ...]  # patterns over normal names; the first set of rules that fits holds
    positions: Positions
    minimum_tokens: Count = 1_024  # shorter prefixes are not kept, silently
    step_tokens: Annotated[int, Meta(ge=1)] = 1
    breakpoints: Count = 4
    look_back: Count = 20  # blocks or messages; 0: no bound
    ttl_s: float = 300.0  # since the start of the last request that wrote or read it
    ttl_long_s: float | None = None  # where a longer time can be bought
    delay_s: float = 0.0  # until what was written can be read
    miss_share: float = 0.0  # of lookups that fail although the prefix is there: best effort
    writes_cost: bool = False  # whether the provider reports and charges what it writes
    invalidates: dict[str, Scope] = {}  # a change of this -> what falls out of the cache
    strips_reasoning: bool = False  # a new user turn drops earlier reasoning from the prompt, and the cache with it
    bound_reasoning: bool = False  # reasoning is void once anything before it was edited (API rule A54)
    source: str
    date: str  # when the source was read


def get_rules(model: str) -> CacheRules | None:
    """The rules for a model under any provider's name; None if no pattern matches.

    One that someone tuned is cached as the one it was made from.
    """
    name = normalize_model(model).removeprefix(TUNED)
    for rules in load_rules():
        if any(fnmatchcase(name, pattern) for pattern in rules.models):
            return rules
    return None


def parse_rules(said: dict[str, Any]) -> CacheRules:
    """Parse rules from configuration. Raises ValidationError (msgspec) if they are invalid."""
    return msgspec.convert(said, prepare_type(CacheRules))


@cache
def load_rules() -> tuple[CacheRules, ...]:
    """All sets of rules, in lookup order."""
    said = tomllib.loads(Path(__file__).with_name("cache_rules.toml").read_text("utf-8"))
    return tuple(parse_rules(said["families"][one.pop("family")] | one) for one in said["rules"])
