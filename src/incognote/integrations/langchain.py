"""LangChain: documents lose their PHI before they are split, embedded or sent anywhere.

    from incognote.integrations.langchain import DeidentifyDocuments

    clean = DeidentifyDocuments(key=key).transform_documents(documents)

Notes of one patient share surrogates where `patient` names a field of the metadata. Metadata may
hold PHI as well: only the fields named in `keep` stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.documents import BaseDocumentTransformer, Document

from incognote.api import Deidentifier
from incognote.integrations.texts import deidentified
from incognote.policy import DEFAULT


class DeidentifyDocuments(BaseDocumentTransformer):
    """Replaces the PHI of each document's `page_content`."""

    def __init__(
        self,
        policy: str = DEFAULT,
        key: bytes | str | None = None,
        *,
        patient: str = "patient_id",
        keep: Sequence[str] = (),
    ) -> None:
        self._deidentifier = Deidentifier(policy, key)
        self._patient = patient
        self._keep = frozenset(keep)

    def transform_documents(self, documents: Sequence[Document], **_: Any) -> Sequence[Document]:
        owners = [_owner(document.metadata.get(self._patient)) for document in documents]
        texts = deidentified(self._deidentifier, [each.page_content for each in documents], owners)
        return [
            Document(
                page_content=text,
                metadata={
                    name: value for name, value in document.metadata.items() if name in self._keep
                },
            )
            for document, text in zip(documents, texts, strict=True)
        ]


def _owner(value: Any) -> str | None:
    return None if value is None else str(value)
