"""Groups the mentions that name the same person.

Full names come first, then names with an initial, then single words and bare initials: each goes to
the person it fits, and where it fits several, the title, the label, the role and the place decide.
Every decision leaves a reason.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from incognote.core.people import Sex
from incognote.core.text.phrases import one_error
from incognote.lexicon import lexicon
from incognote.lexicon.name_words import family_share, masculine, may_call, name_pool, name_sex
from incognote.link.reading import Mention, initial_orders

# Shorter words are one letter apart by chance.
_SHORTEST_WITH_ERROR = 5
# A listed name is no misspelling of another one, unless very few people have it.
_RARE = 100
# Words of a length are compared with each other only up to so many different ones.
_MANY = 400


@dataclass(slots=True, eq=False)
class Group:
    """The mentions of one person, while they are collected.

    `words` are all whole name words of its mentions, `runs` those words as they follow each other,
    `starts` where mentions begin, in order. Facts about all mentions are updated when one is
    added, because a long document may name a person a thousand times.
    """

    mentions: list[Mention] = field(default_factory=list)
    words: set[str] = field(default_factory=set)
    given: set[str] = field(default_factory=set)
    family: set[str] = field(default_factory=set)
    initials: set[str] = field(default_factory=set)
    suffix: str = ""
    sexes: set[Sex] = field(default_factory=set)
    runs: set[tuple[str, ...]] = field(default_factory=set)
    labels: set[str] = field(default_factory=set)
    kinships: set[str] = field(default_factory=set)
    starts: list[int] = field(default_factory=list)
    is_called_patient: bool = False

    def add(self, mention: Mention, reason: str) -> None:
        mention.reason = mention.reason or reason
        self.mentions.append(mention)
        insort(self.starts, mention.start)
        reading = mention.reading
        self.runs.add(tuple(reading.whole))
        self.labels.add(mention.label)
        self.kinships |= {mention.cue.kinship} - {""}
        self.is_called_patient |= mention.cue.patient
        self.words.update(mention.misspelt.get(word, word) for word in reading.whole)
        self.given.update(reading.of("given"))
        self.family.update(reading.of("family"))
        if len(reading.whole) + len(reading.initials) > 1:
            self.initials.update(initial_orders(reading))
        self.suffix = self.suffix or reading.suffix
        if mention.cue.title and not self.given and len(reading.whole) == 1:
            self.family.add(reading.whole[0])
        elif (
            not mention.cue.title
            and len(reading.whole) == 1
            and name_pool(reading.whole[0]) == "given"
        ):
            self.given.add(reading.whole[0])
        if mention.sex:
            self.sexes.add(mention.sex)

    @property
    def sex(self) -> str:
        """What titles and kinship say; else what the given names say, if they agree."""
        if len(self.sexes) == 1:
            return next(iter(self.sexes))
        listed = {name_sex(word) for word in self.given} - {""}
        return listed.pop() if len(listed) == 1 else ""

    @property
    def is_full(self) -> bool:
        return any(len(run) > 1 for run in self.runs)

    @property
    def is_staff(self) -> bool:
        return sum(m.label == "DOCTOR" for m in self.mentions) * 2 > len(self.mentions)


def group(mentions: Sequence[Mention]) -> list[Group]:
    """The people of a document, in order of appearance."""
    collected = _Groups()
    full = [m for m in mentions if len(m.reading.whole) > 1]
    for mention in sorted(full, key=_fullest):
        collected.place_full(mention)
    for mention in mentions:
        if len(mention.reading.whole) == 1 and mention.reading.initials:
            collected.place_with_initial(mention)
    for mention in mentions:
        if len(mention.reading.whole) == 1 and not mention.reading.initials:
            collected.place_single(mention)
    for mention in mentions:
        if not mention.reading.whole:
            collected.place_initials(mention)
    groups = collected.groups
    for each in groups:
        each.mentions.sort(key=lambda m: m.start)
    return sorted(groups, key=lambda each: each.mentions[0].start)


def _fullest(mention: Mention) -> tuple[bool, int, int]:
    """Names with a comma first, then those of more words."""
    return not mention.reading.sure, -len(mention.reading.whole), mention.start


class _Groups:
    def __init__(self) -> None:
        self.groups: list[Group] = []
        self._bearing: defaultdict[str, list[Group]] = defaultdict(list)
        self._by_initials: defaultdict[str, list[Group]] = defaultdict(list)

    def _add(self, mention: Mention, to: Group | None, reason: str) -> None:
        if to is None:
            to = Group()
            self.groups.append(to)
        before, letters = set(to.words), set(to.initials)
        to.add(mention, reason)
        for word in to.words - before:
            self._bearing[word].append(to)
        for initials in to.initials - letters:
            self._by_initials[initials].append(to)

    def place_full(self, mention: Mention) -> None:
        words = mention.reading.whole
        candidates = self._sharing(words)
        fits = [one for one in candidates if self._fits_full(mention, one)]
        best = max(fits, key=lambda one: _likeness(mention, one), default=None)
        if best is None and (best := self._misspelt_full(mention)):
            self._add(mention, best, "misspelt")
            return
        self._add(mention, best, "same-name" if best else "first-named")

    def _fits_full(self, mention: Mention, one: Group) -> bool:
        if not _suffixes_agree(mention, one) or not _sexes_agree(mention, one):
            return False
        words, shared = set(mention.reading.whole), one.words & set(mention.reading.whole)
        given, family = set(mention.reading.of("given")), set(mention.reading.of("family"))
        # "Maria Lopez" and "Maria Garcia Lopez"; "Smith John" and "John Smith".
        if len(shared) > 1 and (shared in (words, one.words) or given & one.words):
            return True
        # "Bob Smith" and "Robert Smith".
        if family & (one.family or one.words) and given:
            own = one.given or (one.words - family)
            return any(may_call(a, b) or _is_cut(a, b) for a in given for b in own)
        return False

    def _misspelt_full(self, mention: Mention) -> Group | None:
        """The person whose full name this is with one word misspelt."""
        words = mention.reading.whole
        for one in self._sharing(words):
            if not _suffixes_agree(mention, one):
                continue
            odd = [word for word in words if word not in one.words]
            meant = {word: _intended(word, one.words) for word in odd}
            if odd and all(meant.values()):
                mention.misspelt.update({word: right for word, right in meant.items() if right})
                return one
        return None

    def place_with_initial(self, mention: Mention) -> None:
        """A word and an initial: "J. Smith", "Smith J", "John S."."""
        [word], initials = mention.reading.whole, mention.reading.initials
        fits = [
            one
            for one in self._bearing.get(word, ())
            if _suffixes_agree(mention, one) and _initials_fit(word, initials, one)
        ]
        if not fits:
            fits = [
                one
                for one, meant in self._near(word, mention)
                if _initials_fit(meant, initials, one)
            ]
            reason = "misspelt"
        else:
            reason = "initial"
        best = _choose(fits, mention)
        if best is None:
            mention.misspelt.clear()
        self._add(mention, best, reason if best else "first-named")

    def place_single(self, mention: Mention) -> None:
        [word] = mention.reading.whole
        fits = [one for one in self._bearing.get(word, ()) if _single_fits(word, mention, one)]
        reason = "part-of-name"
        if not fits and not mention.cue.title:
            fits = [
                one
                for one in self.groups
                if one.given
                and _suffixes_agree(mention, one)
                and any(_may_be_same_given_name(word, g) for g in one.given)
            ]
            reason = "nickname"
        if not fits:
            fits = [one for one, _ in self._near(word, mention)]
            reason = "misspelt"
        best = _choose(fits, mention)
        if best is None:
            mention.misspelt.clear()
        self._add(mention, best, reason if best else "first-named")

    def place_initials(self, mention: Mention) -> None:
        letters, suffix = mention.reading.initials, mention.reading.suffix
        if suffix and not letters:  # "with her son Jr."
            best = _choose([one for one in self.groups if one.suffix == suffix], mention)
            self._add(mention, best, "part-of-name" if best else "first-named")
            return
        best = _choose(self._by_initials.get(letters, ()), mention) if len(letters) > 1 else None
        self._add(mention, best, "initials" if best else "first-named")

    def _sharing(self, words: Iterable[str]) -> list[Group]:
        found = (one for word in words for one in self._bearing.get(word, ()))
        return list(dict.fromkeys(found))

    def _near(self, word: str, mention: Mention) -> Iterator[tuple[Group, str]]:
        """People whose name this word is in the plural, or with a typing error."""
        if word.endswith("s") and (bearing := self._bearing.get(word.removesuffix("s"))):
            mention.misspelt[word] = word.removesuffix("s")
            yield from ((one, word.removesuffix("s")) for one in bearing)
            return
        if not _may_be_misspelt(word) or len(self._bearing) > _MANY:
            return
        for right in [right for right in self._bearing if _is_slip(right, word)]:
            mention.misspelt[word] = right
            yield from ((one, right) for one in self._bearing[right])
            return


def _may_be_same_given_name(one: str, other: str) -> bool:
    """Whether two given names may be one person's: by the lists, or because one is cut short, as
    "Venkat" is of "Venkataraman" and "Lupe" of "Guadalupe"."""
    short, long = sorted((one, other), key=len)
    return _is_cut(one, other) or (len(short) >= 4 and long.endswith(short)) or may_call(one, other)


def _is_cut(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) >= 3 and long.startswith(short)


def _may_be_misspelt(word: str) -> bool:
    if len(word) < _SHORTEST_WITH_ERROR:
        return False
    lex = lexicon()
    return (lex.first_name_bearers(word) or 0) + (lex.surname_bearers(word) or 0) < _RARE


def _intended(word: str, words: Iterable[str]) -> str:
    if not _may_be_misspelt(word):
        return ""
    return next((right for right in sorted(words) if _is_slip(right, word)), "")


def _is_slip(right: str, word: str) -> bool:
    """Whether a word is another one with an error in it; "Petrova" is Petrov's wife."""
    return one_error(right, word) and masculine(word) != right and masculine(right) != word


