"""Small distributions made for one test: modules and entry points in a folder on the path, as pip leaves them."""

import importlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from secateur import registry


def write(folder: Path, name: str, points: Mapping[str, Mapping[str, str]], version: str = "1.0") -> None:
    """The metadata of an installed distribution: `points` maps kinds to names to references."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    sections = (
        f"[secateur.{kind}]\n" + "".join(f"{point} = {value}\n" for point, value in named.items())
        for kind, named in points.items()
    )
    (info / "entry_points.txt").write_text("\n".join(sections))


@contextmanager
def installed(folder: Path) -> Iterator[None]:
    """The distributions of a folder, found by this process until the block ends."""
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    registry.forget()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in set(sys.modules) - before:
            if str(folder) in str(getattr(sys.modules[name], "__file__", "")):
                del sys.modules[name]
        importlib.invalidate_caches()
        registry.forget()
