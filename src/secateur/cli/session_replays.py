"""Recorded sessions from files, each replayed under the chosen policies.

Rule: a file that cannot be read ends the command; so does a model without a price, by name. Each conversation in a file
is a session of its own.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.cli.exit_codes import UsageError
from secateur.cli.inputs import explain_unreadable, read_source
from secateur.cli.pricing_options import PricingChoice, SessionPricing, resolve_pricing
from secateur.errors import FormatError
from secateur.policy import Policy, load, with_target_tokens
from secateur.simulate.requests import Recording, read_recording
from secateur.simulate.several import split_conversations

if TYPE_CHECKING:
    from secateur.simulate.compare import Comparison


class PlayOptions(Struct, frozen=True, kw_only=True):
    """How files are read and priced, and which policies are played."""

    priced: PricingChoice
    policies: tuple[str, ...]
    window: int | None = None
    target_tokens: int | None = None  # None: the policy's own
    format_name: str | None = None
    fixed_tokens: int = 0
    ignore_host_compactions: bool = False
    compact: bool = True  # where a policy does; False: it only prunes

    def load_policy(self, name: str) -> Policy:
        """Load a policy as it is replayed."""
        made = with_target_tokens(load(name), self.target_tokens)
        return made if self.compact else replace(made, compaction=None)


class PlayedSession(Struct, frozen=True):
    """One session, replayed under each policy."""

    asked: str  # the model that was asked for; "" is the session's own
    label: str
    terms: SessionPricing
    comparison: "Comparison"


def play_file(file: str, settings: PlayOptions, rename: Callable[[str], None]) -> Iterator[PlayedSession]:
    """Replay each conversation of a file. Raises UnreadableInput, or UsageError without a request or a price."""
    from secateur.simulate.compare import Play, compare_policies
    from secateur.simulate.foresight import Terms as Yardstick

    for label, recording in _read_recordings(file, settings):
        terms = resolve_pricing(recording, settings.priced, label)
        yardstick = Yardstick(terms.price, terms.caching)
        play = Play(window=settings.window, begun=partial(_report_progress, rename, label))
        comparison = compare_policies(recording, map(settings.load_policy, settings.policies), yardstick, play)
        yield PlayedSession(settings.priced.model, label, terms, comparison)


def _report_progress(rename: Callable[[str], None], label: str, policy: str) -> None:
    rename(f"replaying {Path(label).name} under {policy}")


def _read_recordings(file: str, settings: PlayOptions) -> list[tuple[str, Recording]]:
    source = read_source(file)
    try:
        recordings = [_record(document, settings) for document in _split_documents(source.data, settings)]
    except FormatError as error:
        raise explain_unreadable(source, error) from error
    answered = [recording for recording in recordings if recording.requests]
    if not answered:
        raise UsageError(f"{source.label}: it has no model request, so there is no cost")
    several = len(answered) > 1
    return [
        (f"{source.label} ({at})" if several else source.label, recording) for at, recording in enumerate(answered, 1)
    ]


def _split_documents(data: bytes, settings: PlayOptions) -> list[Any]:
    return [data] if settings.format_name else list(split_conversations(data))


def _record(document: Any, settings: PlayOptions) -> Recording:
    return read_recording(
        document,
        format=settings.format_name,
        model=settings.priced.model,
        fixed_tokens=settings.fixed_tokens or None,
        compactions=not settings.ignore_host_compactions,
    )
