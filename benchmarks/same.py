"""Whether two copies of the program do the same: every view and every edit of growing requests, side by side.

    SECATEUR_CORPUS=DIR python benchmarks/same.py OLD NEW [--sessions 12] [--presets balance,opencode] [--every 5]

OLD and NEW are source roots (folders that hold `secateur/`) or Python interpreters that have it installed. Both play
the same requests, each in a process of its own: the shipped sessions and those of the corpus, as session files and as
bodies made of them, under every preset, in the default window and in 32,000 tokens, with and without a store, as bytes
and as objects. With a store, usage is recorded, parts are pinned, epochs are undone, and histories are rewound and
rewritten by the client. Compared are the bytes of each view and, by request, the edits, the epochs, the status, the
totals and the ids of stored blobs. Names that differ between the copies are looked up; sentences are not compared.
Prints the first difference with its request; the exit code is 1 if there is one.
"""

import argparse
import gzip
import hashlib
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import product, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parent.parent
PRESETS = (
    *("observe", "balance", "digests", "opencode", "kilocode", "openclaw", "anthropic", "hermes"),
    "pi-auto-compressor",
)
CASES = tuple(product((None, 32_000), (False, True), ("bytes", "objects")))  # window, with a store, shape
UNREADABLE = ("_yaml", "_md", "_stream_jsonl", "inspect_eval_log_json")
LARGEST = 1_500_000  # bytes of a session
START = 1_760_000_000_000  # ms since 1970
STEP_S, PAUSE_S, PAUSES = 30, 7_200, 17  # between requests, and after every so many
ARRAYS = ("messages", "input", "contents")
RESULT_TYPES = ("tool_result", "function_call_output")

Json = dict[str, Any]


# --- requests: one file for each session, a list of documents ------------------------------------------------------


def paths(most: int | None) -> list[Path]:
    """The shipped sessions, then those of the corpus, one format after another; `most` in all."""
    corpus = os.environ.get("SECATEUR_CORPUS", "")
    listed = json.loads((Path(corpus) / "MANIFEST.json").read_text()) if corpus else []
    by_format: dict[str, list[Path]] = {}
    for one in sorted(listed, key=lambda one: hashlib.sha256(one["path"].encode()).digest()):
        if one["raw_bytes"] < LARGEST and not one["format"].endswith(UNREADABLE):
            by_format.setdefault(one["format"], []).append(Path(corpus) / one["path"])
    turns = zip_longest(*(by_format[name] for name in sorted(by_format)))
    shipped = sorted(path for path in (ROOT / "sessions").iterdir() if path.suffix in (".json", ".jsonl"))
    return [*shipped, *(path for turn in turns for path in turn if path)][:most]


def documents(data: bytes, body: Json | None) -> list[tuple[str, list[Any]]]:
    """The growing requests of a session: as its own document, and as a Messages body."""
    found: list[tuple[str, list[Any]]] = []
    try:
        whole = json.loads(data)
    except ValueError:
        lines = data.decode("utf-8", "surrogatepass").splitlines(keepends=True)
        found.append(("file", ["".join(lines[:n]) for n in range(2, len(lines) + 1)]))
    else:
        name = next((name for name in ARRAYS if isinstance(whole, dict) and isinstance(whole.get(name), list)), "")
        found.append(("own", list(prefixes(whole, name)) if name else [whole]))
    if body is not None:
        found.append(("body", list(prefixes(body, "messages"))))
    return found


def prefixes(body: Json, name: str) -> Iterator[Json]:
    """The body as it was when each answer was asked for, and all of it."""
    items = body[name]
    for number in range(1, len(items) + 1):
        answer = items[number] if number < len(items) else {"role": "assistant"}
        before = items[number - 1]
        if is_answer(answer) and not is_answer(before):
            yield {**body, name: items[:number]}


def is_answer(item: Json) -> bool:
    """Whether the model said it."""
    return item.get("role") in ("assistant", "model") or item.get("type") == "function_call"


def chosen(requests: list[Any], every: int) -> list[Any]:
    """The first 60, then every fifth; of these every `every`th, and the last."""
    some = [one for n, one in enumerate(requests) if n < 60 or n % 5 == 0]
    return [one for n, one in enumerate(some) if n % every == 0 or n == len(some) - 1]


def messages_body(transcript: Any) -> Json | None:
    """A recorded session as a client of the Messages API would send it."""
    made: list[Json] = []
    for message in transcript.messages:
        blocks: list[Json] = []
        for part in message.parts:
            call_id = attribute(part, "call_id", "call")
            if part.kind == "text" and part.text:
                blocks.append({"type": "text", "text": part.text})
            elif part.kind == "tool_call":
                given = json.loads(part.text) if part.text[:1] == "{" else {"input": part.text}
                blocks.append({"type": "tool_use", "id": call_id, "name": part.tool, "input": given})
            elif part.kind == "tool_result":
                blocks.append({"type": "tool_result", "tool_use_id": call_id, "content": part.text})
        if blocks:
            made.append({"role": "assistant" if message.role == "assistant" else "user", "content": blocks})
    return {"model": "claude-opus-4-5", "max_tokens": 1024, "messages": made} if len(made) > 2 else None


