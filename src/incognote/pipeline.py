"""The pipeline: the only place that knows the order.

    Document -> views -> candidates of every detector -> spans -> people -> replacements -> Result

It is batch first and fails closed: whatever goes wrong with a document turns into a Failure that
names the stage and the type of the error, and the rest of the batch goes on. Only what is wrong
with the policy itself, and so with every document, stops the run.
"""

from __future__ import annotations

import inspect
import secrets
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any

from incognote.core.caches import BoundedDict
from incognote.core.errors import (
    DetectError,
    DocumentError,
    LanguageError,
    PolicyError,
    UsageError,
    is_ours,
    wording,
)
from incognote.core.labels import SAFE
from incognote.core.registry import load
from incognote.core.types import (
    Batching,
    Detector,
    Document,
    Failure,
    Learned,
    RecordReading,
    Result,
    Span,
    StatedOnly,
    View,
    Waiting,
)
from incognote.link import PEOPLE, LinkRules, link
from incognote.policy import Coverage, DetectorRules, Policy, coverage, load_policy
from incognote.prepare import prepare
from incognote.resolve import check_rules, known_from_record, resolve

if TYPE_CHECKING:
    from incognote.transform import Originals, Transformer

# The component name of a detector that a program made itself.
_READY_MADE = "given"
# What a detector that reads no words says of the languages it serves.
EVERY_LANGUAGE = "*"
# Cells and codes appear in a table thousands of times: what was found in them is remembered.
_SHORT = 100
_REMEMBERED = 4096
_GAPS_SHOWN = 5


@dataclass(slots=True)
class _Job:
    """A document on its way through the stages."""

    document: Document
    views: list[View] = field(default_factory=list)
    candidates: list[Span] = field(default_factory=list)
    failure: Failure | None = None
    recalled: bool = False

    def fail(self, stage: str, error: BaseException) -> None:
        self.failure = failure(self.document.id, stage, error)


