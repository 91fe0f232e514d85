"""The report as a page that a committee can read: what was asked, what came out, what it means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from incognote.evaluate.report.html import figure, page, table
from incognote.evaluate.report.svg import bars
from incognote.risk.lines import MET, NOT_MEASURED

TITLE = "How safe is this release?"
_MOST_LABELS = 12
_HASH = len("sha256:") + 12
_ATTACK_HEADS = ("leaks", "by guessing", "precision", "found", "AUC (95 %)")
_COUNTS = {"1": "one attribute", "2": "two attributes", "3": "three attributes"}
_ATTACKERS = {
    "prosecutor": "knows that a certain person is in the release, and looks for that one",
    "journalist": "wants to show that anybody can be found, with a register of the population",
    "marketer": "wants as many matches as possible, right or wrong",
}


def risk_page(report: Mapping[str, Any]) -> str:
    """`report` is what `Report.as_dict` gives."""
    parts = [
        _summary(report),
        _leaks(report),
        _parrot(report),
        _singling(report["singling_out"]),
        _diversity(report["diversity"]),
        _utility(report["utility"]),
        _privacy(report["differential_privacy"]),
        _made(report),
        _limits_of_numbers(),
    ]
    return page(TITLE, "".join(parts))


def _summary(report: Mapping[str, Any]) -> str:
    lines = report["lines"]
    tiles = "".join(
        f"<div class=tile><b>{sum(line['status'] == status for line in lines)}</b>"
        f"<span>{escape(status)}</span></div>"
        for status in (MET, "not met", NOT_MEASURED)
    )
    rows = [
        (
            line["name"],
            line["status"],
            _number(line["value"]),
            ("at least " if line["at_least"] else "at most ") + _number(line["limit"]),
            line["attacker"],
        )
        for line in lines
    ]
    reasons = dict.fromkeys(line["why"] for line in lines if line["why"])
    return (
        f"<p class=soft>Measured {escape(report['measured'])} by incognote "
        f"{escape(report['program']['version'])} on {len(report['subjects'])} files. "
        f"As a whole: <strong>{escape(report['status'])}</strong>. The whole is met only if every "
        "line is.</p>"
        f"<div class=tiles>{tiles}</div>"
        + table(["question", "answer", "found", "limit", "attacker"], rows)
        + "".join(f"<p>Not measured: {escape(why)}.</p>" for why in reasons)
    )


def _leaks(report: Mapping[str, Any]) -> str:
    leaks = report["leaks"]
    if (columns := report["columns_not_measured"]) is not None:
        said = f": {', '.join(columns)}" if columns else ", and there are none"
        return (
            "<h2>1. Other columns</h2><p>The release is a table. Columns that are neither "
            f"quasi-identifiers nor sensitive were not measured{escape(said)}.</p>"
        )
    if leaks is None:
        return (
            "<h2>1. Leaks</h2><p>Not measured. Somebody must read a random sample of the original "
            "notes and mark what should have gone; <code>--gold</code> takes that sample.</p>"
        )
    level = f"{leaks['level']:.0%}"
    rows = [
        ("notes", leaks["leaking_notes"], leaks["notes"], leaks["leaking_notes_bound"]),
        ("notes with a direct identifier", leaks["notes_with_direct_identifier"], leaks["notes"],
         leaks["direct_bound"]),
        ("words of PHI", leaks["missed_words"], leaks["phi_words"], leaks["missed_words_bound"]),
    ]  # fmt: skip
    drawn = (
        "drawn at random"
        if leaks["random_sample"]
        else "not drawn at random: the bounds do not hold for the whole release"
    )
    return (
        "<h2>1. Leaks</h2>"
        f"<p>Of a sample of {leaks['notes']:,} notes, {escape(drawn)}. The last column is what the "
        f"whole release stays below, {level} sure.</p>"
        + table(
            ["", "leaking", "of", "bound"],
            [(name, f"{found:,}", f"{of:,}", _percent(bound)) for name, found, of, bound in rows],
        )
    )


def _parrot(report: Mapping[str, Any]) -> str:
    attacks = report["parrot"]
    head = "<h2>2. Can an attacker tell leaks from surrogates?</h2>"
    if report["columns_not_measured"] is not None:
        return f"{head}<p>A table has no surrogates.</p>"
    if not attacks:
        return f"{head}<p>Not measured: the attack needs the annotated sample.</p>"
    rows = [(each["attacker"], *_attack_cells(each)) for each in attacks]
    bound = report["recognisable_bound"]
    few = "" if attacks[0]["leaks"] >= 20 else " With fewer than 20 leaks detection counts as 1."
    return (
        f"{head}<p>The parrot attack: half of the release teaches a tagger what surrogates look "
        "like; what it then does not recognise in the other half is called a leak. An AUC of 0.5 "
        f"is blind guessing.{few}</p>"
        + table(["attacker", *_ATTACK_HEADS], rows)
        + _by_label(max(attacks, key=lambda each: (each["detection"], each["auc"])))
        + (
            f"<p>Notes with a leak that is recognised: at most {_percent(bound)}.</p>"
            if bound is not None
            else ""
        )
    )


def _by_label(attack: Mapping[str, Any]) -> str:
    """What the strongest attacker finds of each label."""
    labels = sorted(attack["by_label"].items(), key=lambda pair: (-pair[1]["leaks"], pair[0]))
    if not labels:
        return ""
    plot = bars(
        [
            (label, float(each["leaks"]), f"{each['leaks']:,}, {each['found']:,} found")
            for label, each in labels[:_MOST_LABELS]
        ],
        "leaks by label",
    )
    title = f"Leaks by label, and how many the attacker “{attack['attacker']}” finds"
    return figure(plot, title) + table(
        ["label", *_ATTACK_HEADS], [(label, *_attack_cells(each)) for label, each in labels]
    )


def _attack_cells(attack: Mapping[str, Any]) -> tuple[str, ...]:
    low, high = attack["auc_interval"]
    return (
        f"{attack['leaks']:,} of {attack['marks']:,}",
        _percent(attack["base_rate"]),
        _percent(attack["precision"]),
        _percent(attack["detection"]),
        f"{attack['auc']:.2f} ({low:.2f} to {high:.2f})" if attack["leaks"] else "–",
    )


def _singling(single: Mapping[str, Any] | None) -> str:
    head = "<h2>3. Who stands alone?</h2>"
    if single is None:
        return f"{head}<p>Not measured.</p>"
    plot = bars(
        [(size, float(count), f"{count:,}") for size, count in single["histogram"]],
        "persons by the size of their class",
    )
    rows = [
        (
            name,
            _percent(risk["share_above_threshold"]),
            f"{risk['maximum']:.3f}",
            f"{risk['average']:.3f}",
        )
        for name, risk in single["risks"].items()
    ]
    telling = [
        (", ".join(each["attributes"]), _percent(each["unique"]), _percent(each["separation"]))
        for each in single["most_telling_attributes"]
    ]
    more = [
        *(f"The {name} {what}." for name, what in _ATTACKERS.items()),
        "Persons who are unique in the population, too, estimated: "
        + "; ".join(
            f"{_percent(v)} if the release is {float(share):.3g} of it"
            for share, v in single["population_uniqueness"].items()
        )
        + ".",
    ]
    if shares := single["unique_by_any"]:
        more.append(
            "Singled out by some "
            + ", by some ".join(
                f"{_COUNTS[n]}: {_percent(share)} of the persons" for n, share in shares.items()
            )
            + "."
        )
    if single["suppressed"]:
        more.append(f"{single['suppressed']:,} suppressed persons are in no class.")
    risk = single["risks"]
    if risk["journalist"] == risk["prosecutor"]:
        more.append(
            "Without the size of the population (--population) a journalist is taken to know who "
            "is in the release, as the prosecutor does."
        )
    if gaps := single["visit_gaps"]:
        more.append(
            f"Three gaps between visits that nobody else has: {gaps['unique_persons']:,} of "
            f"{gaps['persons_with_four_visits']:,} persons with four visits. "
            "Shifting dates keeps gaps."
        )
    if rare := single["rare_terms"]:
        more.append(
            f"Held by fewer than {rare['k']} persons: {rare['diagnoses']:,} of "
            f"{rare['diagnoses_in_all']:,} diagnoses and {rare['clinical_words']:,} of "
            f"{rare['clinical_words_in_all']:,} clinical words; "
            f"{rare['persons_with_a_rare_word']:,} persons have such a word."
        )
    if single["persons_cautious"] is not None:
        more.append(
            f"Linked cautiously there are {single['persons_cautious']:,} persons instead of "
            f"{single['persons']:,}; the worse of both counts, and each class is taken for 3 % "
            "smaller, for linking never finds everybody."
        )
    items = "".join(f"<li>{escape(text)}</li>" for text in more)
    return (
        f"{head}{_unvouched(single)}"
        f"<p>{single['persons']:,} persons fall into {single['classes']:,} classes by "
        f"{escape(', '.join(single['attributes']))}. The smallest class has "
        f"{single['smallest_class']:,}; {_percent(single['uniques'])} of the persons are alone.</p>"
        + figure(plot, "Persons by the size of the class they share")
        + table(["attacker", f"above {single['threshold']:g}", "maximum", "average"], rows)
        + f"<ul>{items}</ul><h3>Which attributes tell most</h3>"
        + table(["attributes", "unique persons", "pairs told apart"], telling)
    )


def _unvouched(single: Mapping[str, Any]) -> str:
    """The reason why the figures answer no question of the summary."""
    why = single["why_not_vouched_for"]
    if not why:
        return ""
    return (
        f"<p><strong>Not measured:</strong> {escape(why)}. The figures below count every document "
        "or group of linked documents as one person; classes may be smaller in truth.</p>"
    )


def _diversity(found: Mapping[str, Any] | None) -> str:
    head = "<h2>4. What a class gives away</h2>"
    if found is None:
        return f"{head}<p>Not measured: no sensitive attribute was named.</p>"
    return (
        f"{head}<p>Of {escape(found['attribute'])}, in the worst class: {found['l']} different "
        f"values (entropy l {found['entropy_l']:.2f}); its distribution is at most "
        f"{found['t']:.3f} away from that of everybody (t, 0 to 1).</p>"
    )


def _utility(found: Mapping[str, Any] | None) -> str:
    if not found:
        return ""
    rows = [
        (title, _number(found[name]["before"]), _number(found[name]["after"]))
        for name, title in (
            ("smallest_class", "smallest class"),
            ("average_class_size", "average class size"),
            ("discernibility", "discernibility"),
            ("ncp", "normalised certainty penalty"),
            ("loss", "Loss as ARX has it"),
        )
        if name in found
    ]
    return "<h2>5. What it cost</h2>" + table(["", "before", "after"], rows)


def _privacy(spent: Mapping[str, Any] | None) -> str:
    if spent is None:
        return ""
    return (
        "<h2>6. Differential privacy</h2>"
        f"<p>Counts were published for ε {spent['epsilon']:g}, δ {spent['delta']:g} in all; the "
        "unit is a person. This is said of the counts, never of text.</p>"
    )


def _made(report: Mapping[str, Any]) -> str:
    made = report["made"]
    if not made:
        return ""
    return (
        "<h2>How it was made</h2><p class=soft>Hashes are cut short here; the report in JSON has "
        "them whole.</p><ul>"
        + "".join(
            f"<li>{escape(name.replace('_', ' '))}: {escape(_plain(value))}</li>"
            for name, value in made.items()
        )
        + "</ul>"
    )


def _limits_of_numbers() -> str:
    points = (
        (
            "Classes are made of the attributes named above. An attacker who knows other things, a "
            "rare event that was in the news or a turn of phrase, is not in these figures."
        ),
        "A sample that was not drawn at random says nothing about the rest.",
        "An attack that was not tried is not an attack that fails.",
        "Estimates of population uniqueness rest on models of the population.",
        "Whether a release is allowed is decided by people, not by this page.",
    )
    return (
        "<h2>What the numbers do not say</h2><ul>"
        + "".join(f"<li>{escape(point)}</li>" for point in points)
        + "</ul>"
    )


def _percent(value: float) -> str:
    return f"{value:.1%}" if value >= 0.001 or value == 0 else f"{value:.3%}"


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.4g}"


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_plain(each)}" for name, each in value.items()) or "none"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(_plain, value))
    if isinstance(value, str) and value.startswith("sha256:"):
        return value[:_HASH]
    return _number(value) if isinstance(value, float) else str(value)
