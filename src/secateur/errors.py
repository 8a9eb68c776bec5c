"""All errors, one class per question: what can the caller do now?

Every message is one sentence that names the problem, the place and the remedy. Findings about a request are values
(`Violation`), never exceptions.
"""

from typing import Any


class SecateurError(Exception):
    """Any error of secateur; catch this to fail open."""


class ConfigError(SecateurError):
    """A policy or an option that cannot be."""


class FormatError(SecateurError):
    """A document that is not the format it claims to be."""


class UnknownFormat(FormatError):
    """No format fits; the message says which came closest and why."""


class EditError(SecateurError):
    """Two edits overlap, or one names a part that may not be edited."""


class SummaryError(SecateurError):
    """No usable summary; the message says which check failed."""


class StillTooLong(SecateurError):
    """The view still exceeds the budget after everything allowed was done.

    `view` is the best attempt and `largest` lists the largest items. Nothing of the attempt is saved; callers who send
    `view` anyway report that with `Engine.sent(error)`, which keeps its epochs.
    """

    def __init__(self, message: str, view: Any = None, largest: tuple[Any, ...] = (), attempt: Any = None) -> None:
        super().__init__(message)
        self.view = view
        self.largest = largest
        self.attempt = attempt  # what the engine needs in order to keep the view after all


class StoreError(SecateurError):
    """A plan could not be kept or found."""


class UpstreamError(SecateurError):
    """The provider could not be reached."""
