"""The harm rate: how many values that are no PHI come out changed, per 1,000.

    python -m bench.harm [--policy i2b2-2014] [--show N] [FILE ...]

Values of structured files are read by libraries of others (`values`) before and after `deid`. Which
of them are PHI, and which are free text and so no single values, a reviewed list says (`phi.toml`),
never a detector of ours: all other values must come back as they were.
"""

from bench.harm.rate import Harm, changed, rates

__all__ = ["Harm", "changed", "rates"]
