"""How texts name what can be read back: by a handle, for the recall tool, or by the path of a file.

Rule: a handle is hexadecimal digits, so whatever has a slash in it is a path. Whether something can be read back, and
by which of the two ways, is not decided here.
"""

WAY_BACK = r"(?:recall \S+|read [^\]\n]*/[^\]\n]+)"  # what `describe_way_back` makes, as a pattern
MAX_PATH_CHARS = 400  # of a file that a text names


def describe_way_back(handle: str) -> str:
    """How to read what a handle, or the path of a file, names."""
    return f"read {handle}" if is_file(handle) else f"recall {handle}"


def is_file(handle: str) -> bool:
    """Whether this is the path of a file, not a handle."""
    return "/" in handle


def locate(handle: str, folder: str) -> str:
    """The file of a handle in a folder; without a folder the handle itself."""
    return f"{folder}/{handle}.txt" if handle and folder else handle
