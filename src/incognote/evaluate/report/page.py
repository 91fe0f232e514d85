"""The report as one HTML file: opens from disk, needs no network, reads on a phone and on paper."""

from __future__ import annotations

from html import escape

from incognote.evaluate.measure import Json
from incognote.evaluate.report import svg
from incognote.evaluate.report.html import figure, page, shaded, table

_NOTE_TYPES = 20  # rows of a table that is still read
_SCORES = ("recall", "precision", "f1", "f2")
_HEADS = {"recall": "Recall", "precision": "Precision", "f1": "F1", "f2": "F2"}


def render(measured: Json, title: str, comparison: Json | None = None) -> str:
    """The whole page."""
    sections = [
        ("scores", "Scores", _scores(measured)),
        ("sensitivity", "What a wanted sensitivity costs", _sensitivity(measured)),
        ("labels", "By label", _labels(measured)),
        ("errors", "Errors", _errors(measured)),
        ("slices", "Who and what is missed", _slices(measured)),
        ("archive", "What this says about the whole archive", _archive(measured)),
        ("utility", "Clinical words that survive", _utility(measured)),
    ]
    if comparison:
        sections.insert(0, ("compare", "Comparison", _comparison(comparison)))
    if "official" in measured:
        sections.append(("official", "Official i2b2 2014 scores", _official(measured)))
    if "examples" in measured:
        sections.append(("examples", "Examples", _examples(measured)))
    sections.append(("method", "How it was measured", _method(measured)))
    links = "".join(f'<a href="#{key}">{escape(name)}</a>' for key, name, _ in sections)
    body = "".join(
        f'<section id="{key}"><h2>{escape(name)}</h2>{html}</section>'
        for key, name, html in sections
    )
    about = measured["about"]
    lead = (
        f"{about['documents']:,} notes, {about['words']:,} words, {about['phi_words']:,} of them "
        f"PHI, {about['gold_spans']:,} annotated mentions."
    )
    return page(title, f"<p class=soft>{lead}</p>{_tiles(measured)}<nav>{links}</nav>{body}")


def _tiles(measured: Json) -> str:
    overall = measured["words"]["all"]
    low, high = overall["intervals"]["recall"]
    low_p, high_p = overall["intervals"]["precision"]
    tiles = [
        (f"{overall['recall']:.4f}", f"recall of PHI words ({low:.4f} to {high:.4f})"),
        (f"{overall['precision']:.4f}", f"precision ({low_p:.4f} to {high_p:.4f})"),
        (f"{overall['f1']:.4f}", "F1, PHI or not"),
        (
            f"{overall['leaking_notes']} of {measured['about']['documents']}",
            "notes with at least one missed word",
        ),
        (f"{overall['missed_per_1000']:.2f}", "missed words per 1,000 words"),
        (f"{overall['false_per_1000']:.2f}", "false alarms per 1,000 words"),
    ]
    cells = "".join(f"<div class=tile><b>{n}</b><span>{escape(t)}</span></div>" for n, t in tiles)
    return f"<div class=tiles>{cells}</div>"


def _scores(measured: Json) -> str:
    rows = []
    for name, row in measured["words"].items():
        low, high = row["intervals"]["recall"]
        rows.append(
            [
                name,
                *(_share(row[key]) for key in _SCORES),
                f"{low:.4f}-{high:.4f}",
                _share(row["typed"]["f1"]),
                f"{row['fn']:,}",
                f"{row['fp']:,}",
                f"{row['missed_per_1000']:.2f}",
                f"{row['false_per_1000']:.2f}",
                f"{row['leaking_notes']:,}",
            ]
        )
    heads = [
        "Words",
        *_HEADS.values(),
        "Recall between",
        "Typed F1",
        "Missed",
        "False",
        "Missed ‰",
        "False ‰",
        "Leaking",
    ]
    html = table(heads, rows, total="all") + (
        "<p class=soft>PHI or not, unless typed. ‰: per 1,000 words of any kind. Recall between: "
        "bootstrap interval. Leaking: notes with at least one miss.</p>"
    )
    rows = []
    for mode, kinds in (*measured["spans"].items(), ("words", measured["word_means"])):
        for kind, name in (("typed", "right label"), ("phi", "PHI or not")):
            row = kinds[kind]["all"]
            macro, types = kinds[kind]["macro_by_document"], kinds[kind]["macro_by_type"]
            rows.append(
                [
                    f"{mode}, {name}",
                    *(_share(row[key]) for key in _SCORES),
                    f"{row['fn']:,}",
                    f"{row['fp']:,}",
                    _share(macro["f1"]),
                    _share(types["f1"]),
                ]
            )
    heads = [
        "Match",
        *_HEADS.values(),
        "Missed",
        "False",
        "F1, mean of notes",
        "F1, mean of labels",
    ]
    note = (
        "<p class=soft>Whole mentions, strict: same bounds. Relaxed: same start, end at most two "
        "characters off. Overlap: one shared character is enough.</p>"
    )
    return html + "<h3>Mentions and words</h3>" + table(heads, rows) + note