def prepare(folder: Path, most: int | None, every: int) -> None:
    """Write each session's requests to a file."""
    from secateur import Engine

    for number, path in enumerate(paths(most)):
        raw = path.read_bytes()
        data = gzip.decompress(raw) if path.suffix == ".gz" else raw
        try:
            view = Engine("observe", too_long="send").fit(data)
        except Exception:
            body = None  # what cannot be read is played as it is
        else:
            body = messages_body(attribute(view, "raw_transcript", "before"))
        for kind, requests in documents(data, body):
            some = chosen(requests, every)
            if some:
                (folder / f"{number:04} {kind} {path.name}.json").write_text(json.dumps(some))


# --- playing: one line for each request ---------------------------------------------------------------------------


def attribute(value: Any, *names: str) -> Any:
    """The first of these attributes that there is: the copies may name it differently."""
    return next((getattr(value, name) for name in names if hasattr(value, name)), None)


def argument(function: Any, *names: str) -> str:
    """The first of these parameters that a function has."""
    return next(name for name in names if name in inspect.signature(function).parameters)


class Player:
    """An engine of one copy, under the names that it has there."""

    def __init__(self, preset: str, case: tuple[int | None, bool, str], folder: Path) -> None:
        from secateur import Engine

        window, stored, self.shape = case
        self.stored = stored
        more: Json = {"store": f"sqlite://{folder}/store.db", "tenant": "t"} if stored else {}
        objects = self.shape == "objects"
        self.engine = Engine(preset, window=window, repair=objects, too_long="raise" if objects else "send", **more)
        self._now = argument(self.engine.fit, "now_ms", "now")
        self.record_usage = attribute(self.engine, "record_usage", "observe")

    def fit(self, number: int, request: Any) -> Json:
        """One request, and its result."""
        from secateur.errors import SecateurError

        pauses = number // PAUSES
        now = START + 1000 * (number * STEP_S + pauses * PAUSE_S)
        idle_s = None if self.stored else PAUSE_S if number and number % PAUSES == 0 else STEP_S
        text = request if isinstance(request, str) else json.dumps(request)
        given = text.encode("utf-8", "surrogatepass") if self.shape == "bytes" or isinstance(request, str) else request
        session = "s" if self.stored else "memory"
        try:
            view = self.engine.fit(given, session=session, idle_s=idle_s, **{self._now: now})
        except SecateurError as error:
            view = getattr(error, "view", None)
            if view is None:
                return {"error": type(error).__name__}
            if number % 2:
                self.engine.sent(error)
            return {"error": type(error).__name__, **outcome(view, given)}
        if self.stored:
            self.command(number, view, now)
        return outcome(view, given)

    def command(self, number: int, view: Any, now: int) -> None:
        """What a host does between requests."""
        from secateur.errors import SecateurError

        at = {argument(self.engine.undo, "now_ms", "now"): now + 1}
        if number % 3 == 2:
            tokens = round(view.receipt.tokens_view * 1.12)
            usage = {"input_tokens": tokens // 5, "cache_read_input_tokens": tokens - tokens // 5, "output_tokens": 90}
            self.record_usage(view, usage, **at)
        try:
            if number == 12:
                self.engine.pin("s", "tool", "[Rr]ead*", **at)
            if number in (18, 33):
                self.engine.undo("s", **at)
        except SecateurError:
            pass

    def blobs(self) -> list[str]:
        """Ids of what the store keeps."""
        store = attribute(attribute(self.engine, "_sessions", "sessions", "keeping"), "store") if self.stored else None
        if store is None:
            return []
        from secateur.stores import protocol

        who = attribute(protocol, "SessionId", "Who")("s", "t")
        return sorted(one.id for one in (getattr(store, "list_blobs", None) or store.blobs)(who))


def outcome(view: Any, given: Any) -> Json:
    """What is compared of a request."""
    receipt, native = view.receipt, attribute(view, "request", "native")
    data = native if isinstance(native, bytes) else json.dumps(native, ensure_ascii=False).encode("utf-8", "replace")
    edits = [
        (edit.key, edit.verb, attribute(edit, "inserted_hash", "inserted"), edit.tokens_before, edit.tokens_after)
        for edit in attribute(receipt, "edits", "entries")
    ]
    totals = [receipt.tokens_raw, receipt.tokens_view, attribute(receipt, "active_edits", "in_force")]
    more = [receipt.breakpoints, receipt.unread, receipt.lines, receipt.parent, receipt.view]
    return {
        "view": hashlib.sha256(data).hexdigest(),
        "same": native is given,
        "epochs": len(view.plan.epochs),
        "status": attribute(receipt, "status", "outcome"),
        "totals": totals,
        "more": more,
        "sequence": attribute(receipt, "sequence", "number"),
        "sent": attribute(receipt, "view_hash", "sent"),
        "warnings": len(receipt.warnings),
        "edits": edits,
    }


def disturbed(number: int, requests: list[Any]) -> Any:
    """A request as a client sends it that rewinds or rewrites its own history now and then."""
    request = requests[number]
    if number == 25 and isinstance(requests[15], dict):
        return renamed(requests[15])
    if 35 <= number < 42 and isinstance(request, dict):
        return truncated(request)
    return request


def renamed(request: Json) -> Json:
    """The same history, with another last message of the user."""
    name = next(name for name in ARRAYS if name in request)
    said = {"role": "user", "parts": [{"text": "another way"}]}
    last = said if name == "contents" else {"role": "user", "content": "go another way"}
    return {**request, name: [*request[name], last]}


def truncated(request: Json) -> Json:
    """The same history, its first long result cut by the client."""
    copy: Json = json.loads(json.dumps(request))
    for message in copy.get("messages", []):
        content = message.get("content")
        for block in content if isinstance(content, list) else []:
            if block.get("type") in RESULT_TYPES and isinstance(block.get("content"), str):
                block["content"] = block["content"][:100]
                return copy
    return copy


def play(folder: Path, presets: list[str], whole: bool) -> None:
    """Print a line for each request of each session under each preset in each case."""
    for place, path in enumerate(sorted(folder.glob("*.json"))):
        requests = json.loads(path.read_text())
        for turn, preset in enumerate(presets):
            for number, case in enumerate(CASES):
                if not whole and number not in (one := (place + turn) % 8, (one + 5) % 8):
                    continue
                with TemporaryDirectory() as kept:
                    player = Player(preset, case, Path(kept))
                    for at in range(len(requests)):
                        request = disturbed(at, requests) if case[1] else requests[at]
                        line = {"case": [path.stem, preset, *case], "request": at, **player.fit(at, request)}
                        print(json.dumps(line))
                    print(json.dumps({"case": [path.stem, preset, *case], "blobs": player.blobs()}), flush=True)
                    player.engine.close()


# --- comparing ----------------------------------------------------------------------------------------------------


def lines(copy: str, *options: str, kept: Path | None = None) -> Iterator[str]:
    """What this file prints, run with one copy of the program; kept in a file, and read from it another time."""
    if kept is not None and kept.exists():
        with kept.open() as file:
            yield from file
        return
    root, part = Path(copy), kept.with_suffix(".part") if kept else Path(os.devnull)
    root = Path(copy)
    python = copy if root.is_file() else sys.executable
    env = {**os.environ, "PYTHONHASHSEED": "0", "SECATEUR_PLUGINS": "off"}
    env |= {} if root.is_file() else {"PYTHONPATH": str(root.resolve())}
    with subprocess.Popen([python, __file__, *options], env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            with part.open("w") as file:
                for line in process.stdout:
                    file.write(line)
                    yield line
        finally:
            process.stdout.close()
    if process.returncode:
        raise SystemExit(f"{copy} failed")
    if kept is not None:
        part.rename(kept)


def compared(old: Iterator[str], new: Iterator[str]) -> int:
    """Print the first difference, or how much was the same; the exit code."""
    requests, edits = 0, 0
    for before, after in zip_longest(old, new, fillvalue="{}"):
        requests += 1
        if before != after:
            one, other = json.loads(before), json.loads(after)
            print(f"different at request {requests}: {one.get('case')} request {one.get('request')}")
            for name in sorted(one.keys() | other.keys()):
                if one.get(name) != other.get(name):
                    print(f"  {name}\n    old {one.get(name)}\n    new {other.get(name)}")
            return 1
        edits += before.count('"rewrite"') + before.count('"remove"') + before.count('"replace"')
    print(f"the same: {requests:,} requests with {edits:,} edits")
    return 0


def both(given: argparse.Namespace, folder: Path) -> int:
    """Prepare the requests and let both copies play them; the exit code."""
    old, new = given.copies
    if not any(folder.glob("*.json")):
        folder.mkdir(exist_ok=True)
        count = ("--sessions", str(given.sessions)) if given.sessions else ()
        for line in lines(old, "--prepare", str(folder), "--every", str(given.every), *count):
            print(line)
    options = ("--play", str(folder), "--presets", given.presets, *(("--whole",) if given.whole else ()))
    kept = folder / "old.lines" if given.keep else None
    return compared(lines(old, *options, kept=kept), lines(new, *options))


def main() -> int:
    """Compare, or be one of the two processes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("copies", nargs="*", metavar="OLD NEW")
    parser.add_argument("--sessions", type=int, help="so many sessions (default: all)")
    parser.add_argument("--presets", default=",".join(PRESETS), help="names, separated by commas")
    parser.add_argument("--every", type=int, default=1, help="of each session every so many-th request")
    parser.add_argument("--whole", action="store_true", help="all eight cases of each session and preset, not two")
    parser.add_argument("--keep", type=Path, help="a folder for requests and OLD's answers, to compare again sooner")
    parser.add_argument("--prepare", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--play", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.prepare:
        prepare(given.prepare, given.sessions, given.every)
    elif given.play:
        play(given.play, given.presets.split(","), given.whole)
    elif len(given.copies) == 2:
        with TemporaryDirectory() as made:
            return both(given, given.keep or Path(made))
    else:
        parser.error("name two copies of the program: OLD NEW")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
