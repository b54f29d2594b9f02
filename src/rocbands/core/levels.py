"""Methods whose bands at several levels share their work."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from rocbands.core.band import Band
from rocbands.core.roc import RocCurve

__all__ = ["SeveralLevels"]


class SeveralLevels(ABC):
    """A band method that makes one band as the only one of several."""

    def __call__(
        self,
        roc: RocCurve,
        *,
        level: float = 0.95,
        future: tuple[int, int] | None = None,
        rng: Any = None,
    ) -> Band:
        """Make the band of `roc`; `rng` draws resamples, where there are any."""
        return self.at_levels(roc, (level,), futures=(future,), rng=rng)[0]

    @abstractmethod
    def at_levels(
        self,
        roc: RocCurve,
        levels: Sequence[float],
        *,
        futures: Sequence[tuple[int, int] | None] = (None,),
        rng: Any = None,
    ) -> list[Band]:
        """Make the bands of all levels, for one target after the other, from the same work.

        Each is what a call for it alone would have given.
        """
