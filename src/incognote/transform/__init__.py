"""From spans to replacements: surrogates, tags, masks, and the leak check."""
