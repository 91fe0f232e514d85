"""The Policy: everything a data office decides, as one typed, printable, hashable value.

Each section is one dataclass; its fields are the keys of the TOML file, its docstring is what the
reference page prints. The loader refuses every key that is not a field here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from incognote.core.labels import all_labels
from incognote.policy.paths import with_contents

OFF = "off"
KEEP = "keep"
DROP = "drop"
TEXT = "text"
BLANK = "blank"
COVER = "cover"
READ = "read"
UNNAMED = (TEXT, KEEP, DROP)
ROLES = ("direct", "quasi", "sensitive", "ignore")
TYPES = (KEEP, TEXT)
IMAGES = (BLANK, COVER, READ, KEEP)
REPLACE = "replace"
NUMBER = "number"
NAMES = (REPLACE, NUMBER, KEEP)
DICOM_OPTIONS = (
    "clean-descriptors",
    "clean-graphics",
    "clean-structured-content",
    "clean-visual-features",
    "retain-device-identity",
    "retain-full-dates",
    "retain-institution-identity",
    "retain-modified-dates",
    "retain-patient-characteristics",
    "retain-safe-private",
    "retain-uids",
)
MATCHES = ("any-case", "exact", "regex")


@dataclass(frozen=True, slots=True)
class DetectorRules:
    """One annotator of the ensemble.

    `use` names the component (default: the table's own name), so that one component can run twice
    with other options. `weight` is its say in a conflict, 0 (off) to 100; `weights` overrides it
    by label.
    """

    use: str = ""
    weight: int = 1
    weights: Mapping[str, int] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def weight_for(self, label: str) -> int:
        return self.weights.get(label, self.weight)


@dataclass(frozen=True, slots=True)
class LabelRule:
    """What happens to a label: `off` (not looked for), `keep` (reported, left as it is), or the
    name of a transform with its options.

    `because` states why a direct identifier is kept, or why a label that no detector finds is no
    gap. Without it, `deid` refuses such a policy.
    """

    action: str
    options: Mapping[str, Any] = field(default_factory=dict)
    because: str = ""


_NO_RULE = LabelRule(OFF)


@dataclass(frozen=True, slots=True)
class PrepareRules:
    """How a document becomes a view.

    Documents longer than `window` characters are read in pieces. `unwrap` joins lines that were
    broken where the page was full; `truecase` restores letter case where a note has none.
    `languages` are those the notes are written in, the usual one first. `inclusion` is a signed
    list of harmless sentences (CSV, made by `incognote templates inclusion`) that need not be read.
    """

    window: int = 100_000
    unwrap: bool = True
    truecase: bool = True
    languages: tuple[str, ...] = ("en",)
    inclusion: str = ""


@dataclass(frozen=True, slots=True)
class NeverRule:
    """Words that are never PHI, whichever detector finds them.

    `match` says how a find is compared with `words`: `any-case`, `exact` or `regex` (RE2, the whole
    find). `labels` limits the rule to finds of these labels; `before` and `after` are regular
    expressions that the text next to the find must match for the rule to apply.
    """

    words: tuple[str, ...]
    labels: tuple[str, ...] = ()
    match: str = "any-case"
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class ConnectRule:
    r"""Two neighbouring finds that are one thing.

    A find of a `left` label and one of a `right` label become one find of `label` (default: the
    left one's own) where the text between them, without blanks, matches one of `between`: regular
    expressions such as "of" or "[A-Z]\.?"; "" means that nothing but blanks appears there.

    With `group`, both stay what they are and become parts of one group of that name, which may go
    on in the next line: street, city, state and ZIP code of one address.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    between: tuple[str, ...] = ("",)
    label: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class SpeechRules:
    """Which finds must be nouns or adjectives where they appear, as "Will" in "Will increase
    lisinopril" is not: those of `sources` (a detector, or one rule of it as "names/list"), unless
    their label is `exempt`. `tagger` names a spaCy model with Penn tags (extra `spacy`) to ask
    instead of the built-in tagger."""

    sources: tuple[str, ...] = ()
    exempt: tuple[str, ...] = ()
    tagger: str = ""


@dataclass(frozen=True, slots=True)
class ResolveRules:
    """How candidates become spans.

    `votes` is how many detectors must agree on a label (default 1). `repetitions` looks for what
    was found once in the rest of the document; with `across_documents`, also in the other
    documents of the patient, for which a run reads its input twice.
    """

    votes: Mapping[str, int] = field(default_factory=dict)
    never: tuple[NeverRule, ...] = ()
    connect: tuple[ConnectRule, ...] = ()
    speech: SpeechRules = field(default_factory=SpeechRules)
    repetitions: bool = True
    across_documents: bool = False


@dataclass(frozen=True, slots=True)
class TransformRules:
    """How replacements stay consistent.

    `scope` is what shares surrogates: `patient` (a document without a patient is on its own),
    `document` or `corpus`. Dates move by `min_shift_days` to `max_shift_days` days, forward or
    back, the same number for everything in a scope; with `keep_weekday` by whole weeks.
    `date_order` says how 3/4 is read: `month-first`, `day-first`, or `auto`: as the rest of the
    record shows, otherwise month first. `as_of` is the year in which ages are reckoned where a
    document does not state its own date (0: the year of the run). `leaks` says what happens where
    an original value is still in the output: `repair` replaces it too, `quarantine` stops the
    document.

    `project` is a salt: two projects that use one key share nothing. `numbers` says over what ids
    and codes stay one to one and joinable: the `corpus`, or each `patient` alone. `phones` are
    `plausible` (an area code of the surrogate state) or `fictional` (555-0100 to 555-0199). With
    `season = "keep"` dates move by whole years (as many as `max_shift_days` allows, at least one)
    give or take three weeks, so that seasons stay. `pools` names lists of your own that
    surrogates are taken from, one value in a line, the most frequent first: `family`, `given`,
    `female`, `male`, `city`, `street`, `institution`, `profession`.
    """

    scope: str = "patient"
    project: str = ""
    numbers: str = "corpus"
    phones: str = "plausible"
    season: str = "move"
    pools: Mapping[str, str] = field(default_factory=dict)
    min_shift_days: int = 30
    max_shift_days: int = 365
    keep_weekday: bool = False
    date_order: str = "auto"
    as_of: int = 0
    leaks: str = "repair"


@dataclass(frozen=True, slots=True)
class DicomRules:
    """How the DICOM confidentiality profile (PS3.15 Annex E) is applied.

    `options` are those of its options that are applied on top of the Basic Profile; what each does
    is written on the page about formats. Clean Pixel Data is not among them: it follows from
    `images`. `safe_private` lists the private attributes that `retain-safe-private` keeps, each
    with its group, its creator and the last two digits of its element: `0019,GEMS_ACQU_01,23`.
    """

    options: tuple[str, ...] = (
        "clean-descriptors",
        "clean-structured-content",
        "retain-modified-dates",
    )
    safe_private: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FormatRules:
    """Which parts of a file are text and what its fields hold.

    `labels` says what becomes of a field: the label of its value, or `text` (read it), `keep` or
    `drop`. A field is a column, a JSON key or path (`visit.attending`), an XML element or
    attribute, an HL7 field or segment (`PID-5`, `ZPI`), a FHIR path (`Patient.name`) or a DICOM
    keyword. `unnamed` is for columns and JSON keys that `labels` does not name: `text` (masked
    where their name says what they hold, such as `dob`, otherwise read), `keep` or `drop`.

    `patient` is the field whose value the notes of one patient share. Files that have no fields may
    show it by their path below the input folder: `patient_path` is a regular expression (RE2) that
    is searched for there, and its group is the patient, as in "^([^/]+)/" where each has a folder.

    `images` says what becomes of pictures: `cover` (every word that OCR finds is painted over),
    `read` (the words are read like any text, those that are PHI are painted over), `keep`, or
    `blank`: pictures inside documents are emptied and scanned pages refused, while the words of
    picture files and of DICOM pixels are painted over.

    `names` says what becomes of the names of files, folders and members of archives: `replace`
    (they are read like any text, and what is PHI in them is replaced), `number` (every file gets a
    number for a name) or `keep`. `keys` reads the keys of JSON files and the headers of CSV tables
    as well, for exports that have names there.

    `types` says what becomes of a Parquet column of dates or numbers that is masked: with `keep` it
    stays one, and a replacement that is no date or number is null; with `text` it becomes a column
    of text.
    """

    text: tuple[str, ...] = ("text",)
    id: str = "id"
    patient: str = "patient_id"
    patient_path: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    unnamed: str = TEXT
    images: str = BLANK
    names: str = REPLACE
    keys: bool = False
    types: str = KEEP
    dicom: DicomRules = field(default_factory=DicomRules)

    def choice(self, *names: str) -> str | None:
        """What the policy says of a field, by the first of its names that it knows."""
        return next((self.labels[name] for name in names if name in self.labels), None)


@dataclass(frozen=True, slots=True)
class Policy:
    """A whole policy. `labels` has a rule for every label of the taxonomy.

    `roles` says what an attacker does with an attribute of a person, where it differs from the
    usual: `direct` (it names the person), `quasi` (he may know it), `sensitive` (he wants to learn
    it) or `ignore`; as in `religion = "sensitive"`. `incognote persons` and `risk` go by it.
    """

    name: str
    description: str = ""
    detectors: Mapping[str, DetectorRules] = field(default_factory=dict)
    labels: Mapping[str, LabelRule] = field(default_factory=dict)
    prepare: PrepareRules = field(default_factory=PrepareRules)
    resolve: ResolveRules = field(default_factory=ResolveRules)
    transform: TransformRules = field(default_factory=TransformRules)
    formats: FormatRules = field(default_factory=FormatRules)
    roles: Mapping[str, str] = field(default_factory=dict)

    def rule(self, label: str) -> LabelRule:
        return self.labels.get(label, _NO_RULE)

    @property
    def wanted(self) -> frozenset[str]:
        """The labels this policy looks for."""
        return frozenset(name for name in all_labels() if self.rule(name).action != OFF)

    @property
    def kept(self) -> frozenset[str]:
        """The labels that are reported and left as they are."""
        return frozenset(name for name in all_labels() if self.rule(name).action == KEEP)

    @property
    def kept_fields(self) -> tuple[str, ...]:
        """What the policy copies without looking: fields by name, and whole kinds of things."""
        rules = self.formats
        named = sorted(name for name, choice in rules.labels.items() if choice == KEEP)
        kinds = {"fields without a rule": rules.unnamed, "file names": rules.names}
        kinds["pictures"] = rules.images
        return (*named, *(kind for kind, choice in kinds.items() if choice == KEEP))

    @property
    def hash(self) -> str:
        """Stamped on every output: the same hash means the same decisions."""
        return hashlib.sha256(
            json.dumps(with_contents(asdict(self)), sort_keys=True).encode()
        ).hexdigest()[:16]
