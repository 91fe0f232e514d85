"""What a name on no list is, as far as its letters suggest, if we were not taught: given or family
name, a woman's or a man's."""

from __future__ import annotations

from incognote.core.caches import cached
from incognote.core.people import Sex
from incognote.lexicon import store
from incognote.lexicon.origins import SCALE, grams, taught

# So much evidence, in nats, makes nine of ten guesses right.
_SURE = 3.0


@cached(8)
def _odds(table: str) -> memoryview:
    return memoryview(store.octets(f"names/letters_{table}")).cast("b")


def _score(table: str, folded: str) -> float:
    odds = _odds(table)
    return sum(odds[column] for column in grams(folded)) / SCALE


@cached(4096)
def reads_as_given(folded: str) -> bool:
    """Whether a name is rather a given than a family name."""
    known = taught().get(folded)
    return known.what != "last" if known else _score("given", folded) > 0


@cached(4096)
def likely_sex(folded: str) -> Sex:
    """The sex of a given name; empty where its letters do not show it."""
    known = taught().get(folded)
    if known and known.what != "last":
        return "female" if known.what == "female" else "male"
    score = _score("female", folded)
    return "female" if score > _SURE else "male" if score < -_SURE else ""
