"""Everything that runs a trained model: CRF, fast tagger, transformer."""
