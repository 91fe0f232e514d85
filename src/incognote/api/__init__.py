"""incognote for programs: notes, tables, files. `docs/reference/api.md` describes it."""

from incognote.api.deidentifier import Deidentifier
from incognote.api.files import deid_files, detect_files
from incognote.api.tables import TableResult

__all__ = ["Deidentifier", "TableResult", "deid_files", "detect_files"]
