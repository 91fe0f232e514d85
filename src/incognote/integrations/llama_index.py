"""LlamaIndex: nodes lose their PHI on their way into an index.

    from incognote.integrations.llama_index import DeidentifyNodes

    IngestionPipeline(transformations=[DeidentifyNodes(key=key), SentenceSplitter(), ...])

Put it first: a splitter may cut a name in two. Only the metadata named in `keep` stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.schema import BaseNode, TextNode, TransformComponent
from pydantic import PrivateAttr

from incognote.api import Deidentifier
from incognote.core.errors import UsageError
from incognote.integrations.texts import deidentified
from incognote.policy import DEFAULT


class DeidentifyNodes(TransformComponent):
    """Replaces the PHI of each text node."""

    policy: str = DEFAULT
    patient: str = "patient_id"
    keep: tuple[str, ...] = ()
    _deidentifier: Deidentifier = PrivateAttr()

    def __init__(self, key: bytes | str | None = None, **fields: Any) -> None:
        super().__init__(**fields)
        self._deidentifier = Deidentifier(self.policy, key)

    def __call__(self, nodes: Sequence[BaseNode], **_: Any) -> list[BaseNode]:
        if any(not isinstance(node, TextNode) for node in nodes):
            raise UsageError("only text nodes can be de-identified")
        owners = [node.metadata.get(self.patient) for node in nodes]
        texts = deidentified(
            self._deidentifier,
            [node.get_content() for node in nodes],
            [None if owner is None else str(owner) for owner in owners],
        )
        return [
            TextNode(
                text=text,
                metadata={
                    name: value for name, value in node.metadata.items() if name in self.keep
                },
            )
            for node, text in zip(nodes, texts, strict=True)
        ]
