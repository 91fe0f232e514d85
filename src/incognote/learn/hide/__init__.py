"""The CRF of the HIDE papers, to the letter, beside our own.

    tokens.py      how a text is cut
    features.py    regular expressions, affixes, dictionaries, context; each group can be left out
    sampling.py    which tokens outside PHI are trained on
    crf.py         training, tagging, ten-fold cross-validation, token scores, B-/I- confusion

For repeating the papers' experiments: `python -m bench.papers hide`. To de-identify, `train crf`
knows more.
"""
