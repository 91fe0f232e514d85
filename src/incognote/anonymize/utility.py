"""How much a table lost by being made anonymous.

NCP              normalised certainty penalty: the share of its domain that a published value spans,
                 0 for an exact one, 1 for "*" or a suppressed row; averaged over cells
discernibility   the sum over classes of the squared size; a suppressed row counts all rows
class size       rows by classes, suppressed rows being one class
Loss             as ARX defines it: the share of the domain's values that a published value covers,
                 scaled so that an exact value costs 0
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from incognote.anonymize.axes import Axis
from incognote.anonymize.table import Ints

if TYPE_CHECKING:
    from incognote.anonymize.result import Released


@dataclass(frozen=True, slots=True)
class Utility:
    rows: int
    classes: int
    suppressed: int
    smallest: int
    ncp: float
    discernibility: int
    class_size: float
    loss: tuple[float, ...]
    before: tuple[int, int, float]  # smallest class, discernibility, class size of the input

    @classmethod
    def of(cls, axes: Sequence[Axis], classes: Ints, released: Sequence[Released]) -> Utility:
        rows = len(classes)
        kept = classes[classes >= 0]
        sizes = np.bincount(kept) if len(kept) else np.zeros(0, np.int64)
        suppressed = rows - len(kept)
        loss = []
        penalty = 0.0
        for axis, each in zip(axes, released, strict=True):
            penalty += float(np.dot(sizes, np.asarray(each.penalties))) + suppressed
            share = (float(np.dot(sizes, np.asarray(each.shares))) + suppressed) / rows
            loss.append(scaled(share, axis.domain))
        return cls(
            rows=rows,
            classes=len(sizes),
            suppressed=suppressed,
            smallest=int(sizes.min()) if len(sizes) else 0,
            ncp=penalty / (rows * len(axes)),
            discernibility=int((sizes**2).sum()) + suppressed * rows,
            class_size=rows / max(1, len(sizes) + (suppressed > 0)),
            loss=tuple(loss),
            before=_before(axes),
        )

    def as_dict(self) -> dict[str, object]:
        smallest, discernibility, size = self.before
        return {
            "rows": self.rows,
            "classes": self.classes,
            "suppressed": self.suppressed,
            "smallest_class": {"before": smallest, "after": self.smallest},
            "ncp": {"before": 0.0, "after": round(self.ncp, 6)},
            "discernibility": {"before": discernibility, "after": self.discernibility},
            "average_class_size": {"before": round(size, 4), "after": round(self.class_size, 4)},
            "loss": {
                "before": 0.0,
                "after": round(sum(self.loss) / len(self.loss), 6),
                "by_attribute": [round(each, 6) for each in self.loss],
            },
        }


def scaled(share: float, domain: int) -> float:
    """A share of the domain, with that of an exact value as 0."""
    least = 1 / domain
    return max(0.0, (share - least) / (1 - least)) if domain > 1 else 0.0


def _before(axes: Sequence[Axis]) -> tuple[int, int, float]:
    from incognote.anonymize.grouping import group

    sizes = np.bincount(group([axis.codes for axis in axes]))
    return int(sizes.min()), int((sizes**2).sum()), float(sizes.mean())