class Pipeline:
    """A policy made runnable. Detectors load their data at the first document."""

    def __init__(
        self,
        policy: Policy | str | None = None,
        key: bytes | None = None,
        originals: Originals | None = None,
        *,
        threads: int = 0,
        detectors: Mapping[str, Detector] | None = None,
    ) -> None:
        """`originals` are what a first pass over the corpus found, for surrogates to avoid.
        `threads` is how many threads a detector may use (0: as many as it likes). `detectors` are
        ready-made ones beside those of the policy, by name; the policy may weigh them."""
        own = detectors or {}
        self.policy = with_detectors(load_policy() if policy is None else load_policy(policy), own)
        # Without a key from outside, surrogates are consistent within this pipeline only.
        self._key = key if key is not None else secrets.token_bytes(32)
        self._originals = originals
        check_rules(self.policy.resolve)
        self.detectors: tuple[Detector, ...] = tuple(
            own.get(name) or build_detector(name, rules, threads)
            for name, rules in sorted(self.policy.detectors.items())
            if _runs(rules)
        )
        self._learned = {
            detector.name: detector.labels - {SAFE}
            for detector in self.detectors
            if isinstance(detector, Learned) and detector.learned
        }
        self._link_rules = LinkRules.of(
            self.policy,
            finds_names=any(
                not PEOPLE.isdisjoint(detector.labels) and not _only_stated(detector)
                for detector in self.detectors
            ),
        )
        self._remembers = not any(map(reads_record, self.detectors))
        self._memory: BoundedDict[str, tuple[list[View], list[Span]]] = BoundedDict(
            f"{__name__}.texts", _REMEMBERED
        )
        self._seconds: defaultdict[str, float] = defaultdict(float)

    @cached_property
    def coverage(self) -> tuple[Coverage, ...]:
        """Who finds each label and what becomes of it.

        A detector that only looks for what the record states finds no label by itself, and one of
        another language than the notes are usually in has no vote in them.
        """
        usual = {self.policy.prepare.languages[0], EVERY_LANGUAGE}
        finds = {
            detector.name: frozenset() if _only_stated(detector) else detector.labels
            for detector in self.detectors
            if not usual.isdisjoint(detector.languages)
        }
        return coverage(self.policy, finds)

    def check_coverage(self) -> None:
        """Refuses a policy under which identifiers would pass through unseen or by default."""
        if not self.detectors:
            raise PolicyError(
                f"{self.policy.name}: has no detectors, so every note would pass through; "
                "extend a preset or name some"
            )
        gaps = [row for row in self.coverage if row.gap]
        if gaps:
            said = "; ".join(f"{row.label}: {row.gap}" for row in gaps[:_GAPS_SHOWN])
            more = f"; and {len(gaps) - _GAPS_SHOWN} more" if len(gaps) > _GAPS_SHOWN else ""
            raise PolicyError(
                f"{self.policy.name}: {said}{more}. If that is meant, write it: "
                f'{gaps[0].label} = {{ action = "{gaps[0].action}", because = "..." }}; '
                "`incognote policy check` shows every label"
            )

    @cached_property
    def transformer(self) -> Transformer:
        from incognote.transform import Transformer

        transformer = Transformer(self.policy, self._key, self._originals)
        self.check_coverage()
        return transformer

    def detect(self, documents: Sequence[Document]) -> list[Result | Failure]:
        """The spans of each document, in order."""
        began = perf_counter()
        jobs = [self._recall(document) or self._prepare(document) for document in documents]
        self._spend("prepare", began)
        fresh = [job for job in jobs if not job.recalled]
        self._annotate_all([job for job in fresh if job.failure is None])
        self._remember(fresh)
        return self._with_record(jobs, [self._resolve(job) for job in jobs])

    def deid(self, documents: Sequence[Document]) -> list[Result | Failure]:
        """The new text of each document, in order."""
        self.transformer  # noqa: B018 - what is wrong with the policy is said before any document
        detected = self.detect(documents)
        began = perf_counter()
        outcomes = [
            outcome if isinstance(outcome, Failure) else self.transform(outcome)
            for outcome in detected
        ]
        self._spend("transform", began)
        return outcomes

    def take_seconds(self) -> dict[str, float]:
        """The seconds spent in each stage since the last call. Detectors that wait for a server
        are asked side by side, so that their seconds overlap."""
        taken, self._seconds = self._seconds, defaultdict(float)
        return dict(taken)

    def _spend(self, stage: str, began: float) -> float:
        now = perf_counter()
        self._seconds[stage] += now - began
        return now

    def _recall(self, document: Document) -> _Job | None:
        """A short text that was read before, in whatever document."""
        if not document.free_text or len(document.text) > _SHORT:
            return None
        found = self._memory.get(document.text)
        return _Job(document, *found, recalled=True) if found else None

    def _remember(self, jobs: Sequence[_Job]) -> None:
        for job in jobs if self._remembers else ():
            if job.failure is None and job.document.free_text and len(job.document.text) <= _SHORT:
                self._memory[job.document.text] = job.views, job.candidates

    def _prepare(self, document: Document) -> _Job:
        job = _Job(document)
        try:
            # Where the source states what a whole field is, there is nothing to look for.
            if document.free_text:
                job.views = prepare(document, self.policy.prepare)
                self._check_language(job.views)
        except Exception as error:
            if _stops_run(error):
                raise
            job.fail("prepare", error)
        return job

    def _annotate_all(self, jobs: list[_Job]) -> None:
        """Detectors that wait for a server are asked all at once, while the others work here."""
        away = [each for each in self.detectors if isinstance(each, Waiting) and each.waits]
        with ThreadPoolExecutor(max(1, len(away))) as pool:
            asked = [pool.submit(self._annotate_copies, detector, jobs) for detector in away]
            for detector in self.detectors:
                if detector not in away:
                    began = perf_counter()
                    self._annotate(detector, [job for job in jobs if job.failure is None])
                    self._spend(f"detect:{detector.name}", began)
            # In the order of the detectors, not of their answers: a failure names the same one.
            for answer in asked:
                for job, answered in zip(jobs, answer.result(), strict=True):
                    job.candidates += answered.candidates
                    job.failure = job.failure or answered.failure

    def _annotate_copies(self, detector: Detector, jobs: list[_Job]) -> list[_Job]:
        copies = [_Job(job.document, job.views) for job in jobs]
        began = perf_counter()
        self._annotate(detector, copies)
        self._spend(f"detect:{detector.name}", began)
        return copies

    def _annotate(self, detector: Detector, jobs: list[_Job]) -> None:
        stage = f"detect:{detector.name}"
        asked = [
            (job, view)
            for job in jobs
            for view in job.views
            if not detector.languages.isdisjoint({view.language, *view.also, EVERY_LANGUAGE})
        ]
        if not asked:
            return
        try:
            found = ask(detector, [view for _, view in asked])
        # A plug-in must not end the run, nor have its last words printed.
        except (Exception, SystemExit) as error:
            if _stops_run(error):
                raise
            if len(jobs) == 1:
                jobs[0].fail(stage, error)
                return
            # One bad document must not take its batch along: ask again, one by one.
            for job in jobs:
                self._annotate(detector, [job])
            return
        for (job, view), spans in zip(asked, found, strict=True):
            try:
                job.candidates += map(view.to_source, spans)
            except Exception as error:  # noqa: BLE001
                job.fail(stage, error)

    def _check_language(self, views: Sequence[View]) -> None:
        """A detector must know the language; that some look at no words is not enough."""
        if all(EVERY_LANGUAGE in detector.languages for detector in self.detectors):
            return
        for language in {view.language for view in views}:
            if not any(language in detector.languages for detector in self.detectors):
                raise LanguageError(f"no detector of the policy serves {language!r}")

    def _resolve(self, job: _Job) -> Result | Failure:
        if job.failure is not None:
            return job.failure
        began = perf_counter()
        try:
            settled = resolve(job.document, job.candidates, self.policy, job.views, self._learned)
        except Exception as error:  # noqa: BLE001
            return failure(job.document.id, "resolve", error)
        unread = tuple(sorted({place for view in job.views for place in view.unread}))
        began = self._spend("resolve", began)
        try:
            linked = link(
                job.document,
                settled.spans,
                settled.dropped,
                self._link_rules,
                settled.harmless,
                settled.doubted,
            )
        except Exception as error:  # noqa: BLE001
            return failure(job.document.id, "link", error)
        self._spend("link", began)
        return Result(
            job.document, linked.spans, settled.dropped, unread=unread, people=linked.people
        )

    def _with_record(
        self, jobs: Sequence[_Job], outcomes: list[Result | Failure]
    ) -> list[Result | Failure]:
        """The outcomes, resolved again where other documents of the record hold a value for one: a
        letter names the patient, its title may be no more than a number and a name."""
        new = list(outcomes)
        for at, document in known_from_record(outcomes, self.policy.resolve):
            outcome = self._resolve(replace(jobs[at], document=document))
            if isinstance(outcome, Result):
                outcome = replace(outcome, document=jobs[at].document)
            new[at] = outcome
        return new

    def transform(self, detected: Result) -> Result | Failure:
        """The new text of a document whose spans are known: from `detect`, or from a person."""
        try:
            result = self.transformer.apply(detected.document, detected.spans, detected.people)
        except Exception as error:  # noqa: BLE001
            return failure(detected.document.id, "transform", error)
        return replace(result, dropped=detected.dropped, unread=detected.unread)


