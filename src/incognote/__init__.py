"""incognote: de-identifies clinical text."""

__version__ = "0.1.0"
