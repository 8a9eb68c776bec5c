"""Random values of each class, and the texts that carry them: what people write and tools print.

Each carrier makes a text of a value and names the pieces of it that must not be seen afterwards.
"""

import base64
import random
import string
import uuid
from collections.abc import Callable, Iterator

ALPHANUMERIC = string.ascii_letters + string.digits
HEXADECIMAL = "0123456789abcdef"
CLASSES = (
    *(f"alphanumeric {length}" for length in (16, 20, 24, 32, 40)),
    *(f"hex {length}" for length in (16, 32, 40, 64)),
    "uuid",
)
Carried = tuple[str, tuple[str, ...]]


def drawn_values(kind: str, count: int, seed: int = 7) -> Iterator[str]:
    """Values of a class, the same for each seed."""
    chance = random.Random(f"{kind} {seed}")
    letters, _, length = kind.partition(" ")
    for _ in range(count):
        if kind == "uuid":
            yield str(uuid.UUID(int=chance.getrandbits(128), version=4))
        else:
            yield "".join(chance.choices(HEXADECIMAL if letters == "hex" else ALPHANUMERIC, k=int(length)))


def _whole(frame: str) -> Callable[[str], Carried]:
    return lambda value: (frame.replace("VALUE", value), (value,))


def _halves(frame: str) -> Callable[[str], Carried]:
    """The value on two lines."""

    def carried(value: str) -> Carried:
        half = len(value) // 2
        first, second = value[:half], value[half:]
        return frame.replace("FIRST", first).replace("SECOND", second), (first, second)

    return carried


def _encoded(frame: str) -> Callable[[str], Carried]:
    def carried(value: str) -> Carried:
        told = base64.b64encode(value.encode()).decode()
        return frame.replace("VALUE", told), (told,)

    return carried


def _key(frame: str) -> Callable[[str], Carried]:
    """The value as the last line of the body of a key."""
    line = "".join(random.Random(5).choices(ALPHANUMERIC + "+/", k=64))

    def carried(value: str) -> Carried:
        last = value.replace("-", "")
        return frame.replace("LINE", line).replace("VALUE", last), (line, last)

    return carried


