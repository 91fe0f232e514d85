"""Training of the transformer detector: an encoder that also sees shape and layout.

The encoder comes from a folder in Hugging Face form (BERT family, `vocab.txt`). Word embeddings
stay frozen: they hold half of the weights, and a corpus of some thousand notes would only blur
them. Two heads read the first piece of each unit: which label, and whether a new span opens.
"""

from __future__ import annotations

import copy
import json
import random
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incognote.core.errors import UsageError
from incognote.detect.units import LAYOUTS, SHAPES
from incognote.detect.wordpiece import WordPiece
from incognote.learn.augment import Source
from incognote.learn.data import Note, labels_of
from incognote.learn.windows import IGNORED, Batch, batches, cut

if TYPE_CHECKING:
    import torch

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Training:
    """Everything that decides how a run goes; written into the model card."""

    epochs: int = 10
    minutes: float | None = None  # the schedule ends here at the latest
    window: int = 128
    budget: int = 2048  # pieces in a batch
    rate: float = 2e-4
    head_rate: float = 1e-3
    decay: float = 0.01
    warmup: float = 0.04
    blanked: float = 0.06  # share of pieces replaced by the unknown piece, instead of dropout
    averaging: float = 0.995
    patience: int = 3
    seed: int = 1
    workers: int = 1  # copies of the network, each with one thread and its part of a batch


def read_vocabulary(base: Path) -> WordPiece:
    """The vocabulary of an encoder folder; folders that cannot be used are refused here."""
    config = base / "config.json"
    if not config.is_file():
        raise UsageError(f"{base} is no encoder folder: it has no config.json")
    if "auto_map" in json.loads(config.read_text(encoding="utf-8")):
        raise UsageError(f"{base} asks to run its own code; that is never done")
    if not list(base.glob("*.safetensors")):
        raise UsageError(f"{base} has no safetensors weights; pickled weights are never loaded")
    path = base / "vocab.txt"
    if not path.is_file():
        raise UsageError(
            f"{base} has no vocab.txt: only encoders with a WordPiece vocabulary can be used"
        )
    lower = True
    settings = base / "tokenizer_config.json"
    if settings.is_file():
        lower = bool(json.loads(settings.read_text(encoding="utf-8")).get("do_lower_case", True))
    return WordPiece(path.read_text(encoding="utf-8").splitlines(), lower=lower)


