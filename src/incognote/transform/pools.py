"""Lists of a site that surrogates are taken from instead of ours: `[transform.pools]`.

A list has one value in a line, the most frequent first; lines that begin with "#" are comments.
"""

from __future__ import annotations

from pathlib import Path

from incognote.core.caches import cached
from incognote.core.errors import PolicyError
from incognote.policy import TransformRules
from incognote.transform.record import TransformRecord
from incognote.transform.spelling import fold

POOLS = ("family", "given", "female", "male", "city", "street", "institution", "profession")
_FEWEST = 2


def check_pools(rules: TransformRules) -> None:
    """Bad names and files are errors before the first document is read."""
    for name, path in rules.pools.items():
        if name not in POOLS:
            raise PolicyError(f"transform.pools.{name}: must be one of {', '.join(POOLS)}")
        try:
            values = _values(path)
        except (OSError, UnicodeDecodeError):
            raise PolicyError(f"transform.pools.{name}: cannot read {path}") from None
        if len(values) < _FEWEST:
            raise PolicyError(f"transform.pools.{name}: {path} has fewer than {_FEWEST} values")


@cached(64)
def _values(path: str) -> tuple[str, ...]:
    lines = Path(path).read_text("utf-8").splitlines()
    values = (line.strip() for line in lines if not line.startswith("#"))
    return tuple(dict.fromkeys(value for value in values if value))


@cached(64)
def _ranks(path: str) -> dict[str, int]:
    return {fold(value): rank for rank, value in enumerate(_values(path))}


def from_pool(name: str, folded: str, record: TransformRecord) -> str | None:
    """The surrogate of a value from a list of the site: its image in the list, or a keyed choice
    from it for a value that it does not hold. None where there is no such list."""
    path = record.rules.pools.get(name)
    if path is None:
        return None
    values, rank = _values(path), _ranks(path).get(folded)
    if rank is None:
        return record.chose(record.scope.draws.pick(values, f"POOL {name}", folded))
    return record.chose(values[record.scope.permuted(f"pool:{name}", len(values), rank)])
