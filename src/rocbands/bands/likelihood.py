"""The likelihood band: all points that a likelihood ratio test does not reject."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from rocbands.core.band import Band, BandMethod, find_edge_error
from rocbands.core.checks import check_choice, check_resamples
from rocbands.core.method import Coverage, Extra, Request
from rocbands.core.references import documented
from rocbands.core.roc import RocCurve
from rocbands.design.effective_sizes import find_curve_sizes
from rocbands.errors import InputError, Message, arg
from rocbands.likelihood.calibration import (
    CALIBRATIONS,
    CriticalValue,
    choose_calibration,
    find_critical_values,
)
from rocbands.likelihood.margin import Future
from rocbands.likelihood.region import likelihood_regions

Calibration: TypeAlias = Literal["auto", "curve", "chance", "levels", "plugin"]

_FEW = 10  # cases of a class
_TIED_BINS = (
    "Counts in bins: of tied scores the band contains that of all rows as long as no bin joins "
    "different scores."
)
_MOST_PLUGIN = 1_000_000  # rows; every draw sorts as many


@dataclass(frozen=True)
class Likelihood(BandMethod):
    """Band of all points that the two samples' likelihood does not reject.

    The distance of a point (u, v) from the empirical curve is the least log-likelihood ratio, over
    the curve's points (x, y), of the observed rates x and y against the true rates u and v. The
    band is where that distance stays below a critical value. Its width adapts along the curve, it
    stays inside the unit square, does not shrink to a point at the corners, and depends only on the
    order of the scores.

    Parameters
    ----------
    calibration : {'auto', 'curve', 'chance', 'levels', 'plugin'}, default 'auto'
        Where the critical value comes from. 'curve': the largest critical value over curves whose
        AUC is within one standard error of the observed one, from tables, and more where the curve
        has a sharp corner or the classes are separated; no resampling. 'chance':
        the distribution of the statistic when labels are random, from a table. 'levels': a formula
        for curves of straight segments, which tied scores have. 'plugin': simulation from a
        binormal curve fitted to the data. 'auto' takes 'levels' if a tenth of the rows or more is
        tied with the other class, and 'curve' otherwise; for bins that may be such levels, the
        larger of 'levels' and 'curve'; with weights or clusters, the larger of 'chance' and
        'curve'. The band's notes say which one was used.
    n_resamples : int, default 1000
        Test sets drawn by 'plugin'. High levels need and draw more.

    Notes
    -----
    The critical value of 'chance' is exact for random labels; with 12 or fewer cases of a class
    that of 'curve' is never below it. In general 'curve' takes the value of normal scores of equal
    variances, and raises it for corners: the coverage is measured, not proved. See
    studies/docs/coverage.md for where it is too low, and docs/likelihood.md for the derivation of
    the algorithm. A band at a higher level contains that at a lower one.

    With binned counts, the edges use the highest and the lowest curve that the bins allow, and the
    largest critical value over the possible AUCs.

    Examples
    --------
    >>> import rocbands as rb
    >>> sample = rb.load_example()
    >>> band = rb.roc_band(sample["logistic"], method="likelihood")
    >>> print(band.lower_at(0.1).round(2), band.upper_at(0.1).round(2))
    0.57 0.79
    """

    name: ClassVar[str] = "likelihood"
    coverage: ClassVar[Coverage] = "simultaneous"
    guarantee: ClassVar[str] = (
        "close to the level, measured on many populations; "
        "for chance, at least the level with 12 or fewer of a class"
    )
    reported_for: ClassVar[tuple[str, ...]] = ("independent", "clusters")
    handles: ClassVar[tuple[Extra, ...]] = ("future", "clusters", "weights", "strata", "bins")
    idea: ClassVar[str] = "what the likelihood does not reject; narrow, adapts along the curve"
    references: ClassVar[tuple[str, ...]] = (documented("The likelihood band"),)

    calibration: Calibration = "auto"
    n_resamples: int = 1000

    def __post_init__(self) -> None:
        check_choice(self.calibration, CALIBRATIONS, "calibration", {"bootstrap": "levels"})
        check_resamples(self.n_resamples, least=99)

    def build_bands(self, roc: RocCurve, requests: Sequence[Request]) -> list[Band]:
        """Find the critical values of all levels from the same draws, if any are made."""
        self._refuse(roc, requests)
        sizes = None if roc.independent else find_curve_sizes(roc)
        found, region_at = self._find_values(roc, requests), likelihood_regions(roc, sizes)
        design = () if sizes is None else sizes.describe(roc)
        bands: list[Band] = []
        for ask in requests:
            value, note, draws, error = found[ask.level, ask.future]
            region, simulation = region_at(value, ask.future), None
            if draws:
                moved = region_at(value + error, ask.future)
                simulation = requests[0].simulated(draws, find_edge_error(region, moved))
            notes = (note, *self._note_bins(roc), *self.note_doubts(roc, ask.future), *design)
            bands.append(
                Band(roc, region, ask.level, self, ask.future, notes=notes, simulation=simulation)
            )
        return bands

    def _note_bins(self, roc: RocCurve) -> tuple[str, ...]:
        """Say what the band from bins of tied scores contains."""
        return (_TIED_BINS,) * (self._find_kinds(roc) == ("curve", "levels"))

    def _find_values(
        self, roc: RocCurve, requests: Sequence[Request]
    ) -> dict[tuple[float, Future], CriticalValue]:
        """Find the critical value of each level and each future set."""
        kinds = self._find_kinds(roc)
        drawn, counts = kinds == ("plugin",), roc.vertices
        known: dict[str, Any] = {"certificate": roc.certificate, "auc": roc.auc}
        levels = list(dict.fromkeys(ask.level for ask in requests))
        futures = list(dict.fromkeys(ask.future for ask in requests))
        found = {}
        for future in futures:
            rng = None
            if drawn:
                # Every target starts from the same stream: a band does not depend on the others.
                rng = requests[0].rng if future == futures[-1] else deepcopy(requests[0].rng)
            values = [
                find_critical_values(how, *counts, levels, future, self.n_resamples, rng, **known)
                for how in kinds
            ]
            for level, *some in zip(levels, *values, strict=True):
                found[level, future] = max(some, key=lambda one: one.critical_value)
        return found

    def _find_kinds(self, roc: RocCurve) -> tuple[str, ...]:
        """Name the calibrations of which the largest critical value is taken."""
        if self.calibration != "auto":
            return (self.calibration,)
        if not roc.independent:
            # Measured: the critical value of 'curve' is too small if below that of 'chance'.
            return ("chance", "curve")
        found = choose_calibration(*roc.vertices)
        # Bins may be levels, or hold many scores.
        return ("curve", found) if roc.binned and found != "curve" else (found,)

    def note_doubts(self, roc: RocCurve, future: Future = None) -> tuple[str, ...]:
        held = "measured coverage was {} or more at 0.95."
        few, weighted = min(roc.n_pos, roc.n_neg) < _FEW, "weights" in roc.design
        return (
            *((f"Fewer than {_FEW} cases of a class: {held.format(0.84)}",) if few else ()),
            *((f"Weighted rows: {held.format(0.87)}",) if weighted else ()),
            *((f"For later curves {held.format(0.88)}",) if future else ()),
        )

    def _check_clusters(self, roc: RocCurve) -> None:
        """Accept any number of clusters: none are resampled, and the notes mention few clusters."""

    def _refuse(self, roc: RocCurve, requests: Sequence[Request]) -> None:
        """Refuse calibrations and targets that the data do not allow."""
        how, rows, dependent = self.calibration, roc.n_pos + roc.n_neg, not roc.independent
        if how not in ("levels", "plugin"):
            return
        future = any(ask.future for ask in requests)
        own, given = arg("calibration", how), Message("{} was given", arg("future"))
        auto = Message("Use {}.", arg("calibration", "auto"))
        if how == "plugin" and future:
            raise InputError(Message("{} is for the true curve only", own), given, auto)
        if how == "plugin" and rows > _MOST_PLUGIN:
            rule = Message("{} draws test sets of at most {:,} rows", own, _MOST_PLUGIN)
            raise InputError(rule, f"there are {rows:,}", auto)
        if roc.binned:
            remedy = Message("Use {}, or count every score.", arg("calibration", "curve"))
            raise InputError(
                Message("{} needs counts of single scores", own), "the curve has bins", remedy
            )
        if dependent:
            rule = Message("{} is for independent rows that count equally", own)
            raise InputError(rule, f"the sample has {' and '.join(roc.design)}", auto)
        if how == "levels" and roc.vertices[0].size == 2:
            rule = Message("{} needs scores of two levels or more", own)
            raise InputError(rule, "all scores are equal", auto)
