"""Bands of a report in other coordinates, as ``band.view(...)`` gives them.

By default the share of positives is estimated from the rows, and the limits allow for its error.
Where it is known (given by the user, or by the class sizes of a future test set) the page maps the
band itself, and there is nothing here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rocbands.bands import METHODS
from rocbands.core.band import Band
from rocbands.reporting.formatting import round_column
from rocbands.reporting.request import ReportRequest
from rocbands.views.coordinates import COORDINATES, Coordinates, NetBenefit
from rocbands.views.decisions import find_better_range
from rocbands.views.regions import Product, Profile, raise_level

VIEWS = ("pr", "gains")
GRID = np.arange(101) / 100  # recalls of precision-recall, rates of gains


def list_wider_levels(request: ReportRequest, name: str, method: str) -> list[float]:
    """Levels of the further bands that the views of a method need."""
    roc = request.curves[name]
    if (
        request.given_prevalence is not None
        or roc.folds
        or METHODS[method]().coverage != "simultaneous"
    ):
        return []
    return [raise_level(roc, level) for level in request.own_levels]


def describe_views(band: Band, wider: Sequence[Band], shown: bool) -> dict[str, Any] | None:
    """Limits of each view along its grid; None if a view of this band needs no estimated share.

    `wider`: bands by the same method, among them one of the level that the product rule needs.
    `shown`: whether the band has the level of the report; only then are there limits of net
    benefit, which take longest.
    """
    level = raise_level(band.roc, band.level)
    again = next((other for other in wider if other.level == level), None)
    if band.future is not None or again is None:
        return None
    views = {name: _describe_view(band, again, COORDINATES[name]()) for name in VIEWS}
    return {**views, "net-benefit": _describe_benefit(again) if shown else None}


def _describe_view(band: Band, again: Band, coordinates: Coordinates) -> dict[str, Any]:
    region: Profile | Product
    if Profile.is_possible(band, coordinates):
        region = Profile.from_band(band, coordinates)
    else:
        region = Product.from_wider(again, coordinates)
    lower, upper = region.limits(GRID)
    return {"lower": round_column(np.minimum(lower, upper)), "upper": round_column(upper)}


def _describe_benefit(again: Band) -> dict[str, Any]:
    """Limits of net benefit, and where it is above those of treating all and treating none."""
    region = Product.from_wider(again, NetBenefit())
    lower, upper = region.limits(NetBenefit().grid())
    better = [round_column([part.low, part.high]) for part in find_better_range(region)]
    return {
        "lower": round_column(np.minimum(lower, upper)),
        "upper": round_column(upper),
        "better": better[0] if better else None,
    }
