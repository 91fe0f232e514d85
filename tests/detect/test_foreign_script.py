from __future__ import annotations

import pytest

from incognote.core.types import Document
from incognote.detect.foreign_script import ForeignScriptDetector
from incognote.pipeline import Pipeline
from incognote.policy import PrepareRules, load_policy, policy_from
from incognote.prepare import prepare
from incognote.testing import parse_markup, render_markup

CASES = {
    "Cyrillic": "Spoke with [[Иван Петров|PATIENT]], her son.",
    "hyphen": "Wife [[Анна-Мария|PATIENT]] called.",
    "initials": "Wife [[А. Петрова|PATIENT]] called.",
    "Greek": "Name: [[Γιώργος Παπαδόπουλος|PATIENT]].",
    "Hebrew": "Name: [[דוד כהן|PATIENT]]",
    "Hebrew with points": "Name: [[דָּוִד|PATIENT]]",
    "Arabic": "Name: [[محمد علي|PATIENT]] (Mohammed)",
    "Devanagari": "Name: [[मोहनदास गांधी|PATIENT]]",
    "Chinese": "Name [[王小明|PATIENT]], 45 y/o",
    "one Chinese letter": "Name [[王|PATIENT]], 45 y/o",
    "Japanese with a middle dot": "Name [[ジョン・スミス|PATIENT]].",
    "Korean": "Name [[김민준|PATIENT]].",
    "doctor": "Seen by Dr. [[Петров|DOCTOR]] today",
    "nurse": "Signed by: [[김민준|DOCTOR]]",
    "place": "Born in [[Москва|LOCATION-OTHER]].",
    "two in a list": "[[Иван|PATIENT]], [[Анна|PATIENT]]",
    "not over a line end": "[[Иван|PATIENT]]\n[[Анна|PATIENT]]",
    "a Greek letter is a sign": "α-blocker, β2, 5 μg, ΔF508, TNF-α, Σ = 3, γδ T cells",
    "Latin letters with marks": "Señor Łukasz Nguyễn ﬁne Ünal ʻOkina Ångström µg º ª",
    "some letters typed in Latin": "Wife [[Людмилa|PATIENT]] and [[Юpий|PATIENT]]",
    "symbols": "→ ✓ ☐ № 5 ≥ 3 °C • 😀 “quoted” …",
}


@pytest.mark.parametrize("marked", CASES.values(), ids=CASES)
def test_runs_of_another_script(marked):
    text, _ = parse_markup(marked)
    [view] = prepare(Document("d", text), PrepareRules())
    [found] = ForeignScriptDetector().detect([view])
    assert render_markup(text, map(view.to_source, found)) == marked


def test_the_presets_replace_them():
    (result,) = Pipeline("rules", b"k" * 32).deid([Document("d", "Her son Иван Петров came.")])
    assert result.text is not None
    assert "Иван" not in result.text
    assert "Петров" not in result.text
    assert result.text.startswith("Her son ")
    assert result.text.endswith(" came.")


def test_a_policy_can_switch_it_off():
    tree = {
        "name": "t",
        "detectors": {"foreign_script": {"weight": 0}},
        "labels": {"default": "keep"},
    }
    assert Pipeline(policy_from(tree)).detectors == ()
    assert "foreign_script" in load_policy().detectors
