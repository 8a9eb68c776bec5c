"""Demands that protect: secrets, data that cannot be had again, the machine around the work, and what leaves it.

Rule: patterns only, in ten languages; a demand is looked at alone. Where few demands have room these go before others:
a style that is not kept to can be mended, a secret that was printed cannot be taken back.
"""

import re

from secateur.compaction.ledger.user.opposed_rules import has_push_demand
from secateur.compaction.ledger.user.topics import is_negative
from secateur.memoizing import memoize_texts


@memoize_texts(4_096)
def is_protective(text: str) -> bool:
    """Whether a demand guards secrets or limits where work is done, or forbids to destroy or to publish something."""
    if (_SECRETS.search(text) or _CONFINES.search(text)) and (_FIRM.search(text) or is_negative(text)):
        return True
    return is_negative(text) and _RISKS.search(text) is not None and not has_push_demand(text)


_FIRM = re.compile(
    r"(?i)\b(?:only|must|always|require[ds]?|refuse|nur|muss|immer|seulement|doit|toujours|s[oó]lo|debe|siempre|deve"
    r"|sempre|apenas|только|всегда|должн\w+|chỉ|phải|luôn)\b|必须|必須|只能|だけ|のみ|必ず|반드시|만\s"
)
_SECRETS = re.compile(
    r"(?i)\bsecrets?\b|\bcredentials?\b|\bpass(?:word|phrase)s?\b|\b(?:api|private|ssh|signing|encryption)[- ]keys?\b"
    r"|\b(?:api|access|auth\w*|bearer|personal|session|github|npm)[- ]tokens?\b"
    r"|(?<![\w.])\.(?:env|pem|netrc|secrets?)\b|\bid_(?:rsa|ed25519)\b|\b(?:personal|customer|user)\s+data\b|\bprivacy\b"
    r"|\b(?:passw[oö]rt\w*|geheim\w*|zugangsdaten|schlüssel|mots?\s+de\s+passe|identifiants|contraseñas?|secret[oa]s?"
    r"|credenciales|senhas?|segredos?|credenciais|парол\w+|секрет\w+|mật\s+khẩu|bí\s+mật)\b"
    r"|密码|密碼|密钥|密鑰|秘密|机密|機密|凭据|パスワード|認証情報|비밀|암호|자격\s*증명"
)
_CONFINES = re.compile(
    r"(?i)\bsandbox\w*|\bsudo\b|\b(?:outside|within|inside|beyond|leave)\s+(?:of\s+)?(?:the|your|this|its|my|our)\s+(?:\w+\s+){0,2}"
    r"(?:director(?:y|ies)|folders?|workspace|repo(?:sitory)?|worktree|tree|sandbox|container)\b"
    r"|沙箱|沙盒|サンドボックス|샌드박스|песочниц\w+"
)
_RISKS = re.compile(  # to destroy, and to publish
    r"(?i)\brm\s+-\w*r|--(?:force|hard)\b|\bforce[- ]?push\w*|\breset\b[^.;\n]{0,20}\bhard\b"
    r"|\bgit\s+(?:clean|stash|reset)\b|\bdestructive\b"
    r"|\b(?:drop|truncate|wipe|erase|delete|remove|overwrite|destroy|lose)\b[^.;\n]{0,40}"
    r"\b(?:tables?|databases?|data|branch(?:es)?|buckets?|volumes?|records?|backups?|untracked|uncommitted|other\s+agents?)\b"
    r"|\bprod(?:uction)?\b(?!\s+code)"
    r"|(?<!before )(?<!until )(?<!after )(?<!keep )\bpush(?:e[sd]|ing)?\b"
    r"|\bpublish\w*|\bdeploy\w*|\brelease\b|\bupload\w*"
    r"|\bmerg(?:e|es|ing)\b[^.;\n]{0,30}\b(?:main|master|trunk)\b|\bsend\b[^.;\n]{0,20}\b(?:e?mails?|messages?)\b"
    r"|\b(?:pushe[nt]?|veröffentlich\w+|lösch\w+|pousse[rz]?|publie[rz]?|supprime[rz]?|déploie\w*|subas?|publi(?:que|ques|car|ca)"
    r"|borr(?:es|ar|e)|elimin(?:es|ar|e)|desplieg\w+|apagu?e\w*|exclua\w*|пуш\w*|публик\w+|удаля\w+|xóa|xoá|đẩy)\b"
    r"|推送|发布|發布|部署|删除|刪除|プッシュ|公開|デプロイ|削除|푸시|배포|삭제"
)
