"""What surrogates are worth: `python -m bench.surrogates` prints the table of the guide.

Dense notes of the corpus with gold spans, and the longitudinal records through the whole pipeline.
Each row is a promise of the guide "Surrogates" and how near to it we are; attacks know the source
code, the lists and the output, and no key. Speed is on one core with gold spans: each round has a
fresh key and each note its own scope, so nothing is remembered between notes.
"""

from __future__ import annotations

import json
import re
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from math import log2

from bench.attacks.pairs import PEOPLE, WORD, NamePair, auc, name_pairs, replaced, values
from bench.attacks.parrot import parrot
from bench.notes import ROOT, notes
from incognote.core.types import AnnotatedDocument, Document, Failure, Result, Span
from incognote.lexicon import fold, fold_place, lexicon
from incognote.lexicon.name_cells import name_cells, name_place
from incognote.lexicon.name_words import name_sex
from incognote.pipeline import Pipeline
from incognote.policy import TransformRules, load_policy
from incognote.transform import Transformer
from incognote.transform.record import Scope
from incognote.transform.word_data import groups_of

KEY = b"the key of the bench, thirty-two"
DENSE = 150
ROUNDS = 7
_PLACES = frozenset({"HOSPITAL", "ORGANIZATION", "STREET", "CITY", "LOCATION-OTHER", "ROOM"})


def dense() -> list[AnnotatedDocument]:
    """The notes with most identifiers for their length."""
    docs = notes("train")
    return sorted(docs, key=lambda doc: (-len(doc.spans) / len(doc.text), doc.id))[:DENSE]


def breaks(pairs: Sequence[NamePair]) -> int:
    """Name words of a note that got two surrogates."""
    seen: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for pair in pairs:
        seen[pair.document, pair.old].add(pair.new)
    return sum(len(new) > 1 for new in seen.values())


def collisions(pairs: Sequence[NamePair]) -> int:
    """Surrogates of a note that stand for two names."""
    seen: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for pair in pairs:
        if min(len(pair.old), len(pair.new)) > 2:
            seen[pair.document, pair.new].add(pair.old)
    return sum(len(old) > 1 for old in seen.values())


def frequency(pairs: Sequence[NamePair], kind: str) -> float:
    """AUC of separating originals from surrogates by how many people have the name."""
    bearers = lexicon().surname_bearers if kind == "family" else lexicon().first_name_bearers
    own = [pair for pair in pairs if pair.kind == kind]
    known = [(bearers(pair.old) or 0, bearers(pair.new) or 0) for pair in own]
    area = auc([one for one, _ in known], [two for _, two in known])
    return max(area, 1 - area)


def made_up(results: Sequence[Result]) -> float:
    """Unknown words in names of people and places, per note."""
    count = 0
    for result in results:
        for label, old, new in values(result):
            if label in PEOPLE or label in _PLACES:
                own = {fold(word) for word in WORD.findall(old)}
                count += sum(
                    len(word) > 3 and fold(word) not in own and not _is_real(word)
                    for word in WORD.findall(new)
                )
    return count / len(results)


def _is_real(word: str) -> bool:
    """Whether a word is on any list. Abbreviations are none; "RiverCare" is two words."""
    if word.isupper() and len(word) <= 5:
        return True
    if name_place(fold(word)):  # "McCready"
        return True
    parts = re.findall(r"[A-Z][a-z]+", word)
    if len(parts) > 1 and "".join(parts) == word:
        return all(map(_is_real, parts))
    lex = lexicon()
    folded = fold(re.sub(r"['’]s$", "", word))
    endings = (folded, folded.removesuffix("s"), folded.removesuffix("es"))
    return bool(
        any(map(name_place, endings))
        or lex.word_rank(folded) is not None
        or lex.city(word)
        or folded in _place_words()
    )


@cache
def _place_words() -> frozenset[str]:
    lex = lexicon()
    towns = (lex.us_cities[row].name for row in range(len(lex.us_cities)))
    abroad = (lex.world_cities[row].name for row in range(len(lex.world_cities)))
    brands = (
        name
        for kind in ("anywhere", "alone")
        for group in groups_of("known", kind)
        for name in group
    )
    every = (*towns, *abroad, *lex.streets, *lex.counties, *brands)
    return frozenset(word for name in every for word in fold_place(name).split())


