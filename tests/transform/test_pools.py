"""Lists of a site."""

from __future__ import annotations

import pytest
from tests.transform.conftest import surrogate

from incognote.core.errors import PolicyError
from incognote.policy import load_policy
from incognote.transform import build_transforms


@pytest.fixture
def names(tmp_path):
    path = tmp_path / "our-names.txt"
    path.write_text("# ours\nAldermere\nBrackenbury\nSmith\nThistlewood\n", "utf-8")
    return str(path)


def test_surrogates_come_from_a_list_of_the_site(names):
    pools = {"family": names}
    own = {"Aldermere", "Brackenbury", "Smith", "Thistlewood"}
    new = {surrogate("Smith", "PATIENT", f"p{n}", pools=pools) for n in range(60)}
    assert new == own
    assert surrogate("Quackenbush", "PATIENT", pools=pools) in own
    assert surrogate("John Smith", "PATIENT", pools=pools).split()[1] in own


def test_other_pools(names):
    for label, pool in (("CITY", "city"), ("PROFESSION", "profession")):
        assert surrogate("Dayton", label, pools={pool: names}).capitalize() in (
            "Aldermere", "Brackenbury", "Smith", "Thistlewood",
        )  # fmt: skip


def test_a_policy_names_its_lists_beside_itself(tmp_path, names):
    policy = tmp_path / "site.toml"
    policy.write_text(
        'name = "site"\nextends = "i2b2-2014"\n[transform.pools]\nfamily = "our-names.txt"\n'
    )
    assert load_policy(policy).transform.pools["family"] == names


@pytest.mark.parametrize("pools", [{"surname": "x.txt"}, {"family": "missing.txt"}])
def test_bad_lists_are_found_before_the_first_document(pools):
    with pytest.raises(PolicyError, match=r"transform\.pools"):
        build_transforms(
            load_policy({"name": "x", "extends": "i2b2-2014", "transform": {"pools": pools}})
        )