def build(base: Path, labels: int) -> Any:
    """The network: encoder, shape and layout embeddings, two heads."""
    import torch
    from transformers import AutoConfig, AutoModel
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    config = AutoConfig.from_pretrained(base, local_files_only=True, trust_remote_code=False)
    for name in ("hidden_dropout_prob", "attention_probs_dropout_prob", "dropout"):
        if hasattr(config, name):
            setattr(config, name, 0.0)

    class Tagger(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            # Eager attention: on CPUs its backward pass is far faster than the fused one.
            self.encoder = AutoModel.from_pretrained(
                base,
                config=config,
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=True,
                attn_implementation="eager",
            )
            self.encoder.get_input_embeddings().weight.requires_grad_(requires_grad=False)
            if getattr(self.encoder, "pooler", None) is not None:
                self.encoder.pooler = None
            width = config.hidden_size
            self.shape = torch.nn.Embedding(SHAPES, width)
            self.layout = torch.nn.Embedding(LAYOUTS, width)
            torch.nn.init.normal_(self.shape.weight, std=0.02)
            torch.nn.init.normal_(self.layout.weight, std=0.02)
            self.heads = torch.nn.Linear(width, 1 + labels + 1)

        def forward(
            self,
            ids: torch.Tensor,
            shapes: torch.Tensor,
            layouts: torch.Tensor,
            mask: torch.Tensor,
        ) -> torch.Tensor:
            words = self.encoder.get_input_embeddings()(ids)
            found = self.encoder(
                inputs_embeds=words + self.shape(shapes) + self.layout(layouts),
                attention_mask=mask,
            )
            out: torch.Tensor = self.heads(found.last_hidden_state)
            return out

    return Tagger()


def loss_of(logits: torch.Tensor, labels: torch.Tensor, opens: torch.Tensor) -> torch.Tensor:
    """Cross-entropy over labels, plus a lighter one for "a span opens here" on marked units."""
    import torch.nn.functional as F  # noqa: N812

    kept = labels != IGNORED
    logits, labels, opens = logits[kept].float(), labels[kept], opens[kept]
    loss = F.cross_entropy(logits[:, :-1], labels, label_smoothing=0.02)
    marked = labels > 0
    if marked.any():
        openings = F.binary_cross_entropy_with_logits(logits[marked, -1], opens[marked].float())
        loss = loss + 0.3 * openings
    return loss


def train(
    base: Path,
    source: Source,
    held: Sequence[Note],
    out: Path,
    options: Training,
    progress: Progress,
    *,
    resume: bool = False,
) -> None:
    """Trains and writes `weights.safetensors` and `state.json` into `out` after every epoch.

    The kept weights are a running average, so that any epoch's are good enough to use.
    """
    import torch
    from safetensors.torch import load_file, save_file

    torch.manual_seed(options.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    pieces = read_vocabulary(base)
    labels = labels_of(source.notes)
    index = {label: i for i, label in enumerate(labels, 1)}
    model = build(base, len(labels))
    out.mkdir(parents=True, exist_ok=True)
    first_epoch, best, stale = 0, float("inf"), 0
    if resume:
        if not (out / "state.json").is_file():
            raise UsageError(f"{out} holds no finished training epoch to resume from")
        state = json.loads((out / "state.json").read_text(encoding="utf-8"))
        if tuple(state["labels"]) != labels:
            raise UsageError(
                f"{out} was trained on other labels; it cannot be resumed on this data"
            )
        model.load_state_dict(load_file(out / "weights.safetensors"))
        first_epoch, best = state["epoch"], state["held_out_loss"]
    model.to(device)

    new = [p for name, p in model.named_parameters() if not name.startswith("encoder")]
    old = [p for name, p in model.named_parameters() if name.startswith("encoder")]
    old = [p for p in old if p.requires_grad]
    optimizer = torch.optim.AdamW(
        [{"params": old, "lr": options.rate}, {"params": new, "lr": options.head_rate}],
        weight_decay=options.decay,
        foreach=True,
    )
    rates = [group["lr"] for group in optimizer.param_groups]
    trained = old + new
    average = [p.detach().clone() for p in trained]
    crew = Crew(model, options.workers, device, pieces.unknown, options.blanked)
    started = time.monotonic()
    rng = random.Random(options.seed)
    check = batches(
        [w for note in held for w in cut(note, pieces, index, options.window, random.Random(0))],
        pieces.pad,
        options.budget * 2,
    )
    step = 0
    for epoch in range(first_epoch, options.epochs):
        notes = source.epoch(options.seed * 1000 + epoch)
        windows = [w for note in notes for w in cut(note, pieces, index, options.window, rng)]
        parts = batches(windows, pieces.pad, options.budget // options.workers, rng)
        size = options.workers
        todo = [parts[i : i + size] for i in range(0, len(parts), size)]
        model.train()
        total, seen, epoch_started = 0.0, 0, time.monotonic()
        for number, batch in enumerate(todo):
            done = (epoch + number / len(todo)) / options.epochs
            if options.minutes:
                done = max(done, (time.monotonic() - started) / 60 / options.minutes)
            if done >= 1:
                break
            factor = min(1.0, (done + 1e-4) / options.warmup) * (1.0 - done)
            for group, rate in zip(optimizer.param_groups, rates, strict=True):
                group["lr"] = rate * factor
            total += crew.backward(batch)
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            step += 1
            with torch.no_grad():
                weight = 1 - min(options.averaging, (1 + step) / (10 + step))
                torch._foreach_lerp_(average, trained, weight)
            seen += sum(part.ids.size for part in batch)
            if number % 50 == 49:
                speed = seen / (time.monotonic() - epoch_started)
                progress(
                    f"epoch {epoch + 1}/{options.epochs} {number + 1}/{len(todo)} "
                    f"loss {total / (number + 1):.4f} {speed:,.0f} pieces/s done {done:.0%}"
                )
        held_loss = _swapped(trained, average, lambda: _held_out_loss(model, check, device))
        progress(f"epoch {epoch + 1} held-out loss {held_loss:.5f}")
        if held_loss < best:
            best, stale = held_loss, 0
            weights = _swapped(trained, average, lambda: _state(model))
            save_file(weights, out / "weights.safetensors")
            state = {
                "epoch": epoch + 1,
                "held_out_loss": held_loss,
                "labels": labels,
                "base": base.name,
                "training": asdict(options),
                "augmentation": asdict(source.options),
            }
            (out / "state.json").write_text(json.dumps(state, indent=1), encoding="utf-8")
        else:
            stale += 1
        if stale >= options.patience or (
            options.minutes and time.monotonic() - started >= options.minutes * 60
        ):
            break


class Crew:
    """Copies of a network that share one step: each reads a part of the batch, in its own thread.

    Where other programs use the machine too, this is far faster than spreading every operation
    over all cores: the threads wait for each other once a step, not at each operation.
    """

    def __init__(self, model: Any, workers: int, device: str, unknown: int, blanked: float) -> None:
        self._models = [model, *(copy.deepcopy(model) for _ in range(workers - 1))]
        self._work = partial(_loss, device=device, unknown=unknown, blanked=blanked)
        self._pool = ThreadPoolExecutor(workers, initializer=_one_thread if workers > 1 else None)

    def backward(self, parts: Sequence[Batch]) -> float:
        """Gradients of the mean loss, left in the first copy; returns that loss."""
        import torch

        leader = [p for p in self._models[0].parameters() if p.requires_grad]
        jobs = [
            self._pool.submit(self._one, model, leader, part, len(parts))
            for model, part in zip(self._models, parts, strict=False)
        ]
        losses = [job.result() for job in jobs]
        for model in self._models[1 : len(parts)]:
            theirs = [p.grad for p in model.parameters() if p.requires_grad]
            torch._foreach_add_([p.grad for p in leader], theirs)
        return sum(losses)

    def _one(self, model: Any, leader: Sequence[Any], part: Batch, parts: int) -> float:
        import torch

        if model is not self._models[0]:
            own = [p for p in model.parameters() if p.requires_grad]
            with torch.no_grad():
                torch._foreach_copy_(own, leader)
            for parameter in own:
                parameter.grad = None
        loss = self._work(model, part) / parts
        loss.backward()
        return float(loss.item())


def _one_thread() -> None:
    import torch

    torch.set_num_threads(1)  # holds for the calling thread


def restart(scratch: Path) -> None:
    """Keeps the weights of a finished run and forgets its epochs, so that a new run can follow."""
    path = scratch / "state.json"
    if not path.is_file():
        raise UsageError(f"{scratch} is missing: only a model trained here can be continued")
    state = json.loads(path.read_text(encoding="utf-8"))
    state |= {"epoch": 0, "held_out_loss": float("inf")}
    path.write_text(json.dumps(state), encoding="utf-8")


def _loss(model: Any, batch: Batch, device: str, unknown: int, blanked: float) -> torch.Tensor:
    import torch

    ids, shapes, layouts, mask, labels, opens = (
        torch.from_numpy(array).to(device)
        for array in (batch.ids, batch.shapes, batch.layouts, batch.mask, batch.labels, batch.opens)
    )
    if blanked:
        ids = torch.where(torch.rand(ids.shape, device=device) < blanked, unknown, ids)
    with torch.autocast(device, torch.bfloat16):
        logits = model(ids, shapes, layouts, mask)
    return loss_of(logits, labels, opens)


def _held_out_loss(model: Any, check: Sequence[Batch], device: str) -> float:
    import torch

    model.eval()
    with torch.no_grad():
        losses = [_loss(model, batch, device, 0, 0.0).item() * batch.ids.size for batch in check]
    return float(sum(losses) / max(1, sum(batch.ids.size for batch in check)))


def _state(model: Any) -> dict[str, torch.Tensor]:
    return {name: value.detach().cpu().clone() for name, value in model.state_dict().items()}


def _swapped(trained: Sequence[Any], average: Sequence[Any], action: Callable[[], Any]) -> Any:
    """Runs the action with the averaged weights in place of the trained ones."""
    kept = [p.detach().clone() for p in trained]
    for parameter, value in zip(trained, average, strict=True):
        parameter.data.copy_(value)
    result = action()
    for parameter, value in zip(trained, kept, strict=True):
        parameter.data.copy_(value)
    return result
