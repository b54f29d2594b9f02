"""What a display does besides drawing: words and wishes in scikit-learn's manners."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from rocbands.core.checks import check_rng
from rocbands.errors import InputError
from rocbands.plot.roc import CHANCE, Look, merged

__all__ = ["chance", "despine_axes", "generator", "no_weights", "one_mapping", "thin"]


def no_weights(sample_weight: object) -> None:
    """Refuse weights."""
    if sample_weight is not None:
        raise InputError(
            "Bands count rows, and weighted rows have no counts; `sample_weight` was given. Leave "
            "it out, or draw the weighted curve with scikit-learn's RocCurveDisplay."
        )


def generator(random_state: Any) -> np.random.Generator:
    """Take what scikit-learn calls a random state."""
    if isinstance(random_state, np.random.RandomState):
        random_state = random_state.randint(0, 2**32, size=4, dtype=np.uint32).tolist()
    try:
        return check_rng(random_state)
    except InputError as problem:
        raise problem.rename({"rng": "random_state"}) from None


def one_mapping(curve_kwargs: object) -> None:
    """Refuse several mappings, which scikit-learn takes for several curves."""
    if curve_kwargs is not None and not isinstance(curve_kwargs, Mapping):
        raise InputError(
            "`curve_kwargs` must be one dict, for the curve that the band stands around; got "
            f"{type(curve_kwargs).__name__}. Pass `fold_kwargs` for the folds' curves."
        )


def thin(look: Look, wishes: Mapping[str, Any] | None) -> dict[str, Any]:
    """Say how a fold's curve looks."""
    properties = {"color": look.color, "linestyle": "-", "linewidth": 0.7, "alpha": 0.45}
    return merged({**properties, "zorder": 2.2}, wishes, Line2D)


def chance(axes: Axes, wishes: Mapping[str, Any] | None) -> Line2D:
    """Draw the line of guessing."""
    properties = {**CHANCE, "label": "Chance (AUC 0.5)"}
    (line,) = axes.plot([0, 1], [0, 1], **merged(properties, wishes, Line2D))
    return line


def despine_axes(axes: Axes) -> None:
    """Take away the top and the right side of the frame."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("bottom", "left"):
        axes.spines[side].set_bounds(0, 1)
