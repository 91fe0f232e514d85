"""What is already known of a patient, found in the notes in all its written forms.

    [detectors.known_patient]
    weight = 90
    options = { file = "patients.csv", columns = { fam_nm = "PATIENT" } }

The file is CSV, JSON Lines, Parquet, or FHIR: a Patient, a Bundle, or newline-delimited resources.
A row belongs to the documents with its patient id. In a table, a column's name says what it holds,
as in every format (core/fields); `columns` adds a site's own. Several rows for one patient add up,
and so do several values in one field, separated by ";".
"""

from incognote.detect.known_patient.detector import KnownPatientDetector

__all__ = ["KnownPatientDetector"]
