"""Credentials of many shapes, made here from a fixed seed, so that none is in the source for a scanner to find."""

import random
import string

HEX, WORD, UPPER = "0123456789abcdef", string.ascii_letters + string.digits, string.ascii_uppercase + "234567"


def made(length: int, letters: str = WORD) -> str:
    drawn = random.Random(length * 7 + len(letters))
    return "".join(drawn.choice(letters) for _ in range(length - 2)) + ("a7" if letters != UPPER else "A7")


PEM = "-----BEGIN RSA PRIVATE KEY-----\n" + "\n".join([made(64)] * 3) + "\n-----END RSA PRIVATE KEY-----"
SHAPED = {
    "private-key": PEM,
    "aws-access-key": "AKIA" + made(16, UPPER),
    "anthropic-key": "sk-" + "ant-api03-" + made(80),
    "openai-key": "sk-" + "proj-" + made(60),
    "openrouter-key": "sk-" + "or-v1-" + made(64, HEX),
    "google-key": "AIza" + made(35),
    "google-token": "ya29." + made(60),
    "github-token": "ghp_" + made(36),
    "gitlab-token": "glpat-" + made(20),
    "slack-token": "xoxb-" + "123456789012-" + made(24),
    "telegram-token": "123456789" + ":AA" + made(33),
    "stripe-key": "sk_live_" + made(24),
    "twilio-key": "SK" + made(32, HEX),
    "sendgrid-key": "SG." + made(22) + "." + made(43),
    "mailgun-key": "key-" + made(32, HEX),
    "mailchimp-key": made(32, HEX) + "-us12",
    "npm-token": "npm_" + made(36),
    "pypi-token": "pypi-" + "AgE" + made(80),
    "huggingface-token": "hf_" + made(34),
    "groq-key": "gsk_" + made(52),
    "replicate-token": "r8_" + made(37),
    "digitalocean-token": "dop_v1_" + made(64, HEX),
    "shopify-token": "shpat_" + made(32, HEX),
    "vault-token": "hvs." + made(90),
    "databricks-token": "dapi" + made(32, HEX),
    "grafana-token": "glsa_" + made(32) + "_" + made(8, HEX),
    "linear-key": "lin_api_" + made(40),
    "notion-token": "ntn_" + made(46),
    "atlassian-token": "ATATT3" + made(180),
    "docker-token": "dckr_pat_" + made(27),
    "supabase-key": "sbp_" + made(40, HEX),
    "azure-client-secret": "abc8Q~" + made(34),
    "discord-token": "MTE" + made(21) + "." + made(6) + "." + made(38),
    "artifactory-key": "AKC" + made(70),
    "jwt": "eyJ" + made(20) + ".eyJ" + made(60) + "." + made(43),
}
NAMED = {
    "url-password": ("postgres://app:{}@db.internal:5432/orders", made(18)),
    "slack-webhook": ("https://hooks.slack.com/services/{}", "T0ABCDEF1/B0ABCDEF2/" + made(24)),
    "azure-signature": ("https://x.blob.core.windows.net/c?sv=1&sig={}", made(43) + "%3D"),
    "bearer-token": ("Authorization: Bearer {}", made(40)),
    "password": ("mysql -u root --password={}", "hunter2-" + made(6)),
    "secret": ("aws_secret_access_key = {}", made(40, WORD + "/+")),
    "key": ('"apiKey": "{}"', made(40)),
    "token": ("export DEPLOY_TOKEN={}", made(30)),
    "cookie": ("Cookie: sid={}; theme=dark", made(32)),
}
PLANTED = [(kind, "{}", secret) for kind, secret in SHAPED.items()]
PLANTED += [(kind, frame, secret) for kind, (frame, secret) in NAMED.items()]
