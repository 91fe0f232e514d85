"""Document to View: folding, unwrapping, tokens, sentences."""
