"""The network that is trained: an encoder that also sees shape and layout.

It has the layers, and gives its weights the names, that the weight file of a model folder has; so
what was trained is what is exported, and a model can be trained on. Two heads read the first piece
of each unit: which label, and whether a new span opens. Exits learn which pieces the layers above
need not read (see `EncoderShape`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from incognote.detect.learned.units import LAYOUTS, SHAPES
from incognote.learn.network.base import Base
from incognote.learn.network.exits import ODDS, Pieces, Verdict, spread, stayed

if TYPE_CHECKING:
    import torch

EXIT_WIDTH = 64


def build(
    base: Base,
    labels: tuple[str, ...],
    *,
    learn_words: bool = False,
    frozen: int = 0,
    dropout: float = 0.0,
) -> Any:
    """The network: what the base knows, and new weights for what it does not.

    Word vectors stay as they are unless `learn_words`: they hold half of the weights, and a corpus
    of some thousand notes would only blur them. With `frozen`, so do all weights below that layer.
    `dropout` is that of BERT: behind the embeddings and the two parts of each layer.
    """
    import torch
    import torch.nn.functional as F  # noqa: N812
    from torch import nn

    class Table(nn.Module):
        def __init__(self, weight: torch.Tensor, *, learns: bool = True) -> None:
            super().__init__()
            self.weight = nn.Parameter(weight, requires_grad=learns)

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            return F.embedding(ids, self.weight)

    class Linear(nn.Module):
        """A matrix as (in, out) and a bias."""

        def __init__(self, weight: torch.Tensor, bias: torch.Tensor) -> None:
            super().__init__()
            self.weight = nn.Parameter(weight)
            self.bias = nn.Parameter(bias)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.addmm(self.bias, x.flatten(0, 1), self.weight).view(*x.shape[:2], -1)

    class Norm(nn.Module):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.weight = nn.Parameter(taken(f"{name}.weight"))
            self.bias = nn.Parameter(taken(f"{name}.bias"))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return F.layer_norm(x, x.shape[-1:], self.weight, self.bias, base.shape.epsilon)

    class Layer(nn.Module):
        def __init__(self, name: str) -> None:
            super().__init__()
            for part in ("qkv", "out", "up", "down"):
                weight, bias = taken(f"{name}.{part}.weight"), taken(f"{name}.{part}.bias")
                setattr(self, part, Linear(weight, bias))
            self.norm1, self.norm2 = Norm(f"{name}.norm1"), Norm(f"{name}.norm2")

        def forward(self, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
            rows, width, _ = x.shape
            q, k, v = self.qkv(x).view(rows, width, 3, base.shape.heads, -1).permute(2, 0, 3, 1, 4)
            found = _attend(q, k, v, bias).transpose(1, 2).reshape(rows, width, -1)
            x = self.norm1(x + dropped(self, self.out(found)))
            out: torch.Tensor = self.norm2(x + dropped(self, self.down(F.gelu(self.up(x)))))
            return out

    class Exit(nn.Module):
        """Scores pieces: above 0 they stay."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.inner = Linear(*new(f"{name}.inner", base.width, EXIT_WIDTH))
            self.score = Linear(*new(f"{name}.score", EXIT_WIDTH, 1))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            score: torch.Tensor = self.score(F.gelu(self.inner(x)))[..., 0]
            return score

    class Tagger(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words = Table(taken("words.weight"), learns=learn_words)
            self.positions = Table(taken("positions.weight"))
            self.shapes = Table(added("shapes.weight", SHAPES))
            self.layouts = Table(added("layouts.weight", LAYOUTS))
            self.norm = Norm("norm")
            if "distances.weight" in base.weights:
                self.distances = Table(taken("distances.weight"), learns=False)
            self.layers = nn.ModuleList(Layer(f"layers.{i}") for i in range(base.shape.layers))
            self.heads = Linear(*heads())
            self.exits = nn.ModuleDict({str(i): Exit(f"exits.{i}") for i in base.shape.exits})
            if frozen:
                for part in (self.positions, self.shapes, self.layouts, self.norm):
                    part.requires_grad_(requires_grad=False)
                self.layers[:frozen].requires_grad_(requires_grad=False)

        def forward(
            self,
            ids: torch.Tensor,
            shapes: torch.Tensor,
            layouts: torch.Tensor,
            mask: torch.Tensor,
        ) -> torch.Tensor:
            return self.read(ids, shapes, layouts, mask)[0]

        def read(
            self,
            ids: torch.Tensor,
            shapes: torch.Tensor,
            layouts: torch.Tensor,
            mask: torch.Tensor,
        ) -> tuple[torch.Tensor, list[Verdict]]:
            """Logits of all pieces, and what each exit says of those that reach it. The exits learn
            from what they see; the layers below do not learn to please them."""
            x = self.words(ids) + self.positions.weight[: ids.shape[1]]
            x = dropped(self, self.norm(x + self.shapes(shapes) + self.layouts(layouts)))
            inside = mask != 0
            places = torch.arange(ids.shape[1], device=ids.device).expand_as(ids)
            at = Pieces(x, places, inside)
            bias = self._bias(at)
            verdicts: list[Verdict] = []
            for i, layer in enumerate(self.layers):
                if i in base.shape.exits:
                    verdicts.append(Verdict(self.exits[str(i)](at.x.detach()), at))
                    at = stayed(verdicts[-1], inside)
                    bias = self._bias(at)
                at = Pieces(layer(at.x, bias), at.places, at.there)
            logits: torch.Tensor = self.heads(at.x)
            return spread(logits, at, ids.shape[1]) if verdicts else logits, verdicts

        def _bias(self, pieces: Pieces) -> torch.Tensor:
            x, there = pieces.x, pieces.there
            never = torch.finfo(torch.bfloat16).min  # not infinite: a row may be all padding
            bias = torch.zeros(there.shape, device=x.device).masked_fill(~there, never)
            bias = bias[:, None, None, :]
            if "distances.weight" in base.weights:
                bias = bias + self._distances(there.shape[1])
            if x.is_cuda:
                bias = bias.to(torch.bfloat16).expand(-1, base.shape.heads, there.shape[1], -1)
            return bias

        def _distances(self, width: int) -> torch.Tensor:
            places = torch.arange(width, device=self.distances.weight.device)
            apart = places[None, :] - places[:, None] + len(self.distances.weight) // 2
            return self.distances(apart).permute(2, 0, 1)[None]

    def dropped(part: nn.Module, x: torch.Tensor) -> torch.Tensor:
        return F.dropout(x, dropout, part.training) if dropout else x

    def taken(name: str) -> torch.Tensor:
        return torch.tensor(base.weights[name], dtype=torch.float32)

    def added(name: str, rows: int) -> torch.Tensor:
        if name in base.weights:
            return taken(name)
        return torch.randn(rows, base.width) * 0.02

    def new(name: str, rows: int, columns: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Of an exit; at first everybody stays."""
        if f"{name}.weight" in base.weights:
            return taken(f"{name}.weight"), taken(f"{name}.bias")
        weight = (torch.rand(rows, columns) * 2 - 1) / rows**0.5
        return weight, torch.full((columns,), ODDS if columns == 1 else 0.0)

    def heads() -> tuple[torch.Tensor, torch.Tensor]:
        """Columns for no label, the labels, and the opening; those that the base knows are kept."""
        names = ("", *labels, "opens")
        weight = (torch.rand(base.width, len(names)) * 2 - 1) / base.width**0.5
        bias = torch.zeros(len(names))
        if base.labels:
            known = {name: i for i, name in enumerate(("", *base.labels, "opens"))}
            columns = [i for i, name in enumerate(names) if name in known]
            theirs = [known[names[i]] for i in columns]
            weight[:, columns] = taken("heads.weight")[:, theirs]
            bias[columns] = taken("heads.bias")[theirs]
        return weight, bias

    return Tagger()


def _attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    import torch.nn.functional as F  # noqa: N812

    if q.is_cuda:
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
    # On a CPU the backward pass of the fused operation is far slower.
    weights = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5 + bias
    found: torch.Tensor = weights.softmax(-1).to(v.dtype) @ v
    return found
