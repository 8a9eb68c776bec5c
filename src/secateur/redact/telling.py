"""Names that give a value away, and whether a value looks random.

A name is read word by word, whatever joins the words (`_`, `-`, capitals): `DB_PASSWORD`, `apiKey`, `--token`,
`contraseña`, `密码`. The word nearest the end that belongs to a family counts, unless a word after or before it says
that the value is something else: `token_count`, `key_id`, `public_key`, `next_page_token`.

A value looks random if its characters are in no natural order: a UUID, a run of hexadecimal digits, or text in which
most pairs of neighboring letters are uncommon or change between letters and digits. Paths, versions, dates,
placeholders and calls follow words and stay.
"""

import re
import string
from collections import Counter
from functools import lru_cache
from itertools import product
from math import log2
from operator import add
from typing import Literal

from msgspec import Struct

Class = Literal["", "hex", "mixed"]
"""`hex` covers UUIDs too: values that also identify commits, sessions and contents, so they need a stronger name."""


def _split_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


class Telling(Struct, frozen=True):
    """What a name says about its value. A `strong` name is enough for values that could be identifiers of something
    else.
    """

    kind: str  # appears in the redacted text
    strong: bool


_WEAK_KEY = Telling("key", False)
_STRONG_KEY = Telling("key", True)
_FAMILIES = {
    "password": "password passwd passphrase passcode passwort kennwort pwd pass pw passwords passwds"
    " contrasena contraseña senha parole passe motdepasse psw",
    "secret": "secret secrets geheimnis secreto secreta segredo",
    "token": "token jeton pat",
    "credential": "credential credentials creds cred",
    "auth": "auth authorization authtoken",
    "key": "key keys apikey apikeys clave schlüssel schluessel chave clé cle clef",
}
_FAMILY = {word: family for family, words in _FAMILIES.items() for word in words.split()}
_JOINED = (  # written as one word
    *(("password", "password"), ("passwd", "password"), ("passphrase", "password"), ("pwd", "password")),
    *(("passwort", "password"), ("secret", "secret"), ("apikey", "key"), ("accesskey", "key"), ("secretkey", "key")),
    *(("privatekey", "key"), ("authkey", "key"), ("accountkey", "key"), ("authtoken", "token")),
    *(("accesstoken", "token"), ("apitoken", "token"), ("refreshtoken", "token"), ("schlüssel", "key")),
    ("kennwort", "password"),
)
_OTHER_AFTER = _split_words(
    "id ids name names file files filename path paths dir type types kind url uri href link endpoint hash"
    " hashes hashed digest sha sha1 sha256 checksum fingerprint thumbprint etag len length size sizes"
    " count counts limit limits index idx number num version algorithm alg algo policy error errors class"
    " expiry expires expired expiration ttl at in field fields prefix suffix format store manager provider"
    " label hint usage budget max min total cost costs per rate window position offset request response"
    " reset regex pattern rule rules schema model parser reader handler helper factory func function fn"
    " callback providers dialog form page screen view test tests spec required enabled valid invalid"
    " strength changed created updated age date time timestamp map set list dict tree node ring pair event"
    " events press down up code codes author authors state status scope scopes ref refs selector arn"
    " stream tokens word words bytes chars text ratio"
)
_OTHER_BEFORE = {
    "token": _split_words(
        "page next nextpage continuation cancellation sync cursor resume eos bos pad stop max min total"
        " prompt completion input output cached special mask unk sep cls start end begin current previous prev"
        " last first per publickey public num count csrf xsrf syntax lexer design color spacing tokens"
        " reasoning thinking change position watch"
    ),
    "key": _split_words(
        "public pub primary foreign cache sort partition hash map dict idempotency idem group lookup object"
        " index row unique composite natural hot arrow shift enter return escape tab function modifier dedup"
        " dedupe dedup query i18n translation message msg react item entry etag commit session state"
        " attr config property prop routing event context ctx cachekey sorted candidate host parent child"
        " known shared_cache file path job"
    ),
}
_PUBLIC = frozenset(("public", "pub"))
_STRONG_BEFORE = _split_words(
    "api secret access private signing sign encryption encrypt decryption master auth app application"
    " client service account license licence deploy deployment webhook admin subscription ssh ssl tls gpg"
    " pgp crypt crypto cipher hmac jwt token consumer server aes rsa storage shared project user bot write"
    " read rest rpc data db vault root integration wallet stripe openai anthropic google aws azure gcp"
    " github gitlab slack twilio sendgrid mailgun datadog sentry algolia firebase supabase cloudflare"
    " heroku npm pypi docker hf huggingface gemini mistral groq openrouter cohere deepseek xai perplexity"
    " replicate together tavily serper exa langchain langsmith wandb"
)
_STRONG_AFTER = {"key": _split_words("base material api")}
_WORD = re.compile(r"[A-Z]?[a-zà-ɏ]+|[A-Z]+(?![a-zà-ɏ])|\d+|[^\W\d_]+")


