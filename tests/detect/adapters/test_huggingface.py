"""Against a model made here: it has no layers, so each word's label can be set by hand."""

from __future__ import annotations

import pytest

from incognote.core.errors import PolicyError

torch = pytest.importorskip("torch", reason="needs the extra 'huggingface'")
transformers = pytest.importorskip("transformers", reason="needs the extra 'huggingface'")

from incognote.detect.adapters.huggingface import HuggingFaceDetector  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # its dependencies' own

WORDS = {"kowalski": "B-PATIENT", "jane": "B-PATIENT", "quilby": "B-TOWN"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("model")
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "in", "and", *WORDS]
    names = ["O", "B-PATIENT", "I-PATIENT", "B-TOWN"]
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=len(vocabulary),
        num_hidden_layers=0,
        num_attention_heads=1,
        intermediate_size=8,
        max_position_embeddings=64,
        id2label=dict(enumerate(names)),
        label2id={name: i for i, name in enumerate(names)},
    )
    model = transformers.BertForTokenClassification(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        embeddings = model.bert.embeddings
        embeddings.word_embeddings.weight.copy_(torch.eye(len(vocabulary)))
        embeddings.LayerNorm.weight.fill_(1)
        model.classifier.bias[0] = 1
        for word, name in WORDS.items():
            model.classifier.weight[names.index(name), vocabulary.index(word)] = 9
    model.save_pretrained(path)
    tokenizer = transformers.BertTokenizerFast(
        vocab={word: i for i, word in enumerate(vocabulary)}, model_max_length=64
    )
    tokenizer.save_pretrained(path)
    return str(path)


def test_labels_and_offsets(marked, folder):
    detector = HuggingFaceDetector(folder, labels={"TOWN": "CITY"})
    assert marked(detector, "Kowalski in Quilby", "nobody") == [
        "[[Kowalski|PATIENT]] in [[Quilby|CITY]]",
        "nobody",
    ]


def test_text_longer_than_the_model_reads(marked, folder):
    detector = HuggingFaceDetector(folder, labels={"TOWN": ""})
    text = "and " * 300 + "Kowalski" + " and" * 300
    assert marked(detector, text) == ["and " * 300 + "[[Kowalski|PATIENT]]" + " and" * 300]


def test_label_that_nothing_maps(marked, folder):
    with pytest.raises(PolicyError, match="nothing maps: TOWN"):
        marked(HuggingFaceDetector(folder), "Kowalski")


def test_missing_folder():
    with pytest.raises(PolicyError, match="no model folder"):
        HuggingFaceDetector("no/such/folder")
