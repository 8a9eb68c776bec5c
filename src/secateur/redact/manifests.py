"""Values of a Kubernetes Secret: whatever its names are, all that stands under `data` and `stringData` goes.

Rule: only where the text says `kind: Secret`; a value that is empty or a template stays.
"""

import re
from collections.abc import Iterator

from secateur.redact.places import Span

KIND = "secret"
_SECRET = re.compile(r"kind(?:\\{0,7}\")?: ?(?:\\{0,7}\")?Secret\b")
_YAML = re.compile(r"(?:^|\n|\\n)(?P<indent>[ +-]{0,40})(?:data|stringData):[ \t]{0,8}(?:\r?\n|\\n)")
_ENTRY = re.compile(
    r"(?P<indent>[ +-]{1,60})[\w.-]{1,253}:[ \t]{1,8}[\"']?(?P<value>[^\s\"'{\[\\<$|>][^\s\"'\\]{3,65536})?"
    r"[^\n\\]{0,200}(?:\r?\n|\\n|\Z)"
)
_JSON = re.compile(r"\\{0,7}\"(?:data|stringData)\\{0,7}\": ?\{(?P<body>[^{}]{1,65536})\}")
_PAIR = re.compile(r"\\{0,7}\": ?\\{0,7}\"(?P<value>[^\s\"'{\[\\<$]{4,65536})")


def find_manifest_secrets(text: str) -> Iterator[Span]:
    """Spans of the values of Secrets."""
    if "Secret" not in text or not _SECRET.search(text):
        return
    for head in _YAML.finditer(text):
        place, indent = head.end(), len(head["indent"])
        while (entry := _ENTRY.match(text, place)) and len(entry["indent"]) > indent:
            if entry["value"]:
                yield Span(*entry.span("value"), KIND)
            place = entry.end()
    for body in _JSON.finditer(text):
        for pair in _PAIR.finditer(text, *body.span("body")):
            yield Span(*pair.span("value"), KIND)
