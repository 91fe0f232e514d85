"""Exits of a network in training: who stays, what is said of those who left, what exits learn.

Pieces that stay are packed to the left, so that the layers above have less to read here, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from incognote.detect.learned.encoder.weights import LEFT
from incognote.learn.network.windows import IGNORED, UNMARKED

if TYPE_CHECKING:
    import torch

# A piece stays while the odds that it is PHI are above e to the minus this.
ODDS = 5.0
# What a teacher holds for PHI this much is worth the attention of all layers. Smoothed targets
# leave some doubt about every word, so less would keep a third of the text.
DOUBT = 0.25


@dataclass(frozen=True, slots=True)
class Pieces:
    """Pieces of a batch that are still read: vectors, their places in the windows, and which of
    them are no padding."""

    x: torch.Tensor
    places: torch.Tensor
    there: torch.Tensor


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an exit said of the pieces that reached it: above 0 they stay."""

    score: torch.Tensor
    pieces: Pieces


def stayed(verdict: Verdict, inside: torch.Tensor) -> Pieces:
    """The pieces behind an exit. `inside` says what of the windows is no padding."""
    from incognote.detect.learned.encoder.torch_encoder import leaving

    at = verdict.pieces
    unread = inside.new_ones(inside.shape).scatter(1, at.places, ~at.there)
    score = verdict.score.detach().float().masked_fill(~at.there, -1.0)
    whole = score.new_full(inside.shape, -1.0).scatter(1, at.places, score)
    keeps = (~leaving(whole, unread, ~inside) & ~unread).gather(1, at.places)
    most = int(keeps.sum(1).max())
    order = keeps.int().argsort(dim=1, descending=True, stable=True)[:, :most]
    return Pieces(
        at.x.gather(1, order[..., None].expand(-1, -1, at.x.shape[-1])),
        at.places.gather(1, order),
        keeps.gather(1, order),
    )


def spread(logits: torch.Tensor, pieces: Pieces, width: int) -> torch.Tensor:
    """Logits of whole windows, where some pieces left."""
    rows, _, labels = logits.shape
    whole = logits.new_zeros((rows, width, labels))
    whole[..., 0] = LEFT
    left = whole[:, : logits.shape[1]]
    logits = logits.where(pieces.there[..., None], left)
    return whole.scatter(1, pieces.places[..., None].expand(-1, -1, labels), logits)


def exit_loss(
    verdicts: Sequence[Verdict], labels: torch.Tensor, taught: torch.Tensor | None
) -> torch.Tensor:
    """Exits learn to keep what is PHI, or may be for a teacher. The pieces that continue a unit
    share its fate."""
    import torch
    import torch.nn.functional as F  # noqa: N812

    wanted, known = labels > 0, labels != IGNORED
    if taught is not None:
        wanted = wanted | (known & (1.0 - taught[..., 0] >= DOUBT))
    else:
        known = known & (labels != UNMARKED)
    places = torch.arange(labels.shape[1], device=labels.device).expand_as(labels)
    first = places.masked_fill(labels == IGNORED, 0).cummax(1).values
    wanted, known = wanted.gather(1, first), known.gather(1, first)
    loss = labels.new_zeros((), dtype=torch.float32)
    for verdict in verdicts:
        at = verdict.pieces
        here = at.there & known.gather(1, at.places)
        if here.any():
            said = verdict.score.float()[here] - ODDS
            loss = loss + F.binary_cross_entropy_with_logits(
                said, wanted.gather(1, at.places)[here].float()
            )
    return loss
