"""The kinds of deeds that leave the working copy: words that tell of them, and commands that can do them."""

import re

from msgspec import Struct

from secateur.compaction.judge.lexicon import build_pattern


class DeedKind(Struct, frozen=True):
    """One kind of deed."""

    name: str
    done: re.Pattern[str]  # says alone that it was done
    noun: re.Pattern[str]  # says so with a word of completion beside it
    undone: re.Pattern[str]  # says alone that it was not done
    proof: re.Pattern[str]  # a command or a tool that can do it


_NEVER = re.compile(r"(?!)")
KINDS = (
    DeedKind(
        "push",
        build_pattern(
            r"pushed|sent\s+to\s+(?:origin|the\s+remote)|(?:is|are|now|already|lives?|reached)\s+on\s+(?:origin|the\s+remote)"
            r"|on\s+origin|gepush(?:t|ed)|hochgeladen\s+nach\s+origin|(?:auf|nach|bei)\s+origin|poussée?s?|envoyée?s?\s+(?:sur|vers)\s+origin"
            r"|sur\s+origin|pushée?s?|empujad[oa]s?|subid[oa]s?\s+a\s+origin|en\s+origin|запушен\w*|отправлен\w*\s+в\s+origin",
            r"已经?推送|推送了|推送到|プッシュ(?:した|済み?|しました)|푸시(?:했|됨|완료)",
        ),
        build_pattern(r"push(?:es)?|envoi|pousser", "推送|プッシュ|푸시"),
        build_pattern(r"unpushed|un-pushed|only\s+local\w*|local\s+only|nur\s+lokal|locally\s+only|kept\s+local|ungepusht"),
        re.compile(r"\bgit\b[^\n;&|]*\bpush\b|\bgt submit\b|\bgh pr create\b|\bjj git push\b|push_files|push_branch"),
    ),
    DeedKind(
        "commit",
        build_pattern(
            r"committed|checked\s+in(?=\s*(?:$|[,.;:)]|(?:as|to|with|on|by|at|under)\b))|committet|commitet|eingecheckt|commit(?:té|tée|tés)|commitead[oa]s?|закоммичен\w*",
            r"已经?提交|提交了|コミット(?:した|済み?|しました)|커밋(?:했|됨)",
        ),
        build_pattern(r"commit|check-?in", "提交|コミット|커밋"),
        build_pattern(r"uncommitted|un-committed|not\s+checked\s+in|uncommited|non\s+committée?s?"),
        re.compile(
            r"\bgit\b[^\n;&|]*\b(?:merge|cherry-pick|revert|am)\b|\bjj describe\b|\bgt (?:create|modify)\b|\bcommit\b"
        ),
    ),
    DeedKind(
        "merge",
        build_pattern(r"(?:was|were|been|is|has|got)\s+merged|merged\s+(?:back\s+)?(?:in)?to\s+\S+|gemergt|gemerged|fusionnée?\s+dans|fusionad[oa]\s+en"),
        build_pattern(r"merge|fusion(?:\s+dans)?|合并"),
        build_pattern(r"unmerged"),
        re.compile(r"\bmerge\b|\brebase\b|\bcherry-pick\b|\bgit\b[^\n;&|]*\bpull\b"),
    ),
    DeedKind(
        "deployment",
        build_pattern(
            r"deployed|redeployed|rolled\s+out|applied\s+to\s+(?:the\s+)?(?:cluster|production|prod|staging|server)"
            r"|(?:is|are|now|went|gone)\s+live|in\s+production\s+now|ausgerollt|deployt|deployed"
            r"|déployée?s?|mise?s?\s+en\s+production|desplegad[oa]s?|implantad[oa]s?|развернут\w*",
            r"已经?部署|部署了|已经?上线|デプロイ(?:した|済み?|しました)|本番に反映(?:した|済み)|배포(?:했|됨)",
        ),
        build_pattern(
            r"deploy(?:ment)?|roll-?out|apply|mise\s+en\s+ligne|déploiement|despliegue|implantação|it\s+live|ausrollen|bereitstellung",
            "部署|上线|デプロイ|適用|배포",
        ),
        build_pattern(r"undeployed|not\s+live"),
        re.compile(
            r"(?<![\w/.-])(?:re)?deploy\w*(?![\w/.])|\bapply\b|\broll-?out\b|\bhelm\s+(?:upgrade|install)|\brelease\b|\bfly\b|\bvercel\b"
            r"|\bfirebase\b|\bheroku\b|\bssh\b|\brsync\b|\bscp\b|\bcompose\b[^\n]*\bup\b|\bship\w*\b|\bpublish\w*\b|\bpulumi\s+up\b|\bcdk\b"
        ),
    ),
    DeedKind(
        "tag",
        build_pattern(
            r"(?:was|were|been|is|and)\s+tagged|getaggt|étiquetée?|etiquetad[oa]",
            r"タグ[^。、]{0,14}?(?:付けた|付け済み|打った)|已打标签",
        ),
        build_pattern(r"(?:git\s+|release\s+|version\s+)?tags?(?=\s+(?:v?\d|is|was|has|set|:)|\s*[:=])"),
        build_pattern(r"untagged"),
        re.compile(r"\bgit\b[^\n;&|]*\btag\b|\bgh release\b|\bnpm version\b|--tags?\b|create_tag|create_release"),
    ),
    DeedKind(
        "migration",
        build_pattern(r"migration\s+(?:was|has\s+been)\s+(?:run|executed|applied)", "迁移已经?执行"),
        build_pattern(r"migrations?|migraci[óo]n(?:es)?|migrationen|миграци\w*", "迁移|マイグレーション"),
        _NEVER,
        re.compile(r"(?i)migrat|alembic|flyway|liquibase|\bdb:|\bpsql\b[^\n]*-f|\bmysql\b[^\n]*<|upgrade head"),
    ),
    DeedKind(
        "pull request",
        build_pattern(r"(?:pull|merge)\s+request\s+#?\d*\s*(?:is|was|has\s+been)\s+(?:open(?:ed)?|created|submitted|up)|PR\s+#?\d*\s*(?:is|was|has\s+been)\s+(?:open(?:ed)?|created)"
                      r"|(?:opened|created|submitted)\s+(?:a|the)\s+(?:\w+\s+)?(?:(?:pull|merge)\s+request|PR)"),
        build_pattern(r"(?:pull|merge)\s+request|PR"),
        _NEVER,
        re.compile(r"\bgh pr\b|pull.?request|\bglab mr\b|\bgt submit\b|create.?pr|merge_request"),
    ),
)  # fmt: skip
