"""Shorter texts that hold everything: JSON arrays as tables, logs as templates with what differs, equal lines counted,
hits of a search by file.

Rule: by content, whoever printed it. Each form can be turned back: tables into the same JSON values, the others into
the same characters. What a terminal would not show (colors, lines that were drawn over) is taken off apart (`clean`)
and cannot be turned back: a note says where to read it. Whether a text should be shortened is not decided here.
"""

from secateur.text.lossless.lines import (
    add_note,
    clean,
    expand_hits,
    expand_repeats,
    fold_repeats,
    group_hits,
    is_grouped,
    strip_note,
)
from secateur.text.lossless.logs import is_log
from secateur.text.lossless.tables import decode_tables, encode_tables, is_tables, write_json_as_tables
from secateur.text.lossless.templates import (
    expand_templates,
    fold_templates,
    is_templated,
)

__all__ = [
    "add_note",
    "clean",
    "decode_tables",
    "encode_tables",
    "expand_hits",
    "expand_repeats",
    "expand_templates",
    "fold_repeats",
    "fold_templates",
    "group_hits",
    "is_grouped",
    "is_log",
    "is_tables",
    "is_templated",
    "write_json_as_tables",
    "strip_note",
]
