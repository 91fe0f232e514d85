"""Running a pipeline over files: the same pipeline everywhere, no other logic."""
