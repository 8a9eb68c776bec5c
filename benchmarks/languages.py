"""Whether the user's demands survive compactions, in ten languages, and whether taken-back ones are marked.

    python benchmarks/languages.py [--windows 64000 16000]

For each language a session of five steps is made: in each step the user demands something, and the agent works until
the window is full and the history is compacted without a model. In the third and fourth step the user takes back what
was demanded in the first two. Counted are demands that stand verbatim in the view after five compactions, and earlier
ones that are there quoted behind the sentence that replaced them.
"""

import argparse
import json
import sys
from typing import Any, NamedTuple

from secateur import Engine
from secateur.compaction.outcome import Compacted

Native = dict[str, Any]
POLICY: Native = {
    "extends": "balance",
    "name": "sums",
    "prune": [],
    "on_arrival": None,
    "schedule": {"type": "every_request"},
}
BARS = {64_000: 0.95, 16_000: 0.9}


class Demands(NamedTuple):
    """What a user demands in one language. Each pair is a demand and the sentence that takes it back."""

    stay: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]


SPOKEN = {
    "en": Demands(
        (
            "Do not touch the files under tests/golden.",
            "Never push to main without asking me first.",
            "The public API must stay as it is.",
            "Make sure every commit has a changelog entry.",
            "Only use the standard library for the parser.",
            "Keep functions under 40 lines.",
        ),
        (
            ("Always use spaces for indentation.", "From now on use tabs."),
            ("Don't edit the file config.yaml.", "You can edit config.yaml again."),
        ),
    ),
    "vi": Demands(
        (
            "Đừng sửa thư mục migrations.",
            "Không được dùng thư viện mới.",
            "Luôn luôn viết chú thích bằng tiếng Việt.",
            "Phải chạy kiểm thử trước khi commit.",
            "Chỉ thay đổi các tệp trong thư mục src.",
            "Tuyệt đối không xóa dữ liệu của khách hàng.",
        ),
        (
            ("Luôn dùng dấu cách để thụt lề.", "Từ giờ hãy dùng tab để thụt lề."),
            ("Không được sửa tệp config.yaml.", "Bây giờ có thể sửa tệp config.yaml."),
        ),
    ),
    "zh": Demands(
        (
            "不要修改配置文件。",
            "所有的提交都必须有测试。",
            "未经我同意,禁止推送到主分支。",
            "注释一律用中文写。",
            "只改动 src 目录下的文件。",
            "函数最多四十行。",
        ),
        (
            ("缩进总是用空格。", "从现在开始缩进改用制表符。"),
            ("不要编辑 config.yaml 文件。", "现在可以编辑 config.yaml 文件了。"),
        ),
    ),
    "es": Demands(
        (
            "No borres los archivos de la carpeta datos.",
            "Nunca cambies el esquema de la base.",
            "Usa siempre comillas simples.",
            "Debes ejecutar las pruebas antes de cada commit.",
            "Escribe los comentarios solamente en español.",
            "Evita dependencias nuevas.",
        ),
        (
            ("Usa siempre espacios para la sangría.", "A partir de ahora usa tabuladores para la sangría."),
            ("No edites el archivo config.yaml.", "Ahora puedes editar el archivo config.yaml."),
        ),
    ),
    "de": Demands(
        (
            "Ändere die Dateien unter tests/golden nicht.",
            "Pushe niemals auf main, ohne mich zu fragen.",
            "Die öffentliche Schnittstelle muss so bleiben, wie sie ist.",
            "Bitte keine neuen Abhängigkeiten.",
            "Führe vor jedem Commit unbedingt den Linter aus.",
            "Kommentare sollen ausschließlich auf Deutsch sein.",
        ),
        (
            ("Verwende immer Leerzeichen zum Einrücken.", "Ab jetzt bitte Tabs zum Einrücken."),
            ("Du darfst die Datei config.yaml nicht bearbeiten.", "Die Datei config.yaml darfst du jetzt bearbeiten."),
        ),
    ),
    "ja": Demands(
        (
            "tests/golden のファイルは変更しないでください。",
            "確認なしに main へ push するのは禁止です。",
            "公開 API はそのままにしてください。",
            "コミットの前に必ずテストを実行してください。",
            "コメントは日本語で書いてください。",
            "新しいライブラリは使わないこと。",
        ),
        (
            ("インデントは常にスペースを使ってください。", "今後はインデントにタブを使ってください。"),
            ("config.yaml を編集しないでください。", "config.yaml を編集してもいいです。"),
        ),
    ),
    "fr": Demands(
        (
            "Ne touche pas aux fichiers de tests/golden.",
            "Ne pousse jamais sur main sans me demander.",
            "L'API publique doit rester telle quelle.",
            "Il faut lancer les tests avant chaque commit.",
            "Écris les commentaires uniquement en français.",
            "Évite d'ajouter des dépendances.",
        ),
        (
            ("Utilise toujours des espaces pour l'indentation.", "Désormais, utilise des tabulations."),
            ("N'édite pas le fichier config.yaml.", "Tu peux éditer le fichier config.yaml maintenant."),
        ),
    ),
    "ru": Demands(
        (
            "Не трогай файлы в tests/golden.",
            "Никогда не пушь в main без моего согласия.",
            "Публичный API должен остаться как есть.",
            "Перед каждым коммитом нужно запускать тесты.",
            "Комментарии пиши только на русском.",
            "Нельзя добавлять новые зависимости.",
        ),
        (
            ("Всегда используй пробелы для отступов.", "Отныне используй табы для отступов."),
            ("Не редактируй файл config.yaml.", "Теперь можно редактировать файл config.yaml."),
        ),
    ),
    "ko": Demands(
        (
            "tests/golden 아래 파일은 수정하지 마세요.",
            "허락 없이 main에 푸시하면 안 됩니다.",
            "공개 API는 그대로 유지하세요.",
            "커밋하기 전에 반드시 테스트를 실행하세요.",
            "주석은 한국어로만 작성하세요.",
            "새로운 라이브러리 사용은 금지입니다.",
        ),
        (
            ("들여쓰기는 항상 공백을 사용하세요.", "이제부터 들여쓰기는 탭을 사용하세요."),
            ("config.yaml 파일을 편집하지 마세요.", "이제 config.yaml 파일을 편집해도 됩니다."),
        ),
    ),
    "pt": Demands(
        (
            "Não mexa nos arquivos de tests/golden.",
            "Nunca faça push para a main sem me perguntar.",
            "A API pública deve ficar como está.",
            "Execute sempre os testes antes de cada commit.",
            "Escreva os comentários apenas em português.",
            "Evite novas dependências.",
        ),
        (
            ("Use sempre espaços na indentação.", "A partir de agora use tabulações na indentação."),
            ("Não edite o arquivo config.yaml.", "Agora você pode editar o arquivo config.yaml."),
        ),
    ),
}


