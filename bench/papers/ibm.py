"""IBM: the kinds of value that its toolkit names and masks, beside ours, and simple baselines."""

from __future__ import annotations

import json
import re
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from bench.papers.material import Material, open_corpus
from bench.papers.page import About, Table
from incognote.api import Deidentifier
from incognote.core import registry
from incognote.core.labels import all_labels
from incognote.core.types import AnnotatedDocument, Document, Result, Span
from incognote.evaluate.scoring.pairs import pair
from incognote.evaluate.scoring.words import word_table
from incognote.lexicon import lexicon
from incognote.pipeline import Pipeline
from incognote.policy import DEFAULT, Policy, load_policy

ABOUT = About(
    title="IBM: kinds of value and ways to mask them",
    source=(
        "S. Braghin, J. H. Bettencourt-Silva, K. Levacher, S. Antonatos: An extensible "
        "de-identification framework for privacy protection of unstructured health information. "
        "MedInfo 2019; and the open-source data de-identification toolkit of its authors."
    ),
    did=(
        "A toolkit names 38 kinds of value, from names to symptoms, finds them by dictionaries, "
        "patterns and language processing, and masks each by options of its kind: redaction, "
        "truncation, format-preserving values, generalisation, values of the same meaning. It was "
        "compared with rule-based scrubbers."
    ),
    here=(
        "```sh\npython -m bench.papers ibm --write\n```\n\n"
        "Each kind has a sentence; the default policy, with every optional label switched on, "
        "reads it. The first table says what was found there, so it cannot claim more than the "
        "code does. Optional labels are off unless a policy names them: codes of diagnoses and "
        "drugs and most traits are no identifiers."
    ),
    differs=(
        "Symptoms and procedures are medicine: to find them in order to hide them is another "
        "task, and incognote takes care to leave them alone. So are brands of cards and drugs. "
        "Continents are found as places where a cue is there. The list of kinds is put together "
        "after the toolkit's and is a little longer than the paper's 38; it splits some of them. "
        "The scrubbers that the paper compares "
        "with are not on a package index; the baselines here are simple ones that everybody can "
        "run: all capitalised words that are no common words, and all numbers. The options of "
        "single kinds are those that the toolkit's documentation names; where we have none, the "
        "table says why. Leaving out what only structured data needs (conditions on other fields, "
        "value sets, patterns for made-up codes), a plug-in can do the rest."
    ),
)
# Kinds of value, each in a sentence; why some are left alone.
KINDS = tomllib.loads(Path(__file__).with_name("ibm_kinds.toml").read_text("utf-8"))
# The toolkit's options of masking -> ours.
OPTIONS = (
    ("redact, keep the length", "redact", "`mask`"),
    ("replace by a tag or a constant", "tag", "`form`, `numbered`"),
    ("remove", "remove", ""),
    ("hash", "hash", "keyed; `length`"),
    ("keep the first, the last characters or parts", "truncate", "`keep`, `keep_end`, `parts`"),
    ("random value in the same format", "fpe", "format-preserving encryption"),
    ("value of the same meaning (semantic)", "surrogate", "same sex, origin, region, exposure"),
    ("own lists of values", "surrogate", "`[transform.pools]`"),
    ("shift dates", "surrogate", "by days, the same for all dates of a patient"),
    ("shift ages and other numbers", "shift", "`by`"),
    ("keep the year", "year", ""),
    ("keep the week, the month, the quarter, a span of years", "period", "`of`, `width`"),
    ("generalise ages", "generalize", "`width`"),
    ("ages above 89 together", "age90", ""),
    ("first three digits of ZIP codes", "zip3", "`fill`"),
    ("days since another date", "relative", ""),
    ("dates of other notes", "shuffle", ""),
)


def own_material() -> list[Material]:
    return [open_corpus("unseen")]


def run(material: Material, _folds: int) -> Iterator[Table]:
    documents = material.tested
    yield kinds_table(everything_on(DEFAULT))
    yield options_table()
    yield ways_table(DEFAULT)
    yield kind_options_table(DEFAULT)
    yield baselines_table(documents)


def everything_on(policy: str) -> Policy:
    """A policy with all optional labels."""
    wanted = [name for name, row in all_labels().items() if row.optional]
    with tempfile.TemporaryDirectory(prefix="incognote-papers-") as folder:
        path = Path(folder) / "all.toml"
        lines = [f'extends = "{policy}"', "[labels]", *(f'{name} = "tag"' for name in wanted)]
        path.write_text("\n".join(lines), "utf-8")
        return load_policy(str(path))


