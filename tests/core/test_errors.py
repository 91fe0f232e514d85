"""Whose messages may be shown."""

from __future__ import annotations

from dataclasses import dataclass

from incognote.core.errors import UsageError, wording
from incognote.corpus.sample import SampleSize


def _raised(make: object) -> UsageError:
    try:
        make()  # type: ignore[operator]
    except UsageError as error:
        # Only the frames below count: the test itself is code of others.
        return error.with_traceback(error.__traceback__.tb_next.tb_next)  # type: ignore[union-attr]
    raise AssertionError


def test_what_a_dataclass_of_ours_refuses_is_said() -> None:
    assert wording(_raised(lambda: SampleSize(0))) == "a sample has at least one note"


@dataclass
class Foreign:
    note: str

    def __post_init__(self) -> None:
        raise UsageError(self.note)


def test_what_a_dataclass_of_others_says_is_not() -> None:
    assert "Okonkwo" not in wording(_raised(lambda: Foreign("Mrs. Okonkwo")))
