"""In which order notes are annotated: where the ensemble's members differ most, first.

A fifth of the notes comes at random all the same, a patient has at most two notes in a batch, and
notes set aside for measuring are spread evenly between the others, in random order.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

DOUBT, RANDOM, AS_IMPORTED = "doubt", "random", "as imported"
ORDERINGS = (DOUBT, RANDOM, AS_IMPORTED)
PER_PATIENT = 2
AT_RANDOM = 5  # one note in five


@dataclass(frozen=True, slots=True)
class Waiting:
    """A note without annotation. `twin` is the same for near-duplicates."""

    id: int
    patient: str
    doubt: float
    draw: float
    twin: str = ""


def order(notes: Sequence[Waiting], ordering: str, batch: int = 20) -> list[int]:
    """The notes' ids, the first to annotate first."""
    if ordering == AS_IMPORTED:
        return [note.id for note in sorted(notes, key=lambda note: note.id)]
    by_draw = sorted(notes, key=lambda note: (note.draw, note.id))
    if ordering == RANDOM:
        return [note.id for note in by_draw]
    return _by_doubt(by_draw, batch)


def _by_doubt(by_draw: Sequence[Waiting], batch: int) -> list[int]:
    by_doubt = deque(sorted(by_draw, key=lambda note: (-note.doubt, note.draw, note.id)))
    at_random = deque(by_draw)
    placed: dict[int, None] = {}
    in_batch: Counter[str] = Counter()
    twins: set[str] = set()
    later: list[Waiting] = []

    def fits(note: Waiting) -> bool:
        crowded = bool(note.patient) and in_batch[note.patient] >= PER_PATIENT
        return not crowded and not (note.twin and note.twin in twins)

    while len(placed) < len(by_draw):
        if len(placed) % batch == 0:
            in_batch.clear()
            twins.clear()
            by_doubt.extendleft(reversed(later))
            later = []
        queue = at_random if len(placed) % AT_RANDOM == AT_RANDOM - 1 else by_doubt
        note = _next(queue, placed)
        if note is None:
            # What was put off is all that is left: a full batch comes before variety.
            rest = [each for each in later if each.id not in placed]
            if not rest:
                note = _next(at_random, placed)
                if note is None:
                    break
            else:
                note, later = rest[0], rest[1:]
        elif not fits(note) and queue is by_doubt:
            later.append(note)
            continue
        placed[note.id] = None
        in_batch[note.patient] += 1
        if note.twin:
            twins.add(note.twin)
    return list(placed)


def _next(queue: deque[Waiting], placed: dict[int, None]) -> Waiting | None:
    while queue:
        note = queue.popleft()
        if note.id not in placed:
            return note
    return None


def woven(learn: Sequence[int], measure: Iterable[int]) -> list[int]:
    """Measuring notes spread evenly between the others, so that both sets grow together."""
    rest = list(measure)
    total = len(learn) + len(rest)
    if not rest or not learn:
        return [*learn, *rest]
    found: list[int] = []
    step = total / len(rest)
    at_learn = at_measure = 0
    for position in range(total):
        due = at_measure < len(rest) and position >= at_measure * step
        if due or at_learn >= len(learn):
            found.append(rest[at_measure])
            at_measure += 1
        else:
            found.append(learn[at_learn])
            at_learn += 1
    return found


def doubt(words: int, disputed: int, uncertain: float = 0.0) -> float:
    """The share of words on which the ensemble's members differ, plus the mean uncertainty of what
    its learned members claim."""
    return (disputed / words if words else 0.0) + uncertain
