"""DICOM data sets: the confidentiality profile, values, pixels."""
