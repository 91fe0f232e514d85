"""Files through the whole pipeline, in memory, under a policy that ships."""

from __future__ import annotations

import io
from functools import cache

from incognote.core.types import Failure
from incognote.formats import HEAD, format_of
from incognote.pipeline import Pipeline
from incognote.policy import DEFAULT, load_policy

KEY = b"a key that only these tests have"
PRESETS = (
    "everything", "fast", "group-a", "group-b", "group-c", "group-d", "hipaa-safe-harbor",
    "i2b2-2014", "limited-data-set", "rules",
)  # fmt: skip


@cache
def pipeline(policy: str = DEFAULT) -> Pipeline:
    return Pipeline(load_policy(policy), KEY)


def deidentified(data: bytes | str, name: str, policy: str = DEFAULT) -> bytes:
    """What `deid` writes; a failure of any part is an error."""
    data = data.encode() if isinstance(data, str) else data
    pipe, out = pipeline(policy), b""
    for record in format_of(name, data[:HEAD]).read(io.BytesIO(data), name, pipe.policy.formats):
        assert not isinstance(record, Failure), record
        results = pipe.deid(record.documents)
        assert not [each for each in results if isinstance(each, Failure)]
        out += record.render(results)
    return out
