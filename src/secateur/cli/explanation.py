"""A summary with the source of each of its lines: on a terminal, and as a page for a browser.

Rule: the same lines in both; a page is one file without scripts and without anything from elsewhere. What a session
says is text in it, never markup.
"""

from collections.abc import Iterable
from html import escape
from itertools import groupby
from typing import Any

from secateur.cli.output.terminal import StyledLine, clean, hide_secrets
from secateur.compaction.ledger import read_back
from secateur.compaction.outcome import Compacted
from secateur.compaction.provenance import LineSource, trace_summary
from secateur.compaction.summary import parse_sections
from secateur.engine import View

_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>
body {{ font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }}
table {{ border-collapse: collapse; width: 100%; }}
td {{ border-top: 1px solid #ddd; padding: .3rem .6rem; vertical-align: top; }}
td.line {{ white-space: pre-wrap; overflow-wrap: anywhere; }}
td.source {{ color: #555; width: 18rem; overflow-wrap: anywhere; }}
@media (prefers-color-scheme: dark) {{ body {{ background: #111; color: #ddd; }} td.source {{ color: #aaa; }} }}
</style>
<h1>{title}</h1>
<p>Messages are counted from 0, as in the JSON report.</p>
{sections}
</html>
"""


def trace_view(view: View[Any], summary: str | None) -> tuple[LineSource, ...]:
    """The lines of a view's newest summary with their sources; () if there is none."""
    if summary is None:
        return ()
    made, messages = view.compaction, view.raw_transcript.messages
    if isinstance(made, Compacted):
        has_earlier = any(message.origin == "summary" for message in messages)
        return trace_summary(summary, made.ledger, messages, made.by, has_earlier)
    return trace_summary(summary, read_back(parse_sections(summary)), messages)


def render_lines(lines: Iterable[LineSource]) -> list[Any]:
    """The lines as blocks for a terminal, each with its source below."""
    blocks: list[Any] = []
    for section, entries in groupby(lines, key=lambda one: one.section):
        blocks += [StyledLine(f"## {clean(section)}", "bold")] if section else []
        for one in entries:
            blocks += [clean(one.text), StyledLine(f"      ← {clean(one.origin)}", "dim")]
    return blocks


def make_page(lines: Iterable[LineSource], title: str) -> bytes:
    """The lines as an HTML page."""
    sections = []
    for section, entries in groupby(lines, key=lambda one: one.section):
        rows = "\n".join(
            f'<tr><td class="line">{_escape(one.text)}</td><td class="source">{_escape(one.origin)}</td></tr>'
            for one in entries
        )
        sections.append(f"<h2>{_escape(section)}</h2>\n<table>\n{rows}\n</table>")
    page = _PAGE.format(title=_escape(f"Summary of {title}"), sections="\n".join(sections))
    return page.encode("utf-8", "replace")


def _escape(text: str) -> str:
    return escape(clean(hide_secrets(text)))
