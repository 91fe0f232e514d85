"""Training of the CRF of the HIDE papers (`train crf --recipe hide`) and its experiments.

    sampling.py    which tokens outside PHI are trained on
    crf.py         training, tagging, ten-fold cross-validation, token scores, B-/I- confusion
    studies.py     feature subsets, ways of sampling, lengths of history
    folder.py      a model folder that a policy can name

Tokens and features are in `incognote.detect.learned.hide`, which runs such a model. To de-identify,
our own CRF knows more.
"""
