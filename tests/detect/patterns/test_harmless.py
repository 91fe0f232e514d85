"""Numbers of medicine that are no PHI: nothing of this may be marked."""

from __future__ import annotations

import pytest

from incognote.core.labels import SAFE
from incognote.core.types import Document
from incognote.detect.patterns import PatternDetector, pack_names
from incognote.policy import PrepareRules
from incognote.prepare import prepare
from incognote.testing import render_markup

DETECTOR = PatternDetector(pack_names(optional=False))

HARMLESS = """
Pain 4/10 at rest, 7/10 with movement.
Strength 5/5 throughout, 4/5 in the left deltoid.
A 3/6 holosystolic murmur at the apex.
BP 120/80, HR 72, RR 16, T 98.6, SpO2 97% RA.
BP 138/76 sitting and 118/64 standing.
Apgars 8/9. Birth weight 3,402 g.
GCS 15. MMSE 28/30. MoCA 24/30. Tinetti 9/28. GDS 3/15.
Na 138, K 4.1, Cl 102, CO2 24, BUN 14, Cr 0.9, glucose 112.
WBC 12.4, Hgb 9.8, Hct 29.1, Plt 188,000.
Metformin 500 mg BID, lisinopril 10 mg daily, #30, 2 refills.
Percocet 5/325 1-2 tabs q4-6h prn pain.
Smokes 1/2 ppd x 20 years.
Heparin 5000 units SQ q8h.
Vancomycin 1250 mg IV q12h, trough 15.2.
Disc herniation at L4-5 and L5-S1, C5-6 stenosis.
T12 compression fracture; S1 radiculopathy.
POD 2 after hemicolectomy, hospital day 4.
At 39 weeks and 2 days, G3P2012.
39w2d by LMP; EGA 29 3/7 weeks.
Ejection fraction 55-60%, LVEDD 4.8 cm.
FEV1 1.94 L (53%), FVC 3.10.
Lidocaine 1% with epinephrine 1:100,000.
ANA 1:640, crypto antigen 1:2048.
Gleason 4+3=7, 6/12 cores positive.
Lymph nodes 3/31 positive.
Blood cultures 2/2 bottles grew gram positive cocci.
Ventilator: PSV 12/5, FiO2 35%, TV 480.
Suture 4-0 Vicryl, 20 gauge IV, 6 Fr sheath.
Vision 20/40 OD, 20/25 OS.
Reflexes 2+ and symmetric, toes down.
EKG: rate 78, PR 160, QRS 92, QTc 432.
Mass 2.1 x 1.8 x 3.4 cm, stable.
Hepatitis B surface antigen negative, HIV 1/2 nonreactive.
BRCA1 c.5266dupC, EGFR exon 19, HER2 negative.
SARS-CoV-2 PCR negative; COVID-19 vaccine x3.
CD4 412, viral load < 20 copies.
ICD-10 M32.19, CPT 99213.
Vitamin D 2000 units daily, B12 1000 mcg.
Tube feeds at 60 mL/hr, goal 75.
Walks 2 blocks, 10 steps, uses a 4-wheel walker.
Weight 71.0 kg, height 183 cm, BMI 21.2.
Follow up in 2 weeks, sooner if worse.
Ceftriaxone 1 g day 5/7.
Fell 3 days ago, pain since yesterday.
Sat up in bed; O2 sat 95% on room air.
This may recur; he may march out.
Second degree AV block, 3rd degree burn, 5th metatarsal fracture.
Weight at the 25th percentile, head at the 50th.
She sat with her mother in the sun.
Amoxicillin 875/125 twice daily for 10 days.
Morphine 2-4 mg IV q2h prn.
Insulin 70/30, 14 units before breakfast.
Suboxone 8/2 film daily.
Urine output 1800 mL over 24 hours.
Creatinine 1.4 -> 1.1 -> 0.9.
Dexa T-score -2.5.
ROM 0-120 degrees, flexion 30, extension 5.
INR 2.3, goal 2-3.
Stage IIIB, T3N1M0, grade 2.
PHQ-9 12, GAD-7 9, AUDIT-C 4.
NYHA class III, ASA 3, ECOG 1.
Bed rest, room air, unit dose.
Type 2 diabetes, stage 3 CKD, grade 1 diastolic dysfunction.
The mother and father are well.
ANA positive at 1:40 (normal<1:10). B12 greater than 2000.
Mass in the left breast at the 6:00 o'clock position.
3/7 hx of diarrhoea, stopped smoking 6/12 ago.
Received I-131 therapy, then a technetium 99m scan.
Stent deployed at 10 atmospheres.
Clonidine TTS 2 weekly; an 18-mm TTS balloon.
Gravida 3, para 3 female with nine children, 25 grandchildren.
Anterior locking plate C3-C5.
One (1) white shirt and two (2) rings.
A number 18-gauge needle; a sample 2000-calorie plan.
4 Chamber View: normal. Discharged to skilled nursing.
EXAM: BP138/56 HR72 RR14.
On the 5th postoperative day.
Lotrel 10/20 daily.
Parkinson disease, Foley catheter, Apgar score.
""".strip().splitlines()


@pytest.mark.parametrize("sentence", HARMLESS)
def test_nothing_is_found(sentence: str) -> None:
    (view,) = prepare(Document("case", sentence), PrepareRules())
    claims = [span for span in DETECTOR.detect([view])[0] if span.label != SAFE]
    assert render_markup(view.text, claims) == sentence
