"""An upstream that speaks bytes: for answers that no proper server gives, and to see when the other side hangs up."""

import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

LONGEST_S = 20.0  # that anything here waits


class Wire:
    """One connection, after its request was read."""

    def __init__(self, connection: socket.socket, head: bytes, body: bytes) -> None:
        self.connection = connection
        self.head = head
        self.body = body

    def send(self, data: bytes) -> None:
        """Send at once."""
        self.connection.sendall(data)

    def send_slowly(self, data: bytes) -> None:
        """Send byte by byte, each in a segment of its own."""
        for at in range(len(data)):
            self.connection.sendall(data[at : at + 1])

    def reset(self) -> None:
        """Break off as a crashed server does."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def sees_end(self) -> bool:
        """Whether the other side closes the connection, waiting for it."""
        try:
            return self.connection.recv(1) == b""
        except ConnectionResetError:
            return True
        except TimeoutError:
            return False


Script = Callable[[Wire], None]


class RawUpstream:
    """What came, and where it listens."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.wires: list[Wire] = []
        self.done = Event()  # a script has ended
        self.error: BaseException | None = None


@contextmanager
def raw_upstream(script: Script) -> Iterator[RawUpstream]:
    """A server on which a script answers each connection."""
    listening = socket.create_server(("127.0.0.1", 0))
    held = RawUpstream(f"http://127.0.0.1:{listening.getsockname()[1]}")
    thread = Thread(target=_serve, args=(listening, held, script), daemon=True)
    thread.start()
    try:
        yield held
    finally:
        with suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join(LONGEST_S)
        for wire in held.wires:
            wire.connection.close()
    if held.error is not None:
        raise held.error


def _serve(listening: socket.socket, held: RawUpstream, script: Script) -> None:
    while True:
        try:
            connection, _ = listening.accept()
        except OSError:
            return
        Thread(target=_answer, args=(connection, held, script), daemon=True).start()


def _answer(connection: socket.socket, held: RawUpstream, script: Script) -> None:
    connection.settimeout(LONGEST_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    wire = Wire(connection, *_read_request(connection))
    held.wires.append(wire)
    try:
        script(wire)
    except (BrokenPipeError, ConnectionResetError):
        pass
    except BaseException as error:
        held.error = error
    finally:
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
        held.done.set()


def _read_request(connection: socket.socket) -> tuple[bytes, bytes]:
    """The head of a request, and its body where its length is stated."""
    data = b""
    while b"\r\n\r\n" not in data and (piece := connection.recv(65_536)):
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    wanted = int(lengths[0]) if lengths else 0
    while len(body) < wanted and (piece := connection.recv(65_536)):
        body += piece
    return head, body
