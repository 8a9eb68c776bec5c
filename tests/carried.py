"""The view that a fit comes to, whether it is given or carried by StillTooLong: for tests whose window is small only so
that a policy acts.
"""

from typing import Any

import secateur
from secateur import StillTooLong


def fit(request: Any, **given: Any) -> secateur.View[Any]:
    """`secateur.fit`, and the best attempt where the view exceeds the window."""
    try:
        return secateur.fit(request, **given)
    except StillTooLong as error:
        view: secateur.View[Any] = error.view
        return view
