"""From spans to the new text: the Transformer, the seam the pipeline calls."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, ClassVar, Protocol, runtime_checkable

from incognote.core.caches import BoundedDict
from incognote.core.errors import LeakError, OffsetError, PolicyError, TransformError, UsageError
from incognote.core.keys import SHORTEST_KEY
from incognote.core.people import NOBODY, People
from incognote.core.registry import load
from incognote.core.types import Document, Replacement, Result, Span, fingerprint
from incognote.policy import KEEP, OFF, Policy, TransformRules, typed_options
from incognote.transform.draw import project_key
from incognote.transform.leaks import check as leaks
from incognote.transform.leaks.check import OutputStretch
from incognote.transform.leaks.needles import needles
from incognote.transform.leaks.originals import Originals
from incognote.transform.masks.simple import Tag
from incognote.transform.numbers.identifiers import Identifiers
from incognote.transform.pools import check_pools
from incognote.transform.record import CALENDAR, NOTED, WORD, Mention, Scope, TransformRecord
from incognote.transform.spelling import squeeze

SCOPES = ("patient", "document", "corpus")
# A patient's answers take some 40 kB; those forgotten are worked out again, the same.
_SCOPES_HELD = 512
# A note needs a round or two; in a file of a thousand patients each repair adds words to search.
_MAX_REPAIRS = 10


class Transform(Protocol):
    """What happens to the mentions of one label. Its other fields are the options of the policy.

    `labels` are those it is for; empty means all.
    """

    labels: ClassVar[frozenset[str]]

    def replace(self, mention: Mention, record: TransformRecord) -> str: ...

    def explain(self) -> str: ...


@runtime_checkable
class CorpusTransform(Protocol):
    """A transform that needs the originals of the whole corpus, which a first pass collects."""

    needs_originals: ClassVar[bool]


def build_transforms(policy: Policy) -> dict[str, Transform]:
    """A transform for each label that changes. Bad names and options are errors here, before the
    first document is read."""
    _check(policy.transform)
    transforms: dict[str, Transform] = {}
    for label, rule in policy.labels.items():
        if rule.action in (KEEP, OFF):
            continue
        path = f"labels.{label}"
        try:
            kind: Any = load("transform", rule.action)
        except UsageError as error:
            raise PolicyError(f"{path}.action: {error}") from None
        if kind.labels and label not in kind.labels:
            raise PolicyError(
                f"{path}.action: {rule.action!r} is only for {', '.join(sorted(kind.labels))}"
            )
        transforms[label] = typed_options(kind, {**rule.options, "label": label}, path)
    return transforms


def needs_originals(policy: Policy) -> bool:
    """Whether a first pass must collect the originals of the whole corpus."""
    return policy.transform.scope == "corpus" or any(
        isinstance(transform, CorpusTransform) and transform.needs_originals
        for transform in build_transforms(policy).values()
    )


def _check(rules: TransformRules) -> None:
    for key, value, known in (
        ("scope", rules.scope, SCOPES),
        ("date_order", rules.date_order, ("auto", "month-first", "day-first")),
        ("leaks", rules.leaks, ("repair", "quarantine")),
        ("numbers", rules.numbers, ("corpus", "patient")),
        ("season", rules.season, ("move", "keep")),
        ("phones", rules.phones, ("plausible", "fictional")),
    ):
        if value not in known:
            raise PolicyError(f"transform.{key}: must be one of {', '.join(known)}")
    check_pools(rules)
    if rules.as_of and not 1900 <= rules.as_of <= 2200:
        raise PolicyError("transform.as_of: must be a year, or 0")
    if not 1 <= rules.min_shift_days <= rules.max_shift_days:
        raise PolicyError("transform.min_shift_days: must be 1 to max_shift_days")
    if not Scope(b"", "", rules).shifts:
        raise PolicyError("transform.max_shift_days: leaves no number of days to shift by")


class Transformer:
    """Replaces spans as the policy says. Pure: the same document, spans and key give the same
    result, whatever came before.

    `originals` are those of the whole corpus, collected in a first pass; surrogates avoid them.
    """

    def __init__(self, policy: Policy, key: bytes, originals: Originals | None = None) -> None:
        if len(key) < SHORTEST_KEY:
            raise UsageError(f"the key must have at least {SHORTEST_KEY} bytes")
        self.policy = policy
        self._key = project_key(key, policy.transform.project)
        # Also for ids that are no mentions: those of rows, patients and files.
        self.identifiers = Identifiers(self._key)
        self._originals = originals
        self._transforms = build_transforms(policy)
        self._actions = {label: rule.action for label, rule in policy.labels.items()}
        for label, transform in self._transforms.items():
            if originals is None and isinstance(transform, CorpusTransform):
                raise PolicyError(f"labels.{label}.action: needs a first pass over the corpus")
        self._scopes: BoundedDict[str, Scope] = BoundedDict(f"{__name__}.scopes", _SCOPES_HELD)

    def apply(self, document: Document, spans: Sequence[Span], people: People = NOBODY) -> Result:
        """The document with every span replaced, checked for originals that are left. `people` are
        those whom the spans name."""
        if document.free_text:
            return self._checked(document, spans, people)
        # Of one patient, message after message has the same fields.
        field = (document.text, document.released, *spans, *map(document.meta.get, NOTED))
        first = self._scope(document).memo(field, lambda: self._checked(document, spans, people))
        return replace(first, document=document)

    def _checked(self, document: Document, spans: Sequence[Span], people: People) -> Result:
        spans = _ordered(document, spans)
        tagged: frozenset[int] = frozenset()
        for _ in range(_MAX_REPAIRS):
            result, stretches, changed, record = self._replace(document, spans, people, tagged)
            assert result.text is not None
            found = leaks.find(result.text, needles(changed))
            if not found:
                return result
            repair = leaks.repair(result.text, found, stretches, record.chosen)
            if repair.unrepairable or (repair and self.policy.transform.leaks == "quarantine"):
                raise LeakError(f"{len(repair)} original values would stay in the text")
            if not repair:
                return result
            spans = _ordered(document, [*spans, *repair.missed])
            tagged |= repair.shown
        raise LeakError("original values stay in the text after repair")

    def _replace(
        self,
        document: Document,
        spans: Sequence[Span],
        people: People = NOBODY,
        tagged: frozenset[int] = frozenset(),
    ) -> tuple[Result, list[OutputStretch], list[Mention], TransformRecord]:
        """`tagged` are the starts of spans whose surrogate would show an original."""
        scope = self._scope(document)
        record = TransformRecord(document, spans, scope, self.policy, self._originals, people)
        text = document.text
        out: list[str] = []
        stretches: list[OutputStretch] = []
        replacements: list[Replacement] = []
        changed: list[Mention] = []
        at = length = 0
        for mention in record.mentions:
            if mention.start > at:
                stretches.append(OutputStretch(length, at, "text"))
                out.append(text[at : mention.start])
                length += mention.start - at
            at = mention.end
            transform = self._transforms.get(mention.label)
            written = text[mention.start : mention.end]
            new = written if transform is None else transform.replace(mention, record)
            if new in (written, mention.text):
                if transform is not None and not self._may_stay(mention, new, record):
                    raise TransformError(f"the surrogate of a {mention.label} equals the original")
                if written:
                    stretches.append(OutputStretch(length, mention.start, "kept"))
                    out.append(written)
                    length += len(written)
                continue
            changed.append(mention)
            how = self._actions[mention.label]
            if mention.start in tagged:
                how, new = "tag", Tag(mention.label).replace(mention, record)
            if new:
                stretches.append(OutputStretch(length, mention.start, _kind(mention.label, how)))
                out.append(new)
                length += len(new)
            replacements.append(Replacement(mention.span, new, how))
        if at < len(text):
            stretches.append(OutputStretch(length, at, "text"))
            out.append(text[at:])
        result = Result(
            document,
            tuple(mention.span for mention in record.mentions),
            replacements=tuple(replacements),
            text="".join(out),
            people=people,
        )
        return result, stretches, changed, record

    def _may_stay(self, mention: Mention, new: str, record: TransformRecord) -> bool:
        """Whether a value may be its own surrogate: dates that stay dates, and what a permutation
        gave. If that never happened, what is missing among surrogates would reveal the original."""
        if self._actions[mention.label] == "view":
            return True  # the table's classes are large enough for the value as it is
        chosen = squeeze(new) in record.chosen or all(
            word in record.chosen for word in WORD.findall(new.casefold())
        )
        return mention.label in CALENDAR or (chosen and self._actions[mention.label] == "surrogate")

    def _scope(self, document: Document) -> Scope:
        name = scope_name(document, self.policy.transform.scope)
        scope = self._scopes.get(name)
        if scope is None:
            rules = self.policy.transform
            shared = self.identifiers if rules.numbers == "corpus" else None
            scope = self._scopes[name] = Scope(self._key, name, rules, shared)
        else:
            self._scopes.move_to_end(name)
        return scope


def _kind(label: str, how: str) -> str:
    """What a replacement is to the leak check: a surrogate can be withdrawn, the work of another
    transform is what the policy wants."""
    if how == "tag":  # holds a label and a number, never an original
        return "tag"
    if label == "DATE":
        return "date"
    if how == "view":  # "Hartford County" for "Hartford": the table allows this value
        return "kept"
    return "new" if how == "surrogate" else "fixed"


def scope_name(document: Document, scope: str) -> str:
    """Who shares surrogates with a document. Without a patient its record is on its own, known by
    what it says and where: two files number their rows from 1, and two texts may both be "0"."""
    if scope == "corpus":
        return "corpus"
    if scope == "patient" and document.patient_id:
        return f"patient:{document.patient_id}"
    return f"record:{document.record or fingerprint([document])}"


def _ordered(document: Document, spans: Iterable[Span]) -> list[Span]:
    ordered = sorted(spans, key=attrgetter("start"))
    for before, after in itertools.pairwise(ordered):
        if after.start < before.end:
            raise OffsetError("two spans overlap")
    if ordered and ordered[-1].end > len(document.text):
        raise OffsetError("a span lies outside the text")
    return ordered


def moved_spans(result: Result) -> Iterator[tuple[Span, Span]]:
    """The spans of a result where they appear in the new text, each with what it was; removed ones
    are left out."""
    by_span = {replacement.span: replacement.text for replacement in result.replacements}
    shift = 0
    for span in result.spans:
        new = by_span.get(span)
        length = span.length if new is None else len(new)
        start = span.start + shift
        if length:
            yield span.moved(start, start + length), span
        shift += length - span.length


def new_spans(result: Result) -> tuple[Span, ...]:
    """The spans of a result where they appear in the new text; removed ones are left out."""
    return tuple(span for span, _ in moved_spans(result))
