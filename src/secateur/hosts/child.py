"""Run a client on this terminal as if it had been started alone.

Rule: its standard streams are ours, its exit code is ours, and signals reach it. Keys that a terminal turns into
signals reach it without us, so those are not sent twice.
"""

import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType

from secateur.errors import ConfigError

_FROM_TERMINAL = ("SIGINT", "SIGQUIT")  # a terminal sends them to the client, too
_FORWARDED = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")


def run_child(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a program to its end; return its exit code, or 128 + N if signal N ended it. Raises ConfigError."""
    with _forward_signals() as pending:
        try:
            child = subprocess.Popen(list(arguments), env=dict(environment))
        except OSError as error:
            raise ConfigError(f"{arguments[0]} cannot be started: {error.strerror or error}") from error
        pending.follow(child)
        code = child.wait()
    return 128 - code if code < 0 else code


class _Forwarder:
    """Sends on what arrives; what arrives before there is a child is sent when there is one."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._waiting: list[int] = []

    def follow(self, child: subprocess.Popen[bytes]) -> None:
        """Send signals to this process from now on."""
        self._child = child
        for number in self._waiting:
            child.send_signal(number)

    def receive(self, number: int, _: FrameType | None) -> None:
        """Handle a signal."""
        if self._child is None:
            self._waiting.append(number)
        else:
            self._child.send_signal(number)  # does nothing once the child has been waited for


@contextmanager
def _forward_signals() -> Iterator[_Forwarder]:
    forwarder = _Forwarder()
    has_terminal = sys.stdin is not None and sys.stdin.isatty()
    handlers = {name: signal.SIG_IGN if has_terminal else forwarder.receive for name in _FROM_TERMINAL}
    handlers |= dict.fromkeys(_FORWARDED, forwarder.receive)
    numbers = {getattr(signal, name): handler for name, handler in handlers.items() if hasattr(signal, name)}
    before = {number: signal.signal(number, handler) for number, handler in numbers.items()}
    try:
        yield forwarder
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
