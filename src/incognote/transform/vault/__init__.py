"""The encrypted map back from surrogates to originals."""
