"""Other people's annotators as detectors: spaCy, Hugging Face, Presidio, HTTP servers, functions.

Each maps foreign labels to ours and returns spans in the coordinates of the view. What an adapter
needs is checked when the policy is loaded; what it loads, it loads at the first document.
"""
