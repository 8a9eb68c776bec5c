"""The language of a user's words, and that a few words say nothing."""

import pytest

from secateur.compaction.language import detect_language


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The harbour service has to load the table, and this is what it should say to us.", "en"),
        ("O serviço do porto não carrega a tabela, e é por isso que ele está parado.", "pt"),
        ("Do 0.\nDo 1.\nDo 2.\nDo 3.\nDo 4.\nDo 5.", None),
        ("es es es es es es", None),
        ("", None),
    ],
)
def test_one_word_said_often_is_no_language(text: str, code: str | None) -> None:
    assert detect_language(text) == code
