"""The sweep over the number of fitting curves."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from rocbands.study.results import Figure, StudyResult
from rocbands.study.spec import Study
from rocbands_papers.macskassy_2004.kinds import (
    AS_PRINTED,
    SHARED,
    Found,
    Hosts,
    Kind,
    averages,
    fixed_width,
    joint_region,
    notes,
)
from rocbands_papers.macskassy_2004.printed import FIT_SIZES, PAPER, SIZES
from rocbands_papers.macskassy_2004.trees import DATA, trees
from rocbands_papers.macskassy_2005.summing import line_of, spread_text
from rocbands_papers.paper import (
    Claim,
    DataSource,
    Panel,
    PaperResult,
    PaperStudy,
    Row,
    Scale,
)

__all__ = ["SWEEP_STUDY"]

_FEW = 10
_PAIRS = (AS_PRINTED, SHARED)
_BINOMIAL = ("vertical binomial", "threshold binomial")


def _kinds(n_fit: int) -> tuple[Kind, ...]:
    return (fixed_width(n_fit), *averages(n_fit))


def _measured(kind: Kind, n_fit: int, hosts: Hosts) -> bool:
    # Ten curves do not show what happens one time in twenty, and the band itself says so.
    return not (kind.name == "fixed-width" and n_fit == _FEW and hosts == AS_PRINTED)


def _sweep_plan(scale: Scale, seed: int, data: DataSource | None) -> Study:
    quick = scale == "quick"
    verify = 200 if quick else 1000
    cells = [
        cell
        for host in trees(data, seed, 1 if quick else 3)
        for size in SIZES
        for cell in (
            joint_region().cell(host, size, AS_PRINTED, verify),
            *(
                kind.cell(host, size, hosts, verify)
                for n_fit in FIT_SIZES
                for kind in _kinds(n_fit)
                for hosts in _PAIRS
                if _measured(kind, n_fit, hosts)
            ),
        )
    ]
    return Study("macskassy-2004-fitting-curves", tuple(cells), 6 if quick else 20, 2, seed)


class _Sweep:
    """The figures by method, number of fitting curves, size and hosts."""

    def __init__(self, result: StudyResult) -> None:
        found = Found(result)
        self.figures: dict[tuple[str, int, int, Hosts], Figure] = {
            (kind.name, n_fit, size, hosts): found(kind, size, hosts)
            for n_fit in FIT_SIZES
            for kind in _kinds(n_fit)
            for size in SIZES
            for hosts in _PAIRS
            if _measured(kind, n_fit, hosts)
        }
        self.models = found.models
        self.names = tuple(dict.fromkeys(name for name, *_ in self.figures))
        self.joint = [found(joint_region(), size, AS_PRINTED) for size in SIZES]

    def over(
        self,
        name: str,
        n_fits: Iterable[int] = FIT_SIZES,
        sizes: Iterable[int] = SIZES[2:],
        hosts: Iterable[Hosts] = (SHARED,),
    ) -> list[Figure]:
        asked = [(name, n, size, pair) for pair in hosts for size in sizes for n in n_fits]
        return [self.figures[place] for place in asked]

    def change(self, name: str, hosts: Hosts) -> float:
        """Largest difference that the number of curves makes, from 100 on."""
        rows = [self.over(name, FIT_SIZES[1:], (size,), (hosts,)) for size in SIZES[2:]]
        return max(max(one.value for one in row) - min(one.value for one in row) for row in rows)


def _sweep_claims(sweep: _Sweep) -> tuple[Claim, ...]:
    steady = [name for name in sweep.names if "binomial" not in name]
    change = {name: sweep.change(name, SHARED) for name in steady}
    few = [one for name in _BINOMIAL for one in sweep.over(name, (_FEW,))]
    hundred = sweep.over("threshold binomial", (100,))
    many = [one for name in _BINOMIAL for one in sweep.over(name, (5000,))]
    small = [one for name in _BINOMIAL for one in sweep.over(name, (1000,), SIZES[:1])]
    vertical, threshold = (
        [one for rule in ("empirical", "normal") for one in sweep.over(f"{name} {rule}")]
        for name in ("vertical", "threshold")
    )
    return (
        Claim(
            "But for binomial averages, the number of fitting curves makes little difference.",
            "from 100 curves on, at most "
            + ", ".join(f"{size:.2f} ({name})" for name, size in change.items())
            + " for r from 6250 on, with one host for all sets.",
            "reproduced" if max(change.values()) < 0.12 else "not reproduced",
        ),
        Claim(
            "Binomial averages hold everything with 10 fitting curves, for r from 6250 on.",
            f"whole curves: {spread_text(few)}.",
            "reproduced" if min(one.value for one in few) > 0.97 else "not reproduced",
        ),
        Claim(
            "Threshold averages do so with 100, too.",
            f"{spread_text(hundred)}, the more the larger r.",
            "reproduced" if min(one.value for one in hundred) > 0.97 else "not reproduced",
        ),
        Claim(
            "They hold nothing when there are many fitting curves, or few rows.",
            f"with 5000 curves {spread_text(many)}; with 625 rows and 1000 curves "
            f"{spread_text(small)}: the width depends on the number of curves alone.",
            "reproduced" if max(one.value for one in (*many, *small)) < 0.15 else "not reproduced",
        ),
        Claim(
            "Otherwise threshold averages hold less than 0.10, vertical ones 0.10 to 0.40.",
            f"threshold {spread_text(threshold)}; vertical {spread_text(vertical)}.",
            "reproduced"
            if max(one.value for one in threshold) < 0.1
            and max(one.value for one in vertical) < 0.5
            else "not reproduced",
        ),
        Claim(
            "Joint regions hold at least 0.89 for r from 1250 on.",
            f"{spread_text(sweep.joint[1:])}.",
            "reproduced" if all(one.high > 0.89 for one in sweep.joint[1:]) else "not reproduced",
        ),
    )


def _sweep_judge(study: PaperStudy, result: StudyResult, scale: Scale) -> PaperResult:
    sweep = _Sweep(result)
    rows = tuple(
        Row(
            where={
                "method": name,
                "fitting curves": n_fit,
                "r": size,
                "fitting from": hosts[0],
                "verified on": hosts[1],
            },
            ours=figure,
            why_not="said in words only",
        )
        for (name, n_fit, size, hosts), figure in sweep.figures.items()
    )
    panel = partial(
        Panel,
        x_label="fitting curves",
        y_label="verification curves inside",
        target=0.95,
        log_x=True,
    )
    panels = tuple(
        panel(
            f"{name}, all sets from RG",
            lines=tuple(
                line_of(f"r = {size}", FIT_SIZES, sweep.over(name, sizes=(size,))) for size in SIZES
            ),
        )
        for name in sweep.names
    )
    told = (
        *notes(sweep.models),
        "Whole curves are tested. Of ten fitting curves at level 0.95 a fixed-width band takes "
        "the farthest; FixedWidth itself refuses, and is left out there with fitting sets from R.",
    )
    return study.result(
        result, scale, rows=rows, claims=_sweep_claims(sweep), panels=panels, notes=told
    )


SWEEP_STUDY = PaperStudy(
    name="macskassy-2004-fitting-curves",
    paper=f"{PAPER}, section 5.5",
    title="Verification curves inside, by the number of fitting curves",
    plan=_sweep_plan,
    verdicts=_sweep_judge,
    needs=(DATA,),
)
