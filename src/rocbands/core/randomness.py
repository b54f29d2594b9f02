"""Sources of randomness."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np

from rocbands.core.checks import check_rng

Rng: TypeAlias = Literal["data"] | int | np.random.SeedSequence | np.random.Generator | None


def share_rng(rng: Any) -> Any:
    """Return one generator for several steps; a seed from the data is made by each step."""
    return rng if isinstance(rng, str) and rng == "data" else check_rng(rng)
