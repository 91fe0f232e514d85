"""The encoder on a GPU: torch, bfloat16, batches of a few fixed shapes.

It runs the weights that the folder ships for onnxruntime, so a GPU needs no other model. A window
is padded to the next of a few widths and joins a batch that always has the same number of rows: a
note then gets the same numbers whatever it is processed with, and on CUDA a batch of each width is
recorded once and replayed, which costs one launch instead of hundreds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

from incognote.detect.learned.encoder.pieces import Feed
from incognote.detect.learned.encoder.weights import LEFT, REACH, EncoderShape, read_weights
from incognote.detect.learned.tagging import Floats

NARROWEST = 32  # pieces; wider windows are padded to the next power of two
GPU_PIECES, CPU_PIECES = 16_384, 512  # in a batch, with padding
PADDING = -1  # in place of an id


class TorchEncoder:
    """Windows in, logits out. One thread of its own feeds the device and waits for it."""

    share = 1024  # texts: enough to fill batches of every width

    def __init__(self, weights: Path, shape: EncoderShape, device: str) -> None:
        self._device = torch.device(device)
        on_gpu = self._device.type == "cuda"
        self._pieces = GPU_PIECES if on_gpu else CPU_PIECES
        kind = torch.bfloat16 if on_gpu else torch.float32
        self._network = Network(
            {
                name: torch.tensor(array).to(self._device, kind)
                for name, array in read_weights(weights).items()
            },
            shape,
        )
        self._recorded: dict[int, _Recording] = {}
        self._memory = torch.cuda.graph_pool_handle() if on_gpu else None
        self._thread = ThreadPoolExecutor(1)

    def run(self, feeds: Sequence[Feed]) -> Iterator[Floats]:
        """The logits of each window's pieces, in order. Work starts at the call."""
        answers = self._thread.submit(self._run, feeds)
        return (found for answer in (answers,) for found in answer.result())

    def _run(self, feeds: Sequence[Feed]) -> list[Floats]:
        results: list[Floats] = [np.zeros((0, 0), np.float32)] * len(feeds)
        for numbers, answer in self._ahead(feeds):
            found = answer.wait()
            for row, number in enumerate(numbers):
                results[number] = found[row, 1 : feeds[number].shape[1] - 1]
        return results

    def _ahead(self, feeds: Sequence[Feed]) -> Iterator[tuple[list[int], _Answer]]:
        """One batch ahead: the host packs and unpacks while the device works."""
        waiting: tuple[list[int], _Answer] | None = None
        for width, numbers in self._batches(feeds):
            asked = numbers, self._forward(self._packed(feeds, width, numbers))
            if waiting:
                yield waiting
            waiting = asked
        if waiting:
            yield waiting

    def _batches(self, feeds: Sequence[Feed]) -> Iterator[tuple[int, list[int]]]:
        """Windows of like width; the shape of a batch depends on that width alone."""
        by_width: dict[int, list[int]] = defaultdict(list)
        for number, feed in enumerate(feeds):
            by_width[max(NARROWEST, 1 << (feed.shape[1] - 1).bit_length())].append(number)
        for width, numbers in sorted(by_width.items()):
            rows = self._rows(width)
            for start in range(0, len(numbers), rows):
                yield width, numbers[start : start + rows]

    def _rows(self, width: int) -> int:
        return max(1, self._pieces // width)

    def _packed(self, feeds: Sequence[Feed], width: int, numbers: Sequence[int]) -> torch.Tensor:
        packed = np.zeros((3, self._rows(width), width), np.int32)
        packed[0] = PADDING
        for row, number in enumerate(numbers):
            packed[:, row, : feeds[number].shape[1]] = feeds[number]
        return torch.from_numpy(packed)

    def _forward(self, packed: torch.Tensor) -> _Answer:
        with torch.inference_mode():
            if self._device.type != "cuda":
                return _Answer(self._network(packed))
            width = packed.shape[-1]
            if width not in self._recorded:
                example = packed.to(self._device)
                self._recorded[width] = _Recording(self._network, example, self._memory)
            return self._recorded[width].replay(packed)


@dataclass(frozen=True, slots=True)
class _Answer:
    """Logits that are there, or on their way from the device."""

    logits: torch.Tensor
    arrived: torch.cuda.Event | None = None

    def wait(self) -> Floats:
        if self.arrived:
            self.arrived.synchronize()
        found: Floats = self.logits.float().numpy()
        return found


class _Recording:
    """A CUDA graph of one batch shape; all share their memory, since one runs at a time."""

    def __init__(self, network: Network, example: torch.Tensor, memory: Any) -> None:
        self._given = example
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(3):  # libraries choose and allocate before they are recorded
                network(example)
        torch.cuda.current_stream().wait_stream(aside)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph, pool=memory):
            self._found = network(example)

    def replay(self, packed: torch.Tensor) -> _Answer:
        self._given.copy_(packed)
        self._graph.replay()
        logits = torch.empty(self._found.shape, dtype=self._found.dtype, pin_memory=True)
        logits.copy_(self._found, non_blocking=True)
        arrived = torch.cuda.Event()
        arrived.record()
        return _Answer(logits, arrived)


