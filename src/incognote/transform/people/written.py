"""The words of a mention: as linked to a person, or read from the mention itself."""

from __future__ import annotations

from incognote.core.caches import cached
from incognote.core.name_forms import read
from incognote.core.people import MentionWord, PartKind, People
from incognote.lexicon import fold
from incognote.lexicon.name_words import likely_pool, name_part
from incognote.transform.record import Mention

_KINDS: dict[str, PartKind] = {"first": "given", "last": "family"}


def written_words(mention: Mention, people: People) -> tuple[MentionWord, ...]:
    """Words with offsets in the mention. What no person is linked to, as what the leak check finds
    on top, is read by itself: which names are like a word does not depend on who bears it."""
    linked = people.at(mention.start)
    # Invisible characters move the offsets; the mention is read as it is seen.
    if linked and linked[1].end == mention.end and len(mention.text) == mention.end - mention.start:
        return tuple(
            MentionWord(word.start - mention.start, word.end - mention.start, word.form, word.part)
            for word in linked[1].words
        )
    return _read(mention.text)


@cached(4096)
def _read(text: str) -> tuple[MentionWord, ...]:
    words: list[MentionWord] = []
    for word in read(text).words:
        if word.role == "kept":
            words.append(MentionWord(word.start, word.end, "kept"))
        elif word.role in ("initial", "initials"):
            words.append(MentionWord(word.start, word.end, "initial"))
        else:
            folded = fold(word.text)
            kind = likely_pool(folded) if word.role == "one" else _KINDS[word.role]
            part = name_part(folded, kind)
            words.append(MentionWord(word.start, word.end, "whole", part))
    return tuple(words)
