"""secateur and Headroom in the same agent runs of LangChain, LiteLLM and Strands: objects, tokens, bill, time.

    python -m venv build/frameworks
    build/frameworks/bin/pip install -e '.[store]' langchain==1.5.0 litellm==1.109.1 strands-agents==1.62.0 \\
        'headroom-ai[langchain]==0.42.0'
    build/frameworks/bin/python benchmarks/frameworks.py [ROUNDS] [langchain | litellm | strands ...]

Rule: both run in the framework itself, with their defaults and a scripted model that answers the same whatever it is
sent; secateur also without its recall tool. The bill is in equivalents of input tokens, by a prompt cache as
Anthropic's: what the request before began with is read at a tenth of the price, the rest is written at 1.25 times. Time
is the processor's, beyond a run without either, and not below zero. Nothing is sent anywhere.
"""

import importlib
import os
import sys
from importlib.util import find_spec
from pathlib import Path

from framework_runs.work import CHARS, Run

ROUNDS = 40
FRAMEWORKS = {"langchain": "LangChain", "litellm": "LiteLLM", "strands": "Strands"}


def main(arguments: list[str]) -> None:
    """Print a table for each framework."""
    rounds = next((int(one) for one in arguments if one.isdigit()), ROUNDS)
    use_local_vocabulary()
    print(f"{rounds} rounds; tokens are characters / {CHARS}; the bill in equivalents of input tokens")
    for name in [one for one in arguments if one in FRAMEWORKS] or FRAMEWORKS:
        plays = importlib.import_module(f"framework_runs.{name}_runs").RUNS
        for play in plays.values():  # what is loaded once is no cost of a request
            play(3)
        print_table(FRAMEWORKS[name], {way: play(rounds) for way, play in plays.items()})


def use_local_vocabulary() -> None:
    """Where Headroom finds the vocabulary that it would fetch: LiteLLM has it."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    litellm = find_spec("litellm")
    if litellm is not None and litellm.origin:
        words = Path(litellm.origin).parent / "litellm_core_utils" / "tokenizers"
        os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(words))


def print_table(framework: str, runs: dict[str, Run]) -> None:
    """The runs in one framework beside each other."""
    plain = runs["neither"]
    print(f"\n| {framework} | same objects | read as they came | tokens sent | peak | bill | ms a request | history |")
    print("|---|---|---|---|---|---|---|---|")
    for name, run in runs.items():
        spent = 1000 * (run.seconds - plain.seconds) / len(run.tokens)
        cells = (
            name,
            f"{run.same:.0%}",
            f"{run.kept:.0%}",
            f"{sum(run.tokens):,}",
            f"{max(run.tokens):,}",
            f"{sum(run.bills):,.0f}",
            f"{max(0.0, spent):.1f}",
            "whole" if run.history == plain.history else "changed",
        )
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except ModuleNotFoundError as missing:
        sys.exit(f"{missing}: install the frameworks and Headroom as the first lines of {sys.argv[0]} show")