def kinds_table(policy: Policy) -> Table:
    reader = Pipeline(policy)
    rows = []
    found_kinds = 0
    for number, kind in enumerate(KINDS["sentences"]):
        before, value, after = _parts(kind)
        document = Document(str(number), before + value + after)
        (answer,) = reader.detect([document])
        spans = answer.spans if isinstance(answer, Result) else ()
        start, end = len(before), len(before) + len(value)
        over = _over(spans, start, end)
        whole = {at for span in over for at in range(span.start, span.end)}
        complete = all(at in whole for at in range(start, end) if document.text[at].isalnum())
        labels = ", ".join(sorted({f"`{span.label}`" for span in over}))
        said = ("yes" if complete else "in part") if over else "no"
        reason = KINDS["left_alone"].get(kind)
        if reason:
            said = f"wrongly: {reason}" if over else f"no: {reason}"
        found_kinds += said in ("yes", "in part")
        optional = any(all_labels()[span.label].optional for span in over)
        rows.append([kind, said, labels, "yes" if optional else ""])
    head = ["kind", "found", "label", "only if switched on"]
    return Table(f"Kinds of value: {found_kinds} of {len(KINDS['sentences'])} found", head, rows)


def options_table() -> Table:
    """Names of transforms come from the registry: one that does not exist is an error."""
    rows = []
    for wanted, action, options in OPTIONS:
        registry.load("transform", action)
        rows.append([wanted, f"`{action}`", options])
    return Table("Ways to mask", ["the toolkit's", "ours", "options"], rows)


# Ways that serve every kind, with their options, and those for one label.
WAYS: dict[str, dict[str, int]] = {
    "redact": {},
    "tag": {},
    "hash": {},
    "truncate": {"keep": 2, "keep_end": 2},
    "fpe": {},
    "surrogate": {},
}
OWN_WAYS = {"DATE": ("year", "period"), "AGE": ("age90", "generalize"), "ZIP": ("zip3",)}


def ways_table(policy: str) -> Table:
    """What each way makes of the value of each kind, as it comes out of a run."""
    parts = {kind: _parts(kind) for kind in KINDS["sentences"] if kind not in KINDS["left_alone"]}
    kinds = all_labels()
    ways = [
        (way, way, {name: {"action": way, **WAYS[way], **_TRIED} for name in kinds}) for way in WAYS
    ]
    ways += [
        (way, label, {label: {"action": way, **_TRIED}})
        for label, own in OWN_WAYS.items()
        for way in own
    ]
    made = {
        (kind, way): value
        for way, column, labels in ways
        for kind, (value, found) in _made(parts, labels, policy).items()
        if column == way or column in found
    }
    rows = []
    for kind in parts:
        cells = [f"`{value}`" if (value := made.get((kind, way))) else "" for way in WAYS]
        own = [
            f"{way}: `{made[kind, way]}`"
            for ways_of in OWN_WAYS.values()
            for way in ways_of
            if made.get((kind, way))
        ]
        rows.append([kind, *cells, ", ".join(own)])
    head = ["kind", *(f"`{way}`" for way in WAYS), "of its own"]
    return Table("Each kind, masked in each way (`truncate` keeps two and two)", head, rows)


Parts = Mapping[str, Sequence[str]]  # the sentence of a kind: before the value, it, behind it


def _made(parts: Parts, labels: object, policy: str) -> dict[str, tuple[str, set[str]]]:
    """By kind, what a policy with these rules makes of its value, and the labels found there."""
    runner = Deidentifier(policy={"extends": policy, "labels": labels}, key=_KEY)
    notes = [Document(kind, "".join(each)) for kind, each in parts.items()]
    made = {}
    for (kind, (before, value, _)), result in zip(parts.items(), runner.deid(notes), strict=True):
        place = (len(before), len(before) + len(value))
        if not isinstance(result, Result):
            made[kind] = f"refused: {result.stage}", set(all_labels())
        elif over := _over(result.spans, *place):
            made[kind] = _masked(result, *place), {span.label for span in over}
    return made


