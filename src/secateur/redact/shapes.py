"""The forms of credentials: one row per issuer, as the issuers (and scanners of leaked keys) describe them.

Rule: the long runs of a text are collected once, and marks are looked for in these alone; a shape's pattern is tried
only at one of its marks. A pattern repeats single characters only, so no input takes more than linear time. Secrets
recognized by a name or a notation are handled in `assigned` and `notations`.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from secateur.redact.places import Span, build_trie_pattern, find_places


class CredentialShape(Struct, frozen=True):
    """One kind of credential."""

    kind: str  # appears in the redacted text
    marks: tuple[str, ...]  # a text without any of these has none
    pattern: re.Pattern[str]
    inside: bool = False  # the mark is somewhere inside it, not at its beginning


def find_shaped(text: str, dense: str) -> Iterator[Span]:
    """Spans of tokens revealed by their shape. `dense` holds the long runs of the text."""
    marks = set(_BEGINNINGS.findall(dense))
    marks.update(_WITHIN.findall(dense), (mark for mark in _APART if mark in text))
    for shape in {id(one): one for mark in marks for one in _BY_MARK[mark]}.values() if marks else ():
        yield from (Span(*found.span(), shape.kind) for found in _match_shape(shape, text))


def find_dense_runs(data: bytes) -> Iterator[str]:
    """The runs of at least 20 letters, digits, dots, dashes and the like in a text in UTF-8: every shape has one."""
    plain = data.translate(_RUNS)
    start = plain.find(_LONG)
    while start >= 0:
        end = plain.find(b" ", start) % (len(plain) + 1)  # without one: the end of the text
        yield data[start:end].decode("ascii")
        start = plain.find(_LONG, end)


def _match_shape(shape: CredentialShape, text: str) -> Iterator[re.Match[str]]:
    if shape.inside:
        yield from shape.pattern.finditer(text)
        return
    done = 0
    for place in sorted(place for mark in shape.marks for place in find_places(text, mark)):
        found = shape.pattern.match(text, place) if place >= done else None
        if found:
            done = found.end()
            yield found


_LONG = b"x" * 20
_SIGNS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.~-")
_RUNS = bytes(ord("x") if one in _SIGNS else ord(" ") for one in range(256))
_HEAD = r"(?<![A-Za-z0-9])"  # not inside a longer word


def _make_shape(kind: str, marks: str, pattern: str, inside: bool = False) -> CredentialShape:
    return CredentialShape(kind, tuple(marks.split("|")), re.compile(pattern), inside)


def _make_token_shape(kind: str, marks: str, pattern: str, inside: bool = False) -> CredentialShape:
    return _make_shape(kind, marks.replace(" ", "|"), _HEAD + pattern, inside)


SHAPES: tuple[CredentialShape, ...] = (
    _make_token_shape("age-key", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-1[0-9A-Z]{20,80}"),
    _make_token_shape(
        "aws-access-key", "AKIA ASIA ABIA ACCA A3T", r"A(?:KIA|SIA|BIA|CCA|3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9])"
    ),
    _make_token_shape("anthropic-key", "sk-ant-", r"sk-ant-[\w-]{16,}"),
    _make_token_shape("openrouter-key", "sk-or-", r"sk-or-[\w-]{20,}"),
    _make_token_shape(
        "openai-key", "sk-", r"sk-(?:(?:proj|svcacct|admin|None)-[\w-]{20,}|(?=[A-Za-z-]{0,60}[0-9])[A-Za-z0-9]{20,})"
    ),
    _make_token_shape("google-key", "AIza", r"AIza[\w-]{35}"),
    _make_token_shape("google-token", "ya29. GOCSPX-", r"(?:ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,40})"),
    _make_token_shape(
        "github-token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{22,})"
    ),
    _make_token_shape(
        "gitlab-token",
        "glpat- glptt- gldt- glrt- glcbt- glft- glsoat- glimt- glagent- gloas- GR1348941",
        r"(?:gl(?:pat|ptt|dt|rt|cbt|ft|soat|imt|agent|oas)-|GR1348941)[\w.-]{20,}",
    ),
    _make_token_shape("slack-token", "xox xapp-", r"(?:xox[abcdeoprs]|xapp)-[\w-]{10,}"),
    _make_token_shape("discord-token", "MT Mj Mz ND NT Nj Nz OD OT", r"[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,40}"),
    _make_shape(
        "artifactory-key",
        "AKC|AP",
        r"(?<![\w+])(?:AKC[A-Za-z0-9]{50,90}|AP[0-9A-F][A-Za-z0-9]{60,90})(?![\w+/=])",  # not inside base64
    ),
    _make_token_shape("telegram-token", ":AA", r"\d{8,12}:AA[\w-]{30,40}(?![\w-])", inside=True),
    _make_token_shape(
        "stripe-key",
        "sk_live_ sk_test_ rk_live_ rk_test_ whsec_",
        r"(?:[sr]k_(?:live|test)_|whsec_)[A-Za-z0-9+/=]{10,}",
    ),
    _make_token_shape("twilio-key", "SK", r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    _make_token_shape("sendgrid-key", "SG.", r"SG\.[\w-]{16,32}\.[\w-]{16,64}"),
    _make_token_shape("mailgun-key", "key-", r"key-[0-9a-f]{32}(?![A-Za-z0-9])"),
    _make_token_shape("mailchimp-key", "-us", r"[0-9a-f]{32}-us\d{1,2}(?!\w)", inside=True),
    _make_token_shape("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    _make_token_shape("pypi-token", "pypi-AgE", r"pypi-AgE[\w-]{40,}"),
    _make_token_shape("rubygems-key", "rubygems_", r"rubygems_[0-9a-f]{48}"),
    _make_token_shape("huggingface-token", "hf_ api_org_", r"(?:hf|api_org)_[A-Za-z0-9]{30,}"),
    _make_token_shape("groq-key", "gsk_", r"gsk_[A-Za-z0-9]{40,}"),
    _make_token_shape("xai-key", "xai-", r"xai-[A-Za-z0-9]{60,}"),
    _make_token_shape("replicate-token", "r8_", r"r8_[A-Za-z0-9]{37,}"),
    _make_token_shape("perplexity-key", "pplx-", r"pplx-[A-Za-z0-9]{40,}"),
    _make_token_shape("nvidia-key", "nvapi-", r"nvapi-[\w-]{40,}"),
    _make_token_shape("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    _make_token_shape("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _make_token_shape("square-token", "sq0", r"sq0[a-z]{3}-[\w-]{22,}"),
    _make_token_shape("vault-token", "hvs. hvb. hvr.", r"hv[sbr]\.[\w-]{20,}"),
    _make_token_shape("doppler-token", "dp.", r"dp\.(?:st|pt|ct|sa|scim|audit)\.[\w.-]{40,}"),
    _make_token_shape("databricks-token", "dapi", r"dapi[0-9a-f]{32}"),
    _make_token_shape("grafana-token", "glsa_ glc_", r"(?:glsa|glc)_[\w+/=]{32,}"),
    _make_token_shape("newrelic-key", "NRAK-", r"NRAK-[A-Z0-9]{27}"),
    _make_token_shape("sentry-token", "sntrys_ sntryu_", r"sntry[su]_[\w+/=-]{40,}"),
    _make_token_shape("linear-key", "lin_api_", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    _make_token_shape("notion-token", "ntn_", r"ntn_[A-Za-z0-9]{40,}"),
    _make_token_shape("atlassian-token", "ATATT3 ATCTT3", r"AT[AC]TT3[\w=-]{50,}"),
    _make_token_shape("airtable-token", "pat", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    _make_token_shape("supabase-key", "sbp_ sb_secret_", r"(?:sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,})"),
    _make_token_shape("planetscale-token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[\w.=-]{32,}"),
    _make_token_shape("docker-token", "dckr_", r"dckr_(?:pat|oat)_[\w-]{20,}"),
    _make_token_shape("tailscale-key", "tskey-", r"tskey-[a-z]{3,8}-[\w-]{20,}"),
    _make_token_shape("postman-key", "PMAK-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    _make_token_shape("figma-token", "figd_", r"figd_[\w-]{30,}"),
    _make_shape("azure-client-secret", "Q~", r"(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])", inside=True),
    _make_shape("jwt", "eyJ", r"(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?"),
    _make_token_shape("adobe-secret", "p8e-", r"p8e-[\w-]{32}(?![\w-])"),
    _make_token_shape("alibaba-key", "LTAI", r"LTAI[A-Za-z0-9]{17,26}(?!\w)"),
    _make_token_shape("atlassian-token", "ATBB ATOA", r"AT(?:BB|OA)[A-Za-z0-9_=-]{24,}"),
    _make_token_shape("aws-bedrock-key", "ABSK", r"ABSK[A-Za-z0-9+/]{60,}={0,2}"),
    _make_token_shape("azure-devops-token", "AZDO", r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?!\w)", inside=True),
    _make_token_shape("brevo-key", "xkeysib- xsmtpsib-", r"x(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    _make_token_shape("buildkite-token", "bkua_", r"bkua_[0-9a-f]{40}"),
    _make_token_shape("cerebras-key", "csk-", r"csk-[a-z0-9]{40,}"),
    _make_token_shape("circleci-token", "CCIPAT_ CCIPRJ_", r"CCIP(?:AT|RJ)_[A-Za-z0-9]{20,}_[0-9a-f]{40}"),
    _make_token_shape("clojars-token", "CLOJARS_", r"CLOJARS_[0-9a-z]{60}"),
    _make_token_shape("contentful-token", "CFPAT-", r"CFPAT-[\w-]{40,}"),
    _make_token_shape("crates-token", "cio", r"cio(?=[A-Za-z]{0,30}\d)[A-Za-z0-9]{32}(?!\w)"),
    _make_token_shape("dropbox-token", "sl.", r"sl\.(?:u\.)?[\w-]{120,}"),
    _make_token_shape("duffel-token", "duffel_", r"duffel_(?:test|live)_[\w=-]{40,}"),
    _make_token_shape("dynatrace-token", "dt0", r"dt0[a-z]\d\d\.[A-Z2-7]{8,24}\.[A-Z0-9]{64}"),
    _make_token_shape("e2b-key", "e2b_", r"e2b_[0-9a-f]{40}"),
    _make_token_shape("easypost-key", "EZAK EZTK", r"EZ[AT]K[A-Za-z0-9]{54}"),
    _make_token_shape("facebook-token", "EAA", r"EAA[A-Z0-9](?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{80,}"),
    _make_token_shape("firecrawl-key", "fc-", r"fc-[0-9a-f]{32}(?!\w)"),
    _make_token_shape(
        "fly-token", "fo1_ fm1_ fm2_ fm1a_ fm1r_", r"(?:fo1_[\w-]{43}|fm[12][ar]?_[A-Za-z0-9+/]{80,}={0,3})"
    ),
    _make_token_shape("flutterwave-key", "FLWSECK", r"FLWSECK(?:_TEST)?-[0-9A-Za-z]{12,}(?:-X)?"),
    _make_token_shape("frameio-token", "fio-u-", r"fio-u-[\w=-]{60,}"),
    _make_token_shape("google-token", "1//0", r"1//0[\w-]{40,}"),
    _make_token_shape("harness-token", "pat. sat.", r"[ps]at\.[\w-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}"),
    _make_token_shape("heroku-key", "HRKU-", r"HRKU-[\w-]{36,}"),
    _make_token_shape("hubspot-token", "pat-", r"pat-(?:na|eu|ap)\d{1,2}-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"),
    _make_token_shape("infracost-key", "ico-", r"ico-[A-Za-z0-9]{32}(?!\w)"),
    _make_token_shape("langsmith-key", "lsv2_ ls__", r"(?:lsv2_[ps][tk]_[0-9a-f]{32}_[0-9a-f]{10}|ls__[0-9a-f]{32})"),
    _make_token_shape(
        "launchdarkly-key", "sdk- api-", r"(?:sdk|api)-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![\w-])"
    ),
    _make_token_shape("mapbox-token", "sk.eyJ tk.eyJ", r"[st]k\.eyJ[\w-]{40,}\.[\w-]{20,}"),
    _make_token_shape("maxmind-key", "_mmk", r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?!\w)", inside=True),
    _make_token_shape("neon-key", "napi_", r"napi_[a-z0-9]{40,}"),
    _make_token_shape("netlify-token", "nfp_ nfc_", r"nf[pc]_[A-Za-z0-9]{36,}"),
    _make_token_shape("newrelic-key", "NRII- NRRA- FFFFNRAL", r"(?:NRII-[\w-]{32}|NRRA-[0-9a-f]{42})"),
    _make_token_shape("newrelic-key", "NRAL", r"[0-9a-f]{36}(?:FFFF)?NRAL(?!\w)", inside=True),
    _make_token_shape("notion-token", "secret_", r"secret_(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{43}(?!\w)"),
    _make_token_shape("nuget-key", "oy2", r"oy2[a-z0-9]{43}(?!\w)"),
    _make_token_shape("octopus-key", "API-", r"API-(?=[A-Z]{0,24}\d)[A-Z0-9]{26}(?!\w)"),
    _make_token_shape("onepassword-token", "ops_eyJ", r"ops_eyJ[\w+/-]{100,}={0,3}"),
    _make_token_shape(
        "onepassword-key",
        "A3-",
        r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-(?:[A-Z0-9]{5}-){2}[A-Z0-9]{5}",
    ),
    _make_token_shape("openshift-token", "sha256~", r"sha256~[\w-]{43}(?![\w-])"),
    _make_token_shape("openai-session", "sess-", r"sess-(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{40}(?!\w)"),
    _make_token_shape("pinecone-key", "pcsk_", r"pcsk_\w{40,}"),
    _make_token_shape(
        "plaid-token",
        "access-",
        r"access-(?:sandbox|production|development)-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}",
    ),
    _make_token_shape("posthog-key", "phx_", r"phx_[A-Za-z0-9]{40,}"),
    _make_token_shape("prefect-token", "pnu_", r"pnu_[A-Za-z0-9]{36}"),
    _make_token_shape("pulumi-token", "pul-", r"pul-[0-9a-f]{40}"),
    _make_token_shape("razorpay-key", "rzp_", r"rzp_(?:live|test)_[A-Za-z0-9]{14,}"),
    _make_token_shape("readme-key", "rdme_", r"rdme_[a-z0-9]{60,}"),
    _make_token_shape("render-key", "rnd_", r"rnd_[A-Za-z0-9]{28,}"),
    _make_token_shape("resend-key", "re_", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}(?!\w)"),
    _make_token_shape("scalingo-token", "tk-us-", r"tk-us-[\w-]{48}"),
    _make_token_shape("shippo-token", "shippo_", r"shippo_(?:live|test)_[0-9a-f]{40}"),
    _make_token_shape("sonar-token", "sqp_ squ_ sqa_", r"sq[pua]_[0-9a-f]{40}"),
    _make_token_shape("sourcegraph-token", "sgp_", r"sgp_(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40}"),
    _make_token_shape("tavily-key", "tvly-", r"tvly-[A-Za-z0-9-]{24,}"),
    _make_token_shape("terraform-token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}", inside=True),
    _make_token_shape("typeform-token", "tfp_", r"tfp_[\w.=-]{50,}"),
    _make_token_shape("vercel-token", "vcp_ vck_ vca_ vci_", r"vc[pkai]_[A-Za-z0-9]{24,}"),
    _make_token_shape("xata-key", "xau_", r"xau_[A-Za-z0-9]{30,}"),
    _make_token_shape("yandex-key", "AQVN", r"AQVN[\w-]{35,38}(?![\w-])"),
    _make_token_shape("zuplo-key", "zpka_", r"zpka_[0-9a-z]{32}_[0-9a-f]{8}"),
)


_BY_MARK: dict[str, list[CredentialShape]] = {}
for _one in SHAPES:
    for _mark in _one.marks:
        _BY_MARK.setdefault(_mark, []).append(_one)
for _mark in sorted(_BY_MARK):  # what begins with a longer mark begins with a shorter one too
    _BY_MARK[_mark] = [one for mark, shapes in _BY_MARK.items() if _mark.startswith(mark) for one in shapes]
_APART = tuple(mark for mark in _BY_MARK if not re.fullmatch(r"[\w.~-]+", mark))
_INSIDE = {mark for mark, shapes in _BY_MARK.items() if any(one.inside for one in shapes)} - set(_APART)
_BEGINNINGS = re.compile(_HEAD + build_trie_pattern(set(_BY_MARK) - set(_APART) - _INSIDE))
_WITHIN = re.compile(build_trie_pattern(_INSIDE))