def never_drawn(pairs: Sequence[NamePair]) -> float:
    """Share of the originals that are listed and can never be a surrogate. Two letters that nobody
    can speak ("TJ", "Jr") are initials or titles, and initials of the surrogate stand for them."""
    drawn = {
        fold(cell.name(index))
        for kind in ("first", "last")
        for cell in name_cells(kind)
        for index in range(len(cell))
    }
    lex = lexicon()
    spoken = [old for old in (p.old for p in pairs) if len(old) > 2 or set(old) & set("aeiouy")]
    listed = [old for old in spoken if lex.surname(old) or lex.first_name(old)]
    return sum(old not in drawn for old in listed) / len(listed)


def kept(pairs: Sequence[NamePair]) -> tuple[float, float]:
    """Share of full names whose sex, and whose origins, are those of the original."""
    sexes: list[bool] = []
    origins: list[bool] = []
    for pair in pairs:
        if not pair.full:
            continue
        kind = "first" if pair.kind == "given" else "last"
        if pair.kind == "given" and name_sex(pair.old):
            sexes.append(name_sex(pair.old) == name_sex(pair.new))
        if name_place(pair.old) and name_place(pair.new):
            origins.append(lexicon().origin(kind, pair.old) == lexicon().origin(kind, pair.new))
    return statistics.mean(sexes), statistics.mean(origins)


def membership(pairs: Sequence[NamePair]) -> float:
    """AUC of separating originals from surrogates by whether a list has them."""
    area = auc(
        [float(name_place(pair.old) is None) for pair in pairs],
        [float(name_place(pair.new) is None) for pair in pairs],
    )
    return max(area, 1 - area)


def initials(pairs: Sequence[NamePair]) -> tuple[float, float]:
    """How often the initial of an original is guessed from that of its surrogate, and without."""
    half = len(pairs) // 2
    by_new: defaultdict[str, Counter[str]] = defaultdict(Counter)
    every: Counter[str] = Counter()
    for pair in pairs[:half]:
        by_new[pair.new[0]][pair.old[0]] += 1
        every[pair.old[0]] += 1
    [(common, _)] = every.most_common(1)
    rest = pairs[half:]
    guessed = [(by_new[p.new[0]].most_common(1) or [(common, 0)])[0][0] == p.old[0] for p in rest]
    return statistics.mean(guessed), statistics.mean(p.old[0] == common for p in rest)


def never_itself() -> int:
    """Of a name, a state and an initial: how many of 600 scopes never show the original itself."""
    transformer = Transformer(load_policy(), KEY)

    def stays(text: str, label: str, number: int) -> bool:
        document = Document("d", text, {"patient_id": str(number)})
        return not transformer.apply(document, [Span(0, len(text), label)]).replacements

    tried = (("Smith", "PATIENT"), ("OH", "STATE"), ("J", "INITIALS"))
    return sum(not any(stays(*value, n) for n in range(600)) for value in tried)


def shift_bits() -> Iterator[tuple[str, float, float]]:
    """What is not known of a shift, in bits: at first, and where all visits are on weekdays."""
    for name, rules in (
        ("default", TransformRules()),
        ("keep_weekday", TransformRules(keep_weekday=True)),
        ('season = "keep"', TransformRules(season="keep")),
        ("the same over ten years", TransformRules(season="keep", max_shift_days=3650)),
    ):
        shifts = Scope(KEY, "", rules).shifts
        left = Counter(days % 7 for days in shifts)
        yield name, log2(len(shifts)), log2(max(left.values()))


