"""Every rule's own cases, one test id each: the rule alone, and the detector as a whole."""

from __future__ import annotations

from functools import cache

import pytest

from incognote.core.labels import SAFE
from incognote.core.types import Document, Span, View
from incognote.detect.patterns import PatternDetector, Rule, load_pack, pack_names
from incognote.detect.patterns.engine import Engine
from incognote.policy import PrepareRules
from incognote.prepare import prepare
from incognote.testing import parse_markup, render_markup


def view_of(text: str, pack: str) -> View:
    rules = PrepareRules(languages=tuple(sorted(load_pack(pack).languages)))
    (view,) = prepare(Document("case", text), rules)
    return view


def cases(kind: str):
    for pack in pack_names():
        for rule in load_pack(pack).rules:
            for number, marked in enumerate(getattr(rule, kind), 1):
                yield pytest.param(pack, rule, marked, id=f"{rule.id}-{number}")


@cache
def detector_with(pack: str) -> PatternDetector:
    """All packs that usually run together; an optional one stands alone."""
    return PatternDetector(
        packs=(pack,) if load_pack(pack).optional else pack_names(optional=False)
    )


def found_in(pack: str, view: View) -> list[Span]:
    """What the detector says; evidence against only where the case is about it."""
    return [
        Span(span.start, span.end, span.label)
        for span in sorted(detector_with(pack).detect([view])[0])
        if span.label != SAFE or SAFE in load_pack(pack).labels
    ]


def alone(rule: Rule, view: View) -> list[Span]:
    found = Engine([rule]).find(view.text, view.tokens)
    return [Span(each.start, each.end, rule.label) for each in found]


@pytest.mark.parametrize(("pack", "rule", "marked"), list(cases("finds")))
def test_rule_finds(pack: str, rule: Rule, marked: str) -> None:
    text, expected = parse_markup(marked)
    view = view_of(text, pack)
    found = alone(rule, view)
    assert found, "the rule is silent on its own case"
    assert set(found) <= {span for span in expected if span.label == rule.label}
    assert render_markup(text, found_in(pack, view)) == marked


@pytest.mark.parametrize(("pack", "rule", "marked"), list(cases("spares")))
def test_rule_spares(pack: str, rule: Rule, marked: str) -> None:
    text, _ = parse_markup(marked)
    view = view_of(text, pack)
    assert alone(rule, view) == []
    assert render_markup(text, found_in(pack, view)) == marked


@pytest.mark.parametrize("pack", pack_names())
def test_every_rule_has_a_case(pack: str) -> None:
    assert [rule.id for rule in load_pack(pack).rules if not rule.finds] == []
