"""What a run needs and does not find, said before its first document rather than file by file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from incognote.core.errors import MissingExtra, ReadError, UsageError
from incognote.engine.sources import Source
from incognote.formats import HEAD, Format, format_named, format_of, told_by_name
from incognote.formats.base import Demanding
from incognote.policy import FormatRules


def check_needs(sources: Iterable[Source], forced: str, rules: FormatRules) -> None:
    """A UsageError that names every missing extra and program; `forced` is the format of all files,
    if the user said so. What lies in archives shows only when they are opened."""
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
    """The formats of files, by their names where these say enough, else by their first bytes."""
    for source in sources:
        if form := told_by_name(source.name):
            yield form
        elif source.path:
            try:
                with source.path.open("rb") as stream:
                    yield format_of(source.name, stream.read(HEAD))
            except (OSError, ReadError):
                continue  # it will be quarantined, with its reason


def _joined(errors: list[UsageError]) -> UsageError:
    if len(errors) == 1:
        return errors[0]
    extras = sorted({error.extra for error in errors if isinstance(error, MissingExtra)})
    said = [str(error) for error in errors if not isinstance(error, MissingExtra)]
    if extras:
        said.append(str(MissingExtra("what lies there", ",".join(extras))))
    return UsageError("; ".join(said))
