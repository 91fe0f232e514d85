"""Each integration on its own library, where that is installed."""

from __future__ import annotations

import pytest

KEY = b"a key for the tests of integrations"
POLICY = "i2b2-2014+rules"
NOTES = [
    "Mr. Okonkwo saw Dr. Brandvold on 3/11/24. K 4.1.",
    "Foley in place. Mr. Okonkwo is better.",
]
NAMES = ("Okonkwo", "Brandvold", "3/11/24")


def clean(texts: list[str]) -> bool:
    return not [name for name in NAMES for text in texts if name in text] and "K 4.1" in texts[0]


def test_langchain() -> None:
    documents = pytest.importorskip("langchain_core.documents", reason="needs langchain-core")
    from incognote.integrations.langchain import DeidentifyDocuments

    notes = [
        documents.Document(page_content=note, metadata={"patient_id": 7, "kind": "progress"})
        for note in NOTES
    ]
    new = DeidentifyDocuments(POLICY, KEY, keep=["kind"]).transform_documents(notes)
    assert clean([document.page_content for document in new])
    assert [document.metadata for document in new] == [{"kind": "progress"}] * 2
    name = new[0].page_content.split()[1]
    assert f"Mr. {name}" in new[1].page_content, "one patient, one surrogate"


def test_llama_index() -> None:
    schema = pytest.importorskip("llama_index.core.schema", reason="needs llama-index-core")
    from incognote.core.errors import UsageError
    from incognote.integrations.llama_index import DeidentifyNodes

    nodes = [schema.TextNode(text=note, metadata={"patient_id": "7"}) for note in NOTES]
    new = DeidentifyNodes(KEY, policy=POLICY)(nodes)
    assert clean([node.get_content() for node in new])
    assert all(node.metadata == {} for node in new)
    with pytest.raises(UsageError):
        DeidentifyNodes(KEY, policy=POLICY)([schema.IndexNode(index_id="x", text="a"), object()])


def test_datasets() -> None:
    datasets = pytest.importorskip("datasets", reason="needs datasets")
    from incognote.integrations.datasets import deid_batch

    table = datasets.Dataset.from_dict({"text": NOTES, "patient_id": ["7", "7"]})
    new = table.map(deid_batch(POLICY, KEY), batched=True)
    assert clean(new["text"][:])


def test_datasets_function_needs_no_library() -> None:
    from incognote.integrations.datasets import deid_batch

    new = deid_batch(POLICY, KEY)({"text": NOTES, "patient_id": ["7", "7"]})
    assert clean(new["text"])
    assert deid_batch(POLICY, KEY)({"text": NOTES})["text"][0] != NOTES[0]


def test_a_text_that_fails_raises_and_is_not_quoted() -> None:
    from incognote.core.errors import DocumentError
    from incognote.integrations.datasets import deid_batch

    french = "Le patient a été vu par le docteur Canaryzebu à la consultation de cardiologie. " * 20
    with pytest.raises(DocumentError) as caught:
        deid_batch(POLICY, KEY)({"text": [NOTES[0], french]})
    assert "Canaryzebu" not in str(caught.value)


def test_spacy() -> None:
    spacy = pytest.importorskip("spacy", reason="needs the extra 'spacy'")
    import incognote.integrations.spacy  # noqa: F401

    nlp = spacy.blank("en")
    nlp.add_pipe("incognote", config={"policy": POLICY})
    doc = nlp(NOTES[0])
    assert {"Okonkwo", "Brandvold"} <= {span.text for span in doc.spans["phi"]}
    assert {span.label_ for span in doc.spans["phi"]} >= {"PATIENT", "DOCTOR", "DATE"}
