"""One run by the server of `cli_runs`: its streams, folder and environment are those of this program.

    python -I -S cli_client.py CHANNEL [ARGUMENT ...]

CHANNEL is the number of the open socket to that server (see cli_server.py).
"""

import json
import os
import sys
from socket import send_fds, socket
from tempfile import TemporaryFile


def main(channel: int, *arguments: str) -> int:
    """Have it run; its exit code."""
    request = {"arguments": arguments, "environment": dict(os.environ), "folder": os.getcwd()}
    answer, reply = os.pipe()
    with socket(fileno=channel) as server, TemporaryFile() as asked:
        asked.write(json.dumps(request).encode())
        asked.seek(0)
        send_fds(server, [b"."], [asked.fileno(), 0, 1, 2, reply])
        os.close(reply)
        return int(os.read(answer, 8))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), *sys.argv[2:]))