def _sensitivity(measured: Json) -> str:
    rows = []
    for target, point in measured["sensitivity"]["fixed"].items():
        if point is None:
            rows.append([target, "not reached", "", "", "", ""])
            continue
        rows.append(
            [
                target,
                f"{point['threshold']:.4g}",
                _share(point["precision"]),
                _share(point["f1"]),
                f"{point['missed_per_1000']:.2f}",
                f"{point['false_per_1000']:.2f}",
            ]
        )
    heads = ["Sensitivity", "Threshold", "Precision", "F1", "Missed ‰", "False ‰"]
    points = [(one["recall"], one["precision"]) for one in measured["sensitivity"]["curve"]]
    overall = measured["words"]["all"]
    plot = ""
    if len(points) > 2:
        mark = (overall["recall"], overall["precision"])
        plot = figure(
            svg.curve(points, "recall", "precision", mark),
            "Precision against recall as the threshold falls; the dot is the system as it is.",
        )
    else:
        plot = "<p class=soft>The prediction has no graded scores, so there is no curve.</p>"
    return table(heads, rows) + plot


def _labels(measured: Json) -> str:
    rows = []
    for name, kinds in measured["labels"].items():
        words = kinds["words"]
        rows.append(
            [
                name,
                f"{words['tp'] + words['fn']:,}",
                *(_share(words[key]) for key in ("recall", "precision", "f1")),
                f"{words['fn']:,}",
                f"{words['fp']:,}",
                *(_share(kinds[mode]["f1"]) for mode in ("strict", "overlap")),
            ]
        )
    heads = [
        "Label",
        "Words",
        "Recall",
        "Precision",
        "F1",
        "Missed",
        "False",
        "Mentions F1, strict",
    ]
    html = table([*heads, "Mentions F1, overlap"], rows)
    rows = [
        [name, *(_share(row[key]) for key in _SCORES), f"{row['fn']:,}", f"{row['fp']:,}"]
        for name, row in measured["categories"].items()
    ]
    return (
        html
        + "<h3>By category</h3>"
        + table(["Category", *_HEADS.values(), "Missed", "False"], rows)
    )


def _errors(measured: Json) -> str:
    errors = measured["errors"]
    parts = []
    worst = [row for row in errors["contributions"] if row["missed"]][:12]
    if worst:
        bars = [(row["label"], row["missed"], _cost(row)) for row in worst]
        parts.append(
            figure(
                svg.bars(bars, "Missed words by label"),
                "Missed words by label: how many, their share of all misses, and how many points "
                "of recall (in per cent) they cost.",
            )
        )
    partial = errors["partial"]
    rows = [
        ["a part of the word was covered", f"{partial['part_covered']:,}"],
        ["its neighbour in the mention was found", f"{partial['neighbour_found']:,}"],
        ["nothing of the mention was seen", f"{partial['unseen']:,}"],
    ]
    notes = [
        [f"{row['missed']}", f"{row['notes']:,}", f"{100 * row['cumulative']:.1f} %"]
        for row in errors["per_note"][:15]
    ]
    parts.append(
        "<div>"
        + table(["Missed words of which", "Words"], rows)
        + table(["Missed words in a note", "Notes", "Notes with at most so many"], notes)
        + "</div>"
    )
    kinds = [
        [
            name,
            f"{row['notes']:,}",
            f"{row['leaking']:,}",
            f"{row['phi']:,}",
            _share(row["recall"]),
            f"{row['missed']:,}",
            f"{row['false']:,}",
        ]
        for name, row in list(errors["note_types"].items())[:_NOTE_TYPES]
    ]
    more = len(errors["note_types"]) - _NOTE_TYPES
    rest = f"<p class=soft>{more:,} more note types are in slices.csv.</p>" if more > 0 else ""
    heads = ["Note type", "Notes", "Leaking", "PHI words", "Recall", "Missed", "False"]
    return (
        f"<div class=grid>{''.join(parts)}</div><h3>By note type</h3>"
        + table(heads, kinds)
        + rest
        + "<h3>What was taken for what (words)</h3>"
        + _matrix(errors["confusion"])
    )


def _cost(row: Json) -> str:
    share, points = 100 * row["share_of_misses"], 100 * row["contribution"]
    return f"{row['missed']:,} ({share:.0f} %, {points:.2f})"


def _matrix(confusion: Json) -> str:
    rows = []
    for name, counts in zip(confusion["rows"], confusion["counts"], strict=True):
        total = sum(counts) or 1
        cells = [
            (f"{count:,}" if count else "", "good" if column == name else "bad", count / total)
            for column, count in zip(confusion["columns"], counts, strict=True)
        ]
        rows.append((name, [(text, tone, 0.08 + 0.62 * share) for text, tone, share in cells]))
    return (
        f"<div class=matrix>{shaded(['', *confusion['columns']], rows)}</div>"
        "<p class=soft>Rows are the gold, columns the prediction; shades are shares of a row.</p>"
    )


