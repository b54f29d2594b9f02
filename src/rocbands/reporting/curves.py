"""Curves and bands of a report, also in other coordinates: thinned, or exact at fixed rates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from rocbands.bands import METHODS
from rocbands.core.band import Band
from rocbands.core.checks import FloatArray
from rocbands.core.curve import Curve
from rocbands.core.region import DisplacedRegion
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError, collect_warnings
from rocbands.plot.shapes import align_edges, thin_line, thin_points
from rocbands.reporting.formatting import (
    NO_CALL,
    describe_thresholds,
    list_thresholds,
    round_column,
    round_number,
)
from rocbands.reporting.request import ReportRequest
from rocbands.reporting.words import say
from rocbands.resample.crossings import choose_lines
from rocbands.views.coordinates import COORDINATES, Coordinates, NetBenefit
from rocbands.views.decisions import find_better_range
from rocbands.views.regions import Product, Profile, raise_level

Future: TypeAlias = tuple[int, int] | None

LINE = 0.001  # largest error of a drawn curve
EDGE = 0.002  # and of the edge of a band
MANY_ROWS = 100_000  # in clusters, beyond which resampling them takes minutes

# Rates at which a page shows numbers of curves and bands: these are exact, not thinned.
_TENTHS = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
PLACES: FloatArray = np.unique(
    [*(k / 200 for k in range(201)), *(float(f"{m}e{k}") for k in range(-5, 0) for m in _TENTHS)]
)
# Views whose limits are here, as ``band.view(...)`` gives them: the share of positives is estimated
# from the rows, and they allow for its error. Where it is known (given by the user, or by the class
# sizes of a future test set) the page maps the band itself.
VIEWS = ("pr", "gains")
GRID = np.arange(101) / 100  # recalls of precision-recall, rates of gains


def choose_places(request: ReportRequest) -> FloatArray:
    """Rates at which curves and bands are evaluated: the fixed ones, and the initial one."""
    return np.union1d(PLACES, request.preset.fpr)


def choose_methods(request: ReportRequest) -> tuple[str, ...]:
    """Name the band methods to show for these rows, from the attributes of their classes."""
    names = _find_methods(request)
    if any(roc.binned for roc in request.curves.values()):
        return tuple(name for name in names if "bins" in METHODS[name].handles)
    if "fixed-width" in names and "clusters" in request.extras and sum(request.sizes) > MANY_ROWS:
        return tuple(name for name in names if name != "fixed-width") or names
    return names


def _find_methods(request: ReportRequest) -> tuple[str, ...]:
    """Name the reported methods that handle rows of this kind."""
    kind = "independent"
    if "folds" in request.extras:
        kind = "folds"
    elif {"clusters", "weights", "strata"} & set(request.extras):
        kind = "clusters"
    roc = next(iter(request.curves.values()))
    return tuple(
        name
        for name, method in METHODS.items()
        if kind in method.reported_for and (roc.binned or _accepts(name, roc))
    )


def _accepts(method: str, roc: RocCurve, future: Future = None) -> bool:
    """Tell whether a method handles the design of these rows."""
    try:
        METHODS[method]().check_request(roc, level=0.95, future=future)
    except InputError:
        return False
    return True


def note_missing_methods(request: ReportRequest, detailed: Sequence[str]) -> None:
    """Note which bands no model has, or only those models that are shown in detail, and why."""
    chosen = choose_methods(request)
    if len(detailed) < len(request.curves) and len(chosen) > 1:
        why = say("omitted", "focus", focus=" and ".join(detailed), method=chosen[0])
        request.omitted.add(f"bands: {', '.join(chosen[1:])}", why)
    if request.extras == ("clusters",) and "fixed-width" not in chosen:
        request.omitted.add("bands: fixed-width", say("omitted", "many_clusters", rows=MANY_ROWS))
    if not chosen:
        listed = " and ".join(request.extras)
        request.omitted.add("bands", say("omitted", "no_band", design=listed))
    if any(roc.binned for roc in request.curves.values()):
        for method in (m for m in _find_methods(request) if m not in chosen):
            request.omitted.add(f"bands: {method}", say("omitted", "single_scores"))


def build_bands_section(
    request: ReportRequest, name: str, method: str
) -> tuple[list[dict[str, Any]], Curve | None]:
    """Bands of one model by one method, for all targets and at all levels.

    Returned with the average curve of the folds, where bands are drawn around that.
    """
    later: list[Future] = []
    if "future" in METHODS[method].handles:
        later = [request.future or request.sizes_of(name)]
    if later and not _accepts(method, request.curves[name], later[0]):
        later = []
        request.omitted.add(f"bands: {method}, future curve", say("omitted", "future_design"))
    wider_levels = _list_wider_levels(request, name, method)
    further = [level for level in wider_levels if level not in request.own_levels]
    bands = _build_bands(request, name, method, [None, *later], further)
    if any(isinstance(band.region, DisplacedRegion) for band in bands):
        # Shifting and thinning commute: thin the curve once, then shift it.
        points = request.follow_curve(name)
        line = Curve(points.x, points.y)
        for at, band in enumerate(bands):
            if isinstance(band.region, DisplacedRegion):
                bands[at] = replace(band, region=replace(band.region, curve=line))
    places = choose_places(request)
    centre = bands[0].centre if bands and "folds" in request.extras else None
    wider = [band for band in bands if band.future is None]
    said = request.own_levels
    described = [
        {
            **_describe_band(band, said[band.level], places),
            "views": _describe_views(band, wider, said[band.level] == request.level),
        }
        for band in bands
        if band.level in said
    ]
    return described, centre


def average_folds(request: ReportRequest, name: str) -> Curve:
    """Average the curves of the folds, along parallel lines, where there is no band around it."""
    roc = request.curves[name]
    slope, folds = math.sqrt(roc.n_neg / roc.n_pos), [fold.curve for fold in roc.folds]
    lines = choose_lines(folds, slope, 2000)
    x = np.mean([np.interp(lines, fold.level(slope), fold.x) for fold in folds], axis=0)
    return Curve(x, np.clip(lines - slope * x, 0.0, 1.0))


def _build_bands(
    request: ReportRequest, name: str, method: str, futures: list[Future], further: list[float]
) -> list[Band]:
    """Bands at all levels; those that cannot be computed are omitted, with the reason.

    At the `further` levels too, if all can be computed.
    """
    try:
        return _build_at(request, name, method, futures, [*request.own_levels, *further])
    except InputError:
        pass
    bands: list[Band] = []
    for future, (own, level) in product(futures, request.own_levels.items()):
        section = f"bands: {method}{', future curve' if future else ''}, level {level:g}"
        asked = (request, name, method, [future], [own])
        bands += request.omitted.attempt(section, name, "", _build_at, *asked) or []
    return bands


def _build_at(
    request: ReportRequest, name: str, method: str, futures: list[Future], levels: list[float]
) -> list[Band]:
    maker, roc = METHODS[method](), request.curves[name]
    with collect_warnings():  # the notes of a band say the same
        return maker.at_levels(roc, levels, futures=futures, rng=request.seed)


def _describe_band(band: Band, level: float, places: FloatArray) -> dict[str, Any]:
    """Describe a band; `level` is for all groups or classes, `own_level` for its curve alone."""
    fpr, lower, upper = align_edges(band.lower, band.upper, EDGE)
    return {
        "method": band.method.name,
        "level": level,
        "own_level": round_number(band.level),
        "target": "true" if band.future is None else "future",
        "target_words": band.target,
        "future": None if band.future is None else list(band.future),
        "coverage": band.coverage,
        "area": round_number(band.area),
        "guarantee": band.method.guarantee,
        "notes": list(band.notes),
        "fpr": round_column(fpr),
        "lower": round_column(lower),
        "upper": round_column(upper),
        "lower_at": round_column(band.lower_at(places)),
        "upper_at": round_column(band.upper_at(places)),
    }


def build_roc_section(request: ReportRequest, name: str, centre: Curve | None) -> dict[str, Any]:
    """Give the curve to draw: the empirical one with its thresholds, or an average over folds."""
    roc = request.curves[name]
    places = choose_places(request)
    points: Any
    thresholds: list[Any] | None = None
    if centre is not None:
        curve, points = centre, thin_line(centre.x, centre.y, LINE)
        what = f"average of the curves of {len(roc.folds)} folds"
    else:
        curve, points = roc.curve, thin_points(request.follow_curve(name), LINE)
        thresholds = ["inf", *list_thresholds(roc.thresholds[points.owner[1:] - 1])]
        what = "empirical curve, in bins" if roc.binned else "empirical curve"
    return {
        "fpr": round_column(points.x),
        "tpr": round_column(points.y),
        "threshold": thresholds,
        "tpr_at": round_column(curve.high(places)),
        **_find_thresholds(roc, places, centre is None),
        "what": what,
    }


def _find_thresholds(roc: RocCurve, places: FloatArray, known: bool) -> dict[str, Any]:
    """Return the threshold that finds most with at most each false positive rate, if `known`."""
    if not known:
        return {"threshold_at": None, "threshold_at_text": None}
    steps = roc.find_steps("fpr", places)
    found = describe_thresholds(roc, roc.thresholds[np.maximum(steps, 1) - 1], "threshold_at")
    none = {"threshold_at": "inf", "threshold_at_text": NO_CALL}
    return {
        name: [cut if step else none[name] for step, cut in zip(steps.tolist(), cuts, strict=True)]
        for name, cuts in found.items()
    }


def _list_wider_levels(request: ReportRequest, name: str, method: str) -> list[float]:
    """Levels of the further bands that the views of a method need."""
    roc = request.curves[name]
    if (
        request.given_prevalence is not None
        or roc.folds
        or METHODS[method]().coverage != "simultaneous"
    ):
        return []
    return [raise_level(roc, level) for level in request.own_levels]


def _describe_views(band: Band, wider: Sequence[Band], shown: bool) -> dict[str, Any] | None:
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
    exact = Profile.is_possible(band, coordinates)
    made = Profile.from_band(band, coordinates) if exact else Product.from_wider(again, coordinates)
    lower, upper = made.limits(GRID)
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
