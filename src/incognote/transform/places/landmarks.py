"""Other places: counties of the surrogate state, highways, parks, boxes, points on the map."""

from __future__ import annotations

import re

from incognote.core.caches import cached
from incognote.lexicon import fold_place, lexicon
from incognote.transform.places import spanish
from incognote.transform.places.geography import PlaceFacts, state_image
from incognote.transform.places.renaming import TOKEN, renamed
from incognote.transform.places.streets import coordinates, place_name
from incognote.transform.record import Mention, TransformRecord
from incognote.transform.word_data import word_list

_DIGIT = re.compile(r"\d")
_COORDINATES = re.compile(r"\d+\.\d+\s?°?\s?[NSEW]\b")


def other_place(mention: Mention, record: TransformRecord) -> str:
    """Another place of the same kind: "Emmet County", "Highway 74", "PO Box 12", "Lime Park"."""
    if _COORDINATES.search(mention.text):
        return coordinates(mention, record)
    if record.is_spanish:
        return spanish.region(mention, record) or spanish.street(mention, record)
    kept = word_list("places", "features") | word_list("places", "address_words")
    kept |= word_list("places", "directions")
    kept -= _feature_as_name(mention.text)

    def make(attempt: int) -> str:
        return renamed(mention, record, kept, place_name, attempt)

    own = county(mention, record)
    return record.chose(own or record.first_other("LOCATION-OTHER", mention.text, make))


def county(mention: Mention, record: TransformRecord) -> str:
    """A county of the surrogate state; "" for any other place."""
    written = re.sub(r"^the\s+", "", mention.text, flags=re.IGNORECASE)
    states = lexicon().counties.get(fold_place(written))
    if not states:
        return ""
    named = sorted(record.know(PlaceFacts).states & states) or sorted(states)
    state = (
        record.scope.draws.pick(named, "COUNTY", fold_place(written))
        if len(named) > 1
        else named[0]
    )
    own, new = _counties(state), _counties(state_image(state, record))
    if not new:
        return ""
    kinds = fold_place(written)
    index = own.index(kinds) if kinds in own else 0
    at = record.scope.permuted(f"counties:{state}", len(new), index % len(new))
    name = new[at].title()
    front = mention.text[: len(mention.text) - len(written)]
    return front + (name.upper() if written.isupper() else name)


@cached(128)
def _counties(state: str) -> tuple[str, ...]:
    """The folded counties of a state, with their kind."""
    return tuple(sorted(name for name, states in lexicon().counties.items() if state in states))


def _feature_as_name(text: str) -> frozenset[str]:
    """The spring of "Spring Creek Colony": of two kinds in front, the first is the name."""
    words = [token.lower() for token in TOKEN.findall(text)[:2]]
    features = word_list("places", "features") - word_list("places", "qualifiers")
    if len(words) == 2 and words[0] in features and not _DIGIT.search(text):
        return frozenset({words[0]} if words[1] in word_list("places", "features") else ())
    return frozenset()
