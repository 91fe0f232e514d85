"""The surrogate of one name word: its image in its cell, the same wherever the word appears."""

from __future__ import annotations

from typing import NamedTuple

from incognote.core.caches import cached
from incognote.core.people import NamePart
from incognote.lexicon import lexicon
from incognote.lexicon.letters import likely_sex
from incognote.lexicon.name_cells import NameCell, name_cells, name_place, rarest_names
from incognote.lexicon.name_words import full_form, masculine, may_call, name_sex
from incognote.lexicon.origins import Kind
from incognote.lexicon.people import written
from incognote.transform.pools import from_pool
from incognote.transform.record import KIN, TransformRecord
from incognote.transform.spelling import fold

# So many must bear a short form that readers take it for one.
_FAMILIAR = 2_000


def name_image(
    folded: str, record: TransformRecord, role: str = KIN, like: NamePart | None = None
) -> str:
    """The surrogate of a folded name word, as it is usually written. A nickname becomes a nickname
    of the full name's surrogate, where that has one. `like` says what a word is that no list
    knows."""
    is_given = like is not None and like.pool == "given"
    question = ("name", folded, role, is_given)
    new = record.scope.memo(question, lambda: _nickname(folded, record, role, is_given=is_given))
    return record.chose(new)


def _nickname(folded: str, record: TransformRecord, role: str, *, is_given: bool) -> str:
    listed = _from_pool(folded, record, is_given=is_given)
    if listed is not None:
        return listed
    if is_given and name_place(folded) is None:
        cell = rarest_names("first", lexicon().origin("first", folded), likely_sex(folded))
        return cell.name(record.scope.draws.dice(f"RARE GIVEN {role}", folded).below(len(cell)))
    root = full_form(folded)
    place = name_place(folded)
    if root != folded and place and place[0].kind == "first":
        forms = short_forms(fold(_image(root, record, role)))
        if forms:
            return record.scope.draws.pick(forms, f"NICKNAME {role}", folded)
    return _image(folded, record, role)


def _from_pool(folded: str, record: TransformRecord, *, is_given: bool) -> str | None:
    """From a list of the site: by sex, where it has lists of first names for each."""
    if not record.rules.pools:
        return None
    place = name_place(folded)
    if not is_given if place is None else place[0].kind == "last":
        return from_pool("family", folded, record)
    return from_pool(name_sex(folded) or "given", folded, record) or from_pool(
        "given", folded, record
    )


def _image(folded: str, record: TransformRecord, role: str) -> str:
    place = name_place(folded)
    if husband := _husband(folded):
        return _feminine(_image(husband, record, role))
    if place is None:
        cell = rarest_names("last", lexicon().origin("last", folded))
        return cell.name(record.scope.draws.dice(f"RARE {role}", folded).below(len(cell)))
    cell, index = place
    if record.corpus is not None:
        return _apart(cell, index, record, role)
    new = _permuted(cell, index, record, role)
    # "Timothy" for "Tim" would reveal the name.
    if new != index and cell.kind == "first" and may_call(folded, fold(cell.name(new))):
        new = _permuted(cell, new, record, role)
    return cell.name(new)


def other_name(folded: str, record: TransformRecord, role: str = KIN) -> str:
    """A name like a listed one, never itself."""
    place = name_place(folded)
    if place is None:
        return name_image(folded, record, role)
    return record.chose(place[0].name(_permuted(*place, record, role, stays=False)))


def _permuted(
    cell: NameCell, index: int, record: TransformRecord, role: str, *, stays: bool = True
) -> int:
    stays = stays and record.scope.may_stay == cell.kind
    return record.scope.permuted(f"{cell.key}:{role}", len(cell), index, stays=stays)


@cached(4096)
def _husband(folded: str) -> str:
    """How the husband or father of a woman with a Slavic family name is called; "" for others."""
    name, places = masculine(folded), (name_place(folded), name_place(masculine(folded)))
    if not name or places[1] is None or any(each and each[0].kind != "last" for each in places):
        return ""
    slavic = any(lexicon().origin("last", each) == "slavic" for each in (name, folded))
    return name if slavic else ""


