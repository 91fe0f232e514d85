"""Spark: `deid` on a DataFrame, with the rows that the command line would have written.

from incognote.spark import KeyFile, deid

result = deid(notes, policy="i2b2-2014", key=KeyFile("/secrets/key"))
result.rows.write.parquet("rows/")

frame.py       the driver: schemas, settings, the plan
keys.py        where workers find the key; it is never part of the plan
rows.py        rows as documents, and their tags
tags.py        which rows an earlier run has written
first_pass.py  what the first of two passes finds
worker.py      what runs in Python workers: batches of rows
files.py       whole files in a column, as HL7 messages
processing.py  the pipeline of a worker, or of a child process that may die
command.py     `incognote deid --engine spark`
"""

from incognote.spark.files import deid_files
from incognote.spark.frame import Deidentified, deid
from incognote.spark.keys import KeyEnv, KeyFile

__all__ = ["Deidentified", "KeyEnv", "KeyFile", "deid", "deid_files"]
