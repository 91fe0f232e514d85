"""The experiments of the papers, one module for each: `python -m bench.papers NAME`."""
