"""`incognote anonymize`: a table of people with every class as large as asked for."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incognote.cli import DONE
from incognote.cli.options import add_key, key_from, show_pairs
from incognote.cli.release.tables import (
    add_hierarchies,
    add_person,
    add_table,
    hierarchies_from,
    names_in,
    read_people,
)
from incognote.core.errors import UsageError

if TYPE_CHECKING:
    from incognote.anonymize import Anonymous, Conditions, Hierarchy
    from incognote.anonymize.release import Release

_STREAM = "-"


def configure(parser: argparse.ArgumentParser) -> None:
    add_table(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        default=_STREAM,
        help="table to write, with OUT.release.json beside it (default: CSV to standard output); "
        "for a view, a folder",
    )
    group = parser.add_argument_group("which attributes")
    group.add_argument(
        "--quasi", metavar="A,B", default="", help="quasi-identifiers: what an attacker may know"
    )
    group.add_argument(
        "--sensitive", metavar="A", help="sensitive attribute: what an attacker wants to learn"
    )
    group.add_argument(
        "--keep",
        metavar="A,B",
        default="",
        help="other columns to copy as they are; those that are not named are left out",
    )
    add_person(group)
    add_hierarchies(group)
    group = parser.add_argument_group("what every class must fulfil")
    group.add_argument(
        "--k", metavar="K", type=int, default=11, help="persons in a class (default: %(default)s)"
    )
    group.add_argument(
        "--l", metavar="L", type=float, default=0, help="sensitive values in a class"
    )
    group.add_argument(
        "--diversity",
        choices=("distinct", "entropy", "recursive"),
        default="distinct",
        help="how l is counted (default: %(default)s)",
    )
    group.add_argument(
        "--c", metavar="C", type=float, default=3.0, help="factor of recursive (c, l)-diversity"
    )
    group.add_argument(
        "--t", metavar="T", type=float, help="t-closeness of the sensitive attribute"
    )
    group = parser.add_argument_group("how")
    group.add_argument(
        "--recoding",
        choices=("strict", "relaxed", "global"),
        default="strict",
        help="Mondrian, strict or relaxed, or one level for each attribute (default: %(default)s)",
    )
    group.add_argument(
        "--suppression",
        metavar="SHARE",
        type=float,
        default=0.02,
        help="with --recoding global: rows that may be left out (default: %(default)s)",
    )
    group.add_argument(
        "--apply",
        metavar="RELEASE",
        type=Path,
        help="use the levels of an earlier release with global recoding, and check the result",
    )
    add_key(group)
    parser.add_argument("--quiet", action="store_true", help="no summary")


def run(args: argparse.Namespace) -> int:
    from incognote.anonymize.table import check_persons

    given = (args.quasi, args.sensitive, args.hierarchy, args.l, args.t is not None)
    if args.apply and any(given):
        raise UsageError("with --apply, attributes, hierarchies and conditions are the release's")
    if args.input.is_dir():
        return _of_view(args)
    data = read_people(args.input)
    check_persons(data, args.person)
    keep = names_in(args.keep)
    release, columns = _anonymized(args, data, keep)
    _write(args.output, columns)
    if args.output != _STREAM:
        release.write(Path(f"{args.output}.release.json"))
    if not args.quiet:
        print_utility(release)
    return DONE


def _of_view(args: argparse.Namespace) -> int:
    from incognote.anonymize.release import Release
    from incognote.persons.view import read_view
    from incognote.persons.write_back import (
        default_hierarchies,
        default_quasi,
        default_sensitive,
        table_of,
        write_anonymous,
    )

    if args.output == _STREAM:
        raise UsageError("an anonymised view is a folder: name it with -o")
    view = read_view(args.input)
    if args.apply:
        earlier = Release.read(args.apply)
        anonymous, release = applied(earlier, table_of(view, earlier.quasi, earlier.sensitive))
    else:
        quasi = names_in(args.quasi) or default_quasi(view)
        if args.sensitive is None and (args.l or args.t is not None):
            args.sensitive = default_sensitive(view)
        data = table_of(view, quasi, args.sensitive)
        anonymous, release = anonymized(args, data, quasi, default_hierarchies(quasi))
    write_anonymous(args.input, Path(args.output), view, anonymous, release)
    if not args.quiet:
        print_utility(release)
    return DONE


def _anonymized(
    args: argparse.Namespace, data: Mapping[str, Sequence[Any]], keep: Sequence[str]
) -> tuple[Release, dict[str, Sequence[Any]]]:
    from incognote.anonymize.release import Release

    if args.apply:
        anonymous, release = applied(Release.read(args.apply), data)
    else:
        anonymous, release = anonymized(args, data, names_in(args.quasi))
    chosen = [*([release.sensitive] if release.sensitive else []), *keep]
    for name in chosen:
        if name not in data:
            raise UsageError(f"the table has no column {name!r}; it has {', '.join(data)}")
        if name in anonymous.quasi:
            raise UsageError(f"{name}: a quasi-identifier cannot be kept as it is")
    kept = [row for row, hidden in enumerate(anonymous.suppressed.tolist()) if not hidden]
    columns: dict[str, Sequence[Any]] = {}
    for name, texts in anonymous.columns().items():
        columns[name] = [texts[row] for row in kept]
    for name in dict.fromkeys(chosen):
        columns[name] = [data[name][row] for row in kept]
    return release, columns


def applied(earlier: Release, data: Mapping[str, Sequence[Any]]) -> tuple[Anonymous, Release]:
    """New data at the levels of an earlier release, and the record of it."""
    from incognote.anonymize.release import Release

    anonymous = earlier.apply(data)
    hierarchies = hierarchies_of(earlier)
    return anonymous, Release.of(anonymous, earlier.sensitive, hierarchies, earlier.suppression)


def anonymized(
    args: argparse.Namespace,
    data: Mapping[str, Sequence[Any]],
    quasi: Sequence[str],
    ready: Mapping[str, Hierarchy] | None = None,
) -> tuple[Anonymous, Release]:
    """The table as the options want it, and the record of how."""
    from incognote.anonymize import Conditions, full_domain, mondrian
    from incognote.anonymize.release import Release

    conditions = Conditions(args.k, args.l, args.diversity, args.c, args.t)
    hierarchies = {**(ready or {}), **hierarchies_from(args.hierarchy)}
    if args.recoding == "global":
        anonymous = full_domain(
            data,
            quasi,
            hierarchies=_with_shipped(hierarchies, quasi),
            conditions=conditions,
            sensitive=args.sensitive,
            suppression=args.suppression,
        )
        hierarchies = _with_shipped(hierarchies, quasi)
        return anonymous, Release.of(anonymous, args.sensitive, hierarchies, args.suppression)
    anonymous = mondrian(
        data,
        quasi,
        conditions=conditions,
        sensitive=args.sensitive,
        hierarchies=hierarchies,
        mode=args.recoding,
        # Only ties of relaxed recoding are broken with it.
        key=key_from(args) if args.recoding == "relaxed" else b"",
    )
    return anonymous, Release.of(anonymous, args.sensitive, hierarchies)


def _with_shipped(
    hierarchies: Mapping[str, Hierarchy], quasi: Sequence[str]
) -> dict[str, Hierarchy]:
    """Global recoding needs a hierarchy for each attribute: those that ship fill the gaps."""
    from incognote.anonymize.shipped import hierarchy_for

    found = dict(hierarchies)
    for name in quasi:
        if name not in found and (ready := hierarchy_for(name)):
            found[name] = ready
    return found


def hierarchies_of(release: Release) -> dict[str, Hierarchy]:
    from incognote.anonymize.shipped import from_spec

    return {name: from_spec(name, spec) for name, spec in release.hierarchies.items()}


def _write(output: str, columns: Mapping[str, Sequence[Any]]) -> None:
    from incognote.anonymize.table import cells_of

    if output == _STREAM:
        writer = csv.writer(sys.stdout)
        writer.writerow(columns)
        writer.writerows(cells_of(columns))
        return
    path = Path(output)
    if path.suffix.lower() in (".parquet", ".pq"):
        from incognote.anonymize.table import write_parquet

        write_parquet(path, columns)
        return
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(cells_of(columns))


def print_utility(release: Release) -> None:
    """What the release cost, to standard error: the table itself may go to standard output."""
    table: Mapping[str, Any] = release.utility
    conditions = release.conditions
    pairs = [("recoding", release.recoding), ("quasi-identifiers", ", ".join(release.quasi))]
    if release.levels:
        levels = zip(release.quasi, release.levels, strict=True)
        pairs.append(("levels", ", ".join(f"{name} {level}" for name, level in levels)))
    pairs.append(("asked for", asked_for(conditions, release.sensitive)))
    pairs.append(("persons", f"{table['rows']:,}, {table['suppressed']:,} of them suppressed"))
    for name, title in (
        ("smallest_class", "smallest class"),
        ("average_class_size", "average class"),
        ("discernibility", "discernibility"),
        ("ncp", "NCP"),
        ("loss", "Loss (ARX)"),
    ):
        pair = table[name]
        pairs.append((title, f"{pair['before']:,} before, {pair['after']:,} after"))
    show_pairs(pairs)


def asked_for(conditions: Conditions, sensitive: str | None) -> str:
    parts = [f"k = {conditions.k}"]
    if conditions.l > 1:
        parts.append(f"l = {conditions.l:g} ({conditions.diversity}) of {sensitive}")
    if conditions.t is not None:
        parts.append(f"t = {conditions.t:g} of {sensitive}")
    return ", ".join(parts)
