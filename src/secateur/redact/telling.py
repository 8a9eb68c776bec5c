"""Names that give a value away: `DB_PASSWORD`, `apiKey`, `--token`, `contraseña`, `密码`; and names that only look so.

Rule: a name is read word by word, whatever joins them (`_`, `-`, capitals). The word nearest the end that belongs to a
family counts, unless what comes after or before it says that the value is something else: `token_count`, `key_id`,
`public_key`, `next_page_token`.
"""

import re
from functools import lru_cache

from msgspec import Struct


def _split_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


class Telling(Struct, frozen=True):
    """What a name says about its value. A `strong` name is enough for values that could identify something else."""

    kind: str  # stands in the redacted text
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
