"""Draw how long the source files are: one bar per file, as a small grayscale PNG.

    python scripts/draw_sizes.py OUT.png

Written without an imaging library, so that a recorded session can hold a real picture of a few hundred bytes.
"""

import struct
import sys
import zlib
from pathlib import Path

_BAR_PX = 4  # width of one bar
_LINES_PER_PX = 5
_INK, _PAPER = b"\x20", b"\xf0"


def png(heights: list[int]) -> bytes:
    """An 8-bit grayscale PNG with one bar of each height, in pixels."""
    tall = max(heights)
    rows = (b"\0" + b"".join((_INK if h >= y else _PAPER) * _BAR_PX for h in heights) for y in range(tall, 0, -1))
    header = struct.pack(">IIBBBBB", len(heights) * _BAR_PX, tall, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(b"".join(rows), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, body) for name, body in chunks)


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def main(target: Path) -> None:
    """Draw, and say what was drawn."""
    files = sorted((Path(__file__).parent.parent / "src").rglob("*.py"))
    lines = [len(file.read_text().splitlines()) for file in files]
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(png([1 + n // _LINES_PER_PX for n in lines]))
    print(f"{target}: {len(files)} files, {sum(lines)} lines, the longest {max(lines)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
