"""What a release reveals: leaks, attacks, who can be singled out, and what a committee signs.

from incognote import risk

risk.singling_out(table, ["age", "sex", "zip"]).risks
report = risk.measure("out/", risk.Known(Path("sample.jsonl"))).as_dict()
risk.certificate("out/", report, ["key.pem"])
"""

from incognote.risk.certificate import certify as certificate
from incognote.risk.certificate import verify
from incognote.risk.classes import Classes, Risk, risks
from incognote.risk.leaks import Leaks, measure_leaks
from incognote.risk.parrot import Attack, Marked, parrot
from incognote.risk.population import population_uniqueness
from incognote.risk.release import Asked, Known, measure
from incognote.risk.report import Limits, Report
from incognote.risk.singling import Singling, of_view, singling_out

__all__ = [
    "Asked",
    "Attack",
    "Classes",
    "Known",
    "Leaks",
    "Limits",
    "Marked",
    "Report",
    "Risk",
    "Singling",
    "certificate",
    "measure",
    "measure_leaks",
    "of_view",
    "parrot",
    "population_uniqueness",
    "risks",
    "singling_out",
    "verify",
]
