"""The bands of the 2004 paper, the hosts of its sets, and how figures over models are put."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from scipy.special import stdtrit

from rocbands.bands._averaging import Rule
from rocbands.bands.fixed_width import FixedWidth
from rocbands.bands.joint_region import JointRegion
from rocbands.bands.threshold import Threshold
from rocbands.bands.vertical import Vertical
from rocbands.bands.working_hotelling import WorkingHotelling
from rocbands.core.band import BandMethod
from rocbands.study.results import Figure, StudyResult
from rocbands_papers.hosts import Host
from rocbands_papers.macskassy_2004.printed import BANDS, STAND_IN, Printed
from rocbands_papers.macskassy_2005.summing import mean_of
from rocbands_papers.methods import AucHull
from rocbands_papers.paper import Row
from rocbands_papers.verification import Origin, Verification

__all__ = [
    "AS_PRINTED",
    "CURVES",
    "OWN",
    "RULES",
    "SHARED",
    "Found",
    "Hosts",
    "Kind",
    "averages",
    "band_spread",
    "fixed_width",
    "joint_region",
    "model_spread",
    "notes",
    "others",
    "working_hotelling",
]

Hosts: TypeAlias = tuple[Origin, Origin]
AS_PRINTED: Hosts = ("R", "RG")
SHARED: Hosts = ("RG", "RG")
OWN: Hosts = ("R", "R")
CURVES = {"inside": "whole curve", "at knots": "at the knots"}
RULES: tuple[Rule, ...] = ("empirical", "normal", "binomial")
_NO_FITTING = (AS_PRINTED, OWN)  # bands made from the curve of R alone


@dataclass(frozen=True)
class Kind:
    """A band of the paper, and what is asked of it."""

    name: str
    method: BandMethod
    hosts: tuple[Hosts, ...] = (AS_PRINTED, SHARED, OWN)
    widened: bool = False
    chords: int = 0
    tested: tuple[str, ...] = ("inside",)
    n_fit: int = 0

    def cell(self, host: Host, size: int, hosts: Hosts, n_verify: int) -> Verification:
        """Put a cell together."""
        return Verification(
            host,
            size,
            self.method,
            *hosts,
            n_verify=n_verify,
            widened=self.widened,
            chords=self.chords,
            n_fit=self.n_fit,
        )


def fixed_width(n_fit: int = 1000) -> Kind:
    """Return the paper's best band; fewer than 20 fitting sets can be had from RG alone."""
    method = FixedWidth(slope_rule="papers", n_resamples=max(n_fit, 20))
    return Kind("fixed-width", method, n_fit=n_fit)


def joint_region() -> Kind:
    """Return joint regions, with each axis at the level, as in the paper."""
    return Kind("joint-region", JointRegion(joint=False), _NO_FITTING)


def working_hotelling() -> tuple[Kind, ...]:
    """Bands on the probit scale, drawn with 100 straight pieces, and as they are."""
    both = ("inside", "at knots")
    names = {True: "working-hotelling", False: "working-hotelling pointwise"}
    drawn = (
        Kind(name, WorkingHotelling(simultaneous), (AS_PRINTED,), chords=100, tested=both)
        for simultaneous, name in names.items()
    )
    return (*drawn, Kind("working-hotelling, not drawn", WorkingHotelling(), (AS_PRINTED,)))


def averages(n_fit: int = 1000) -> tuple[Kind, ...]:
    """Vertical and threshold averages by all three rules."""
    both = ("inside", "at knots")
    return tuple(
        Kind(
            f"{method.name} {rule}",
            method(interval=rule, n_resamples=n_fit, papers=rule == "binomial"),
            tested=both,
        )
        for method in (Vertical, Threshold)
        for rule in RULES
    )


def others() -> tuple[Kind, ...]:
    """Bands that are not in the paper: one widened for future curves, and its future work."""
    wider = FixedWidth(slope_rule="papers")
    return (
        Kind("fixed-width x sqrt 2", wider, _NO_FITTING, widened=True),
        Kind("auc-hull", AucHull(), _NO_FITTING),
    )


