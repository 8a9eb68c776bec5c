"""What credentials look like: one row per issuer, as the issuers (and scanners of leaked keys) describe them.

Rule: a text without any of a shape's marks costs one search per mark, and most shapes begin with theirs. A pattern
repeats single characters only, so no input takes more than linear time; its group `kept`, if it has one, stays as it
is. What is secret only by the name before it is `assigned`'s affair.
"""

import re

from msgspec import Struct


class Shape(Struct, frozen=True):
    """One kind of credential."""

    kind: str  # stands in the redacted text
    marks: tuple[str, ...]  # a text without any of these has none
    pattern: re.Pattern[str]
    inside: bool = False  # the mark stands somewhere in it, not at its beginning


_HEAD = r"(?<![A-Za-z0-9])"  # not inside a longer word


def _shape(kind: str, marks: str, pattern: str, inside: bool = False) -> Shape:
    return Shape(kind, tuple(marks.split("|")), re.compile(pattern), inside)


def _token(kind: str, marks: str, pattern: str, inside: bool = False) -> Shape:
    return _shape(kind, marks.replace(" ", "|"), _HEAD + pattern, inside)


SHAPES: tuple[Shape, ...] = (
    _shape(
        "private-key",
        "-----BEGIN ",
        r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?!-----)[\s\S])*(?:-----END [A-Z0-9 ]{0,40}-----)?",
    ),
    _shape(
        "private-key",
        "Private-Lines: ",
        r"(?P<kept>Private-Lines: \d{1,4}(?:\s|\\[rn]){1,4})[A-Za-z0-9+/=\s\\]{40,}",
    ),
    _token("age-key", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-1[0-9A-Z]{20,80}"),
    _token("aws-access-key", "AKIA ASIA ABIA ACCA A3T", r"A(?:KIA|SIA|BIA|CCA|3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _token("anthropic-key", "sk-ant-", r"sk-ant-[\w-]{16,}"),
    _token("openrouter-key", "sk-or-", r"sk-or-[\w-]{20,}"),
    _token(
        "openai-key", "sk-", r"sk-(?:(?:proj|svcacct|admin|None)-[\w-]{20,}|(?=[A-Za-z-]{0,60}[0-9])[A-Za-z0-9]{20,})"
    ),
    _token("google-key", "AIza", r"AIza[\w-]{35}"),
    _token("google-token", "ya29. GOCSPX-", r"(?:ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,40})"),
    _token(
        "github-token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{22,})"
    ),
    _token(
        "gitlab-token",
        "glpat- glptt- gldt- glrt- glcbt- glft- glsoat- glimt- glagent- gloas- GR1348941",
        r"(?:gl(?:pat|ptt|dt|rt|cbt|ft|soat|imt|agent|oas)-|GR1348941)[\w.-]{20,}",
    ),
    _token("slack-token", "xox xapp-", r"(?:xox[abcdeoprs]|xapp)-[\w-]{10,}"),
    _shape("slack-webhook", "hooks.slack.com", r"(?P<kept>hooks\.slack\.com/(?:services|workflows)/)[\w/+-]{20,}"),
    _shape("discord-webhook", "/api/webhooks/", r"(?P<kept>/api/webhooks/\d{10,25}/)[\w-]{40,}"),
    _token("discord-token", "MT Mj Mz ND NT Nj Nz OD OT", r"[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,40}"),
    _shape(
        "artifactory-key",
        "AKC|AP",
        r"(?<![\w+])(?:AKC[A-Za-z0-9]{50,90}|AP[0-9A-F][A-Za-z0-9]{60,90})(?![\w+/=])",  # not inside base64
    ),
    _token("telegram-token", ":AA", r"\d{8,12}:AA[\w-]{30,40}(?![\w-])", inside=True),
    _token(
        "stripe-key",
        "sk_live_ sk_test_ rk_live_ rk_test_ whsec_",
        r"(?:[sr]k_(?:live|test)_|whsec_)[A-Za-z0-9+/=]{10,}",
    ),
    _token("twilio-key", "SK", r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    _token("sendgrid-key", "SG.", r"SG\.[\w-]{16,32}\.[\w-]{16,64}"),
    _token("mailgun-key", "key-", r"key-[0-9a-f]{32}(?![A-Za-z0-9])"),
    _token(
        "mailchimp-key", "-us1 -us2 -us3 -us4 -us5 -us6 -us7 -us8 -us9", r"[0-9a-f]{32}-us\d{1,2}(?!\w)", inside=True
    ),
    _token("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    _token("pypi-token", "pypi-AgE", r"pypi-AgE[\w-]{40,}"),
    _token("rubygems-key", "rubygems_", r"rubygems_[0-9a-f]{48}"),
    _token("huggingface-token", "hf_ api_org_", r"(?:hf|api_org)_[A-Za-z0-9]{30,}"),
    _token("groq-key", "gsk_", r"gsk_[A-Za-z0-9]{40,}"),
    _token("xai-key", "xai-", r"xai-[A-Za-z0-9]{60,}"),
    _token("replicate-token", "r8_", r"r8_[A-Za-z0-9]{37,}"),
    _token("perplexity-key", "pplx-", r"pplx-[A-Za-z0-9]{40,}"),
    _token("nvidia-key", "nvapi-", r"nvapi-[\w-]{40,}"),
    _token("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    _token("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _token("square-token", "sq0", r"sq0[a-z]{3}-[\w-]{22,}"),
    _token("vault-token", "hvs. hvb. hvr.", r"hv[sbr]\.[\w-]{20,}"),
    _token("doppler-token", "dp.", r"dp\.(?:st|pt|ct|sa|scim|audit)\.[\w.-]{40,}"),
    _token("databricks-token", "dapi", r"dapi[0-9a-f]{32}"),
    _token("grafana-token", "glsa_ glc_", r"(?:glsa|glc)_[\w+/=]{32,}"),
    _token("newrelic-key", "NRAK-", r"NRAK-[A-Z0-9]{27}"),
    _token("sentry-token", "sntrys_ sntryu_", r"sntry[su]_[\w+/=-]{40,}"),
    _token("linear-key", "lin_api_", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    _token("notion-token", "ntn_", r"ntn_[A-Za-z0-9]{40,}"),
    _token("atlassian-token", "ATATT3 ATCTT3", r"AT[AC]TT3[\w=-]{50,}"),
    _token("airtable-token", "pat", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    _token("supabase-key", "sbp_ sb_secret_", r"(?:sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,})"),
    _token("planetscale-token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[\w.=-]{32,}"),
    _token("docker-token", "dckr_", r"dckr_(?:pat|oat)_[\w-]{20,}"),
    _token("tailscale-key", "tskey-", r"tskey-[a-z]{3,8}-[\w-]{20,}"),
    _token("postman-key", "PMAK-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    _token("figma-token", "figd_", r"figd_[\w-]{30,}"),
    _shape("azure-client-secret", "Q~", r"(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])", inside=True),
    _shape("azure-signature", "?sig=|&sig=|;sig=", r"(?P<kept>[?&;]sig=)[A-Za-z0-9%/+=]{30,}"),
    _shape("jwt", "eyJ", r"(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?"),
    _shape(
        "url-password",
        "://",
        r"(?P<kept>://[^\s:@/?#\"'<>\\]{0,64}:)(?!\$|\{|<|%[sd(]|\[redacted )[^\s@/\"'<>\\]{3,128}(?=@[\w\[.-])",
    ),
)
