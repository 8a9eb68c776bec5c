"""What the proxy has done since it was started, in numbers.

Rule: numbers and names only, never what was said and never a credential. Nothing here is kept over a restart.
"""

import os
import time
from typing import Any

from secateur.proxy.settings import ProxySettings


class Status:
    """Counters of one proxy; used by its event loop alone."""

    def __init__(self, settings: ProxySettings) -> None:
        self._settings = settings
        self._started = time.time()
        self.requests = 0
        self.active = 0
        self.refused = 0  # by the proxy itself
        self.disconnected = 0  # clients that left before their response was complete
        self.broken = 0  # responses that their provider did not complete

    def begin(self) -> None:
        """A request came in."""
        self.requests += 1
        self.active += 1

    def end(self) -> None:
        """It is over."""
        self.active -= 1

    def report_health(self) -> dict[str, Any]:
        """Whether requests are taken."""
        return {"ok": True, "pid": os.getpid(), "mode": self._settings.mode}

    def report(self) -> dict[str, Any]:
        """All numbers."""
        return {
            "schema": 1,
            "pid": os.getpid(),
            "mode": self._settings.mode,
            "policy": self._settings.policy,
            "uptime_s": round(time.time() - self._started, 3),
            "requests": self.requests,
            "active": self.active,
            "refused": self.refused,
            "disconnected": self.disconnected,
            "broken": self.broken,
        }
