"""`incognote risk`: how likely somebody in a release is to be found, for stated attackers."""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import defaultdict
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incognote.cli import DONE, QUARANTINED
from incognote.cli.options import (
    add_fields,
    add_policy,
    add_running,
    settings_from,
    show_failures,
    show_pairs,
)
from incognote.cli.release.anonymize import names_in
from incognote.core.errors import UsageError
from incognote.core.types import Failure, Result

if TYPE_CHECKING:
    from incognote.risk.measure import Limits, Report

_TABLES = (".csv", ".tsv", ".parquet", ".pq")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "input",
        metavar="OUT",
        help="the release: notes that `deid` wrote, or (with --quasi) a table of people",
    )
    parser.add_argument(
        "--format", metavar="NAME", default="", help="read every file as this format"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="REPORT",
        type=Path,
        required=True,
        help="folder for risk.html and risk.json",
    )
    group = parser.add_argument_group("what is known of the release")
    group.add_argument(
        "--gold",
        metavar="FILE",
        type=Path,
        help="a sample of the originals with every PHI marked, for leaks and the parrot attack",
    )
    group.add_argument(
        "--random-sample", action="store_true", help="the sample was drawn at random"
    )
    group.add_argument(
        "--view", metavar="ANON", type=Path, help="what `anonymize` wrote: conditions and utility"
    )
    group.add_argument(
        "--ledger", metavar="FILE", type=Path, help="ledger of what counts have cost"
    )
    group.add_argument(
        "--population", metavar="N", type=int, help="persons the release is drawn from"
    )
    group.add_argument(
        "--link",
        choices=("stated", "exact", "probable"),
        default="exact",
        help="how notes of one person are linked (default: %(default)s)",
    )
    group = parser.add_argument_group("what is asked")
    group.add_argument(
        "--quasi", metavar="A,B", default="", help="what an attacker may know (default: all found)"
    )
    group.add_argument("--sensitive", metavar="A", help="what an attacker wants to learn")
    group.add_argument(
        "--missing",
        choices=("value", "wildcard"),
        default="value",
        help="a missing value is one of its own, or matches all (default: %(default)s)",
    )
    group.add_argument(
        "--threshold",
        metavar="R",
        type=float,
        default=0.09,
        help="risk of a person (default: 0.09)",
    )
    group.add_argument(
        "--k", metavar="K", type=int, default=11, help="smallest class (default: 11)"
    )
    group.add_argument(
        "--leaking-notes",
        metavar="R",
        type=float,
        default=0.05,
        help="share of notes that may leak (default: 0.05)",
    )
    group.add_argument("--l", metavar="L", type=int, help="distinct sensitive values in each class")
    group.add_argument("--t", metavar="T", type=float, help="t-closeness of each class")
    group.add_argument(
        "--attackers",
        metavar="A,B",
        default="crf,list,once",
        help="who tries the parrot attack (default: %(default)s)",
    )
    add_policy(parser)
    add_fields(parser)
    add_running(parser, quarantine=False)


