"""Measures how good a de-identification is, ours or another's.

from incognote.corpus import read_corpus
from incognote.evaluate import measure

measured = measure(read_corpus("gold/"), read_corpus("system/"))
measured["words"]["all"]["recall"]
"""

from incognote.evaluate.files import write_report
from incognote.evaluate.measure import Options, compare, measure

__all__ = ["Options", "compare", "measure", "write_report"]
