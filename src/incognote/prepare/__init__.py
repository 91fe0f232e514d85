"""Document to View: folding, unwrapping, windows, tokens and sentences.

Detectors read views and never the document; every offset of a view maps back.
"""

from __future__ import annotations

from incognote.core.errors import ReadError
from incognote.core.text.letters import hides_text
from incognote.core.types import Document, View
from incognote.lexicon.language import Languages, languages_in
from incognote.policy import PrepareRules
from incognote.prepare.fold import fold
from incognote.prepare.inclusion import inclusion_list, leave_out
from incognote.prepare.lines import unwrap, windows
from incognote.prepare.sentences import split_sentences
from incognote.prepare.tokens import tokenize
from incognote.prepare.truecase import lacks_case, true_case


def prepare(document: Document, rules: PrepareRules) -> list[View]:
    """The views of a document: one, or several windows where it is longer than `rules.window`.

    Windows overlap, so that nothing is lost at their ends; what is found twice is one find.
    """
    if hides_text(document.text):
        raise ReadError("holds tag letters, which are invisible text")
    languages = languages_in(document.text, rules.languages)
    return [
        _view(document, start, end, languages, rules)
        for start, end in windows(document.text, rules.window)
        if end > start
    ]


def _view(
    document: Document,
    start: int,
    end: int,
    languages: Languages,
    rules: PrepareRules,
) -> View:
    text, offsets = fold(document.text[start:end], base=start)
    if rules.unwrap:
        text = unwrap(text)
    sentences = split_sentences(text)
    unread: tuple[tuple[int, int], ...] = ()
    if rules.inclusion:
        listed = inclusion_list(rules.inclusion)
        rest = leave_out(text, offsets, sentences, document.text, listed)
        text, offsets, sentences, unread = rest.text, rest.offsets, rest.sentences, rest.unread
    tokens = tokenize(text)
    caseless = rules.truecase and lacks_case(text)
    return View(
        document=document,
        text=text,
        cased=true_case(text, tokens, sentences) if caseless else text,
        offsets=offsets,
        tokens=tokens,
        sentences=sentences,
        language=languages.main,
        also=tuple(sorted(languages.besides)),
        unread=unread,
    )
