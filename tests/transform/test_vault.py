from __future__ import annotations

import json
import stat

import pytest
from tests.transform.conftest import deid

from incognote.core.errors import UsageError
from incognote.transform.vault import Vault, VaultWriter

pytest.importorskip("cryptography")

KEY = bytes(range(32))
MARKED = "[[Ann Lee|PATIENT]] seen [[3/5/2014|DATE]] by [[Bea Fox|DOCTOR]] in [[Dayton|CITY]]."


@pytest.fixture
def stored(tmp_path):
    path = tmp_path / "vault"
    result = deid(MARKED, labels={"DOCTOR": "remove"})
    with VaultWriter(path, KEY) as vault:
        vault.add(result)
    return path, result


def test_a_document_comes_back(stored):
    path, result = stored
    assert Vault(path, KEY).restore("d", result.text, "audit") == result.document.text


def test_nothing_can_be_read_without_the_key(stored):
    path, result = stored
    content = path.read_bytes()
    for value in ("Ann", "Lee", "Dayton", result.replacements[0].text):
        assert value.encode() not in content
    with pytest.raises(UsageError, match="wrong key"):
        Vault(path, bytes(32))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_another_text_is_not_restored(stored):
    path, result = stored
    with pytest.raises(UsageError):
        Vault(path, KEY).restore("d", result.text + " ", "audit")
    with pytest.raises(UsageError):
        Vault(path, KEY).restore("other", result.text, "audit")


def test_one_value_can_be_looked_up(stored):
    path, result = stored
    vault = Vault(path, KEY)
    new = result.replacements[0].text
    assert vault.look_up(new, "call back", "p1") == [("d", "PATIENT", "Ann Lee")]
    assert vault.look_up(new, "call back", "another") == []
    assert vault.look_up("nobody", "call back") == []


def test_every_look_is_written_down_without_values(stored):
    path, result = stored
    vault = Vault(path, KEY)
    vault.restore("d", result.text, "study 7")
    vault.look_up(result.replacements[0].text, "call back")
    lines = (path.parent / "vault.audit.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert [(row["action"], row["reason"]) for row in rows] == [
        ("restore", "study 7"),
        ("look up", "call back"),
    ]
    assert all(row["user"] and row["time"] for row in rows)
    assert "Lee" not in "".join(lines)


def test_a_vault_grows(stored):
    path, _ = stored
    with VaultWriter(path, KEY) as vault:
        vault.add(deid("[[Cara Moe|PATIENT]]"))
    assert len(Vault(path, KEY)) == 2
    with pytest.raises(UsageError, match="wrong key"):
        VaultWriter(path, bytes(32))


@pytest.mark.parametrize(
    "harm", ["swap", "drop", "flip", "other vault", "cut off", "begun", "noise"]
)
def test_changes_are_noticed(stored, tmp_path, harm):
    path, _ = stored
    with VaultWriter(path, KEY) as vault:
        vault.add(deid("[[Cara Moe|PATIENT]]"))
    head, first, second = path.read_text("ascii").splitlines()
    lines = {
        "swap": [head, second, first],
        "drop": [head, second],
        "flip": [head, first[:-6] + ("A" if first[-6] != "A" else "B") + first[-5:], second],
        "cut off": [head, first, second[:-3]],
        "begun": [head, first, second[:4]],
        "noise": [head, first, second, "not sealed"],
        "other vault": [head[:-1] + ("0" if head[-1] != "0" else "1"), first, second],
    }[harm]
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(UsageError):
        Vault(path, KEY)


def test_no_vault_there(tmp_path):
    with pytest.raises(UsageError):
        Vault(tmp_path / "none", KEY)
    (tmp_path / "text").write_text("hello")
    with pytest.raises(UsageError, match="not a vault"):
        Vault(tmp_path / "text", KEY)
