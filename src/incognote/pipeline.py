"""The pipeline: the only place that knows the order.

    Document -> views -> candidates of every detector -> spans -> replacements -> Result

It is batch first and fails closed: whatever goes wrong with a document turns into a Failure that
names the stage and the type of the error, and the rest of the batch goes on. Only what is wrong
with the policy itself, and so with every document, stops the run.
"""

from __future__ import annotations

import inspect
import secrets
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from incognote.core.errors import (
    DetectError,
    DocumentError,
    LanguageError,
    PolicyError,
    UsageError,
    wording,
)
from incognote.core.labels import SAFE
from incognote.core.registry import load
from incognote.core.types import Detector, Document, Failure, Result, Span, View
from incognote.policy import DetectorRules, Policy, load_policy
from incognote.prepare import prepare
from incognote.resolve import check_rules, resolve

if TYPE_CHECKING:
    from incognote.transform import Originals, Transformer

# What a detector that reads no words says of the languages it serves.
EVERY_LANGUAGE = "*"
# Cells and codes stand in a table thousands of times: what was found in them is remembered.
_SHORT = 100
_REMEMBERED = 4096


@dataclass(slots=True)
class _Job:
    """A document on its way through the stages."""

    document: Document
    views: list[View] = field(default_factory=list)
    candidates: list[Span] = field(default_factory=list)
    failure: Failure | None = None
    recalled: bool = False

    def fail(self, stage: str, error: Exception) -> None:
        self.failure = failure(self.document.id, stage, error)


class Pipeline:
    """A policy made runnable. Detectors load their data at the first document."""

    def __init__(
        self,
        policy: Policy | str | None = None,
        key: bytes | None = None,
        originals: Originals | None = None,
    ) -> None:
        """`originals` are what a first pass over the corpus found, for surrogates to avoid."""
        self.policy = load_policy() if policy is None else load_policy(policy)
        # Without a key from outside, surrogates are consistent within this pipeline only.
        self._key = key if key is not None else secrets.token_bytes(32)
        self._originals = originals
        check_rules(self.policy.resolve)
        self.detectors: tuple[Detector, ...] = tuple(
            build_detector(name, rules)
            for name, rules in sorted(self.policy.detectors.items())
            if _runs(rules)
        )
        self._remembers = not any(map(_reads_record, self.detectors))
        self._memory: dict[str, tuple[list[View], list[Span]]] = {}

    @cached_property
    def transformer(self) -> Transformer:
        from incognote.transform import Transformer

        return Transformer(self.policy, self._key, self._originals)

    def detect(self, documents: Sequence[Document]) -> list[Result | Failure]:
        """The spans of each document, in order."""
        jobs = [self._recall(document) or self._prepare(document) for document in documents]
        fresh = [job for job in jobs if not job.recalled]
        self._annotate_all([job for job in fresh if job.failure is None])
        self._remember(fresh)
        return [self._resolve(job) for job in jobs]

    def deid(self, documents: Sequence[Document]) -> list[Result | Failure]:
        """The new text of each document, in order."""
        return [
            outcome if isinstance(outcome, Failure) else self._transform(outcome)
            for outcome in self.detect(documents)
        ]

    def _recall(self, document: Document) -> _Job | None:
        """A short text that was read before, in whatever document."""
        if not document.free_text or len(document.text) > _SHORT:
            return None
        found = self._memory.get(document.text)
        return _Job(document, *found, recalled=True) if found else None

    def _remember(self, jobs: Sequence[_Job]) -> None:
        for job in jobs if self._remembers else ():
            if job.failure is None and job.document.free_text and len(job.document.text) <= _SHORT:
                if len(self._memory) >= _REMEMBERED:
                    self._memory.clear()
                self._memory[job.document.text] = job.views, job.candidates

    def _prepare(self, document: Document) -> _Job:
        job = _Job(document)
        try:
            # Where the source states what a whole field is, there is nothing to look for.
            if document.free_text:
                job.views = prepare(document, self.policy.prepare)
                self._check_language(job.views)
        except (PolicyError, UsageError):
            raise
        except Exception as error:  # noqa: BLE001 - fail closed: any error means quarantine
            job.fail("prepare", error)
        return job

    def _annotate_all(self, jobs: list[_Job]) -> None:
        """Detectors that wait for a server are asked all at once, while the others work here."""
        away = [detector for detector in self.detectors if getattr(detector, "waits", False)]
        with ThreadPoolExecutor(max(1, len(away))) as pool:
            asked = [pool.submit(self._annotate_copies, detector, jobs) for detector in away]
            for detector in self.detectors:
                if detector not in away:
                    self._annotate(detector, [job for job in jobs if job.failure is None])
            # In the order of the detectors, not of their answers: a failure names the same one.
            for answer in asked:
                for job, answered in zip(jobs, answer.result(), strict=True):
                    job.candidates += answered.candidates
                    job.failure = job.failure or answered.failure

    def _annotate_copies(self, detector: Detector, jobs: list[_Job]) -> list[_Job]:
        copies = [_Job(job.document, job.views) for job in jobs]
        self._annotate(detector, copies)
        return copies

    def _annotate(self, detector: Detector, jobs: list[_Job]) -> None:
        stage = f"detect:{detector.name}"
        asked = [
            (job, view)
            for job in jobs
            for view in job.views
            if not detector.languages.isdisjoint({view.language, EVERY_LANGUAGE})
        ]
        if not asked:
            return
        try:
            found = ask(detector, [view for _, view in asked])
        except (PolicyError, UsageError):
            raise
        except Exception as error:  # noqa: BLE001
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
        try:
            settled = resolve(job.document, job.candidates, self.policy, job.views)
        except Exception as error:  # noqa: BLE001
            return failure(job.document.id, "resolve", error)
        unread = tuple(sorted({place for view in job.views for place in view.unread}))
        return Result(job.document, settled.spans, settled.dropped, unread=unread)

    def _transform(self, detected: Result) -> Result | Failure:
        try:
            result = self.transformer.apply(detected.document, detected.spans)
        except Exception as error:  # noqa: BLE001
            return failure(detected.document.id, "transform", error)
        return replace(result, dropped=detected.dropped, unread=detected.unread)


