"""The rules of the place detector: one module for each kind of name or evidence."""