STRONGER = _STRONG_BEFORE - {"read", "write", "rest", "data", "root", "shared", "project", "user", "sign", "token"}


@lru_cache(maxsize=4_096)  # names repeat
def classify_name(name: str) -> Telling | None:
    """What a name reveals about its value; None if nothing."""
    words = [word.lower() for word in _WORD.findall(name)]
    for at in range(len(words) - 1, -1, -1):
        family = _FAMILY.get(words[at]) or _find_joined_family(words[at])
        if family:
            return _weigh_family(family, words, at, name)
    return None


def _weigh_family(family: str, words: list[str], at: int, name: str) -> Telling | None:
    before, after = words[at - 1] if at else "", words[at + 1 :]
    if family in _OTHER_BEFORE and not _PUBLIC.isdisjoint(words[:at]):
        return None
    if any(word in _OTHER_AFTER for word in after) or before in _OTHER_BEFORE.get(family, ()):
        return None
    if words[at] in ("pass", "pw", "pat") and any(word.isalpha() for word in after):
        return None
    if family != "key":
        return Telling(family, True)
    if "secret" in words[:at]:
        return Telling("secret", True)
    is_strong = (
        words[at] not in ("key", "keys")
        or before in _STRONG_BEFORE
        or any(word in _STRONG_AFTER["key"] for word in after)
        or (len(words) > 1 and name.isupper())
    )
    return _STRONG_KEY if is_strong else _WEAK_KEY


def _find_joined_family(word: str) -> str:
    return next((family for end, family in _JOINED if word.endswith(end)), "")


LEAST_CHARS = 12  # a shorter value has too few pairs to decide
LEAST_HEX = 16
LEAST_BITS = 2.75  # of entropy per character: below it a value repeats itself
LEAST_DISTINCT_HEX = 6
ODD_SHARE = 0.4  # of the neighboring pairs that must be unusual
JUDGED = 80  # characters of a value that are looked at
_LEAST_PAIRS = 8