def said(role: str, text: str) -> Native:
    return {"role": role, "content": text}


def work(number: int) -> list[Native]:
    """One call of the agent and a long output."""
    function = {"name": "bash", "arguments": json.dumps({"command": f"pytest tests/test_{number}.py"})}
    call = {"id": f"c{number}", "type": "function", "function": function}
    asked = {"role": "assistant", "content": f"I looked at module {number}.", "tool_calls": [call]}
    return [asked, {"role": "tool", "tool_call_id": f"c{number}", "content": f"{number} passed in 1s\n" * 300}]


def steps(demands: Demands, calls: int) -> list[list[str]]:
    """What the user says in each of five steps."""
    (first, not_first), (second, not_second) = demands.pairs
    stay = demands.stay
    return [[first, *stay[:2]], [second, *stay[2:4]], [not_first, stay[4]], [not_second, stay[5]], [f"({calls})"]]


def measure(demands: Demands, window: int) -> tuple[int, int, int]:
    """Demands that stand verbatim after five compactions, of how many; and how many of the two are marked."""
    calls = window // 1_200
    engine = Engine(POLICY, window=window)
    messages: list[Native] = []
    view = None
    for number, lines in enumerate(steps(demands, calls)):
        messages += [said("user", " ".join(lines))]
        for step in range(calls):
            messages += work(number * 1_000 + step)
        messages += [said("assistant", f"Step {number} is done.")]
        body = json.dumps({"model": "gpt-5", "messages": messages}).encode()
        view = engine.compact(body, session="s", now_ms=number)
        assert isinstance(view.compaction, Compacted), view.compaction
    assert view is not None
    told = "\n".join(str(one["content"]) for one in json.loads(view.request)["messages"])
    all_ = [*demands.stay, *(text for pair in demands.pairs for text in pair)]
    marked = sum(
        any(f"{new} — replaces: “" in line and f"“{old}”" in line for line in told.split("\n- "))
        for old, new in demands.pairs
    )
    return sum(text in told for text in all_), len(all_), marked


def main() -> int:
    """Print a line for each language and window; exit 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--windows", type=int, nargs="*", default=sorted(BARS, reverse=True))
    failed = False
    for window in parser.parse_args().windows:
        found = {code: measure(demands, window) for code, demands in SPOKEN.items()}
        for code, (kept, total, marked) in found.items():
            print(f"{window:7,}  {code}  verbatim {kept:2} of {total}  superseded marked {marked} of 2")
        share = sum(kept for kept, _, _ in found.values()) / sum(total for _, total, _ in found.values())
        marks = sum(marked for _, _, marked in found.values()) / (2 * len(found))
        bar = BARS.get(window, 0.9)
        print(f"{window:7,}  all verbatim {share:.3f} (bar {bar}), superseded marked {marks:.3f} (bar 1.0)")
        failed = failed or share < bar or marks < 1
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
