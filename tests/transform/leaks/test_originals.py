"""Corpus scope with two passes: surrogates avoid every original of the corpus."""

from __future__ import annotations

from tests.transform.conftest import KEY, policy

from incognote.core.types import Document
from incognote.lexicon import lexicon
from incognote.testing import parse_markup
from incognote.transform import Originals, Transformer
from incognote.transform.leaks.originals import street_core
from incognote.transform.masks.shuffle import format_class


def corpus(*marked: str):
    out = []
    for i, each in enumerate(marked):
        text, spans = parse_markup(each)
        out.append((Document(f"d{i}", text), spans))
    return out


def test_no_last_name_of_the_corpus_is_a_surrogate():
    # Half of all frequent names are somebody's name here.
    taken = lexicon().surnames()[::2]
    first = corpus(*(f"Mr. [[{name}|PATIENT]]" for name in taken))
    originals = Originals.of(first)
    transformer = Transformer(policy(scope="corpus"), KEY, originals)
    used = {transformer.apply(doc, spans).text.removeprefix("Mr. ") for doc, spans in first[:300]}
    assert not {name.lower() for name in used} & {name.lower() for name in taken}


def test_no_street_and_no_city_stands_together_again():
    streets = lexicon().streets
    names = [name for name in streets if " " not in name][::2]
    first = corpus(*(f"[[12 {name} St|STREET]]" for name in names))
    originals = Originals.of(first)
    transformer = Transformer(policy(scope="corpus"), KEY, originals)
    for document, spans in first[:200]:
        assert street_core(transformer.apply(document, spans).text) not in originals.streets


def test_where_all_frequent_names_are_taken_rare_ones_are_used():
    taken = {name.lower() for name in lexicon().surnames()}
    first = corpus("[[Smith|PATIENT]] [[Garcia|DOCTOR]]")
    originals = Originals(last_names=frozenset(name.replace("'", "") for name in taken))
    document, spans = first[0]
    new = Transformer(policy(scope="corpus"), KEY, originals).apply(document, spans).text.split()
    assert len(new) == 2
    assert not {name.lower() for name in new} & taken


def test_city_state_and_zip_do_not_stand_together_again():
    towns = [city.name for city in lexicon().cities("DE", 1)]
    zips = [f"{zip3}{n:02d}" for zip3 in lexicon().states["DE"].zip3 for n in range(0, 100, 2)]
    first = corpus(
        *(f"[[{t}|CITY]], [[DE|STATE]] [[{z}|ZIP]]" for t, z in zip(towns * 9, zips, strict=False))
    )
    originals = Originals.of(first)
    rules = policy({"STATE": "keep"}, scope="corpus")
    transformer = Transformer(rules, KEY, originals)
    for document, spans in first[:100]:
        assert transformer.apply(document, spans).text[-5:] not in originals.zips


def test_parts_of_a_first_pass_join():
    one = Originals.of(corpus("[[Ann Lee|PATIENT]] [[3/5|DATE]]"))
    two = Originals.of(corpus("[[12 Elm St|STREET]] [[Dayton|CITY]] [[45402|ZIP]] [[3/6|DATE]]"))
    both = one | two
    assert both.last_names == {"lee"}
    assert both.streets == {"elm st"}
    assert both.cities == {"dayton"}
    assert both.zips == {"45402"}
    assert both.dates == {"3/5", "3/6"}
    assert "Lee" not in repr(both)


def test_shuffled_dates_trade_places_within_their_form():
    dates = ["3/5/2014", "7/8/2015", "1/1/2016", "March 5", "April 9", "2014-03-05"]
    marked = corpus(*(f"[[{d}|DATE]]" for d in dates))
    rules = policy({"DATE": "shuffle"}, scope="corpus")
    transformer = Transformer(rules, KEY, Originals.of(marked))
    new = [transformer.apply(doc, spans).text for doc, spans in marked]
    assert all(
        a != b and format_class(a) == format_class(b) for a, b in zip(dates, new, strict=True)
    )
    assert sorted(new[:5]) == sorted(dates[:5])
    assert new[5] not in dates