CARRIERS: dict[str, Callable[[str], Carried]] = {
    "env line": _whole("HOST=a\nAPI_KEY=VALUE\nDEBUG=1\n"),
    "env line, exported": _whole('export DB_PASSWORD="VALUE"\n'),
    "env line, token": _whole("GITHUB_TOKEN=VALUE\n"),
    "JSON": _whole('{"user": "x", "api_key": "VALUE", "n": 1}'),
    "JSON in JSON": _whole(r'{"a": "{\"client_secret\": \"VALUE\"}"}'),
    "JSON, name and value": _whole('{"name": "API_KEY", "value": "VALUE"}'),
    "YAML": _whole("db:\n  password: VALUE\n  host: x\n"),
    "YAML, name and value": _whole("- name: API_KEY\n  value: VALUE\n"),
    "YAML, literal": _whole("password: |\n  VALUE\nother: 1\n"),
    "YAML, folded": _halves("api_key: >-\n  FIRST\n  SECOND\nother: 1\n"),
    "XML element": _whole("<config><password>VALUE</password></config>"),
    "XML attribute": _whole('<db user="x" password="VALUE"/>'),
    "XML, name and value": _whole('<add key="ApiKey" value="VALUE" />'),
    "property list": _whole("<key>api_key</key>\n<string>VALUE</string>"),
    "--password X": _whole("tool --password VALUE --verbose"),
    "--password=X": _whole("tool --password=VALUE --verbose"),
    "--api-key X": _whole("tool --api-key VALUE"),
    "list of arguments": _whole('["tool", "--token", "VALUE"]'),
    "mysql -pX": _whole("mysql -u root -pVALUE orders"),
    "sshpass -p X": _whole("sshpass -p VALUE ssh host"),
    "docker login -p X": _whole("docker login -u me -p VALUE registry.example"),
    "netrc": _whole("machine api.example.net login me password VALUE\n"),
    "netrc, lines": _whole("machine api.example.net\n  login me\n  password VALUE\n"),
    "pgpass": _whole("db.internal:5432:orders:app:VALUE\n"),
    "DSN, Sentry": _whole("SENTRY_DSN=https://VALUE@o12345.ingest.sentry.io/678"),
    "DSN, database": _whole("postgres://app:VALUE@db:5432/orders"),
    "DSN, Redis": _whole("redis://:VALUE@cache:6379/0"),
    "query of a URL": _whole("https://api.example.org/a?token=VALUE&page=1"),
    "connection string": _whole("Server=x;User Id=y;Password=VALUE;Encrypt=1"),
    "PEM": _key("-----BEGIN RSA PRIVATE KEY-----\nLINE\nVALUE\n-----END RSA PRIVATE KEY-----\n"),
    "PEM, its beginning": _key("-----BEGIN PRIVATE KEY-----\nLINE\nVALUE\n"),
    "PEM, its end": _key("LINE\nVALUE\n-----END PRIVATE KEY-----\n"),
    "PEM in a diff": _key("+-----BEGIN PRIVATE KEY-----\n+LINE\n+VALUE\n+-----END PRIVATE KEY-----\n"),
    "PEM in JSON": _key(r'{"private_key": "-----BEGIN PRIVATE KEY-----\nLINE\nVALUE\n"}'),
    "diff line": _whole("@@ -1 +1 @@\n-API_KEY=old\n+API_KEY=VALUE\n"),
    "diff line, removed": _whole("-  password: VALUE\n+  password: ${PASSWORD}\n"),
    "diff, two lines": _halves('+api_key = "FIRST" \\\n+    "SECOND"\n'),
    "Kubernetes data": _encoded("apiVersion: v1\nkind: Secret\ndata:\n  password: VALUE\n"),
    "Kubernetes data, any name": _encoded("kind: Secret\nmetadata:\n  name: a\ndata:\n  site.bin: VALUE\n"),
    "full-width colon": _whole("password：VALUE"),
    "soft wrap": _halves("API_KEY=FIRST\nSECOND\nnext line here"),
    "soft wrap, indented": _halves("password: FIRST\n    SECOND\n"),
    "backslash": _halves("API_KEY=FIRST\\\nSECOND\n"),
    "backslash before": _whole("tool --password \\\n  VALUE"),
    "string in pieces": _halves('token = "FIRST" + \\\n   "SECOND"'),
    "wrapped in JSON": _halves(r'{"text": "API_KEY=FIRST\nSECOND\nnext"}'),
    "English": _whole("The password is VALUE. Keep it."),
    "English, key": _whole("the api key for the staging server is VALUE"),
    "German": _whole("Das Passwort lautet VALUE."),
    "German, key": _whole("Der API-Schlüssel ist VALUE"),
    "French": _whole("Le mot de passe est VALUE."),
    "French, key": _whole("la clé API est VALUE"),
    "Spanish": _whole("La contraseña es VALUE."),
    "Spanish, key": _whole("la clave de API es VALUE"),
    "Vietnamese": _whole("Mật khẩu là VALUE."),
    "Vietnamese, key": _whole("khóa API của tôi là VALUE"),
    "Chinese": _whole("密码是VALUE。"),
    "Chinese, key": _whole("API 密钥为：VALUE，请保管"),
    "Japanese": _whole("パスワードは VALUE です"),
    "Korean": _whole("비밀번호는 VALUE 입니다"),
    "Russian": _whole("Пароль: VALUE"),
    "Authorization": _whole("Authorization: Bearer VALUE"),
    "authorization, lower case": _whole("authorization: bearer VALUE"),
    "header": _whole('curl -H "X-Api-Key: VALUE" https://api.example.org'),
    "call": _whole('client.set_password("VALUE")'),
    "environment of a process": _whole('os.environ["API_KEY"] = "VALUE"'),
    "typed": _whole('const apiKey: string = "VALUE";'),
    "PHP": _whole("define('DB_PASSWORD', 'VALUE');"),
    "Markdown": _whole("| API_KEY | VALUE |"),
    "Dockerfile": _whole("ENV API_KEY VALUE\n"),
    "Terraform": _whole('  secret_key   = "VALUE"'),
}
