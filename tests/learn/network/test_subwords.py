"""Encoders with other vocabularies than WordPiece are trained and run. Needs two extras."""

from __future__ import annotations

import json
import pickle

import pytest
from tests.toy_encoder import write_toy_encoder

from incognote.core.errors import UsageError
from incognote.core.registry import load
from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.detect.learned.encoder.subwords import Subwords
from incognote.learn import recipe, transformer
from incognote.learn.network.base import open_base
from incognote.policy import PrepareRules
from incognote.prepare import prepare

SPECIALS = ["<s>", "<pad>", "</s>", "<unk>"]


@pytest.fixture(scope="module")
def source(notes):
    tokenizers = pytest.importorskip("tokenizers", reason="needs incognote[subwords]")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=80,
        special_tokens=SPECIALS,
        initial_alphabet=[],
    )
    tokenizer.train_from_iterator([note.text for note in notes], trainer)
    return tokenizer.to_str()


def test_a_unit_is_a_word_of_its_own(source):
    pieces = Subwords(source)
    assert pieces.pieces("Patient") == pieces.pieces("Patient")
    assert len({pieces.unknown, pieces.pad, pieces.first, pieces.last}) == 4
    assert pieces.pieces("------") == pieces.pieces("-")
    again = pickle.loads(pickle.dumps(pieces))
    assert again.pieces("Blood") == pieces.pieces("Blood")
    assert again.size == pieces.size


def test_what_is_no_tokenizer_is_refused():
    pytest.importorskip("tokenizers", reason="needs incognote[subwords]")
    with pytest.raises(UsageError, match="cannot be read"):
        Subwords("{}")


def test_an_encoder_of_the_roberta_family_is_trained_and_run(source, notes, tmp_path):
    folder = write_toy_encoder(tmp_path)
    (folder / "vocab.txt").unlink()
    (folder / "tokenizer.json").write_text(source)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"model_type": "roberta"}))
    base = open_base(folder)
    assert base.longest == 510  # two positions are those of padding
    assert not base.lower
    documents = [
        AnnotatedDocument(Document(n.id, n.text), tuple(Span(*mark) for mark in n.marks))
        for n in notes
    ]
    data = recipe.prepare_data(documents, held_out=6, languages=["en"])
    options = transformer.Training(epochs=2, window=128, rate=1e-3, learn_words=True)
    model = recipe.train_transformer(data, base, tmp_path / "model", options, str)
    assert "tokenizer.json" in model.hashes
    detector = load("detector", "transformer")(model=str(model.path), sensitivity=1.0)
    (spans,) = detector.detect(prepare(Document("n", notes[0].text), PrepareRules()))
    assert spans
