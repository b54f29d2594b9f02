"""Simulate the shipped critical values for future sets as large as the observed one.

    python -m rocbands_studies.tables.future_table

What is simulated is exactly what :func:`rocbands.likelihood.future.future_quantiles` would
simulate itself, so the table saves time and changes nothing. It has all sizes to which test sets of
more than 400 cases in the larger class and 50 in the smaller are brought down, up to the class
ratio `FARTHEST`. About three minutes; sizes that the table has already are kept.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rocbands.likelihood import future
from rocbands.likelihood.chance import FIRST_NODE

TABLE = Path(future.__file__).with_name("future_table.npz")
FARTHEST = 50.0
MANY = 10**6


def list_models() -> list[future.Sizes]:
    """All sizes that large test sets are brought down to, by class ratio."""
    found = []
    for ratio in np.geomspace(1.0, FARTHEST, 20_000):
        sizes = (MANY, round(MANY * ratio)) * 2
        found.append(future.scale_down(future.Sizes(*sizes), future.LARGEST, MANY / FIRST_NODE))
    return list(dict.fromkeys(found))


def main() -> None:
    """Write the table, and a line for each pair of sizes."""
    known = future.load_table() if TABLE.exists() else {}
    models = list_models()
    for place, model in enumerate(models):
        key = model.n_pos, model.n_neg
        if key not in known:
            known[key] = np.stack(future.simulate(model))
            print(f"{place + 1} of {len(models)}: {key}", flush=True)
            sizes, quantiles = list(known), np.stack(list(known.values()))
            np.savez_compressed(TABLE, sizes=np.array(sizes), quantiles=quantiles)


if __name__ == "__main__":
    main()
