"""Regular expressions that come from a user, on an engine that cannot hang.

RE2 runs in time linear in the text, whatever the pattern; what it cannot guarantee that for (a
look-behind, a back-reference) it refuses, and so do we, before the first document.
"""

from __future__ import annotations

from typing import Any

from incognote.core.caches import cached
from incognote.core.errors import PolicyError


@cached(1024)
def compile_pattern(pattern: str, where: str, ignore_case: bool = False) -> Any:
    """The compiled pattern; `where` is the policy path that an error names."""
    import re2

    options = re2.Options()
    options.case_sensitive = not ignore_case
    options.log_errors = False
    try:
        return re2.compile(pattern, options=options)
    except re2.error as error:
        why = error.args[0]
        why = why.decode() if isinstance(why, bytes) else why
        raise PolicyError(f"{where}: not a regular expression RE2 can run: {why}") from None
