"""Names in other scripts than ours: another name in the same script, with as many parts.

The pools are small (data/scripts.toml); what matters is that a name of Moscow or Seoul does not
become a row of Latin letters. Names in these scripts agree with themselves in all notes, not with
a Latin spelling of the same name.
"""

from __future__ import annotations

import unicodedata

from incognote.core.caches import cached
from incognote.transform.record import TransformRecord
from incognote.transform.word_data import table_of

_BY_NAME = {
    "CYRILLIC": "cyrillic",
    "GREEK": "greek",
    "ARABIC": "arabic",
    "HEBREW": "hebrew",
    "CJK": "han",
    "HIRAGANA": "japanese",
    "KATAKANA": "japanese",
    "HANGUL": "hangul",
    "DEVANAGARI": "devanagari",
}
# Written without a gap, the last name in front.
_JOINED = frozenset({"han", "japanese", "hangul"})


@cached(4096)
def script_of(word: str) -> str:
    """The script of a word's first letter; "" for Latin and for scripts without a pool."""
    if word[:1].isascii():
        return ""
    return _BY_NAME.get(unicodedata.name(word[:1], "").split(" ")[0].partition("-")[0], "")


@cached(64)
def _pool(script: str, kind: str) -> tuple[str, ...]:
    return tuple(table_of("scripts")[script].get(kind, "").split())


@cached(4096)
def _kind(script: str, word: str) -> str:
    """Which list a word is on, or which list its ending suggests; "" for none."""
    for kind in ("male", "female", "middle_male", "middle_female", "last_male", "last_female"):
        if word.capitalize() in _pool(script, kind):
            return kind
    if script == "cyrillic":
        lower = word.lower()
        for ending, kind in (
            (("вич", "ьич"), "middle_male"),
            (("вна", "чна"), "middle_female"),
            (("ова", "ева", "ина", "ая"), "last_female"),
            (("ов", "ев", "ин", "ий"), "last_male"),
        ):
            if lower.endswith(ending):
                return kind
    return ""


def name_like(word: str, role: str, sex: str, record: TransformRecord) -> str:
    """Another name: of the list the word is on, or else by its role in the written name."""
    script = script_of(word)
    if script == "han" and any(script_of(char) == "japanese" for char in record.text):
        script = "japanese"
    if script in _JOINED and len(word) > 1 and role != "first":
        return _joined(script, word, sex, record)
    if script in _JOINED and len(word) == 1:
        return _other(script, "last", word, record)
    kind = _kind(script, word)
    if not kind:
        named = f"last_{sex or 'male'}"
        kind = (sex or "male") if role == "first" else named if _pool(script, named) else "last"
    return _other(script, kind, word, record)


def _joined(script: str, word: str, sex: str, record: TransformRecord) -> str:
    """A last name of one character (two in Japan) and the rest."""
    cut = 2 if script == "japanese" and len(word) > 2 else 1
    if script == "japanese" and len(word) == 2:
        return _other(script, "last", word, record)
    last, given = word[:cut], word[cut:]
    return _other(script, "last", last, record) + _other(script, sex or "male", given, record)


def _other(script: str, kind: str, word: str, record: TransformRecord) -> str:
    pool = _pool(script, kind)
    alike = tuple(name for name in pool if len(name) == len(word))
    names = alike if script in _JOINED and len(alike) > 2 else pool

    if word in names:
        key = f"script:{script}:{kind}:{len(names)}"
        return record.chose(names[record.scope.permuted(key, len(names), names.index(word))])
    return record.chose(record.scope.draws.pick(names, "SCRIPT", word.casefold()))
