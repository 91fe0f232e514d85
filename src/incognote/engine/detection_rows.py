"""The rows that `detect` writes: one for each row of the input, its fields inside it.

A record with one text has its spans in the row. One with several has `fields`, each with its
place and its spans. With the text, a row is an annotated document, and every annotation format can
be written from it (`incognote corpus convert`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from incognote.core.types import Document, Failure, Result
from incognote.engine.events import RecordDone, row_id
from incognote.engine.output.ledger import Ledger
from incognote.policy import FormatRules

Row = dict[str, object]


def detection_rows(
    event: RecordDone, ledger: Ledger, rules: FormatRules, *, with_text: bool
) -> Iterator[Row]:
    """The rows of a record. A field that is PHI as a whole was not detected: it is not listed."""
    if event.failure and not event.documents:
        ledger.refused(event.source, event.failure, event.raw)
        yield _failed_row(event.failure.document_id, event.failure)
        return
    pairs = zip(event.documents, event.outcomes, strict=True)
    texts = [(document, outcome) for document, outcome in pairs if document.free_text]

    def by_row(pair: tuple[Document, Result | Failure]) -> str:
        return row_id(pair[0], rules)

    for document, outcome in texts:
        if isinstance(outcome, Failure):
            ledger.refused(event.source, outcome, event.raw, (document,))
    for key, group in groupby(zip(event.documents, event.outcomes, strict=True), by_row):
        fields = [_field(*pair, with_text=with_text) for pair in group if pair[0].free_text]
        if len(fields) == 1:
            yield {"id": key, **fields[0]}
        else:
            errors = [field["error"] for field in fields if "error" in field]
            yield {"id": key, "fields": fields, **({"error": errors[0]} if errors else {})}
    ledger.done(event.source, [outcome for _, outcome in texts if isinstance(outcome, Result)])


def _field(document: Document, outcome: Result | Failure, *, with_text: bool) -> Row:
    # Where the text appears in the file: a field, a cell, a segment, a page.
    place = {"locator": document.locator} if document.locator not in ("", document.id) else {}
    text = {"text": document.text[document.lead :]} if with_text else {}
    if isinstance(outcome, Failure):
        failed = _failed_row("", outcome)
        return {**text, "spans": failed["spans"], "error": failed["error"], **place}
    lead = document.lead
    spans = [span.to_dict(-lead) for span in outcome.spans if span.end > lead]
    return {**text, "spans": spans, **place}


def _failed_row(key: str, failure: Failure) -> Row:
    # Not an empty list: a program that cuts text by these spans must not read it as "no PHI".
    return {"id": key, "spans": None, "error": f"{failure.error} ({failure.stage})"}