# Pairs that make up 95 % of the neighboring letters in the words of English prose and source code.
_FOLLOWERS = (
    *("a:bcdgiklmnprstuvy", "b:aeilorsu", "c:acehiklortu", "d:adeilosu", "e:acdefgilmnpqrstvwxy", "f:aefiloru"),
    *("g:ehilnrsu", "h:aeiot", "i:abcdefglmnoprstvxz", "j:aeou", "k:eis", "l:adeilostuy", "m:abeimopsu"),
    *("n:acdefgiklnostuv", "o:bcdfgiklmnoprstuvw", "p:aeiloprstuy", "q:u", "r:acdegikmnorstuy", "s:acehilopstuy"),
    *("t:acdehiloprstuy", "u:abcegilmnprst", "v:aei", "w:aehior", "x:ceipt", "y:pst", "z:e"),
)
_COMMON = frozenset(row[0] + one for row in _FOLLOWERS for one in row[2:])
_SMALL, _LARGE, _DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
_COMPARED = frozenset(
    first + second
    for first, second in product(string.ascii_letters + _DIGITS, repeat=2)
    if not (first in _DIGITS and second in _DIGITS)
)
_UNUSUAL = frozenset(
    pair for pair in _COMPARED if pair.lower() not in _COMMON or (pair[0] in _SMALL and pair[1] in _LARGE)
)
_UUID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\Z", re.IGNORECASE)
_HEX = re.compile(r"(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)\Z")
_PLACEHOLDER = re.compile(
    r"example|placeholder|change.?me|your.|dummy|sample|(?-i:x{4}|X{4})|\*\*\*|\.\.\.|redacted|<|1234567|abcdefg|deadbeef",
    re.IGNORECASE,
)
_KNOWN = re.compile(  # hashes that say so, ids of calls and messages, references to other values
    r"sha(?:1|224|256|384|512)[-:]|md5[-:]|blake\w{1,3}[-:]|h1:|data:|https?:|file:|[$%]?\{|\$\(|\$[A-Za-z_]+\Z|[./~]{1,2}/"
    r"|[0-9a-f]{6,40}\.\.|\d+(?:\.\d+)+|(?:toolu|srvtoolu|call|msg|req|resp|rs|fc|ctc|chatcmpl|item|run|thread|asst|sess|session|evt|event|prt|gen|cmp"
    r"|file|batch|functions|tool)_",
    re.IGNORECASE,
)
_HASHED = re.compile(r"(.{4,}[-_.:/@])[0-9a-f]{16,64}\Z")  # a name that ends in a hash
_JOINS = re.compile(r"[._-]+")
_HUMP = re.compile(r"[a-z][A-Z]")
_SEGMENT = re.compile(r"[A-Za-z]{4,}")


def classify_random(value: str) -> Class:
    """The class of random value; empty if it is none."""
    value = value[:JUDGED]
    if len(value) < LEAST_CHARS or _KNOWN.match(value):
        return ""
    if _UUID.match(value):
        return "hex" if len(set(value)) > LEAST_DISTINCT_HEX else ""
    if _HEX.match(value):
        return "hex" if _is_hex_drawn(value.removeprefix("0x")) and not _PLACEHOLDER.search(value) else ""
    odd, pairs = count_unusual_pairs(value)
    if pairs < _LEAST_PAIRS or odd < ODD_SHARE * pairs or _is_like_words(value):
        return ""
    ending = _HASHED.match(value)
    return "hex" if ending and not _is_odd(ending[1]) else "mixed"


def _is_like_words(value: str) -> bool:
    return bool(_PLACEHOLDER.search(value)) or compute_entropy(value) < LEAST_BITS or _is_name(value) or _is_path(value)


def count_unusual_pairs(value: str) -> tuple[int, int]:
    """Count the adjacent pairs unlike words, and the pairs compared; two digits do not count."""
    pairs = list(map(add, value, value[1:]))
    return sum(map(_UNUSUAL.__contains__, pairs)), sum(map(_COMPARED.__contains__, pairs))


def compute_entropy(value: str) -> float:
    """Bits per character, by character frequency (Shannon)."""
    total = len(value)
    return -sum(n / total * log2(n / total) for n in Counter(value).values())


def is_wordlike(piece: str) -> bool:
    """Whether a short piece could be a word: letters of one case, in usual pairs."""
    odd, pairs = count_unusual_pairs(piece)
    return piece.isalpha() and (piece[1:].islower() or piece.isupper()) and odd <= ODD_SHARE * pairs


def _is_hex_drawn(digits: str) -> bool:
    return (
        len(digits) >= LEAST_HEX
        and not digits.isdigit()
        and not digits.isalpha()
        and len(set(digits)) >= LEAST_DISTINCT_HEX
    )


def _is_odd(value: str) -> bool:
    odd, pairs = count_unusual_pairs(value)
    return odd >= ODD_SHARE * pairs


def _is_name(value: str) -> bool:
    """Whether the pieces between the dots, dashes and underscores of a value are words, and there are any."""
    parts = _JOINS.split(value.strip("_"))
    return len(parts) > 1 and all(one.isalpha() and 4 * len(_HUMP.findall(one)) <= len(one) for one in parts)


def _is_path(value: str) -> bool:
    """Whether slashes part words: base64 has slashes too, but no words between them."""
    if value.count("/") < 2:
        return False
    parts = _SEGMENT.findall(value)
    return 2 * sum(is_wordlike(part) for part in parts) >= max(len(parts), 1)
