"""The two counters of a session: that of its reports, and that of its policy's own gates (SEEDS S.4).

Rule: what is compared with a window or with money, and what is reported, is in the tokens of the session's model, as
far as a counter has a factor for models; the sizes of texts that a policy names are by its own counter as it stands. A
session that goes on with a model of another factor is counted anew.
"""

from msgspec import Struct

from secateur.tokens import Counter, get_factor, get_model_counter, get_single_counter, make_cached_counters


class Counting(Struct, frozen=True):
    """The counters of these names for a model."""

    names: tuple[str, str]
    both: tuple[Counter, Counter]
    model: str = ""
    once: Counter | None = None  # the first of both for texts that are counted but once; None: that one itself
    is_fixed: bool = False  # these counters whatever the model, as in a replay that counts as its provider did

    @classmethod
    def of(cls, names: tuple[str, str], model: str = "") -> "Counting":
        """They remember the texts they counted last."""
        count, gauge = make_cached_counters(*names)
        if get_factor(model) != 1:
            count = make_cached_counters(names[0], model=model)[0]
        once = (
            None if names[0] == names[1] else get_single_counter(names[0], model, count)
        )  # if alike, texts come again
        return cls(names, (count, gauge), model, once)

    def get_for_new(self, count: Counter) -> Counter:
        """The counter to use in place of `count` for texts that just came."""
        return self.once if self.once is not None and count is self.both[0] else count

    @property
    def alike(self) -> bool:
        """Whether the policy counts as the reports do, a model's factor aside."""
        return self.names[0] == self.names[1]

    def get_counter(self, name: str) -> Counter:
        """The counter of a name in the model's own tokens."""
        return self.both[0] if name == self.names[0] else get_model_counter(name, self.model)

    def can_count(self, model: str) -> bool:
        """Whether the existing counts are in this model's tokens too."""
        return self.is_fixed or get_factor(model) == get_factor(self.model)
