"""What asking the bridge costs a model call beyond `fit`, in processor time: reading a line, answering it, noting it.

    python benchmarks/bridge.py [--calls 60]

A session of Pi grows by one long result a call; each call is made twice, through the bridge's lines and by `fit` with
the same bytes, and the processor time of both is compared. The store is a file, as it is where a plugin is installed.
"""

import argparse
import json
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from secateur.bridge.methods import Bridge, BridgeSettings
from secateur.bridge.protocol import answer_line
from secateur.engine import Engine
from secateur.policy import load
from secateur.stores import open_store

TARGET_MS = 5.0


def make_messages(calls: int) -> list[dict[str, Any]]:
    """A session as Pi holds it."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": [{"type": "text", "text": "Read the notes."}]}]
    for number in range(calls):
        call = {"type": "toolCall", "id": f"c{number}", "name": "bash", "arguments": {"command": f"cat {number}"}}
        text = "\n".join(f"note {number}, line {line}: {line * 7919 % 1000}" for line in range(300))
        messages += [
            {"role": "assistant", "content": [call], "provider": "anthropic", "model": "claude-sonnet-4-5"},
            {
                "role": "toolResult",
                "toolCallId": f"c{number}",
                "toolName": "bash",
                "content": [{"type": "text", "text": text}],
                "isError": False,
            },
        ]
    return messages


def measure(calls: int) -> tuple[list[float], list[float], int]:
    """Processor time of each call in ms: through the bridge, by `fit`; and the bytes of the last request."""
    messages, policy = make_messages(calls), load("balance")
    bridged, fitted, size = [], [], 0
    with TemporaryDirectory() as folder:
        stores = [open_store(f"sqlite:///{Path(folder) / name}.db") for name in ("bridge", "fit")]

        def make_engine(model: str, window: int) -> Engine:
            return Engine(policy, model, format="pi_messages", store=stores[0], compact=False, fail_open=True)

        bridge = Bridge(BridgeSettings(version="", policy=policy, store=stores[0], make_engine=make_engine))
        engine = Engine(policy, format="pi_messages", store=stores[1], compact=False, fail_open=True)
        for number in range(1, calls + 1):
            raw = json.dumps(messages[: 1 + 2 * number]).encode()
            line = b'{"id":1,"method":"fit","params":{"session":"s","messages":' + raw + b"}}\n"
            started = process_time()
            answer_line(line, bridge.methods)
            between = process_time()
            engine.fit(raw, session="s")
            bridged.append((between - started) * 1000)
            fitted.append((process_time() - between) * 1000)
            size = len(raw)
        bridge.close()
        for store in stores:
            store.close()
    return bridged, fitted, size


def main(calls: int) -> int:
    bridged, fitted, size = measure(calls)
    beyond = [one - other for one, other in zip(bridged, fitted, strict=True)]
    print(f"{calls} calls, the last of {size / 1e6:.2f} MB; processor time of a call, median (largest):")
    print(f"  fit               {median(fitted):6.2f} ms ({max(fitted):.2f})")
    print(f"  bridge            {median(bridged):6.2f} ms ({max(bridged):.2f})")
    print(f"  bridge beyond fit {median(beyond):6.2f} ms (target: at most {TARGET_MS:g})")
    return 0 if median(beyond) <= TARGET_MS else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--calls", type=int, default=60)
    sys.exit(main(parser.parse_args().calls))