def _suffixes_agree(mention: Mention, one: Group) -> bool:
    """Father and son are two. "Jr." may be left out of a name; but where a relative has it and
    somebody who is no relative is named in full without it, they are two."""
    suffix = mention.reading.suffix
    if suffix and one.suffix:
        return suffix == one.suffix
    if not suffix and not one.suffix:
        return True
    kin = mention.cue.kinship
    if suffix:
        return not (kin and one.is_full and not one.kinships)
    named_whole = len(mention.reading.whole) > 1 or mention.cue.title
    return not (one.kinships and not kin and named_whole)


def _sexes_agree(mention: Mention, one: Group) -> bool:
    return not mention.sex or not one.sex or mention.sex == one.sex


def _initials_fit(word: str, initials: str, one: Group) -> bool:
    others = {other[0] for other in one.words if other != word}
    others.update(char for known in one.initials for char in known)
    return not others or set(initials) <= others or initials[0] in others


def _single_fits(word: str, mention: Mention, one: Group) -> bool:
    if not _suffixes_agree(mention, one):
        return False
    cue = mention.cue
    if not _sexes_agree(mention, one):
        return False
    # Behind a title appears a family name, or a given name that is hardly anything else.
    if cue.title and one.family and word not in one.family:
        return name_pool(word) == "given" and family_share(word) < 0.5
    return True