def ask(detector: Detector, views: list[View]) -> list[list[Span]]:
    """One answer for each view, or an error: a missing answer would pass for "nothing found"."""
    found = detector.detect(views)
    if len(found) != len(views):
        raise DetectError(f"answered {len(found)} of {len(views)} views")
    return found


def _reads_record(detector: Detector) -> bool:
    """Whether a detector reads more of a document than its text: then equal texts may differ.

    It says so itself; of detectors from elsewhere that say nothing it is taken for granted.
    """
    foreign = not type(detector).__module__.startswith("incognote.")
    return bool(getattr(detector, "reads_record", foreign))


def _runs(rules: DetectorRules) -> bool:
    """A weight of 0 switches a detector off, unless some label has a weight of its own.

    Arguing against others (SAFE) is no reason to run: who writes `weight = 0` means it.
    """
    by_label = (weight for label, weight in rules.weights.items() if label != SAFE)
    return rules.weight > 0 or any(by_label)


def failure(document_id: str, stage: str, error: Exception) -> Failure:
    """An error that concerns one document."""
    if isinstance(error, DocumentError):
        stage = f"{stage}:{error.stage}" if error.stage not in stage else stage
    return Failure(document_id, stage, type(error).__name__, wording(error))


def build_detector(name: str, rules: DetectorRules) -> Detector:
    """A detector as the policy wants it; bad options are errors before the first document."""
    kind: Any = load("detector", rules.use or name)
    try:
        detector: Detector = kind(**rules.options)
    except TypeError:
        raise PolicyError(f"detectors.{name}.options: {_misfit(kind, rules.options)}") from None
    # Two copies of one component must be told apart in weights and in `explain`.
    detector.name = name
    return detector


def _misfit(kind: Any, options: Mapping[str, Any]) -> str:
    """Why a detector cannot be made of these options."""
    known = inspect.signature(kind).parameters
    if wrong := sorted(options.keys() - known.keys()):
        return f"not understood: {', '.join(wrong)}; known are: {', '.join(known)}"
    needed = (name for name, option in known.items() if option.default is option.empty)
    if missing := [name for name in needed if name not in options]:
        return f"missing: {', '.join(missing)}"
    return f"one of these has a value of the wrong type: {', '.join(sorted(options))}"
