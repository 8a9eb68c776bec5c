"""Documents with some of what is in them exchanged for something else, or gone: what no reader may fail on."""

from typing import Any

from hypothesis import strategies as st

JUNK: Any = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 3) | st.sampled_from(["", "c1", "1", "2", "user", "text"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "text", "id"]), inner),
    max_leaves=4,
)


@st.composite
def mangled(draw: Any, value: Any) -> Any:
    """The value with some of what is inside it exchanged for something else, or gone."""
    if draw(st.integers(0, 14)) == 0:
        return draw(JUNK)
    if isinstance(value, dict):
        return {name: draw(mangled(one)) for name, one in value.items() if draw(st.integers(0, 14))}
    if isinstance(value, list):
        return [draw(mangled(one)) for one in value]
    return value
