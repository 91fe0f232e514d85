"""Exits: all runtimes let the same pieces leave, and what stays is not harmed. Needs torch."""

from __future__ import annotations

import numpy as np
import pytest

from incognote.core.errors import UsageError
from incognote.detect.learned.encoder.weights import GRAPH, LEFT, WEIGHTS, EncoderShape
from incognote.detect.learned.encoder.wordpiece import WordPiece
from incognote.learn.network.graph import write_graph

torch = pytest.importorskip("torch")

from incognote.detect.learned.encoder.onnx_session import open_session  # noqa: E402
from incognote.detect.learned.encoder.torch_encoder import TorchEncoder, leaving  # noqa: E402
from incognote.learn.network.base import Base, with_exits  # noqa: E402
from incognote.learn.network.encoder import build  # noqa: E402
from incognote.learn.network.exits import exit_loss  # noqa: E402
from incognote.learn.network.windows import IGNORED, UNMARKED  # noqa: E402

WORDS, WIDTH, LAYERS = 60, 32, 4
LABELS = ("AGE", "DATE", "PATIENT")


def toy_base() -> Base:
    rng = np.random.default_rng(2)

    def some(*shape: int) -> np.ndarray:
        return (rng.standard_normal(shape) * 0.3).astype(np.float32)

    weights = {"words.weight": some(WORDS, WIDTH), "positions.weight": some(80, WIDTH)}
    norms = ["norm"]
    for i in range(LAYERS):
        norms += [f"layers.{i}.norm1", f"layers.{i}.norm2"]
        for part, rows, columns in (
            ("qkv", WIDTH, 3 * WIDTH),
            ("out", WIDTH, WIDTH),
            ("up", WIDTH, 64),
            ("down", 64, WIDTH),
        ):
            weights[f"layers.{i}.{part}.weight"] = some(rows, columns)
            weights[f"layers.{i}.{part}.bias"] = some(columns)
    for name in norms:
        weights |= {f"{name}.weight": np.ones(WIDTH, np.float32), f"{name}.bias": some(WIDTH)}
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *(f"w{i}" for i in range(WORDS - 4))]
    return Base("toy", weights, EncoderShape(LAYERS, 4, 1e-12), WordPiece(words), {})


def network(exits, bias):
    """A network whose exits let nobody, some or all leave; they decide by what they see."""
    torch.manual_seed(4)
    base = with_exits(toy_base(), exits)
    model = build(base, LABELS).eval()
    with torch.no_grad():
        for part in model.exits.values():
            part.score.weight.mul_(20)
            part.score.bias.fill_(bias)
    return base, model


def feed(size, seed=5):
    rng = np.random.default_rng(seed)
    return np.stack(
        [rng.integers(3, WORDS, size), rng.integers(0, 9, size), rng.integers(0, 6, size)]
    )


def read(model, window, padding=0):
    rows = torch.from_numpy(np.pad(window, ((0, 0), (0, padding))))[:, None]
    mask = torch.tensor([[1] * window.shape[1] + [0] * padding])
    with torch.no_grad():
        return model(*rows, mask)[0, : window.shape[1]].numpy()


def left(logits):
    return (logits[:, 0] == LEFT) & (logits[:, 1:] == 0).all(axis=1)


@pytest.mark.parametrize("exits", [(1,), (2,), (1, 3)])
@pytest.mark.parametrize("size", [3, 9, 64])
def test_every_runtime_lets_the_same_pieces_leave(exits, size, tmp_path):
    base, model = network(exits, -12.0)
    weights = {name: value.numpy() for name, value in model.state_dict().items()}
    write_graph(weights, base.shape, tmp_path)
    window = feed(size)
    trained = read(model, window, padding=7)
    (gpu,) = TorchEncoder(tmp_path / WEIGHTS, base.shape, "cpu").run([window])
    rows = dict(zip(("ids", "shapes", "layouts"), window[:, None], strict=True))
    cpu = open_session(tmp_path / GRAPH).run(None, rows)[0][0]
    if size == 64:
        assert 0 < left(trained).sum() < size
        assert (left(cpu) == left(trained)).mean() > 0.9  # int8 rounds a score or two over 0
    same = left(gpu) == left(trained)[1:-1]
    assert same.mean() > 0.9
    stays = ~left(trained)[1:-1] & ~left(gpu)
    scale = np.abs(trained[1:-1][stays]).max(initial=1.0)
    if same.all():
        assert np.abs(gpu - trained[1:-1])[stays].max(initial=0) < 0.1 * scale


@pytest.mark.parametrize(("bias", "share"), [(1e4, 0.0), (-1e4, 1.0)])
def test_all_stay_or_all_leave(bias, share, tmp_path):
    base, model = network((1, 3), bias)
    window = feed(40)
    assert left(read(model, window))[3:-3].mean() == share
    if not share:
        plain = build(toy_base(), LABELS).eval()
        plain.load_state_dict({k: v for k, v in model.state_dict().items() if "exits" not in k})
        np.testing.assert_allclose(read(model, window), read(plain, window), atol=1e-4)
    write_graph({k: v.numpy() for k, v in model.state_dict().items()}, base.shape, tmp_path)
    rows = dict(zip(("ids", "shapes", "layouts"), window[:, None], strict=True))
    assert left(open_session(tmp_path / GRAPH).run(None, rows)[0][0])[3:-3].mean() == share


def test_neighbours_and_the_ends_of_a_window_stay():
    score = torch.full((1, 14), -1.0)
    score[0, 6] = 1.0
    padding = torch.zeros(1, 14, dtype=torch.bool)
    padding[0, 12:] = True
    stays = ~leaving(score, padding, padding)[0, :12]
    # The marks at 0 and 11 keep two pieces beside them, as the piece at 6 does.
    assert stays.nonzero()[:, 0].tolist() == [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11]


def test_exits_learn_from_marks_and_teachers_and_leave_the_layers_below_alone():
    _, model = network((2,), 0.0)
    labels = torch.tensor([[IGNORED, 0, 2, IGNORED, 0, IGNORED]])
    rows = torch.from_numpy(feed(6))[:, None]
    _, verdicts = model.read(*rows, torch.ones(1, 6, dtype=torch.long))
    exit_loss(verdicts, labels, None).backward()
    learned = {name for name, weights in model.named_parameters() if weights.grad is not None}
    assert learned == {f"exits.2.{part}" for part in
                       ("inner.weight", "inner.bias", "score.weight", "score.bias")}  # fmt: skip
    unmarked = torch.where(labels >= 0, UNMARKED, labels)
    assert exit_loss(verdicts, unmarked, None) == 0
    taught = torch.zeros(1, 6, len(LABELS) + 2)
    taught[..., 0] = 0.9
    assert exit_loss(verdicts, unmarked, taught) > 0


def test_exits_lie_between_layers():
    for exits in ((0,), (LAYERS,)):
        with pytest.raises(UsageError, match="exits lie between"):
            with_exits(toy_base(), exits)


def test_dropout_acts_in_training_alone():
    model = build(toy_base(), LABELS, dropout=0.3)
    torch.manual_seed(9)
    window = torch.from_numpy(feed(20))[:, None]
    inputs = (*window, torch.ones_like(window[0]))
    with torch.no_grad():
        learning = [model.train()(*inputs) for _ in range(2)]
        reading = [model.eval()(*inputs) for _ in range(2)]
    assert not torch.equal(*learning)
    assert torch.equal(*reading)
