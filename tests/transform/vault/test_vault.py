from __future__ import annotations

import base64
import json
import stat

import pytest
from tests.transform.conftest import deid

from incognote.core.errors import UsageError
from incognote.core.types import Document
from incognote.transform.vault.entries import entry_of
from incognote.transform.vault.file import Vault, VaultWriter, repair_vault, verify_vault
from incognote.transform.vault.sealed import Header, Seal

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
    written = path.read_bytes()
    # Three letters stand in any long row of base64: short words are looked for in what it means.
    meant = b"".join(map(base64.b64decode, written.splitlines()[1:]))
    for value in ("Dayton", "Ann Lee", result.replacements[0].text):
        assert value.encode() not in written
        assert value.encode() not in meant
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


# --- faults ---------------------------------------------------------------------------------------


def test_the_folder_is_made(tmp_path):
    with VaultWriter(tmp_path / "new" / "folder" / "s.vault", KEY) as vault:
        vault.add(deid(MARKED))
    assert len(Vault(tmp_path / "new" / "folder" / "s.vault", KEY)) == 1


@pytest.mark.parametrize("rest", [1, 5, 40])
def test_a_torn_tail_costs_its_entry_alone(stored, rest):
    path, result = stored
    with VaultWriter(path, KEY) as vault:
        vault.add(deid("[[Cara Moe|PATIENT]]"))
    whole = path.read_bytes()
    last = whole.rindex(b"\n", 0, -1) + 1
    path.write_bytes(whole[: last + rest])
    assert Vault(path, KEY).restore("d", result.text, "audit") == result.document.text
    condition = verify_vault(path, KEY)
    assert (condition.good, condition.bad_lines, condition.torn) == (1, (), rest)
    with VaultWriter(path, KEY) as vault:
        vault.add(deid("[[Dora Nye|PATIENT]]"))
    assert len(Vault(path, KEY)) == 2
    assert verify_vault(path, KEY).torn == 0


def test_two_writers_are_refused(stored):
    path, _ = stored
    with VaultWriter(path, KEY), pytest.raises(UsageError, match="another run"):
        VaultWriter(path, KEY)
    VaultWriter(path, KEY).close()


@pytest.mark.parametrize("harm", ["a zeroed line", "a lost line", "noise", "an exchange"])
def test_repair_saves_what_can_be_opened(tmp_path, harm):
    path = tmp_path / "vault"
    results = [deid(f"[[Ann{name}|PATIENT]]") for name in ("ley", "ton", "dale", "ford")]
    with VaultWriter(path, KEY) as vault:
        for result in results:
            vault.add(result)
    head, *lines = path.read_bytes().splitlines(keepends=True)
    lost = {
        "a zeroed line": [lines[0], b"\0" * 30 + b"\n", lines[2], lines[3]],
        "a lost line": [lines[0], lines[2], lines[3]],
        "noise": [lines[0], b"\xff\xfe\n", *lines[1:]],
        "an exchange": [lines[1], lines[0], lines[2], lines[3]],
    }[harm]
    path.write_bytes(head + b"".join(lost))
    with pytest.raises(UsageError, match="vault repair"):
        Vault(path, KEY)
    assert verify_vault(path, KEY).bad_lines
    found = repair_vault(path, KEY)
    expected = {"a zeroed line": 3, "a lost line": 3, "noise": 4, "an exchange": 4}[harm]
    assert found.good == len(Vault(path, KEY)) == expected
    assert (tmp_path / "vault.damaged").exists()
    restored = Vault(path, KEY).restore("d", results[3].text, "audit")
    assert restored == results[3].document.text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_wrong_key_repairs_nothing(stored):
    path, _ = stored
    before = path.read_bytes()
    with pytest.raises(UsageError, match="wrong key"):
        repair_vault(path, bytes(32))
    assert path.read_bytes() == before


def test_names_of_files_come_back(tmp_path):
    with VaultWriter(tmp_path / "v", KEY) as vault:
        vault.add_file("[PATIENT].txt", "Ann Lee.txt")
    assert Vault(tmp_path / "v", KEY).old_name("[PATIENT].txt") == "Ann Lee.txt"
    # A space is not a letter of base64, so this cannot stand there by chance.
    assert b"Ann Lee" not in (tmp_path / "v").read_bytes()


def test_the_audit_names_the_user_that_the_system_knows(stored, monkeypatch):
    path, result = stored
    for variable in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.setenv(variable, "somebody-else")
    Vault(path, KEY).restore("d", result.text, "audit")
    row = json.loads((path.parent / "vault.audit.jsonl").read_text("utf-8").splitlines()[-1])
    assert row["user"] != "somebody-else"


# --- other versions -------------------------------------------------------------------------------


def test_a_vault_of_version_0_1_is_read_and_grows(tmp_path):
    path = tmp_path / "vault"
    header = Header(1, "0123456789abcdef0123456789abcdef")
    result = deid(MARKED)
    path.write_text(header.line + Seal(KEY, header).sealed(entry_of(result), 0))
    later = deid(MARKED, "p2")
    with VaultWriter(path, KEY) as vault:
        vault.add(later)
    for each in (result, later):
        assert Vault(path, KEY).restore("d", each.text, "audit") == each.document.text
    # Ids of rows were copied then: what it does not hold is one of them, and stays.
    field = Document("d", "4471", free_text=False)
    assert Vault(path, KEY).restored(field, "audit").text == "4471"
    with pytest.raises(UsageError, match="does not hold"):
        Vault(path, KEY).restored(Document("d", "Another text."), "audit")


def test_a_vault_of_a_newer_version_is_refused(stored):
    path, _ = stored
    path.write_bytes(path.read_bytes().replace(b"incognote-vault 2", b"incognote-vault 7", 1))
    with pytest.raises(UsageError, match="newer version"):
        Vault(path, KEY)
    with pytest.raises(UsageError, match="newer version"):
        VaultWriter(path, KEY)