def records() -> tuple[int, int, int, int, int]:
    """The longitudinal records through the whole pipeline: name words seen again, those with two
    surrogates, mentions, those left as they were, and surrogates that stand for two names."""
    pipeline = Pipeline(None, KEY)
    rows = [json.loads(line) for line in (ROOT / "data" / "records.jsonl").read_text().splitlines()]
    seen: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    mentions = left = 0
    documents = [Document(r["id"], r["text"], {"patient_id": r["patient_id"]}) for r in rows]
    for row, result in zip(rows, pipeline.deid(documents), strict=True):
        if isinstance(result, Failure):
            continue
        for span in row["spans"]:
            if "person" not in span or span["type"] not in PEOPLE:
                continue
            mentions += 1
            new = _written(result, span["start"], span["end"])
            before = [fold(word) for word in WORD.findall(span["text"])]
            after = [fold(word) for word in WORD.findall(new)]
            left += before == after
            if len(before) == len(after) and before != after:
                for one, two in zip(before, after, strict=True):
                    if len(one) > 1:
                        seen[row["patient_id"], span["person"], one][two] += 1
    again = [new for new in seen.values() if new.total() > 1]
    back: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for (patient, _, old), found in seen.items():
        for new in found:
            if min(len(old), len(new)) > 2:
                back[patient, new].add(old)
    broken = sum(len(new) > 1 for new in again)
    return len(again), broken, mentions, left, sum(len(old) > 1 for old in back.values())


def _written(result: Result, start: int, end: int) -> str:
    """What appears in the output for a stretch of the original."""
    out, at = [], start
    for each in sorted(result.replacements, key=lambda one: one.span.start):
        if each.span.end > start and each.span.start < end:
            out += [result.document.text[at : max(each.span.start, at)], each.text]
            at = each.span.end
    return "".join([*out, result.document.text[at:end]])


def speeds(corpus: str) -> list[float]:
    """Characters a second of processor time, round by round."""
    policy = load_policy()
    for note in notes("train")[:200]:
        Transformer(policy, b"a key to load the word lists with").apply(note.document, note.spans)
    marked = [(note.document, note.spans) for note in notes(corpus)]
    characters = sum(len(document.text) for document, _ in marked)
    rates = []
    for number in range(ROUNDS):
        transformer = Transformer(policy, f"the key of round {number}".encode())
        start = time.process_time()
        for document, spans in marked:
            transformer.apply(document, spans)
        rates.append(characters / (time.process_time() - start))
    return rates


def main() -> None:
    results = replaced(dense(), KEY)
    pairs = name_pairs(results)
    every = name_pairs(replaced(notes("train")[::3], KEY))
    sex, origin = kept(pairs)
    known, without = initials(every)
    rows: list[tuple[str, str, str]] = [
        (f"consistency breaks in {DENSE} dense notes", str(breaks(pairs)), "0 to 2"),
        ("collisions of different people", str(collisions(pairs)), "0"),
    ]
    again, broken, mentions, left, met = records()
    rows += [
        (
            "name words with two surrogates, records",
            f"{broken} of {again}",
            "under 2 %",
        ),
        ("mentions of people left, the same records", f"{left} of {mentions}", "under 3"),
        ("collisions, the same records", str(met), "0"),
        (
            "frequency attack on surnames, first names (AUC)",
            f"{frequency(every, 'family'):.2f}, {frequency(every, 'given'):.2f}",
            "under .55",
        ),
        ("list membership attack (AUC)", f"{membership(every):.2f}", "under .55"),
        ("made-up words a dense note", f"{made_up(results):.2f}", "under .05"),
        ("listed name words that can never appear", f"{never_drawn(every):.1%}", "0"),
        ("sex, origin kept in full names", f"{sex:.1%}, {origin:.1%}", "99.5 %, 97 %"),
        ("never-itself attack: values betrayed of 3", str(never_itself()), "0"),
        (
            "initial guessed with the surrogate, without",
            f"{known:.1%}, {without:.1%}",
            "alike",
        ),
        ("parrot attack (AUC)", f"{parrot(replaced(notes('train')[::4], KEY)):.2f}", "under .60"),
    ]
    for name, bits, seen in shift_bits():
        rows.append(
            (f"bits of the date shift, {name}; weekdays seen", f"{bits:.1f}, {seen:.1f}", "")
        )
    for corpus, kind in (("dev", "ordinary"), ("train", "dense")):
        first, *later = (rate / 1e6 for rate in speeds(corpus))
        speed = f"{first:.2f} at first, {statistics.median(later):.2f} later"
        must = "2" if kind == "ordinary" else ""
        rows.append((f"million characters a second, {kind} notes", speed, must))
    print("| | now | must |\n|---|--:|--:|")
    for row in rows:
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
