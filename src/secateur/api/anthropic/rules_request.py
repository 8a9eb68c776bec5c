"""Rules for a request as a whole: cache markers, sizes and numbers of media, citations, dependent fields."""

from collections.abc import Iterator
from typing import Any

from secateur.api.anthropic.walk import MessagesWalker
from secateur.api.image_size import read_image_size
from secateur.api.rule import Found, rule
from secateur.api.walker import get_fields, get_items, get_text

SLOTS = 4  # docs: prompt caching
_UNMARKED = ("thinking", "redacted_thinking", "mcp_tool_listing", "fallback", "text")

BODY = 32_000_000  # bytes; docs: request size limits
IMAGES = 600  # images and PDF pages; a document counts as one page
SIDE = 8000  # pixels
MANY, MANY_SIDE = 20, 2000  # with more images than this, each side is limited
BASE64 = 10 * 1024 * 1024  # characters of one image

_BETAS = {
    "context_management": ("context-management-", "compact-"),
    "mcp_servers": ("mcp-client-",),
    "thread": ("message-threads-",),
    "compaction": ("compact-2026-09-04",),
}
_APART = ("context_management", "stop_sequences", "output_format")  # what `compaction` does not go with


@rule("A20", "at most 4 blocks carry `cache_control`", "docs; reported: codex2api #613, llm-gateway #2258")
def too_many(history: MessagesWalker) -> Found:
    automatic = bool(get_fields(history.request.get("cache_control")))
    for path, _ in history.markers[SLOTS - automatic :] if len(history.markers) > SLOTS else ():
        yield path, f"{len(history.markers) + automatic} cache markers, the limit is {SLOTS}: remove this one"


@rule("A21", "no marker of 1h follows one of 5m", "reported: skim #529")
def order(history: MessagesWalker) -> Found:
    short = False
    for path, block in history.markers:
        if _get_ttl(block) == "5m":
            short = True
        elif short:
            yield path, "a cache marker of 1h follows one of 5m: give both the same lifetime, or remove one"


@rule("A22", "thinking, listings, fallbacks and empty texts have no marker", "docs", blocks=_UNMARKED)
def marker_misplaced(block: Any, history: MessagesWalker) -> Found:
    if not block.get("cache_control") or (block["type"] == "text" and block.get("text")):
        return ()
    return [((), f"a block of type {block['type']} has a cache marker: move it to the block before")]


@rule(
    "A23",
    "automatic caching needs a free slot, and the lifetime of a marker on the last block",
    "docs",
    whole=True,
    no_repair="fields of the request belong to the caller",
)
def automatic(history: MessagesWalker) -> Found:
    wanted = get_fields(history.request.get("cache_control"))
    if not wanted or not history.markers:
        return
    if len(history.markers) == SLOTS:
        yield ("cache_control",), f"automatic caching needs one of the {SLOTS} slots: remove a marker, or this field"
    path, block = history.markers[-1]
    if _is_last_block(history, path) and _get_ttl(block) != _get_ttl({"cache_control": wanted}):
        yield path, "the last block's marker and automatic caching differ in lifetime: use the same for both"


def _get_ttl(block: Any) -> str:
    return get_text(get_fields(block.get("cache_control")).get("ttl")) or "5m"


def _is_last_block(history: MessagesWalker, path: Any) -> bool:
    """Return whether a path points to the very last block."""
    number = len(history.messages) - 1
    here: bool = path[:2] == (history.array, number)
    return here and path[3] == len(history.messages[number]["content"]) - 1


@rule("A25", "a body has at most 32 MB", "docs", whole=True, partly="only media are removed, texts stay")
def body(history: MessagesWalker) -> Found:
    if history.size > BODY:
        yield (), f"the body has {history.size:,} bytes, the limit is {BODY:,}: clear images and old results"


@rule("A26", "a request has at most 600 images and PDF pages", "docs", whole=True)
def count(history: MessagesWalker) -> Found:
    media = len(history.images) + len(history.documents)
    if media > IMAGES:
        yield (
            history.images[-1][0] if history.images else (),
            f"{media} images and documents, the limit is {IMAGES}: clear the oldest",
        )


@rule("A27", "an image has at most 8000 pixels a side and 10 MB", "docs; reported: oh-my-pi #10633", blocks=("image",))
def image(block: Any, history: MessagesWalker) -> Found:
    data = _get_data(block)
    if isinstance(data, str) and len(data) > BASE64:
        return [((), f"an image has {len(data):,} characters of base64, the limit is {BASE64:,}: make it smaller")]
    size = read_image_size(data)
    if size and max(size) > SIDE:
        return [((), f"an image has {size[0]} by {size[1]} pixels, the limit is {SIDE} per side: make it smaller")]
    return ()