def _slices(measured: Json) -> str:
    figures = []
    for factor, rows in measured["errors"]["breakdowns"].items():
        dots = [
            (name, row["recall"], *row["interval"], f"{row['missed']:,} / {row['words']:,}")
            for name, row in rows.items()
        ]
        figures.append(figure(svg.dots(dots, f"Recall by {factor}"), f"Recall by {factor}"))
    note = (
        "<p class=soft>Dots are recall, bands 95 % intervals (Wilson); at the right missed / all "
        "PHI words. Ethnicity and sex are those of most bearers of the name in the United States; "
        "they describe names, not the people in the notes.</p>"
    )
    return f"<div class=grid>{''.join(figures)}</div>{note}"


def _archive(measured: Json) -> str:
    sure = measured["confidence"]
    level = f"{100 * measured['about']['level']:g} %"
    wanted = [[rate, f"{notes:,}"] for rate, notes in sure["clean_notes_needed"].items()]
    return (
        f"<p>{sure['leaking_notes']:,} of {sure['notes']:,} notes leak at least one word. If these "
        f"notes are a random sample, then with {level} confidence at most "
        f"<b>{100 * sure['leaking_share_at_most']:.2f} %</b> of all notes do "
        f"(Clopper-Pearson), and at most <b>{sure['missed_words_per_1000_at_most']:.2f}</b> words "
        f"per 1,000 are missed (bootstrap over {sure['clusters']:,} clusters).</p>"
        + table(
            ["To claim that at most so many notes leak", "annotate so many and find no leak"],
            wanted,
        )
    )


def _utility(measured: Json) -> str:
    rows = [
        [
            name,
            f"{row['words']:,}",
            f"{row['lost']:,}",
            f"{100 * row['share']:.2f} %",
            f"{1000 * (1 - row['share']):.2f}",
        ]
        for name, row in measured["utility"].items()
    ]
    return table(["Terms", "Words", "Hidden by mistake", "Survive", "Lost ‰"], rows)


def _comparison(comparison: Json) -> str:
    rows = [
        [
            test["unit"],
            test["subset"],
            _HEADS[test["metric"]],
            _share(test["a"]),
            _share(test["b"]),
            f"{test['difference']:+.4f}",
            f"{test['p']:.4f}",
            f"{test['adjusted']:.4f}",
        ]
        for test in comparison["tests"]
    ]
    heads = [
        "Unit",
        "Subset",
        "Score",
        comparison["a"],
        comparison["b"],
        "Difference",
        "p",
        "p, corrected",
    ]
    return (
        f"<p><b>{escape(comparison['verdict'])}</b></p>"
        + table(heads, rows)
        + f"<p class=soft>Approximate randomisation, {comparison['shuffles']:,} shuffles by "
        "document; words are PHI or not, mentions have exact bounds and label; Bonferroni's "
        "correction over all tests of this table.</p>"
    )


def _official(measured: Json) -> str:
    rows = [
        [
            name,
            f"{row['tp']:,}",
            f"{row['fp']:,}",
            f"{row['fn']:,}",
            *(_share(row[key]) for key in ("precision", "recall", "f1")),
            _share(row["macro_precision"]),
            _share(row["macro_recall"]),
            "" if row["macro_f1"] is None else _share(row["macro_f1"]),
        ]
        for name, row in measured["official"].items()
    ]
    heads = ["Block", "TP", "FP", "FN", "P", "R", "F1", "macro P", "macro R", "macro F1"]
    return table(heads, rows)


def _examples(measured: Json) -> str:
    rows = "".join(
        f"<tr><td>{escape(one['kind'])}</td><td>{escape(one['label'])}</td>"
        f"<td>{escape(one['document_id'])}</td><td class=text>{escape(one['before'])}"
        f"<mark>{escape(one['text'])}</mark>{escape(one['after'])}</td></tr>"
        for one in measured["examples"]
    )
    heads = "".join(f"<th>{name}</th>" for name in ("Error", "Label", "Note", "Text"))
    return (
        "<p><b>This section holds clinical text. Treat the file as you treat the notes.</b></p>"
        f"<div class=scroll><table class=examples><tr>{heads}</tr>{rows}</table></div>"
    )


def _method(measured: Json) -> str:
    about = measured["about"]
    neutral = ", ".join(about["neutral"]) or "none"
    return (
        f"<p>Words are counted with the <b>{escape(about['tokeniser'])}</b> tokeniser. A word is "
        "found when every character of PHI in it is covered. Labels that count neither way: "
        f"{escape(neutral)}. In a group, spans with a label outside it hide nothing, and PHI "
        "outside it is neither missed nor a false alarm. Intervals are bootstrap percentiles "
        "over whole notes, or patients where the corpus names them. "
        f"incognote {escape(about['incognote'])}.</p>"
    )


def _share(value: float) -> str:
    return f"{value:.4f}"
