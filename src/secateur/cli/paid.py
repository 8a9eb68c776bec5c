"""What a prune costs at once and saves later, in money and in one sentence.

Rule: the figures are the receipt's; whose prices they are is said with them, and why, where they are not the model's
own.
"""

from secateur.cli.figures import money
from secateur.cli.terminal import harmless
from secateur.receipt import Cost


def paid(cost: Cost) -> str:
    """The next request, then each later one, then when it has paid for itself."""
    why = cost.assumed.partition(":")[0]
    whose = f"{harmless(cost.model)} ({harmless(why)}: --model names one)" if why else harmless(cost.model)
    each = f"each one after it {money(cost.dollars_saved)} less"
    if cost.now <= 0:
        return f"At the prices of {whose} the next request costs {money(-cost.dollars_now)} less, {each}."
    after = f": paid back after {cost.break_even:g}" if cost.break_even else ""
    more = f"{money(cost.dollars_now)} more, since the prompt cache is written anew"
    return f"At the prices of {whose} the next request costs {more}; {each}{after}."


def signed(dollars: float) -> str:
    """Money that is spent, or with a minus saved."""
    if not dollars:
        return "$0"
    return f"+{money(dollars)}" if dollars > 0 else f"−{money(-dollars)}"
