"""A view that is kept: its session goes on in a store, and everything it leaves out can be read back.

Rule: who asks for it to be kept is told when it could not be, before anything is written. Where the view goes to a
file, the file as it was is kept too, to the byte.
"""

import time
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from secateur.cli.exits import Refused
from secateur.cli.reading import Opened
from secateur.cli.report import Report
from secateur.cli.source import Source
from secateur.engine import Engine, View
from secateur.keeping.originals import After, Before, keep_file
from secateur.keeping.record import handled
from secateur.stores import default_url
from secateur.stores.protocol import Who


def kept_view(
    engine: Engine, source: Source, session: str | None, target: str | None, request: dict[str, Any]
) -> View[Any]:
    """The view of a document, kept under this name, or under the one that its history has. Raises Refused.

    No model is called with it, so the session's clock stays where it is. `target` is where it is going to be written.
    """
    engine.keeping.calls = False
    view = engine.fit(source.data, session=session, **request)
    store, number = engine.keeping.store, view.receipt.number
    state = store.load(Who(view.session, engine.keeping.tenant)) if store is not None else None
    if state is None or number is None or state.receipts <= number:
        raise Refused(f"nothing was written, for what leaves could not be kept: {'; '.join(view.receipt.warnings)}")
    if target is not None:
        before = Before(source.data, source.stored if source.packed else b"")
        after = After(view.native, "" if target == "-" else str(Path(target).resolve()))
        keep_file(engine.keeping, Who(view.session, engine.keeping.tenant), before, after, _now())
    return view


def told(done: Report, view: View[Any], before: Opened, store: str) -> Report:
    """The report with the session and the handles by which what left can be read back."""
    edits = handled(done.edits, before.document)
    return replace(done, edits=edits, session=view.session, store=store or default_url())


def _now() -> int:
    return int(time.time() * 1000)
