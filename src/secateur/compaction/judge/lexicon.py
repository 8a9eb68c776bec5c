"""The words of about ten languages by which the judge reads a clause: denial, time, success and failure, consent.

Rule: a class of words stands here once, for every rule that needs it. A pattern says nothing about what it is said of;
that is for `clauses` and for the rules.
"""

import re

_LETTERS = "A-Za-z\u00c0-\u024f\u0400-\u04ff\u1e00-\u1eff"


def build_pattern(latin: str, unspaced: str = "") -> re.Pattern[str]:
    """Compile whole words of scripts with spaces, and strings of scripts without."""
    words = rf"(?<![{_LETTERS}_])(?:{latin})(?![{_LETTERS}_])"
    return re.compile(rf"(?i){words}|{unspaced}" if unspaced else rf"(?i){words}")


DENIES = build_pattern(
    r"not|never|no|none|nothing|nobody|neither|nor|cannot|\w+n['’]t|without|nowhere|lacks?|lacking|"
    r"nicht|nie|niemals|kein\w*|nichts|niemand|weder|ohne|"
    r"ne|n['’]\w+|pas|jamais|sans|aucune?|rien|ni|nul(?:le)?|sin|nunca|jamás|nada|ning[úu]n\w*|tampoco|nadie|"
    r"não|sem|nenhum\w*|nem|ninguém|не|нет|без|никогда|ничего|ни|нельзя|không|chưa|đừng|chẳng",
    r"不|没|沒|未|无|無|勿|别|非(?!常)|ない|なく|ません|なし|ず、|않|없|안\s",
)
# What forbids, refuses or puts out of reach without a denial
FORBIDS = build_pattern(
    r"taboo|off[\s-]limits|hands\s+off|out\s+of\s+bounds|forbid\w*|forbade|prohibit\w*|banned|barred|ruled\s+out|"
    r"excluded|excludes|off\s+the\s+table|frozen|untouchable|protected|reserved|denied|avoid\w*|refrain\w*|disallow\w*|"
    r"unwanted|unwelcome|out\s+of\s+scope|out\s+of\s+the\s+question|no\s+option|left\s+alone|leave|leaves|untouched|unchanged|unaltered|unmodified|intact|"
    r"as\s+(?:it\s+is|they\s+are|before)|stays?|remains?|keep|keeps|kept|preserved?|"
    r"verboten|untersagt|tabu|ausgeschlossen|gesperrt|unberührt|unverändert|unangetastet|finger\s+weg|bleib\w*|"
    r"interdit\w*|exclue?s?|proscrit\w*|intacte?s?|inchangée?s?|réservée?s?|"
    r"prohibid[oa]s?|vetad[oa]s?|excluid[oa]s?|descartad[oa]s?|intact[oa]s?|proibid[oa]s?|запре[тщ]\w*|исключ\w*",
    r"禁止|严禁|禁じ|除外|保持|保留|そのまま|維持|금지|제외|유지",
)
ACCEPTS = build_pattern(
    r"accepted|approved|agreed|welcomed|granted|allowed|permitted|cleared|confirmed|endorsed|blessed|adopted|"
    r"signed\s+off|green-?lit|"
    r"said\s+yes|went\s+along|consented|in\s+favou?r|"
    r"zugestimmt|angenommen|akzeptiert|genehmigt|erlaubt|freigegeben|gebilligt|einverstanden|befürwortet|"
    r"acceptée?|approuvée?|validée?|autorisée?|d['’]accord|"
    r"aceptad[oa]|aceptó|aprobad[oa]|aprobó|visto\s+bueno|autoriz\w+|aceit\w+|aprov\w+|одобр\w+|принял\w*|согласил\w*",
    r"同意|批准|接受|认可|承認|了承|受け入れ|승인|동의",
)
REFUSES = build_pattern(
    r"refus\w*|declin\w*|reject\w*|turned\s+(?:\w+\s+){0,3}down|denied|vetoed|said\s+no|dismissed|ruled\s+out|opposed|unwanted|"
    r"did\s+not\s+want|didn['’]t\s+want|abgelehnt|verworfen|zurückgewiesen|lehnte?|verneint|"
    r"refusée?|rejetée?|déclinée?|écartée?|rechaz\w+|descart\w+|deneg\w+|rejeit\w+|recus\w+|отклон\w+|отказ\w+",
    r"拒绝|否决|却下|断|拒否|望まな|不要|不需要|거절|거부",
)
WANTS = build_pattern(
    r"wants?|wanted|asked\s+for|asks\s+for|requires?|required|demand(?:s|ed)?|ordered|requested|prefers?|preferred|chose|chosen|picked|"
    r"selected|decided|settled|opted|insist\w*|went\s+with|favou?r(?:s|ed)|will|möchte|verlangt|wünscht|wählte|gewählt|entschied\w*|bevorzugt|"
    r"veut|voulait|demande|demandé|choisi|préfère|décidé|quiere|pidi[óo]|eligi[óo]|prefiere|decidi[óo]|quer|pediu|escolheu|хочет|выбрал\w*|решил\w*",
    r"要的是|想要|要求|选择|希望|望ん|求め|選ん|希望|決め|원",
)
EARLIER = build_pattern(
    r"w(?:as|ere)\s+already|at\s+(?:the\s+)?(?:first|start|beginning|outset)|initially|earlier|originally|previously|formerly|before|once|"
    r"used\s+to|had\s+(?:\w+ly\s+)?(?:been|\w+ed|\w+en|\w+wn|come|gone|got|run|made|put|set)|was\s+once|until|in\s+between|meanwhile|for\s+a\s+(?:while|moment)|temporarily|on\s+the\s+way|"
    r"first|second|prior|in\s+runs?\s+\d|no\s+longer|any\s?more|midway|along\s+the\s+way|at\s+one\s+point|"
    r"anfangs|zuerst|zunächst|zu\s+beginn|vorher|zuvor|früher|bis|hatte[n]?|zwischen\w+|erst|ursprünglich|"
    r"einst\w*|nicht\s+mehr|"
    r"au\s+début|d['’]abord|auparavant|avant|avai(?:t|ent)|\w{3,}aient|(?:échou|manqu|renvoy|plant|donn|pass|cass|bloqu|utilis)ait|entre-temps|initialement|jusqu\w*|"
    r"al\s+principio|primero|antes|anteriormente|había[n]?|hasta|inicialmente|\w{3,}aba[n]?|"
    r"no\s+início|primeiro|\w{3,}ava[m]?|tinha[m]?|anteriormente|сначала|раньше|прежде|ранее|до|trước|ban\s+đầu",
    r"之前|以前|起初|当初|最初|一开始|原来|原先|曾|不再|途中|一時|一度|それまで|ていたが|たが|以前は|もう|처음|이전",
)
PRESENT = build_pattern(
    r"now|still|currently|is|are|latest|last|final|finally|most\s+recent|newest|remains?|in\s+the\s+end|by\s+now|today|"
    r"yet|again|since|left|all|every|both|entire|whole|"
    r"jetzt|noch|weiterhin|inzwischen|aktuell|derzeit|ist|sind|letzte[rnm]?|immer|nun|mittlerweile|alle|beide|"
    r"maintenant|encore|toujours|dernière?s?|est|sont|désormais|tous|toutes|"
    r"ahora|todavía|aún|sigue[n]?|última|último|está[n]?|todos|todas|agora|ainda|último|todos|сейчас|ещё|последн\w+|все",
    r"现在|目前|仍|还|最后|最新|全部|都|现|已|現在|まだ|最後|最新|すべて|全て|とも|현재|아직|마지막|모두",
)
# What is still to come, or is bound to a condition
AHEAD = build_pattern(
    r"let\s+me|let[’']s|i[’']ll|(?:i\s+am|is|are)\s+going|to\s+be|to\s+do|should|must|will|would|shall|might|needs?|next|later|pending|todo|if|whether|unless|once|when|as\s+soon\s+as|"
    r"so\s+that|in\s+order\s+to|damit|pour\s+que|para\s+que|чтобы|plan(?:ned|s)?|wants?|wanted|asked|proposed|wait\w*|awaiting|first|only\s+after|ready\s+(?:to|for)|prepared|attempt\w*|tried|trying|try|"
    r"soll\w*|muss|müssen|werden|wird|wenn|falls|ob|sobald|nächst\w*|später|geplant|offen|erst|würde\w*|darf|"
    r"doit|doivent|sera|seront|si|quand|lorsque|prévue?s?|prochain\w*|faire|falloir|faut|faudra|"
    r"debe[ns]?|será[n]?|cuando|próxim\w+|pendiente\w*|falta\w*|espera\w*|deve[m]?|será|quando|pendente\w*|"
    r"нужно|надо|будет|если|когда|cần|phải|sẽ|nếu|khi",
    r"需要|应|将|如果|待|等|下一步|计划|べき|予定|なら|次|待ち|後で|後に|해야|예정",
)
DONE = build_pattern(
    r"done|complete[d]?|finished|through|took\s+place|taken\s+place|happened|carried\s+out|made|succeeded|"
    r"successful\w*|exists?|executed|ejecut\w+|lanz[óo]\w*|hizo|hicieron|ausgeführt|exécutée?s?|gibt|liegt\s+vor|yes|live|performed|executed|over|in\s+place|went\s+(?:out|through|ahead)|ran|run|granted|"
    r"erledigt|fertig|erfolgt\w*|durch|abgeschlossen|gemacht|vollzogen|stattgefunden|erfolgreich|ja|gelaufen|"
    r"faite?s?|terminée?s?|effectuée?s?|réalisée?s?|réussie?s?|achevée?s?|oui|"
    r"hech[oa]s?|terminad[oa]s?|completad[oa]s?|realizad[oa]s?|list[oa]s?|sí|"
    r"feit[oa]s?|concluíd[oa]s?|sim|выполнен\w*|сделан\w*|завершен\w*|готов\w*|да|xong|rồi",
    r"完成|已|済|了(?!承)|完了|成功|した|ました|実施|했|됨|완료",
)
FAILS = build_pattern(
    r"fail(?:s|ed|ing|ures?)?|broken|breaks?|broke|red|crash\w*|errors?|reject\w*|declin\w*|refus\w*|unsuccessful\w*|"
    r"abort\w*|unsolved|unresolved|unfixed|problems?|complain\w*|findings?|offen[sc]es?|warnings?|objections?|objects?|trips?|dirty|unclean|"
    r"fehl\w*|schlägt|schlug|schlagen|rot|roten?|scheiter\w*|gescheitert|abgelehnt|beanstand\w*|befund\w*|kaputt|"
    r"échou\w*|échec\w*|erreurs?|rejetée?s?|refusée?s?|cassée?s?|fall[aóoe]\w*|fallid[oa]s?|fallos?|errores|rechaz\w*|"
    r"rojo|"
    r"falh\w*|erros?|ошиб\w*|пада\w*|упал\w*|красн\w*|thất\s+bại|lỗi",
    r"失败|失敗|错误|错|エラー|落ち|未通过|被拒|拒否|실패|오류|报错|壊れ",
)
PASSES = build_pattern(
    r"pass(?:es|ed|ing)?|succeed(?:s|ed|ing)?|success\w*|green|clean|ok|okay|quiet|content|happy|satisfied|sound|"
    r"went\s+through|works?|fine|cured|clear(?:ed|s)?|"
    r"bestand\w*|besteh\w*|grün\w*|erfolgreich\w*|fehlerfrei|durch|sauber|zufrieden|behoben|"
    r"pass(?:e|ent|é|ée|és|ées)|réussi\w*|vert\w*|abouti\w*|propre|pasa[n]?|pasó|pasaron|verdes?|exitos[oa]s?|éxito|"
    r"passa[m]?|passou|passaram|sucesso|проход\w*|прош[её]?л\w*|успешн\w*|зел[её]н\w*|thành\s+công|đạt",
    r"通过|成功|正常|通って|通った|通過|パス|緑|통과|성공",
)
USER = build_pattern(
    r"user|customer|client|owner|maintainer|benutzer\w*|nutzer\w*|auftraggeber\w*|utilisat\w+|usuari[oa]|"
    r"usuário|utilizador|пользовател\w*|người\s+dùng",
    r"用户|使用者|ユーザー?|사용자",
)
TEST = build_pattern(
    r"tests?|test\s+(?:suite|run)|suite|specs?|pytest|jest|vitest|mocha|rspec|junit|examples?|testlauf|testlauf\w*|tests|"
    r"pruebas?|testes|essais|тест\w*|kiểm\s+thử|package",
    r"测试|測試|テスト|테스트",
)
# That something was so at some time, be it no more
PAST = build_pattern(
    r"(?-i:[a-z]{2,}ed)|was|were|had|got|gave|broke|ran|went|hatte[n]?|gab(?:en)?|bestanden|fehlgeschlagen|schlug\w*|schlugen|war|waren|lief\w*|"
    r"échoué\w*|réussi\w*|passé\w*|pasaron|pasó|fallaron|falló|fallado|passou|passaram|falhou|falharam|упал\w*|прош\w+",
    "した|了",
)
# Between what is wanted or true and what is not
INSTEAD = re.compile(
    r"(?i)\s*\b(?:instead\s+of|rather\s+than|in\s+place\s+of|anstatt|statt|au\s+lieu\s+d\w*|plutôt\s+que|en\s+(?:vez|lugar)\s+de|em\s+vez\s+d\w+)\s+"
)
REMOVES = build_pattern(
    r"remov\w+|delet\w+|drop\w*|eras\w+|purg\w+|clear\w*|get\s+rid|uninstall\w*|withdr[ae]w\w*|entfern\w*|lösch\w*|supprim\w*|elimin\w*|borra\w*|retir\w*|удал\w*",
    "删除|移除|削除|삭제",
)
ALTERS = build_pattern(
    rf"(?:chang|modif|edit|updat|alter|adapt|adjust|extend|regenerat|rewrit|renam|replac|migrat|convert|upgrad|rais|lower|switch|mov|disabl|clean|tidy|refactor|simplif|free|dropp?|differ)\w*"
    rf"|follows?|goes|becomes?|may|can|might|allowed|permitted|welcome|ersetz\w*|geändert|änder\w*|angepasst|anpass\w*|erweiter\w*|vergrößer\w*|verkleiner\w*|darf|dürfen|kann|können"
    rf"|modifi\w+|chang\w+|remplac\w*|peut|peuvent|cambi\w+|modific\w+|reemplaz\w*|puede[ns]?|alter\w+|mud\w+|substitu\w+|pode[m]?|измен\w+|замен\w+|можно|{REMOVES.pattern.removeprefix('(?i)')}",
    r"修改|更改|变更|升级|変更|修正|てよい|변경|수정",
)