def ask(detector: Detector, views: list[View]) -> list[list[Span]]:
    """One answer for each view, or an error: a missing answer would pass for "nothing found"."""
    found = detector.detect(views)
    if len(found) != len(views):
        raise DetectError(f"answered {len(found)} of {len(views)} views")
    return found


def reads_record(detector: Detector) -> bool:
    """Whether a detector reads more of a document than its text: then equal texts may differ.

    It says so itself; of detectors from elsewhere that say nothing it is taken for granted.
    """
    if isinstance(detector, RecordReading):
        return detector.reads_record
    return not type(detector).__module__.startswith("incognote.")


def _only_stated(detector: Detector) -> bool:
    return isinstance(detector, StatedOnly) and detector.only_stated


def _runs(rules: DetectorRules) -> bool:
    """A weight of 0 switches a detector off, unless some label has a weight of its own.

    Arguing against others (SAFE) is no reason to run: who writes `weight = 0` means it.
    """
    by_label = (weight for label, weight in rules.weights.items() if label != SAFE)
    return rules.weight > 0 or any(by_label)


def _stops_run(error: BaseException) -> bool:
    """Whether an error is one of the policy or the call, and so of every document."""
    return isinstance(error, PolicyError | UsageError) and is_ours(error)


def failure(document_id: str, stage: str, error: BaseException) -> Failure:
    """An error that concerns one document."""
    if isinstance(error, DocumentError):
        stage = f"{stage}:{error.stage}" if error.stage not in stage else stage
    return Failure(document_id, stage, type(error).__name__, wording(error))


def with_detectors(policy: Policy, own: Mapping[str, Detector]) -> Policy:
    """The policy with a row for each ready-made detector that it does not weigh itself."""
    missing = {name: DetectorRules(use=_READY_MADE) for name in own if name not in policy.detectors}
    return replace(policy, detectors={**policy.detectors, **missing}) if missing else policy


def build_detector(name: str, rules: DetectorRules, threads: int = 0) -> Detector:
    """A detector as the policy wants it; bad options are errors before the first document."""
    kind: Any = load("detector", rules.use or name)
    takes_threads = threads and "threads" in inspect.signature(kind).parameters
    options = {"threads": threads, **rules.options} if takes_threads else rules.options
    try:
        detector: Detector = kind(**options)
    except TypeError:
        raise PolicyError(f"detectors.{name}.options: {_misfit(kind, rules.options)}") from None
    # Two copies of one component must be distinguished in weights and in `explain`.
    detector.name = name
    return detector


def preferred_batch(policy: Policy, own: Mapping[str, Detector]) -> int:
    """How many documents the detectors of a policy like to read at once; 0 if none cares. Only
    those that may care are built: most runs are one small file, and start-up counts."""
    asked: list[object] = list(own.values())
    for name, rules in policy.detectors.items():
        kind = load("detector", rules.use or name) if name not in own and _runs(rules) else None
        if hasattr(kind, "batch_documents"):
            asked.append(build_detector(name, rules))
    return max((each.batch_documents for each in asked if isinstance(each, Batching)), default=0)


def _misfit(kind: Any, options: Mapping[str, Any]) -> str:
    """Why a detector cannot be made of these options."""
    known = inspect.signature(kind).parameters
    if wrong := sorted(options.keys() - known.keys()):
        return f"not understood: {', '.join(wrong)}; known are: {', '.join(known)}"
    needed = (name for name, option in known.items() if option.default is option.empty)
    if missing := [name for name in needed if name not in options]:
        return f"missing: {', '.join(missing)}"
    return f"one of these has a value of the wrong type: {', '.join(sorted(options))}"