def leaving(score: torch.Tensor, unread: torch.Tensor, padding: torch.Tensor) -> torch.Tensor:
    """Where neither a piece's own score nor that of a near one is above 0; the marks at the two
    ends of a window stay."""
    inside = ~padding
    ends = inside & ~(F.pad(inside, (1, -1)) & F.pad(inside, (-1, 1)))
    score = score.float().masked_fill(unread, -1.0).masked_fill(ends, 1.0)
    near = F.max_pool1d(score[:, None], 2 * REACH + 1, stride=1, padding=REACH)[:, 0]
    return near <= 0


class Network:
    """The encoder as plain tensor operations: (ids, shapes, layouts) of a batch to logits."""

    def __init__(self, weights: dict[str, torch.Tensor], shape: EncoderShape) -> None:
        self._weights = weights
        self._shape = shape

    def __call__(self, packed: torch.Tensor) -> torch.Tensor:
        ids, shapes, layouts = packed
        weights, shape = self._weights, self._shape
        rows, width = ids.shape
        padding = ids == PADDING
        x = (
            F.embedding(ids.clamp(min=0), weights["words.weight"])
            + weights["positions.weight"][:width]
            + F.embedding(shapes, weights["shapes.weight"])
            + F.embedding(layouts, weights["layouts.weight"])
        )
        x = self._norm(x, "norm")
        unread = padding
        bias = self._blind_to(unread, x)
        for i in range(shape.layers):
            if i in shape.exits:
                unread = unread | self._leave(x, unread, padding, i)
                bias = self._blind_to(unread, x)
            name = f"layers.{i}"
            q, k, v = (
                self._linear(x, f"{name}.qkv")
                .view(rows, width, 3, shape.heads, -1)
                .permute(2, 0, 3, 1, 4)
            )
            found = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
            found = found.transpose(1, 2).reshape(rows, width, -1)
            x = self._norm(x + self._linear(found, f"{name}.out"), f"{name}.norm1")
            wide = F.gelu(self._linear(x, f"{name}.up"))
            x = self._norm(x + self._linear(wide, f"{name}.down"), f"{name}.norm2")
        logits = self._linear(x, "heads")
        if not shape.exits:
            return logits
        left = F.pad(logits.new_zeros(logits.shape[-1] - 1), (1, 0), value=LEFT)
        return torch.where(unread[..., None], left, logits)

    def _blind_to(self, unread: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """What attention adds, so that some of the pieces are not attended to."""
        never = torch.finfo(x.dtype).min  # not infinite: rows may be all padding
        bias = x.new_zeros(unread[:, None, None].shape).masked_fill(unread[:, None, None], never)
        if "distances.weight" in self._weights:
            bias = bias + self._distances(unread.shape[1])
        return bias

    def _leave(
        self, x: torch.Tensor, unread: torch.Tensor, padding: torch.Tensor, exit_: int
    ) -> torch.Tensor:
        """Which pieces leave at an exit; see `learn.network.graph`. In a batch of one shape they
        stay where they are, and are not attended to."""
        name = f"exits.{exit_}"
        score = self._linear(F.gelu(self._linear(x, f"{name}.inner")), f"{name}.score")[..., 0]
        return leaving(score, unread, padding)

    def _linear(self, x: torch.Tensor, name: str) -> torch.Tensor:
        flat = torch.addmm(
            self._weights[f"{name}.bias"], x.flatten(0, 1), self._weights[f"{name}.weight"]
        )
        return flat.view(*x.shape[:2], -1)

    def _norm(self, x: torch.Tensor, name: str) -> torch.Tensor:
        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return F.layer_norm(x, (x.shape[-1],), weight, bias, self._shape.epsilon)

    def _distances(self, width: int) -> torch.Tensor:
        table = self._weights["distances.weight"]
        places = torch.arange(width, device=table.device)
        apart = places[None, :] - places[:, None] + len(table) // 2
        return table[apart].permute(2, 0, 1)[None]
