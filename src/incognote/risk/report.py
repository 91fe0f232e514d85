"""Everything that can be measured of a release, in one report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from incognote import __version__
from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument, Span
from incognote.risk.classes import THRESHOLD, largest_risk
from incognote.risk.diversity import Diversity
from incognote.risk.leaks import Leaks, aligned
from incognote.risk.lines import Line, overall
from incognote.risk.parrot import Attack, Marked, strongest
from incognote.risk.singling import Singling

LEAKING_NOTES, RECOGNISABLE = 0.05, 0.05


@dataclass(frozen=True, slots=True)
class Limits:
    """What a committee asks for. 0.09, read as classes of eleven, is that of EMA Policy 0070 and
    Health Canada's PRCI; the others have no authority behind them and are yours to set."""

    threshold: float = THRESHOLD
    k: int = 11
    leaking_notes: float = LEAKING_NOTES
    recognisable: float = RECOGNISABLE
    l: int | None = None  # noqa: E741 - the name in the literature
    t: float | None = None

    def __post_init__(self) -> None:
        if self.k < 1 or (self.l is not None and self.l < 1):
            raise UsageError("k and l must be at least 1")
        for share in (self.threshold, self.leaking_notes, self.recognisable):
            if not 0 < share <= 1:
                raise UsageError("thresholds must lie above 0 and at most at 1")
        if self.t is not None and not 0 <= self.t <= 1:
            raise UsageError("t must lie between 0 and 1")


@dataclass(frozen=True, slots=True)
class Report:
    limits: Limits
    singling: Singling | None = None
    leaks: Leaks | None = None
    attacks: tuple[Attack, ...] = ()
    diversity: Diversity | None = None
    utility: Mapping[str, Any] | None = None
    spent: tuple[float, float] | None = None
    made: Mapping[str, Any] = field(default_factory=dict)
    subjects: Mapping[str, str] = field(default_factory=dict)
    why: Mapping[str, str] = field(default_factory=dict)
    # Of a table: the columns that are neither quasi-identifiers nor sensitive. None for notes.
    columns_not_measured: tuple[str, ...] | None = None

    @property
    def recognisable_bound(self) -> float | None:
        """Leaks that an attacker recognises: bound on leaking notes times bound on detection, both
        at 97.5 %, so that both hold at 95 %."""
        if self.leaks is None or not self.attacks:
            return None
        from incognote.evaluate.confidence import upper_bound

        best = strongest(self.attacks)
        detection = best.detection_bound() if best else 1.0
        return upper_bound(self.leaks.leaking, self.leaks.notes, 0.975) * detection

    def lines(self) -> list[Line]:
        return [*self._content(), *self._classes()]

    def _content(self) -> list[Line]:
        """What is left in the words of notes, or in the other columns of a table."""
        limits, found = self.limits, []
        if (columns := self.columns_not_measured) is not None:
            name = "columns that were not measured"
            return [Line(name, "any reader", float(len(columns)), 0.0, why=", ".join(columns))]
        no_gold = self.why.get("leaks", "no annotated sample was given (--gold)")
        leaks = self.leaks
        random = "" if leaks is None or leaks.random_sample else "the sample was not random"
        usable = leaks if leaks is not None and leaks.random_sample else None
        found.append(
            Line(
                "notes that leak, upper bound at 95 %",
                "any reader",
                usable.notes_bound if usable else None,
                limits.leaking_notes,
                why=no_gold if leaks is None else random,
            )
        )
        found.append(
            Line(
                "notes with a leak that an attacker recognises, upper bound",
                "parrot attack",
                self.recognisable_bound if usable else None,
                limits.recognisable,
                why=self.why.get("parrot", no_gold if leaks is None else random),
            )
        )
        return found

    def _classes(self) -> list[Line]:
        """Who can be singled out, and what a class gives away."""
        limits, found = self.limits, []
        single = self.singling
        nobody = "no person could be told from another"
        if single is not None and single.why:
            nobody, single = single.why, None
        found.append(
            Line(
                "smallest class of persons",
                "prosecutor",
                float(single.worst.smallest) if single else None,
                float(limits.k),
                at_least=True,
                why="" if single else nobody,
            )
        )
        for name, part in (
            ("prosecutor", "maximum"),
            ("journalist", "maximum"),
            ("marketer", "average"),
        ):
            risk = next((r for r in single.risks if r.attacker == name), None) if single else None
            value = None if risk is None else risk.largest if part == "maximum" else risk.average
            allowed = largest_risk(limits.threshold)
            found.append(Line(f"{part} risk", name, value, allowed, why="" if single else nobody))
        diverse = self.diversity if single else None
        unnamed = (
            "" if diverse else nobody if self.diversity else "no sensitive attribute was named"
        )
        if limits.l is not None:
            value = float(diverse.l) if diverse else None
            found.append(Line("distinct l", "", value, float(limits.l), at_least=True, why=unnamed))
        if limits.t is not None:
            found.append(Line("t", "", diverse.t if diverse else None, limits.t, why=unnamed))
        return found

    def as_dict(self) -> dict[str, Any]:
        lines = [line.as_dict() for line in self.lines()]
        return {
            "program": {"name": "incognote", "version": __version__},
            "measured": datetime.now(UTC).isoformat(timespec="seconds"),
            "status": overall(lines),
            "lines": lines,
            "leaks": self.leaks.as_dict() if self.leaks else None,
            "parrot": [each.as_dict() for each in self.attacks],
            "recognisable_bound": self.recognisable_bound,
            "singling_out": self.singling.as_dict() if self.singling else None,
            "diversity": self.diversity.as_dict() if self.diversity else None,
            "columns_not_measured": None
            if self.columns_not_measured is None
            else list(self.columns_not_measured),
            "utility": dict(self.utility) if self.utility else None,
            "differential_privacy": None
            if self.spent is None
            else {"epsilon": self.spent[0], "delta": self.spent[1]},
            "made": dict(self.made),
            "subjects": dict(self.subjects),
        }


def marked_notes(gold: Sequence[AnnotatedDocument], outputs: Mapping[str, str]) -> list[Marked]:
    """The released notes of a sample with everything in them that looks like PHI: surrogates and
    leaks, both known to us."""
    found = []
    for note in gold:
        places = aligned(note, note.spans, outputs[note.id])
        spans = [(Span(p.start, p.end, p.span.label), p.leaked) for p in places]
        found.append(
            Marked(
                note.id,
                outputs[note.id],
                tuple(span for span, _ in spans),
                frozenset(span for span, leaked in spans if leaked),
                note.document.patient_id or "",
            )
        )
    return found
