"""Well-formed PHI: dates, ages, phones, addresses and numbers, by rule packs that are data files.

packfile  TOML files to Pack and Rule values, strictly read
checks    validators that a rule may name: check digits, calendars, number ranges
engine    the single pass over a view's tokens that tries each rule only where it can start
detector  PatternDetector, which chooses packs and settles overlaps between rules
"""

from incognote.detect.patterns.detector import PatternDetector
from incognote.detect.patterns.packfile import Pack, Rule, load_pack, pack_names

__all__ = ["Pack", "PatternDetector", "Rule", "load_pack", "pack_names"]
