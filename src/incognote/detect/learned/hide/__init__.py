"""The CRF of the HIDE papers, to the letter, beside our own.

    tokens.py      how a text is cut, and how labels become spans
    features.py    the word, regular expressions, affixes, dictionaries, context
    scorer.py      a trained folder, run over texts

Training and experiments are in `incognote.learn.hide`.
"""
