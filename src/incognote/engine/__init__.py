"""Runs the pipeline over files: streaming, workers, quarantine, manifest."""