def _feminine(name: str) -> str:
    """The form of a family name for women, as Slavic languages make it."""
    if name.endswith(("i", "y")):
        return name[:-1] + "a"
    return name + ("va" if name[-1] in "aeou" else "a")


def _apart(cell: NameCell, index: int, record: TransformRecord, role: str) -> str:
    """Where the names of a whole corpus are known: the names of a cell that the corpus has go one
    to one to those that it has not. Where those are too few, rarer names join in."""
    bands = cell.key.rpartition(":")[0]
    regions = record.scope.memo(("apart", bands), lambda: _regions(cell.kind, bands, record))
    for region in regions:
        rank = region.own.get(cell.rows[index])
        if rank is not None and len(region.free) >= len(region.own):
            key = f"apart:{region.key}:{role}"
            at = record.scope.permuted(key, len(region.free), rank)
            return written(lexicon().name_table(cell.kind).key(region.free[at]))
    return cell.name(_permuted(cell, index, record, role))


class _Region(NamedTuple):
    """Neighbouring bands: the rows of names that the corpus has, numbered, and of the others."""

    key: str
    own: dict[int, int]
    free: list[int]


def _regions(kind: Kind, bands: str, record: TransformRecord) -> list[_Region]:
    assert record.corpus is not None
    corpus = record.corpus
    names = {name.replace("'", "") for name in (*corpus.first_names, *corpus.last_names)}
    table = lexicon().name_table(kind)
    found: list[_Region] = []
    own: list[int] = []
    free: list[int] = []
    key = ""
    for cell in name_cells(kind):
        if cell.key.rpartition(":")[0] != bands:
            continue
        key = key or cell.key
        for row in cell.rows:
            (own if table.key(row) in names else free).append(row)
        if len(free) >= len(own):
            found.append(_Region(key, {row: rank for rank, row in enumerate(own)}, free))
            own, free, key = [], [], ""
    if own:  # a corpus may use up a cell: its names go to the rarest of their origin
        rarest = rarest_names(kind, bands.split(":")[1])
        free += [row for row in rarest.rows if table.key(row) not in names]
        found.append(_Region(key, {row: rank for rank, row in enumerate(own)}, free))
    return found


@cached(16384)
def short_forms(name: str) -> tuple[str, ...]:
    """Nicknames of a folded name that are names of their own, in a fixed order."""
    return tuple(
        form.capitalize()
        for form in sorted(lexicon().nicknames(name))
        if len(form) > 2
        and (lexicon().first_name_bearers(form) or 0) > _FAMILIAR
        and full_form(form) == name
    )


ABBREVIATED = {
    "benj": "benjamin", "chas": "charles", "danl": "daniel", "edw": "edward", "geo": "george",
    "jas": "james", "jno": "john", "jos": "joseph", "robt": "robert", "saml": "samuel",
    "thos": "thomas", "wm": "william",
}  # fmt: skip


def spelled_out(folded: str) -> str:
    """The full form of an abbreviated name ("wm" -> "william")."""
    return ABBREVIATED.get(folded) or full_form(folded)


def real_word(word: str, record: TransformRecord, role: str = KIN, salt: str = "") -> str:
    """A real name, about as long, for a word that names somebody or something and is on no list;
    for a listed name, its surrogate."""
    folded = fold(word)
    if len(folded) <= 2:
        return "".join(record.scope.letter(char, role) for char in word)
    if not salt and name_place(folded):
        return name_image(folded, record, role)
    names = _by_length(min(max(len(folded), 4), 12))
    new = record.scope.draws.pick(names, f"WORD {salt}", folded)
    return record.chose(new)


@cached(64)
def _by_length(length: int) -> tuple[str, ...]:
    """Rare family names of a length."""
    rare = [cell for cell in name_cells("last") if cell.key.startswith("surnames:anglo:")]
    every = (cell.name(index) for cell in rare if len(cell) >= 1600 for index in range(len(cell)))
    return tuple(name for name in every if len(name) == length and name.isalpha())