class Found:
    """The figures of a study, by model."""

    def __init__(self, result: StudyResult) -> None:
        self.cells = {
            one.cell: one.figures for one in result.cells if isinstance(one.cell, Verification)
        }
        first = next(iter(self.cells))
        self.n_verify = first.n_verify
        self.models = tuple(dict.fromkeys(cell.host for cell in self.cells))

    def has(self, kind: Kind, size: int, hosts: Hosts) -> bool:
        """Tell whether this was measured."""
        return kind.cell(self.models[0], size, hosts, self.n_verify) in self.cells

    def each(self, kind: Kind, size: int, hosts: Hosts, name: str = "inside") -> list[Figure]:
        """One figure for each model."""
        figures = [
            self.cells[kind.cell(model, size, hosts, self.n_verify)][name] for model in self.models
        ]
        return [figure for figure in figures if isinstance(figure, Figure)]

    def __call__(self, kind: Kind, size: int, hosts: Hosts, name: str = "inside") -> Figure:
        """Mean over models."""
        return mean_of(self.each(kind, size, hosts, name))

    def rows(self, kind: Kind, size: int, number: Printed | None, why_not: str = "") -> list[Row]:
        """One row for each pair of hosts and each way to test."""
        return [
            self._row(kind, size, hosts, name, number, why_not)
            for name in kind.tested
            for hosts in kind.hosts
        ]

    def _row(
        self,
        kind: Kind,
        size: int,
        hosts: Hosts,
        name: str,
        number: Printed | None,
        why_not: str,
    ) -> Row:
        figures = self.each(kind, size, hosts, name)
        note = f"sd between bands {band_spread(figures):.3f}"
        if number is not None:
            note += f" (printed {number.sd:.3f})"
        if len(figures) > 1:
            low, high = (f(one.value for one in figures) for f in (min, max))
            note += f", trees {low:.2f} to {high:.2f}"
        # The prototype tested averages at their knots.
        same_test = name == kind.tested[-1]
        reference = STAND_IN.get(hosts, {}).get(kind.name, {}).get(size) if same_test else None
        return Row(
            where={
                "method": kind.name,
                "r": size,
                "fitting from": hosts[0],
                "verified on": hosts[1],
                "tested": CURVES[name],
            },
            ours=mean_of(figures),
            printed=None if number is None else number.mean,
            noise=0.0
            if number is None
            else math.hypot(number.sd / math.sqrt(BANDS), model_spread(figures)),
            digits=3,
            reference=reference,
            why_not=why_not or ("" if number else f"not printed; {note}"),
            note=note,
        )


def notes(hosts: Iterable[Host]) -> tuple[str, ...]:
    """Say what stands for what."""
    scores = [len(host.pos) for host in hosts]
    ours = (
        f"Here a substitute learned {len(scores)} trees, each with its own split and {min(scores)} "
        f"to {max(scores)} different scores; the noise of a printed number is its spread over the "
        "root of ten, together with the spread between our trees."
        if len(scores) > 1
        else f"Here a substitute learned a tree with {scores[0]} different scores."
    )
    return (
        "Fitting sets come from R and verification sets from RG, as printed, or both from RG, or "
        "both from R. R is drawn from RG once for each band.",
        f"The paper has one tree of C4.5 release 8 and ten bands. {ours}",
    )


def band_spread(figures: Sequence[Figure]) -> float:
    """Return the standard deviation between bands of one model, averaged over models."""
    return math.sqrt(math.fsum(_error(one) ** 2 * one.n for one in figures) / len(figures))


def model_spread(figures: Sequence[Figure]) -> float:
    """Return how far one model's figure may be from our mean because it is another model.

    Examples
    --------
    >>> round(model_spread([Figure(0.2, 0.2, 0.2, 10), Figure(0.4, 0.4, 0.4, 10)]), 4)
    0.1732
    """
    k = len(figures)
    if k < 2:
        return 0.0
    mean = math.fsum(one.value for one in figures) / k
    between = math.fsum((one.value - mean) ** 2 for one in figures) / (k - 1)
    own = math.fsum(_error(one) ** 2 for one in figures) / k
    return math.sqrt(max(between - own, 0.0) * (1.0 + 1.0 / k))


def _error(figure: Figure) -> float:
    """Return the standard error behind Student's interval."""
    if figure.n < 2:
        return 0.0
    return (figure.high - figure.low) / 2.0 / float(stdtrit(figure.n - 1, 0.975))