def _choose(fits: Sequence[Group], mention: Mention) -> Group | None:
    """The person most likely meant: of the fitting label, who bears it as what it is here, the
    patient before relatives behind a title, then who was named last."""
    if not fits:
        return None
    if len(fits) == 1:
        return fits[0]

    def rank(one: Group) -> tuple[bool, bool, bool, bool, bool, int]:
        suffix = one.suffix == mention.reading.suffix
        same = mention.label in one.labels
        [word] = mention.reading.whole[:1] or [""]
        as_here = (word in one.family) == bool(mention.cue.title)
        kinship = mention.cue.kinship in one.kinships
        patient = one.is_called_patient and bool(mention.cue.title)
        return suffix, same, kinship, as_here, patient, _nearness(mention, one)

    return max(fits, key=rank)


def _likeness(mention: Mention, one: Group) -> tuple[int, bool, bool, int]:
    """How much a full name is like those of a person: words shared, and in the same order."""
    words = tuple(mention.reading.whole)
    in_order = any(words == run[i : i + len(words)] for run in one.runs for i in range(len(run)))
    same = mention.label in one.labels
    return len(one.words & set(words)), in_order, same, _nearness(mention, one)


def _nearness(mention: Mention, one: Group) -> int:
    """Higher for who was named last before the mention; lowest for who is named only later."""
    before = bisect_left(one.starts, mention.start)
    return one.starts[before - 1] if before else -one.starts[0]
