"""Curves and bands as a page draws them."""

from __future__ import annotations

import dataclasses
import warnings
from functools import partial
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from rocbands.bands import METHODS
from rocbands.bands.fold_average import FoldAverage
from rocbands.core.band import Band
from rocbands.core.curve import Curve
from rocbands.core.region import DisplacedRegion
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME
from rocbands.errors import InputError, RocBandsWarning
from rocbands.reporting.drawing import PLACES, followed, shared, thinned
from rocbands.reporting.numbers import exact, listed, short
from rocbands.reporting.order import Order

__all__ = ["bands_section", "methods_for", "roc_section"]

Future: TypeAlias = tuple[int, int] | None

LINE = 0.001  # how far off a drawn curve may be
EDGE = 0.002  # and the edge of a band
MANY_ROWS = 100_000  # in groups, beyond which drawing them again takes minutes

# For independent rows scored by one model; others in the order of what they promise.
_PLAIN = ("likelihood", "fixed-width", "joint-region", "working-hotelling")
_BY_EXTRA = {
    ("groups",): ("fixed-width", "fold-average"),
    ("folds",): ("fold-average",),
    ("groups", "folds"): ("fold-average",),
}


def methods_for(order: Order) -> tuple[str, ...]:
    """Name the band methods that these rows allow, the default first."""
    names = _BY_EXTRA.get(order.extras, _PLAIN)
    if any(roc.binned for roc in order.curves.values()):
        return tuple(name for name in names if "bins" in METHODS[name].handles)
    if order.groups is not None and sum(order.sizes) > MANY_ROWS:
        return tuple(name for name in names if name != "fixed-width") or names
    return names


def bands_section(order: Order, name: str) -> tuple[list[dict[str, Any]], Curve | None]:
    """Bands of one model by all methods, for all targets and at all levels.

    Returns
    -------
    tuple
        The bands, and the curve they stand around where that is not the empirical one.
    """
    made: list[Band] = []
    if order.extras == ("groups",) and "fixed-width" not in methods_for(order):
        why = f"Drawing whole groups again takes minutes beyond {MANY_ROWS:,} rows."
        order.omitted.add("bands: fixed-width", why)
    if order.curves[name].binned:
        for method in (name for name in _PLAIN if name not in methods_for(order)):
            order.omitted.add(f"bands: {method}", "The band needs counts of single scores.")
    for method in methods_for(order):
        later = [order.future] if "future" in METHODS[method].handles else []
        made += _made(order, name, method, [None, *later])
    points = followed(order.curves[name].fpr, order.curves[name].tpr)
    line = Curve(points.x, points.y)
    return [_band(band, line) for band in made], _centre(order, name, made)


def _centre(order: Order, name: str, made: list[Band]) -> Curve | None:
    """Average curve of the folds."""
    if order.folds is None:
        return None
    if made:
        return made[0].centre
    parts = tuple(dataclasses.replace(fold, groups=None) for fold in order.curves[name].folds)
    plain = dataclasses.replace(order.curves[name], groups=None, folds=parts)
    return FoldAverage(n_resamples=20)(plain, level=0.5, rng=order.seed).centre


def _made(order: Order, name: str, method: str, futures: list[Future]) -> list[Band]:
    """Bands at all levels; those that cannot be had are left out, with the reason."""
    try:
        return _at(order, name, method, futures, order.levels)
    except InputError:
        pass
    bands: list[Band] = []
    for future, level in product(futures, order.levels):
        section = f"bands: {method}{', future curve' if future else ''}, level {level:g}"
        work = partial(_at, order, name, method, [future], [level])
        bands += order.omitted.attempt(section, name, work) or []
    return bands


def _at(
    order: Order, name: str, method: str, futures: list[Future], levels: list[float]
) -> list[Band]:
    maker, roc = METHODS[method](), order.curves[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RocBandsWarning)  # the notes of a band say the same
        return maker.at_levels(roc, levels, futures=futures, rng=order.seed)


def _band(band: Band, line: Curve) -> dict[str, Any]:
    drawn = _drawable(band, line)
    fpr, lower, upper = shared(drawn.lower, drawn.upper, EDGE)
    return {
        "method": band.method.name,
        "level": band.level,
        "target": "true" if band.future is None else "future",
        "target_words": band.target,
        "future": None if band.future is None else list(band.future),
        "coverage": band.coverage,
        "area": short(drawn.area),
        "guarantee": band.method.guarantee,
        "notes": list(band.notes),
        "fpr": listed(fpr),
        "lower": listed(lower),
        "upper": listed(upper),
        "lower_at": listed(drawn.lower_at(PLACES)),
        "upper_at": listed(drawn.upper_at(PLACES)),
    }


def _drawable(band: Band, line: Curve) -> Band:
    """Return the same band with no more vertices than a picture can hold.

    What pushes a curve of a million vertices pushes one of a few thousand to the same place.
    """
    if not isinstance(band.region, DisplacedRegion):
        return band
    return dataclasses.replace(band, region=dataclasses.replace(band.region, curve=line))


def roc_section(roc: RocCurve, centre: Curve | None) -> dict[str, Any]:
    """Give the curve to draw: the empirical one with its thresholds, or an average over folds."""
    if centre is not None:
        points = thinned(centre.x, centre.y, LINE)
        what = f"average of the curves of {len(roc.folds)} folds"
        return {
            "fpr": listed(points.x),
            "tpr": listed(points.y),
            "threshold": None,
            "tpr_at": listed(centre.high(PLACES)),
            "threshold_at": None,
            "what": what,
        }
    points = thinned(roc.fpr, roc.tpr, LINE)
    scores = exact(roc.thresholds[points.owner[1:] - 1])
    return {
        "fpr": listed(points.x),
        "tpr": listed(points.y),
        "threshold": ["inf", *scores],
        "tpr_at": listed(Curve(roc.fpr, roc.tpr).high(PLACES)),
        "threshold_at": _cuts(roc),
        "what": "empirical curve, in bins" if roc.binned else "empirical curve",
    }


def _cuts(roc: RocCurve) -> list[float | str]:
    """Lowest threshold at each place whose false positive rate is no higher."""
    last = np.searchsorted(roc.fpr, PLACES + SAME, side="right") - 1
    cuts = exact(roc.thresholds[np.maximum(last, 1) - 1])
    return [cut if step else "inf" for step, cut in zip(last.tolist(), cuts, strict=True)]
