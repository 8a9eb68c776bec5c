"""One policy over one recorded session: what it would have sent, and what that would have cost.

    recording = recorded(data)
    run = simulate(recording, "kilocode", price_of("claude-sonnet-4-5"))
    run.bill.dollars, run.bill.cache_breaks, run.rows[7].lost

Rule: replay, prompt, cache, bill, one request after the other; each is in its own module and knows nothing of the
next. The agent is assumed to act as it did.
"""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.errors import ConfigError
from secateur.plan import Plan
from secateur.policy import load
from secateur.pricing.prices import Price
from secateur.pricing.rules import CacheRules
from secateur.pricing.stated import Entries, find_entry, price_under, resolve_rules
from secateur.pricing.tariffs import build_tariff
from secateur.simulate.bill import Bill, BillRow, compute_units, sum_bill
from secateur.simulate.cache import Cache, CachedPrompt, Caching, Prompts
from secateur.simulate.client import infer_caching
from secateur.simulate.replay import ReplayedTurn, replay_policy, replay_unpruned
from secateur.simulate.requests import Recording


class Run(Struct, frozen=True):
    """The outcome. `turns` are the views behind `rows`, request by request."""

    policy: str  # "" where the session is as it was
    price: Price
    caching: Caching
    turns: tuple[ReplayedTurn, ...]
    rows: tuple[BillRow, ...]
    bill: Bill

    @property
    def plan(self) -> Plan:
        """All epochs that were opened."""
        return self.turns[-1].plan if self.turns else Plan()


def simulate(
    recording: Recording,
    policy: Any = None,
    price: Price | None = None,
    *,
    caching: Caching | None = None,
    window: int | None = None,
) -> Run:
    """The bill of a recorded session under a policy; without one, as it was.

    `policy` is a preset's name, the path of a TOML file, a dict or a `Policy`. Without a `price`, what the policy
    states, else that of the recorded model; without `caching`, what the policy states, else its provider's rules (those
    for the model of the price, where the recording's has none). Raises ConfigError for a model without price or rules,
    by name: nothing is guessed.
    """
    loaded = load(policy) if policy is not None else None
    said = loaded.pricing if loaded else ()
    price = price or _price(recording, said)
    caching = caching or _resolve_caching(recording, price, said)
    tariff = build_tariff(price, caching.rules, hour=caching.hour, free=caching.free)
    pruned = replay_policy(recording, loaded, window=window, tariff=tariff) if loaded else replay_unpruned(recording)
    turns = tuple(pruned)
    rows = bill_turns(turns, price, caching)
    return Run(loaded.name if loaded else "", price, caching, turns, rows, sum_bill(rows, price))


def bill_turns(turns: Iterable[ReplayedTurn], price: Price, caching: Caching) -> tuple[BillRow, ...]:
    """The cost of a series of views, request by request, whatever made them."""
    cache = Cache(caching)
    prompts: Prompts | None = None
    rows: list[BillRow] = []
    breaks = 0
    for turn in turns:
        prompts = prompts or Prompts(turn.fixed_tokens, strips_reasoning=caching.rules.strips_reasoning)
        breaks += bool(rows) and (
            caching.breaks_at_turns and turn.begins or turn.request.number in caching.cache_breaks
        )
        prompt = prompts.build_prompt(turn.seen, model=turn.request.model, state=breaks)
        sent = cache.send(prompt, turn.at, turn.ahead, edited=turn.opened)
        rows.append(_build_row(turn, sent, price, caching.hour))
    return tuple(rows)


def as_paid(recording: Recording, price: Price) -> tuple[BillRow, ...]:
    """The recorded usage as bills, for the requests that have one: the real cost, cache misses included."""
    rows = []
    for request in recording.requests:
        usage = request.usage
        if usage is not None:
            sent = CachedPrompt(usage.read, usage.write, usage.input)
            rates = price.get_rates(sent.tokens)
            longer = (rates.w_1h - rates.w) * usage.write_1h * rates.input / price.base.input if usage.write_1h else 0.0
            paid = compute_units(price, sent, usage.output) + longer
            rows.append(
                BillRow(request.number, request.at, usage.read, usage.write, usage.input, usage.output, units=paid)
            )
    return tuple(rows)


def _build_row(turn: ReplayedTurn, sent: CachedPrompt, price: Price, hour: bool) -> BillRow:
    called = sum(compute_units(price, call.sent, call.output, hour=hour) for call in turn.calls)
    return BillRow(
        number=turn.request.number,
        at=turn.at,
        read=sent.read,
        write=sent.write,
        plain=sent.plain,
        output=turn.request.output,
        units=compute_units(price, sent, turn.request.output, hour=hour) + called,
        called=called,
        cold=sent.cold,
        lost=sent.lost,
        opened=turn.opened,
        why=turn.why,
    )


def _price(recording: Recording, said: Entries) -> Price:
    price = price_under(said, recording.model)
    if price is None:
        known = f"no price is known for {recording.model}" if recording.model else "the recording names no model"
        raise ConfigError(f"{known}: name a model that has one, or state a price")
    return price


def _resolve_caching(recording: Recording, price: Price, said: Entries) -> Caching:
    entry = find_entry(said, recording.model)
    caching = infer_caching(recording, _resolve_rules(recording, price, said))
    return replace(caching, hour=True) if entry is not None and entry.cache_ttl == "1h" else caching


def _resolve_rules(recording: Recording, price: Price, said: Entries) -> CacheRules:
    rules = resolve_rules(said, price.model) or resolve_rules(said, recording.model)
    if rules is None:
        names = " nor ".join(dict.fromkeys(filter(None, (price.model, recording.model))))
        raise ConfigError(f"no cache rules are known for {names}: name a model that has some, or state them")
    return rules
