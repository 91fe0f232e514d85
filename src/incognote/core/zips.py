"""Three-digit ZIP areas that Safe Harbor does not allow."""

from __future__ import annotations

# At most 20,000 people, for 45 CFR 164.514(b)(2)(i)(B). The union of the HHS list (census 2000) and
# the CDC list (census 2010): a prefix that was ever too small stays out.
RESTRICTED_ZIP3 = frozenset(
    (
        "008 036 059 063 102 202 203 204 205 369 556 692 753 "
        "772 790 821 823 830 831 878 879 884 890 893 969"
    ).split()
)
