"""FHIR resources, bundles and NDJSON."""
