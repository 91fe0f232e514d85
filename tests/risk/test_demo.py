"""The demo of the guide, on fewer people and with rules alone."""

from __future__ import annotations

import json

from tools import demo_release


def test_the_demo_ends_in_a_verified_certificate(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(demo_release, "OUT", tmp_path / "demo")
    monkeypatch.setattr(demo_release, "PATIENTS", 60)
    monkeypatch.setattr(demo_release, "POLICY", "demo.toml+rules")
    monkeypatch.setattr(demo_release, "POLICY_FILE", "demo.toml")
    demo_release.main()
    said = capfd.readouterr().out
    assert "unchanged:" in said
    report = json.loads((tmp_path / "demo/report/risk.json").read_text())
    assert report["singling_out"]["persons"] == 60
    assert report["leaks"]["notes"] == 100
    assert all(line["status"] != "not measured" for line in report["lines"])
