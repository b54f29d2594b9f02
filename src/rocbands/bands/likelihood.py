"""The likelihood band: all curves that the observed counts do not contradict."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from rocbands.core.band import Band, BandMethod
from rocbands.core.checks import CountArray, check_choice, check_resamples
from rocbands.core.method import Coverage, Extra, Request
from rocbands.core.region import Region
from rocbands.core.roc import RocCurve
from rocbands.design.effective_sizes import find_effective_sizes
from rocbands.errors import InputError, arg
from rocbands.likelihood.calibration import CALIBRATIONS, choose_calibration, find_critical_values
from rocbands.likelihood.region import LikelihoodRegion, WeightedRegion, likelihood_region

Calibration: TypeAlias = Literal["auto", "curve", "chance", "bootstrap", "plugin"]


_MOST_PLUGIN = 1_000_000  # rows, of which each draw has as many and sorts them


@dataclass(frozen=True)
class Likelihood(BandMethod):
    """Band of all points that the two samples' likelihood does not reject.

    A point (u, v) lies as far from the empirical curve as its log-likelihood ratio: the least, over
    the curve's points (x, y), of what it costs to believe that x of the negatives was seen where u
    is true and y of the positives where v is true. The band is where that distance stays below a
    critical value. It adapts its width along the curve, stays inside the unit square, is open at
    the corners as far as the counts allow, and depends on the order of the scores alone.

    Parameters
    ----------
    calibration : {'auto', 'curve', 'chance', 'bootstrap', 'plugin'}, default 'auto'
        Where the critical value comes from. 'curve': the largest critical value over curves whose
        AUC is within one standard error of the observed one, from tables; no resampling. 'chance':
        the distribution of the statistic when labels are random, from a table. 'bootstrap':
        resampling of the observed score levels, for tied scores. 'plugin': simulation from a
        binormal curve fitted to the data. 'auto' takes 'bootstrap' where many rows share one of
        few scores with the other class, and 'curve' elsewhere; with weights or groups the larger of
        'chance' and 'curve'. The band's notes say what it took.
    n_resamples : int, default 1000
        Test sets drawn by 'plugin'. 'bootstrap' draws eight times as many, and computes the
        statistic of a thirteenth, chosen so that the critical value varies by 1.4% to 2% from seed
        to seed. More are drawn where a high level needs them.

    Notes
    -----
    The critical value is exact for normal scores of equal spread, up to the fit of the table. That
    it serves other curves of the same AUC as well is a measured fact, not a theorem:
    docs/coverage.md has the tables. With 50 cases or more of both classes it falls short of .90 by
    more than 2.5 points for a hooked curve (.87 with 50+50) and t-distributed scores (.87 with
    50+50 and 250+250, .93 to .94 at .95); with fewer cases there, by up to five (.85, .91 at .95).
    Future curves of t-distributed or hooked populations: .86 where the future set is far larger.

    Of counts in bins the upper edge is that of the highest curve they allow, the lower edge that of
    the lowest, at the largest critical value of the AUCs that the bins allow.

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
    guarantee: ClassVar[str] = "close to the level, measured on many populations; exact for chance"
    reported_for: ClassVar[tuple[str, ...]] = ("independent", "groups")
    handles: ClassVar[tuple[Extra, ...]] = ("future", "groups", "weights", "strata", "bins")
    idea: ClassVar[str] = "what the likelihood does not reject; narrow, adapts along the curve"
    references: ClassVar[tuple[str, ...]] = (
        "The likelihood band is rocbands' own; its documentation derives it.",
    )

    calibration: Calibration = "auto"
    n_resamples: int = 1000

    def __post_init__(self) -> None:
        check_choice(self.calibration, tuple(CALIBRATIONS), "calibration")
        check_resamples(self.n_resamples, least=99)

    def build_bands(self, roc: RocCurve, requests: Sequence[Request]) -> list[Band]:
        """Find the critical values of all levels from the same resamples, where there are any."""
        if self.calibration == "plugin" and any(ask.future is not None for ask in requests):
            raise InputError(
                f"{arg('calibration', 'plugin')} is for the true curve only",
                f"{arg('future')} was given",
                f"Use {arg('calibration', 'auto')}.",
            )
        if self.calibration == "plugin" and roc.n_pos + roc.n_neg > _MOST_PLUGIN:
            raise InputError(
                f"{arg('calibration', 'plugin')} draws test sets of at most {_MOST_PLUGIN:,} rows",
                f"there are {roc.n_pos + roc.n_neg:,}",
                f"Use {arg('calibration', 'auto')}.",
            )
        self._check_bins(roc)
        counts = roc.vertices
        if not roc.independent:
            return self._build_weighted_bands(roc, counts, requests)
        if self.calibration == "bootstrap" and counts[0].size == 2:
            raise InputError(
                f"{arg('calibration', 'bootstrap')} resamples the levels of the scores",
                "all scores are equal",
                f"Use {arg('calibration', 'auto')}.",
            )
        levels = list(dict.fromkeys([ask.level for ask in requests]))
        futures = list(dict.fromkeys([ask.future for ask in requests]))
        found = {}
        how: str = self.calibration
        if how == "auto":
            how = "curve" if roc.binned else choose_calibration(*counts)
        for future in futures:
            rng = None
            if how in ("bootstrap", "plugin"):
                # All targets start from the same stream: each band is what it would be alone.
                rng = requests[0].rng if future == futures[-1] else deepcopy(requests[0].rng)
            values = find_critical_values(
                how,
                *counts,
                levels,
                future,
                self.n_resamples,
                rng,
                certificate=roc.certificate,
                auc=roc.auc,
            )
            found.update({(level, future): at for level, at in zip(levels, values, strict=True)})
        bands: list[Band] = []
        first: LikelihoodRegion | None = None
        for ask in requests:
            value, note = found[ask.level, ask.future]
            region: Region
            if roc.binned:
                region = likelihood_region(roc, value, ask.future)
            else:
                region = LikelihoodRegion(*counts, value, ask.future, first)
                first = first or region
            bands.append(Band(roc, region, ask.level, self, ask.future, notes=(note,)))
        return bands

    def _check_groups(self, roc: RocCurve) -> None:
        """Take any number of groups: none are drawn, and few of them are named in the notes."""

    def _build_weighted_bands(
        self, roc: RocCurve, counts: tuple[CountArray, CountArray], requests: Sequence[Request]
    ) -> list[Band]:
        """Make the bands of weighted or dependent rows; nothing is random."""
        what = " or ".join(arg(name) for name in ("weights", "groups") if getattr(roc, name))
        if any(ask.future is not None for ask in requests):
            raise InputError(
                f"With {what} the band is for the true curve only",
                f"{arg('future')} was given",
                f"Leave {arg('future')} out.",
            )
        if self.calibration in ("bootstrap", "plugin"):
            raise InputError(
                f"{arg('calibration', self.calibration)} is for independent rows of equal weight",
                f"{what} was given",
                f"Use {arg('calibration', 'auto')}.",
            )
        sizes, levels = find_effective_sizes(roc), [ask.level for ask in requests]
        # Measured: the value of the curve's AUC is too small where it is below that of chance.
        known: dict[str, Any] = {"auc": roc.auc, "certificate": roc.certificate}
        kinds = ("chance", "curve") if self.calibration == "auto" else (self.calibration,)
        values = [
            max(pair, key=lambda found: found.critical_value)
            for pair in zip(
                *(find_critical_values(how, *counts, levels, None, 0, **known) for how in kinds),
                strict=True,
            )
        ]
        return [
            Band(
                roc,
                likelihood_region(roc, found.critical_value)
                if roc.binned
                else WeightedRegion(*counts, found.critical_value, sizes=sizes),
                ask.level,
                self,
                notes=(found.note, *sizes.describe(roc)),
            )
            for ask, found in zip(requests, values, strict=True)
        ]

    def _check_bins(self, roc: RocCurve) -> None:
        """Refuse calibrations that depend on the order of scores inside bins."""
        if roc.binned and self.calibration not in ("auto", "curve", "chance"):
            raise InputError(
                f"{arg('calibration', self.calibration)} needs counts of single scores",
                "the curve has bins",
                f"Use {arg('calibration', 'curve')}, or count every score.",
            )
