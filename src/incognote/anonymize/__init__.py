"""Tables of people made anonymous: classes, hierarchies, utility, differential privacy.

    from incognote import anonymize

    people = {"age": [34, 36, 51, 58], "sex": ["F", "F", "M", "M"]}
    anonymize.mondrian(people, ["age", "sex"], k=2).columns()

A table is any mapping of columns: a dict of lists, an Arrow table, a pandas or Polars data frame.
"""

from incognote.anonymize.conditions import Conditions
from incognote.anonymize.counts.histogram import Histogram, histogram
from incognote.anonymize.full_domain import full_domain
from incognote.anonymize.hierarchy import Hierarchy, from_rows, intervals, read_hierarchy
from incognote.anonymize.mondrian import mondrian
from incognote.anonymize.result import Anonymous
from incognote.anonymize.shipped import shipped, shipped_names
from incognote.anonymize.table import Table, read_table
from incognote.anonymize.utility import Utility

__all__ = [
    "Anonymous",
    "Conditions",
    "Hierarchy",
    "Histogram",
    "Table",
    "Utility",
    "from_rows",
    "full_domain",
    "histogram",
    "intervals",
    "mondrian",
    "read_hierarchy",
    "read_table",
    "shipped",
    "shipped_names",
]