def kind_options_table(policy: str) -> Table:
    """What the toolkit offers for single kinds, each run here with the rule that does it."""
    labels = _labels(policy)
    options = KINDS["options"]
    rounds: list[dict[str, int]] = []  # a policy has one rule for a label: label -> its option
    for number, option in enumerate(options):
        if "rule" in option:
            label = labels[option["kind"]]
            if all(label in each for each in rounds):
                rounds.append({})
            next(each for each in rounds if label not in each)[label] = number
    made: dict[int, str] = {}
    for tried in rounds:
        rules = {label: {**options[number]["rule"], **_TRIED} for label, number in tried.items()}
        parts = {str(number): _parts_of(options[number]) for number in tried.values()}
        values = _made(parts, rules, policy)
        made |= {int(number): value for number, (value, _) in values.items()}
    rows = []
    for number, option in enumerate(options):
        kind, theirs = option["kind"], option["theirs"]
        if number in made:
            rule = _written(labels[kind], option["rule"])
            rows.append([kind, theirs, rule, f"`{_parts_of(option)[1]}`", f"`{made[number]}`"])
        else:
            rows.append([kind, theirs, f"none: {option['left']}", "", ""])
    head = ["kind", "the toolkit's option", "rule", "value", "becomes"]
    return Table("Options of single kinds", head, rows)


def _parts(kind: str) -> list[str]:
    """Its sentence: before the value, the value, behind it."""
    sentence: str = KINDS["sentences"][kind]
    return sentence.split("|")


def _parts_of(option: Mapping[str, str]) -> list[str]:
    return option["sentence"].split("|") if "sentence" in option else _parts(option["kind"])


def _labels(policy: str) -> dict[str, str]:
    """The label that each kind is found by."""
    documents = [Document(kind, "".join(_parts(kind))) for kind in KINDS["sentences"]]
    found = {}
    for answer in Pipeline(everything_on(policy)).detect(documents):
        kind = answer.document.id
        before, value, _ = _parts(kind)
        spans = answer.spans if isinstance(answer, Result) else ()
        for span in _over(spans, len(before), len(before) + len(value)):
            found[kind] = span.label
    return found


def _written(label: str, rule: Mapping[str, object]) -> str:
    """As it appears in a policy."""
    told = {True: "true", False: "false"}
    options = [
        f"{name} = {told[value] if isinstance(value, bool) else json.dumps(value)}"
        for name, value in rule.items()
    ]
    return f"`{label} = {{ {', '.join(options)} }}`"


_TRIED = {"because": "every label is tried, also those that nothing here finds"}
_KEY = b"the values are invented: no secret"


def _over(spans: Iterable[Span], start: int, end: int) -> list[Span]:
    return [span for span in spans if span.start < end and start < span.end]


def _masked(result: Result, start: int, end: int) -> str:
    """What appears in place of a stretch of the original."""
    made, at = [], start
    for one in sorted(result.replacements, key=lambda one: one.span):
        if one.span.start < end and start < one.span.end:
            made += [result.document.text[at : max(at, one.span.start)], one.text]
            at = one.span.end
    return "".join([*made, result.document.text[at:end]])


def baselines_table(documents: Sequence[AnnotatedDocument]) -> Table:
    ways = {
        "capitalised words and numbers": [_capitals(doc.document) for doc in documents],
        "patterns and lists (`rules`)": _detected("rules", documents),
        f"`{DEFAULT}`": _detected(DEFAULT, documents),
    }
    rows = []
    for name, found in ways.items():
        counts = word_table(pair(documents, found)).counts()
        scores = (counts.precision, counts.recall, counts.f1)
        rows.append([name, *(f"{each:.4f}" for each in scores)])
    return Table(
        "Beside simple baselines, all labels, words", ["", "precision", "recall", "F1"], rows
    )


def _detected(policy: str, documents: Sequence[AnnotatedDocument]) -> list[AnnotatedDocument]:
    answers = Pipeline(load_policy(policy)).detect([doc.document for doc in documents])
    return [
        AnnotatedDocument(doc.document, answer.spans if isinstance(answer, Result) else ())
        for doc, answer in zip(documents, answers, strict=True)
    ]


_CANDIDATE = re.compile(r"\b[A-Z][\w'-]+|\d[\d/.:-]*")
_COMMON = 5_000


def _capitals(document: Document) -> AnnotatedDocument:
    spans = []
    for match in _CANDIDATE.finditer(document.text):
        rank = lexicon().word_rank(match[0].lower())
        if rank is None or rank > _COMMON:
            spans.append(Span(match.start(), match.end(), "PATIENT"))
    return AnnotatedDocument(document, tuple(spans))
