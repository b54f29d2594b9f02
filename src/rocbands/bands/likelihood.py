"""The likelihood band: all curves that the observed counts do not speak against."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from rocbands.core.band import Band, Coverage, Extra, check_request
from rocbands.core.checks import check_choice, check_rng
from rocbands.core.levels import SeveralLevels
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError
from rocbands.likelihood.calibration import CALIBRATIONS, calibrated
from rocbands.likelihood.region import likelihood_region, vertices

__all__ = ["Likelihood"]

Calibration: TypeAlias = Literal["auto", "chance", "bootstrap", "plugin"]


@dataclass(frozen=True)
class Likelihood(SeveralLevels):
    """Band of all points that the two samples' likelihood does not reject.

    A point (u, v) lies as far from the empirical curve as its log-likelihood ratio: the least, over
    the curve's points (x, y), of what it costs to believe that x of the negatives was seen where u
    is true and y of the positives where v is true. The band is where that distance stays below a
    critical value. It adapts its width along the curve, stays inside the unit square, is open at
    the corners as far as the counts allow, and depends on the order of the scores alone.

    Parameters
    ----------
    calibration : {'auto', 'chance', 'bootstrap', 'plugin'}, default 'auto'
        Where the critical value comes from. 'chance': the law of the statistic when labels are
        random, from a table; no resampling. 'bootstrap': resampling of the observed score levels,
        for tied scores. 'plugin': simulation from a binormal curve fitted to the data. 'auto'
        chooses; the band's notes say what it chose.
    n_resamples : int, default 1000
        Test sets drawn by 'bootstrap' and 'plugin'; more are drawn where a high level needs them.

    Notes
    -----
    The critical value is exact for the chance curve. That one value serves other curves as well is
    a measured fact, not a theorem: docs/likelihood.md has the tables.

    Of counts in bins the upper edge is that of the highest curve they allow, the lower edge that of
    the lowest, at the critical value of chance: docs/bins.md says why no exact band is left out.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> band = rb.roc_band(y, models["logistic"], method="likelihood", positive="malignant")
    >>> print(band.lower_at(0.1).round(2), band.upper_at(0.1).round(2))
    0.57 0.79
    """

    name: ClassVar[str] = "likelihood"
    coverage: ClassVar[Coverage] = "simultaneous"
    guarantee: ClassVar[str] = "close to the level, measured on many worlds; exact for chance"
    handles: ClassVar[tuple[Extra, ...]] = ("future", "bins")
    idea: ClassVar[str] = "what the likelihood does not reject; narrow, adapts along the curve"

    calibration: Calibration = "auto"
    n_resamples: int = 1000

    def __post_init__(self) -> None:
        check_choice(self.calibration, tuple(CALIBRATIONS), "calibration")
        whole = isinstance(self.n_resamples, int) and not isinstance(self.n_resamples, bool)
        if not whole or self.n_resamples < 99:
            raise InputError(
                f"`n_resamples` must be a whole number of at least 99; got {self.n_resamples!r}. "
                "Pass, for example, n_resamples=1000."
            )

    def at_levels(
        self,
        roc: RocCurve,
        levels: Sequence[float],
        *,
        futures: Sequence[tuple[int, int] | None] = (None,),
        rng: Any = None,
    ) -> list[Band]:
        """Make bands at several levels from the same resamples, where there are any."""
        asked = [check_request(self, roc, level, future) for future in futures for level in levels]
        if self.calibration == "plugin" and any(future is not None for _, future in asked):
            raise InputError(
                "calibration='plugin' is for the true curve only; `future` was given. "
                "Use calibration='auto'."
            )
        how, (fp, tp) = self._calibration(roc), vertices(roc)
        rng = check_rng(rng)
        bands = []
        targets = [future for _, future in asked[:: max(len(levels), 1)]]
        for place, future in enumerate(targets, 1):
            # All targets start from the same stream, so that each band is what it would be alone.
            own = rng if place == len(targets) else deepcopy(rng)
            values = calibrated(how, fp, tp, levels, future, self.n_resamples, own)
            for level, found in zip(levels, values, strict=True):
                region = likelihood_region(roc, found.critical_value, future)
                bands.append(Band(roc, region, float(level), self, future, notes=(found.note,)))
        return bands

    def _calibration(self, roc: RocCurve) -> str:
        """Refuse with bins what depends on the order of scores inside them."""
        if not roc.binned:
            return self.calibration
        if self.calibration not in ("auto", "chance"):
            raise InputError(
                f"calibration={self.calibration!r} needs counts of single scores; the curve has "
                "bins. Use calibration='chance', or count every score."
            )
        return "chance"
