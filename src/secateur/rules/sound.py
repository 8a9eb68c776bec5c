"""What holds for every API: the body is JSON that UTF-8 can carry."""

from secateur.rules.history import History
from secateur.rules.rule import Found, rule


@rule("A71", "no string holds half a surrogate pair", "docs; reported by users of every API")
def surrogates(history: History) -> Found:
    for path in history.surrogates():
        yield path, "a string holds half a surrogate pair, which no UTF-8 can carry: put U+FFFD in its place"
