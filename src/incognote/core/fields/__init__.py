"""What fields hold: column names, types of identifiers, code systems. One table for each fact.

Formats ask here what a field of a file is, and the detector of known patients what a column of its
table is, so that both always agree.
"""

from incognote.core.fields.code_systems import is_public_code_system
from incognote.core.fields.columns import (
    CODES,
    VALUES,
    is_blank,
    label_from_header,
    label_in_patient_table,
    words_of,
)
from incognote.core.fields.identifiers import contact_label, identifier_label, is_identifier_type

__all__ = [
    "CODES",
    "VALUES",
    "contact_label",
    "identifier_label",
    "is_blank",
    "is_identifier_type",
    "is_public_code_system",
    "label_from_header",
    "label_in_patient_table",
    "words_of",
]