def run(args: argparse.Namespace) -> int:
    from incognote.risk.measure import Limits
    from incognote.risk.page import risk_page

    if not Path(args.input).exists():
        raise UsageError(f"{args.input}: no such file or folder")
    out: Path = args.output
    if out.resolve() == Path(args.input).resolve():
        raise UsageError("the report is not written into the release: it is no part of it")
    limits = Limits(args.threshold, args.k, args.leaking_notes, l=args.l, t=args.t)
    is_table = Path(args.input).suffix.lower() in _TABLES and bool(args.quasi)
    failures: list[Failure] = []
    report = _of_table(args, limits) if is_table else _of_notes(args, limits, failures)
    found = report.as_dict()
    out.mkdir(parents=True, exist_ok=True)
    (out / "risk.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    (out / "risk.html").write_text(risk_page(found), "utf-8")
    if not args.quiet:
        pairs = [(_question(line), _answer(line)) for line in found["lines"]]
        show_pairs([*pairs, ("as a whole", found["status"]), ("report", str(out / "risk.html"))])
    show_failures(failures)
    return QUARANTINED if failures else DONE


def _question(line: dict[str, Any]) -> str:
    return f"{line['name']} ({line['attacker']})" if line["attacker"] else str(line["name"])


def _answer(line: dict[str, Any]) -> str:
    if line["value"] is None:
        return f"{line['status']}: {line['why']}" if line["why"] else line["status"]
    return f"{line['value']:.4g} ({line['status']}, limit {line['limit']:g})"


def _made(args: argparse.Namespace) -> dict[str, Any]:
    from incognote.anonymize.release import Release

    made: dict[str, Any] = {
        "linkage": args.link,
        "lexicon": _lexicon_hash(),
        "models": _model_hashes(args),
    }
    manifest = Path(args.input) / "manifest.jsonl"
    if manifest.is_file():
        made |= _from_manifest(manifest)
    if args.view:
        release = Release.read(args.view)
        made["recoding"] = release.recoding
        made["conditions"] = f"k = {release.conditions.k}, quasi {', '.join(release.quasi)}"
    return made


def _lexicon_hash() -> str:
    packed = files("incognote.lexicon").joinpath("lexicon.zip").read_bytes()
    return f"sha256:{hashlib.sha256(packed).hexdigest()}"


def _model_hashes(args: argparse.Namespace) -> dict[str, str]:
    """The models that ship and that the policy runs, by the hash of their weights."""
    found = {}
    for rules in settings_from(args).policy.detectors.values():
        name = rules.options.get("model")
        weights = files("incognote").joinpath(f"models/{name}/model.onnx")
        if isinstance(name, str) and weights.is_file():
            found[name] = f"sha256:{hashlib.sha256(weights.read_bytes()).hexdigest()}"
    return found


def _from_manifest(path: Path) -> dict[str, Any]:
    done = quarantined = 0
    stamp: dict[str, str] = {}
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        stamp |= {name: row[name] for name in ("policy", "key") if name in row}
        done += row.get("status") == "done"
        quarantined += row.get("status") == "quarantined"
    return {
        "policy_hash": stamp.get("policy", ""),
        "key_tag": stamp.get("key", ""),
        "documents": done,
        "quarantined": quarantined,
    }


def _shared(args: argparse.Namespace) -> dict[str, Any]:
    """What tables and notes have in common."""
    from incognote.anonymize.counts.budget import Ledger
    from incognote.anonymize.release import Release
    from incognote.risk.certificate import subjects_of

    return {
        "made": _made(args),
        "utility": Release.read(args.view).utility if args.view else None,
        "spent": Ledger(args.ledger).spent() if args.ledger else None,
        "subjects": subjects_of(Path(args.input)),
    }


def _of_table(args: argparse.Namespace, limits: Limits) -> Report:
    from incognote.anonymize.table import read_table
    from incognote.risk.diversity import diversity
    from incognote.risk.measure import Report
    from incognote.risk.singling import singling_out

    data = read_table(Path(args.input))
    single = singling_out(
        data,
        names_in(args.quasi),
        threshold=args.threshold,
        population=args.population,
        missing=args.missing,
    )
    found = diversity(data, args.sensitive, single.classes) if args.sensitive else None
    why = {"leaks": "a table has no text", "parrot": "a table has no text"}
    return Report(limits, single, diversity=found, why=why, **_shared(args))


def _of_notes(args: argparse.Namespace, limits: Limits, failures: list[Failure]) -> Report:
    from incognote.persons.reading import read_people
    from incognote.risk.certificate import CERTIFICATE
    from incognote.risk.diversity import diversity
    from incognote.risk.measure import Report
    from incognote.risk.singling import clinical_words, known_attributes, of_view

    settings = settings_from(args)
    texts: dict[str, str] = {}
    words: defaultdict[str, set[str]] = defaultdict(set)

    def keep(result: Result) -> None:
        document = result.document
        texts[document.id] = texts.get(document.id, "") + document.text
        words[document.id] |= clinical_words(document.text)

    folder = Path(args.input)
    own = frozenset(
        (folder / name).resolve()
        for name in ("manifest.jsonl", "quarantine.jsonl", CERTIFICATE)
        if folder.is_dir()
    )
    view = read_people(
        args.input, settings, b"only to group", args.link, 0, failures.append, own, keep
    )
    of_person: defaultdict[str, set[str]] = defaultdict(set)
    for document, found in words.items():
        if document in view.owner:
            of_person[view.owner[document]] |= found
    quasi = names_in(args.quasi) or known_attributes(view)
    single = None
    if quasi:
        single = of_view(
            view,
            {person: frozenset(found) for person, found in of_person.items()},
            limits.k,
            quasi=quasi,
            threshold=args.threshold,
            population=args.population,
            missing=args.missing,
        )
    diverse = (
        diversity(view.table([args.sensitive]), args.sensitive, single.classes)
        if args.sensitive and single
        else None
    )
    leaks, attacks, why = _with_gold(args, texts)
    return Report(limits, single, leaks, attacks, diverse, why=why, **_shared(args))


def _with_gold(args: argparse.Namespace, texts: dict[str, str]) -> tuple[Any, Any, dict[str, str]]:
    from incognote.anonymize.release import Release
    from incognote.corpus.files import read_corpus
    from incognote.persons.mentions import LABELS
    from incognote.risk.leaks import matched, measure_leaks
    from incognote.risk.measure import marked_notes
    from incognote.risk.parrot import parrot

    if not args.gold:
        return None, (), {}
    gold = read_corpus(args.gold)
    kept = {
        label for label, rule in settings_from(args).policy.labels.items() if rule.action == "keep"
    }
    if args.view:
        # Values that the table publishes as they are stay on purpose: their classes are judged.
        quasi = Release.read(args.view).quasi
        kept |= {label for label, attribute in LABELS.items() if attribute in quasi}
        kept |= {"STATE"} if "city" in quasi else set()  # a town tells its state
    outputs = matched(gold, texts)
    leaks = measure_leaks(gold, outputs, kept=frozenset(kept), random_sample=args.random_sample)
    if len(gold) < 2:
        return leaks, (), {"parrot": "the attack needs at least two notes"}
    attacks = parrot(marked_notes(gold, outputs), names_in(args.attackers), ignore=frozenset(kept))
    return leaks, tuple(attacks), {}
