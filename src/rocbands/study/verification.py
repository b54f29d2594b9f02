"""Verification by resampling: the 2004 paper's way to judge a band without knowing the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rocbands.core.band import BandMethod
from rocbands.core.checks import check_choice, check_level, check_number
from rocbands.core.roc import RocCurve
from rocbands.study.cells import Cell, Measured, method_text, quiet_band
from rocbands.study.keys import Streams
from rocbands.study.populations import Finite, Population, RandomClasses, draw_curve

__all__ = ["Verification"]


@dataclass(frozen=True)
class Verification(Cell):
    """How many verification sets have their curve inside a band.

    A test set of `n` rows is drawn from the population, with replacement if that is a file; a band
    is made of it, and the curves of `n_verify` further sets of `n` rows are held against it.

    Parameters
    ----------
    population : Population
        Where test sets come from; the paper calls it RG.
    n : int
        Rows of the test set, which the paper calls R, and of each verification set.
    method : BandMethod
        Which band. What it resamples, it draws from R.
    verify_host : {'RG', 'R'}, default 'RG'
        Where verification sets come from. 'RG' is what a user has to reckon with; with 'R' band and
        verification share their host, and a band that resamples R is judged by its own resamples.
    level : float, default 0.95
        Confidence level.
    share : float, default 0.5
        Of positives, in a population that is no file; a file has its own.
    n_verify : int, default 100
        Verification sets for each band.
    """

    population: Population
    n: int
    method: BandMethod
    verify_host: Literal["R", "RG"] = "RG"
    level: float = 0.95
    share: float = 0.5
    n_verify: int = 100

    def __post_init__(self) -> None:
        check_level(self.level)
        check_choice(self.verify_host, ("R", "RG"), "verify_host")
        check_number(self.n_verify, "n_verify", above=0)

    def facts(self) -> Mapping[str, object]:
        """Name population, size, method, level and the host of the verification sets."""
        return {
            "population": self.population.name,
            "size": f"r = {self.n}",
            "method": method_text(self.method),
            "level": self.level,
            "verified from": self.verify_host,
        }

    @property
    def source(self) -> object:
        """Population and sizes; the test set is the same for both hosts."""
        return (self.population, self.n, self.share, self.n_verify)

    def _classes(self) -> RandomClasses:
        whole = self.population
        if isinstance(whole, Finite):
            return RandomClasses(self.n, whole.n_pos / (whole.n_pos + whole.n_neg))
        return RandomClasses(self.n, self.share)

    def measure(self, streams: Streams) -> Measured:
        """Make a band of a fresh test set, and count the verification curves inside."""
        classes = self._classes()
        rows = streams.drawn("data", lambda rng: self.population.draw(rng, *classes.sizes(rng)))
        own = Finite(*rows, name="R")
        band = quiet_band(self.method, own.curve, self.level, streams)
        host = own if self.verify_host == "R" else self.population
        again = RandomClasses(self.n, own.n_pos / self.n) if self.verify_host == "R" else classes

        def verify(rng: np.random.Generator) -> list[RocCurve]:
            return [draw_curve(host, rng, *again.sizes(rng)) for _ in range(self.n_verify)]

        later = streams.drawn(f"verify {self.verify_host}", verify)
        inside = [band.region.contains(curve.curve) for curve in later]
        return {"contained": float(np.mean(inside)), "area": band.area}