@rule(
    "A28",
    "with more than 20 images, each has at most 2000 pixels a side",
    "docs; reported: claude-code #9375, crush #3810",
    whole=True,
)
def many(history: MessagesWalker) -> Found:
    if len(history.images) <= MANY:
        return
    cure = f"make it smaller, or clear the oldest of the {len(history.images)} images down to {MANY}"
    for path, block in history.images:
        size = read_image_size(_get_data(block))
        if size and MANY_SIDE < max(size) <= SIDE:
            yield (
                path,
                f"{size[0]} by {size[1]} pixels, the limit with this many images is {MANY_SIDE} per side: {cure}",
            )


@rule(
    "A29",
    "citations are enabled for all documents or for none",
    "docs",
    no_repair="whether to cite is the caller's decision",
)
def citations(history: MessagesWalker) -> Found:
    cited = [get_fields(block.get("citations")).get("enabled") is True for _, block in history.documents]
    for on, (path, _) in zip(cited, history.documents, strict=True):
        if on != cited[0]:
            yield path, "citations are enabled for some documents and not for others: set all alike"


def _get_data(block: Any) -> Any:
    return get_fields(block.get("source")).get("data")


@rule(
    "A57",
    "`thinking.block_binding` is sent with its beta header",
    "reported: sub2api #6677, CLIProxyAPI #5615",
    no_repair="headers belong to the caller",
)
def binding(history: MessagesWalker) -> Found:
    thinking = get_fields(history.request.get("thinking"))
    if "block_binding" in thinking and _is_missing_beta(history, ("thinking-binding-controls-",)):
        yield ("thinking", "block_binding"), "`block_binding` without its beta: send the header, or remove the field"


@rule(
    "A65",
    "a field that needs a beta is sent with its header",
    "reported: claude-code #21612, #14135; 9router #1468",
    no_repair="headers belong to the caller",
)
def betas(history: MessagesWalker) -> Found:
    for name, wanted in _BETAS.items():
        if history.request.get(name) and _is_missing_beta(history, wanted):
            yield (name,), f"`{name}` without beta {wanted[0]}…: send the header, or remove the field"


@rule(
    "A66",
    "`clear_thinking` comes first, and thinking is enabled",
    "docs; reported: CLIProxyAPI #4784",
    no_repair="fields of the request belong to the caller",
)
def clear_thinking(history: MessagesWalker) -> Found:
    edits = get_items(get_fields(history.request.get("context_management")).get("edits"))
    on = get_fields(history.request.get("thinking")).get("type") in ("enabled", "adaptive")
    for at, edit in enumerate(edits):
        if get_text(get_fields(edit).get("type")).startswith("clear_thinking"):
            path = ("context_management", "edits", at)
            if at:
                yield path, "`clear_thinking` follows another edit: put it first"
            elif not on:
                yield path, "`clear_thinking` needs thinking that is enabled or adaptive: remove it"


@rule(
    "A67",
    "`compaction` excludes other context management, stop sequences and a forced tool",
    "docs",
    no_repair="fields of the request belong to the caller",
)
def compaction_alone(history: MessagesWalker) -> Found:
    if not history.request.get("compaction"):
        return
    for name in _APART:
        if history.request.get(name):
            yield (name,), f"`{name}` cannot be combined with `compaction`: remove one of them"
    if get_fields(history.request.get("tool_choice")).get("type") in ("any", "tool"):
        yield ("tool_choice",), "a forced tool cannot be combined with `compaction`: use auto"


@rule(
    "A68",
    "a signed compaction block is the first block of all, and the only one",
    "docs",
    no_repair="a signed block cannot be moved or rebuilt",
)
def compaction_first(history: MessagesWalker) -> Found:
    for path, block in _find_signed(history):
        if path[1:] != (0, "content", 0) and history.whole:
            yield path, "a signed compaction block is not the first block of all: remove what comes before it"
        elif any(value is None for value in block.values()):
            yield path, "a signed compaction block contains a null that was not in it: send it unchanged"


@rule(
    "A69", "a compaction block's content is not empty", "docs", blocks=("compaction",), no_repair="the summary is lost"
)
def compaction_empty(block: Any, history: MessagesWalker) -> Found:
    if block.get("content") == "":
        return [((), "a compaction block has an empty content: send it unchanged, or remove it")]
    return ()


def _find_signed(history: MessagesWalker) -> Iterator[tuple[Any, Any]]:
    return ((path, block) for path, block in history.compactions if block.get("signature"))


def _is_missing_beta(history: MessagesWalker, wanted: tuple[str, ...]) -> bool:
    """Return whether the headers are known and neither they nor the body contain one of these betas."""
    if not history.headers:
        return False
    sent = history.headers.get("anthropic-beta", "").split(",")
    sent += [*get_items(history.request.get("anthropic_beta")), *get_items(history.request.get("betas"))]
    return not any(get_text(one).strip().startswith(wanted) for one in sent)
