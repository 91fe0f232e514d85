"""What a run needs and does not find, said before its first document rather than file by file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from typing import BinaryIO

from incognote.core.errors import MissingExtra, UsageError
from incognote.engine.sources import Source
from incognote.formats import HEAD, Format, format_named, format_of, told_by_name
from incognote.formats.base import DEEPEST, Demanding, Holding
from incognote.policy import FormatRules


def check_needs(sources: Iterable[Source], forced: str, rules: FormatRules) -> None:
    """A UsageError that names every missing extra and program; `forced` is the format of all files,
    if the user said so."""
    seen: set[str] = set()
    errors: list[UsageError] = []
    formats = [format_named(forced)] if forced else _formats(sources)
    for form in formats:
        if form.name not in seen:
            seen.add(form.name)
            try:
                if isinstance(form, Demanding):
                    form.require(rules)
            except UsageError as error:
                errors.append(error)
    if errors:
        raise _joined(errors)


def _formats(sources: Iterable[Source]) -> Iterator[Format]:
    """The formats of files and of what lies in them. What cannot be opened is passed over: it will
    be quarantined, with its reason."""
    for source in sources:
        if source.path:  # standard input can be read only once
            with suppress(Exception):
                yield from _formats_at(source.name, source.open)


def _formats_at(
    name: str, opened: Callable[[], AbstractContextManager[BinaryIO]], depth: int = 0
) -> Iterator[Format]:
    """By their names where these say enough, else by their first bytes."""
    form = told_by_name(name)
    if form is not None and not isinstance(form, Holding):
        yield form
        return
    with opened() as stream:
        form = form or format_of(name, stream.read(HEAD))
        yield form
        if isinstance(form, Holding) and depth < DEEPEST:
            stream.seek(0)
            for member, within in form.members(stream, name):
                with suppress(Exception):
                    yield from _formats_at(member, within, depth + 1)


def _joined(errors: list[UsageError]) -> UsageError:
    if len(errors) == 1:
        return errors[0]
    extras = sorted({error.extra for error in errors if isinstance(error, MissingExtra)})
    said = [str(error) for error in errors if not isinstance(error, MissingExtra)]
    if extras:
        said.append(str(MissingExtra("what lies there", ",".join(extras))))
    return UsageError("; ".join(said))
