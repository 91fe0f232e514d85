"""Drops finds of lists that are no nouns where they appear: "Will increase lisinopril"."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from incognote.core.types import Dropped, Span, View
from incognote.policy import SpeechRules
from incognote.resolve.claims import Claim, detector_of
from incognote.resolve.taggers import BUILT_IN_LANGUAGE, Tag, tagger

# Nouns, adjectives, foreign words and numbers can be part of a name; a single letter is a list
# item or a symbol to a tagger, and an initial to us.
_NAMING = ("NN", "JJ", "FW", "CD", "LS", "SYM")


def drop_non_nouns(
    claims: Sequence[Claim], views: Sequence[View], rules: SpeechRules
) -> tuple[list[Claim], list[Dropped]]:
    """Drops a claim if it comes only from the sources in `rules` and none of its words is a
    noun."""
    foreign = views and views[0].language != BUILT_IN_LANGUAGE and not rules.tagger
    if not rules.sources or not views or foreign:
        return list(claims), []
    pages = _Pages(views, tagger(rules.tagger))
    kept: list[Claim] = []
    dropped: list[Dropped] = []
    for claim in claims:
        tags = list(pages.tags(claim.span)) if _is_filtered(claim, rules) else []
        if tags and not any(tag.startswith(_NAMING) for tag in tags):
            dropped.append(Dropped(claim.span, f"speech:{','.join(tags)}"))
        else:
            kept.append(claim)
    return kept, dropped


def _is_filtered(claim: Claim, rules: SpeechRules) -> bool:
    return (
        not claim.stated
        and claim.span.label not in rules.exempt
        and all(
            source in rules.sources or detector_of(source) in rules.sources
            for source in claim.span.sources
        )
    )


class _Pages:
    """The views of a document, in order: a long one has hundreds, and a claim appears in one."""

    def __init__(self, views: Sequence[View], tag: Tag) -> None:
        self._pages = [_Page(view, tag) for view in views]
        self._starts = [view.offsets.alignments[0].source for view in views]

    def tags(self, span: Span) -> Iterator[str]:
        """The tags of the words inside a stretch of the document."""
        first = max(0, bisect_right(self._starts, span.start) - 1)
        for at in range(first, bisect_left(self._starts, span.end)):
            yield from self._pages[at].tags(span)


class _Page:
    """A view whose sentences are tagged when a claim in them asks for it."""

    def __init__(self, view: View, tag: Tag) -> None:
        self._view = view
        self._tag = tag
        self._tagged: dict[int, list[str]] = {}

    def tags(self, span: Span) -> Iterator[str]:
        """The tags of those words inside a stretch of the document that are on this page."""
        view = self._view
        first, last = self._token_at(span.start), self._token_at(span.end)
        for i in range(first, last):
            token = view.tokens.starts[i]
            at = bisect_right(view.sentences, token, key=lambda sentence: sentence[0]) - 1
            if at >= 0 and token < view.sentences[at][1]:
                begin = bisect_left(view.tokens.starts, view.sentences[at][0])
                yield self._sentence(at)[i - begin]

    def _token_at(self, source: int) -> int:
        """The first token at or behind a place of the document."""
        offsets = self._view.offsets
        return bisect_left(
            self._view.tokens.starts,
            source,
            key=lambda start: offsets.to_source(start, start + 1)[0],
        )

    def _sentence(self, at: int) -> list[str]:
        if at not in self._tagged:
            tokens, (start, end) = self._view.tokens, self._view.sentences[at]
            first, last = bisect_left(tokens.starts, start), bisect_left(tokens.starts, end)
            words = [
                self._view.cased[tokens.starts[i] : tokens.ends[i]] for i in range(first, last)
            ]
            self._tagged[at] = self._tag(words)
        return self._tagged[at]
