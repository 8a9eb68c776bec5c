"""When the default policy edits, when it waits, and what that comes to: an agent that reads one file after the other.

The session is made up: a call a minute, and one pause that the prompt cache does not outlive. Each request is made
again under each policy and priced as the provider would; no model is called. Needs nothing but secateur.
"""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from secateur.simulate.requests import read_recording
from secateur.simulate.run import simulate

REQUESTS, PAUSE_BEFORE = 150, 100
WIDE = {"extends": "balance", "name": "wide", "schedule": {"type": "break_even"}}  # a bound of 12 % on regret


def session() -> bytes:
    """A session file of Pi: a question, then calls that read a file of some 1,300 tokens each."""
    at = datetime(2026, 1, 1, tzinfo=UTC)
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Read all parts, one after the other."}]
    for number in range(1, REQUESTS + 1):
        call = {"type": "toolCall", "id": f"c{number}", "name": "read", "arguments": {"path": f"part_{number}.txt"}}
        text = "".join(f"{line:3}: part {number} says something of its own about item {line}\n" for line in range(100))
        said = {"role": "assistant", "content": [call], "model": "claude-sonnet-4-5", "provider": "anthropic"}
        result = {"role": "toolResult", "toolCallId": f"c{number}", "toolName": "read", "isError": False}
        messages += [said, result | {"content": [{"type": "text", "text": text}]}]
    lines: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": "s", "timestamp": at.isoformat(), "cwd": "/"}
    ]
    for number, message in enumerate(messages):
        at += timedelta(minutes=20 if number == 2 * PAUSE_BEFORE else 0.5)
        before = f"m{number - 1}" if number else None
        entry = {"type": "message", "id": f"m{number}", "parentId": before, "timestamp": at.isoformat()}
        lines.append(entry | {"message": message})
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def main() -> None:
    recording = read_recording(session())
    for policy in (None, "balance", WIDE):
        run = simulate(recording, policy)
        print(f"{run.policy or 'unpruned'}: ${run.bill.dollars:.2f}, at most {run.bill.peak:,} tokens in a request")
        for row in run.rows:
            if row.opened:
                print(f"  request {row.number + 1}: {row.why}")
    waits = next(row for row in reversed(run.rows) if not row.opened)
    print(f"and when it waits:\n  request {waits.number + 1}: {waits.why}")


if __name__ == "__main__":
    main()
