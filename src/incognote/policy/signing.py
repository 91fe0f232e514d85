"""How a person signs a row of a proposal: the column `keep` says one of these."""

SIGNED = frozenset({"y", "yes", "x", "1", "true"})
