"""What the APIs reject and no rule checks, with the reason.

Rule: everything visible in a body, its headers or its model's name is checked by a rule. This list is for the rest, so
that nobody mistakes silence for a guarantee.
"""

_BEFORE = "shows only against what the API sent before; edits leave these bytes alone"
_MODEL = "depends on the model or the account; kept by the way edits are made"
_ERROR = "about errors and answers, not about requests"

UNVERIFIABLE = {
    "A16": "a permission: a result may be empty",
    "A42": _BEFORE,
    "A43": "the parts of it that show are A40 and A41",
    "A51": _BEFORE,
    "A54": _BEFORE,
    "A55": _BEFORE,
    "A56": _BEFORE,
    "A58": "the same check for another endpoint",
    "A59": "about the moment of an edit",
    "A60": "a permission: blocks that a new model cannot read are dropped by the API",
    "A70": "a thread's history is on the server: such requests are only observed",
    "A72": "about credentials",
    "A73": _ERROR,
    "O11": "when an audio answer expires is not in the request",
    "O17": "costs cache reads only",
    "R4": _BEFORE,
    "R8": _BEFORE,
    "R11": _BEFORE,
    "R17": "costs reasoning and cache reads only",
    "R18": _BEFORE,
    "R19": _BEFORE,
    "R20": _BEFORE,
    "G11": _BEFORE,
    "G15": _ERROR,
    "G16": "when a file expires is not in the request",
    "B6": _MODEL,
    "B15": _BEFORE,
    "B17": _ERROR,
    "B18": _ERROR,
    "B19": "base64 and bytes are the same to a reader",
    "B20": _MODEL,
}
