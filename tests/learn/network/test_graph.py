"""The written graph computes what the trained network computes. Needs the training extra."""

from __future__ import annotations

import numpy as np
import pytest

from incognote.core.errors import UsageError
from incognote.detect.learned.encoder.weights import GRAPH, WEIGHTS, read_weights
from incognote.learn.network.families import encoder_shape
from incognote.learn.network.graph import write_graph

WORDS, WIDTH = 60, 32
LABELS = ("AGE", "CITY", "DATE", "DOCTOR", "PATIENT")


def config(family):
    transformers = pytest.importorskip("transformers")
    common = {"vocab_size": WORDS, "max_position_embeddings": 66}
    if family == "distilbert":
        return transformers.DistilBertConfig(dim=32, n_layers=2, n_heads=4, hidden_dim=64, **common)
    kind = {
        "bert": transformers.BertConfig,
        "mpnet": transformers.MPNetConfig,
        "roberta": transformers.RobertaConfig,
    }[family]
    return kind(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, **common
    )


@pytest.fixture(scope="module", params=["bert", "distilbert", "mpnet", "roberta"])
def trained(request, tmp_path_factory):
    """A network with weights of a size that quantisation notices, and the encoder it came from."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from incognote.learn.network.base import open_base
    from incognote.learn.network.encoder import build

    torch.manual_seed(3)
    folder = tmp_path_factory.mktemp(request.param)
    encoder = transformers.AutoModel.from_config(config(request.param)).eval()
    with torch.no_grad():
        for parameter in encoder.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    encoder.half().save_pretrained(folder)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *(f"w{i}" for i in range(WORDS - 4))]
    (folder / "vocab.txt").write_text("\n".join(words))
    base = open_base(folder)
    return base, build(base, LABELS).eval(), encoder.float()


def weights(trained):
    base, model, _ = trained
    return {name: value.numpy() for name, value in model.state_dict().items()}, base.shape


def test_a_base_in_half_precision_becomes_the_same_encoder_in_full(trained):
    import torch

    base, model, encoder = trained
    assert {array.dtype for array in base.weights.values()} == {np.dtype("float32")}
    ids = torch.from_numpy(feeds()[1][:1])
    nothing = torch.zeros_like(ids)
    with torch.no_grad():
        added = model.shapes.weight[0] + model.layouts.weight[0]
        words = encoder.get_input_embeddings()(ids) + added
        expected = encoder(inputs_embeds=words).last_hidden_state
        expected = expected @ model.heads.weight + model.heads.bias
        found = model(ids, nothing, nothing, torch.ones_like(ids))
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-3, atol=1e-3)


def feeds():
    rng = np.random.default_rng(5)
    return [
        np.stack([rng.integers(3, WORDS, size), rng.integers(0, 9, size), rng.integers(0, 6, size)])
        for size in (7, WIDTH, 20)
    ]


def expected(model, feed):
    import torch

    ids, shapes, layouts = (torch.from_numpy(row)[None] for row in feed)
    with torch.no_grad():
        return model(ids, shapes, layouts, torch.ones_like(ids))[0].numpy()


def test_the_network_of_torch_is_the_trained_one(trained):
    import torch

    from incognote.detect.learned.encoder.torch_encoder import PADDING, Network

    found, shape = weights(trained)
    packed = np.zeros((3, 4, WIDTH), np.int32)
    packed[0] = PADDING
    for row, feed in enumerate(feeds()):
        packed[:, row, : feed.shape[1]] = feed
    network = Network({name: torch.tensor(value) for name, value in found.items()}, shape)
    logits = network(torch.from_numpy(packed)).numpy()
    for row, feed in enumerate(feeds()):
        np.testing.assert_allclose(
            logits[row, : feed.shape[1]], expected(trained[1], feed), rtol=1e-3, atol=1e-3
        )
    assert np.isfinite(logits).all()  # a row of nothing but padding, too


def test_onnxruntime_and_torch_run_the_same_file(trained, tmp_path):
    from incognote.detect.learned.encoder.onnx_session import open_session
    from incognote.detect.learned.encoder.torch_encoder import TorchEncoder

    found, shape = weights(trained)
    write_graph(found, shape, tmp_path)
    session = open_session(tmp_path / GRAPH)
    answers = TorchEncoder(tmp_path / WEIGHTS, shape, "cpu").run(feeds())
    for feed, answer in zip(feeds(), answers, strict=True):
        rows = dict(zip(("ids", "shapes", "layouts"), feed[:, None], strict=True))
        whole = session.run(None, rows)[0][0]
        exact = expected(trained[1], feed)
        scale = np.abs(exact).max()
        assert np.abs(whole - exact).max() < 0.05 * scale
        assert np.abs(answer - exact[1:-1]).max() < 0.05 * scale


def test_weights_come_back_within_half_a_step(trained, tmp_path):
    found, shape = weights(trained)
    write_graph(found, shape, tmp_path)
    again = read_weights(tmp_path / WEIGHTS)
    assert again.keys() == found.keys()
    for name, array in found.items():
        assert np.abs(again[name] - array).max() <= np.abs(array).max() / 254 + 1e-6


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"model_type": "modernbert"}, "family 'modernbert'"),
        ({}, "family None"),
        ({"model_type": "bert", "hidden_act": "relu"}, "gelu"),
        ({"model_type": "bert", "position_embedding_type": "relative_key"}, "absolute positions"),
    ],
)
def test_other_encoders_are_refused(row, message):
    with pytest.raises(UsageError, match=message):
        encoder_shape(row)
