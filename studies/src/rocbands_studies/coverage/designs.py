"""Do statements about weighted and dependent rows hold: ``python -m rocbands_studies.coverage.designs``.

``python -m rocbands_studies.coverage.designs [sets] [--cells TEXT] [--resume STORE] [--workers N]`` measures
what is not yet in the store (studies/stores, so many data sets a cell, 300 by default)
in cells whose name contains TEXT, and writes studies/docs/coverage-designs.md; ``--write`` only writes it.
``--closer N``: what seems to fall short is measured on N data sets. A statement that a function
refuses for a cell is missing on the page, and is measured once the function takes the design.
``--bootstrap [sets]``: standard errors beside those of 500 bootstraps of whole groups in strata.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import rocbands as rb
from rocbands.comparison.difference_band import build_difference_bands
from rocbands.core.data import read_pair
from rocbands_studies import CellResult, Coverage, Statement, Store, Streams, Study, run
from rocbands_studies.checkout import DOCS, find_store, pack_store, unpack_store
from rocbands_studies.coverage.design_worlds import (
    BAND,
    COST,
    FPR,
    PART,
    RATE,
    SPECIFIED,
    THRESHOLD,
    WORLDS,
    Columns,
    Drawn,
    World,
)
from rocbands_studies.spec import Block

PAGE, SEED, BLOCK, SETS = "coverage-designs", 35, 100, 300
LEVELS = (0.95, 0.9, 0.99)
SHORT = 0.025  # below the level: what the page lists
TOUCH = 1e-9
CURVES = 1000  # drawn for a difference band
Array = Any


# ---------------------------------------------------------------------------------- statements


def _ends(*names: str) -> Callable[[Any], tuple[float, float]]:
    """Limits of a result: numbers, or the first of arrays."""
    return lambda found: tuple(float(np.ravel(getattr(found, name))[0]) for name in names)  # type: ignore[return-value]


_NUMBER, _ALONG = _ends("low", "high"), _ends("lower", "upper")


class Question(NamedTuple):
    """A public function asked with a level, and how its limits and standard error are read."""

    ask: Callable[[Drawn, float], Any]
    limits: Callable[[Any], tuple[float, float]]


QUESTIONS: dict[str, Question] = {
    "AUC": Question(lambda d, level: rb.auc_interval(d.one, level=level), _NUMBER),
    "AUC diff": Question(lambda d, level: rb.compare(d.sample, level=level), _NUMBER),
    "pAUC": Question(
        lambda d, level: rb.partial_auc_interval(d.one, fpr=PART, level=level), _NUMBER
    ),
    "pAUC diff": Question(
        lambda d, level: rb.partial_auc_difference(d.sample, fpr=PART, level=level), _NUMBER
    ),
    "TPR diff": Question(lambda d, level: rb.compare_tpr(d.sample, fpr=FPR, level=level), _NUMBER),
    "AP": Question(lambda d, level: rb.average_precision_interval(d.one, level=level), _NUMBER),
    "AP diff": Question(
        lambda d, level: rb.average_precision_difference(d.sample, level=level), _NUMBER
    ),
    "NB": Question(
        lambda d, level: rb.net_benefit(d.one, thresholds=[THRESHOLD], level=level),
        _ends("net_benefit_lower", "net_benefit_upper"),
    ),
    "NB diff": Question(
        lambda d, level: rb.net_benefit_difference(d.sample, thresholds=[THRESHOLD], level=level),
        _ALONG,
    ),
    "PPV": Question(
        lambda d, level: rb.operating_points(d.one, threshold=[THRESHOLD], level=level),
        _ends("ppv_lower", "ppv_upper"),
    ),
    "recall": Question(
        lambda d, level: rb.rate_bounds(d.one, rate=RATE, level=level),
        _ends("tpr_lower", "tpr_upper"),
    ),
    "recall diff": Question(
        lambda d, level: rb.rate_difference(d.sample, rate=RATE, level=level), _ALONG
    ),
    "cost": Question(
        lambda d, level: rb.cost_interval(d.one, thresholds=THRESHOLD, w=COST, level=level), _ALONG
    ),
    "cost diff": Question(
        lambda d, level: rb.cost_difference(
            d.sample, thresholds=(THRESHOLD, THRESHOLD), w=COST, level=level
        ),
        _ALONG,
    ),
}
STATEMENTS = (*QUESTIONS, "band")


def hold_band(data: Drawn, world: World, levels: Sequence[float], rng: Any) -> tuple[Array, Array]:
    """Whether the difference band contains the true difference, and its width, by level."""
    bands = build_difference_bands(
        read_pair(data.sample, None, None, None),
        levels=levels,
        fpr=BAND,
        n_resamples=CURVES,
        rng=rng,
    )
    return [band.contains(world.gap) for band in bands], [band.mean_width for band in bands]


def judge(
    name: str, data: Drawn, world: World, levels: Sequence[float], rng: Any
) -> tuple[Array, Array]:
    """Whether limits hold the truth, and their width, at each level; an error if refused."""
    if name == "band":
        holds, width = hold_band(data, world, levels, rng)
        return np.array(holds, float), np.array(width, float)
    ask, read = QUESTIONS[name]
    low, high = np.array([read(ask(data, level)) for level in levels]).T
    truth = world.truth[name]
    return ((low <= truth + TOUCH) & (truth <= high + TOUCH)).astype(float), high - low


@dataclass(frozen=True)
class Asked(Statement):
    """Limits of one statement. A data set about which nothing was said is not `answered`."""

    named_by = "what"
    what: str

    def judge(self, data: Any, scenario: Any, levels: Sequence[float], streams: Streams) -> Any:
        try:
            holds, width = judge(self.what, data, scenario, levels, streams.own_rng("method"))
            known = bool(np.isfinite(width).all())
        except rb.InputError:
            known = False
        if not known:
            holds = width = np.zeros(len(levels))
        return {"holds": holds.tolist(), "width": width.tolist(), "answered": float(known)}


@dataclass(frozen=True)
class Whole:
    """A data set of the size that the world has."""

    name: str = "all rows"

    def sizes(self, rng: Any) -> tuple[int, ...]:
        return ()


def find_refusal(world: World, what: str) -> str:
    """First words of the refusal, or of the error, if a statement is not made about a world."""
    data = world.draw_data(np.random.default_rng(0))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rb.RocBandsWarning)
            judge(what, data, world, LEVELS[:1], 1)
    except Exception as error:  # what others have not written yet must not stop the study
        return f"{type(error).__name__}: {str(error)[:100]}"
    return ""


class Plan(NamedTuple):
    """Cells to measure by world and statement, and what is refused."""

    cells: dict[tuple[str, str], Coverage]
    refused: dict[tuple[str, str], str]

    @classmethod
    def of(cls, worlds: Sequence[World], statements: Sequence[str] = STATEMENTS) -> Plan:
        cells, refused = {}, {}
        for world in worlds:
            for what in statements:
                key = world.name, what
                words = find_refusal(world, what)
                if words:
                    refused[key] = words
                else:
                    cells[key] = Coverage(world, Whole(), Asked(what), LEVELS)  # type: ignore[arg-type]
        return cls(cells, refused)

    def study(self, sets: int, only: set[tuple[str, str]] | None = None) -> Study:
        chosen = (cell for key, cell in self.cells.items() if only is None or key in only)
        return Study("designs", tuple(chosen), sets, BLOCK, SEED)

    def load(self, store: Path) -> dict[tuple[str, str], CellResult]:
        """All that is measured, whatever number of data sets it was."""
        kept, found = Store(store, SEED), {}
        by_cell: dict[str, list[Block]] = {}
        for block in kept.records:
            by_cell.setdefault(block.cell, []).append(block)
        for key, cell in self.cells.items():
            # Blocks of other numbers of sets may overlap: each start once, the longest.
            best: dict[int, Block] = {}
            for block in by_cell.get(cell.key, ()):
                if block.start not in best or best[block.start].stop < block.stop:
                    best[block.start] = block
            records = [kept.records[block] for block in best.values()]
            if records:
                seconds = sum(record.seconds for record in records)
                found[key] = CellResult.of(cell, [one.sums for one in records], seconds)
        return found


class Entry(NamedTuple):
    """Shares that hold at the levels, widths, and data sets that were answered."""

    shares: Array
    width: Array
    n: int
    unanswered: int

    @classmethod
    def of(cls, found: CellResult) -> Entry:
        figures: Any = found.figures
        part = figures["answered"].value
        share, width = (
            np.array([one.value for one in figures[name]]) / max(part, 1e-9)
            for name in ("holds", "width")
        )
        n = round(part * found.n)
        return cls(share if n else np.full(len(share), np.nan), width, n, found.n - n)


# ---------------------------------------------------------------------------------- the page

HEAD = """# Measured coverage with groups, weights and strata

Do limits contain the truth: the share of fresh data sets, for every statement about two models at the levels .95, .90 and .99, all on the same data sets. Groups have random effects, rows have weights, groups lie in strata;
the limits are those of the default methods for such rows, see [Designs](../../docs/designs.md). True values are integrated numerically.

Scores are normal and 30% of the rows positive unless said otherwise. In brackets the AUCs of both models and the correlation of their scores; *icc*: share of the variance that a group's effect has; groups have 1 to 20 rows unless said, with shares of positives
that differ (beta distribution), or *one label*; *classes apart*: a group's effect raises its positives and lowers its negatives; *W*: design effect of lognormal weights, independent of the scores, of rows or of groups; *labelled*: all rows
with a score above 1 and a share of the others are labelled and weighted by the inverse; *thinned*: so are all positives and a share of the negatives; *pi*: share of positives; *sd*: standard deviation of the positives; *Pareto*: sizes 1/u up to 60 (40); *informative sizes*: a group's size grows with its effect (falls in one cell), and the truth is that of rows;
*exponential*, *t3*: laws of the scores; *levels*: scores are rounded. *Effect*: design effect of a mean of scores.

pAUC is the area over fpr 0 to .2, TPR that at fpr .1, NB net benefit at a threshold probability of .25, PPV and cost (w = .5) those of the same cut, recall that of acting on 20% of the rows; band: difference band over fpr .05 to .95. *diff*: model 1 minus model 2.
The standard error of a share of .95 is .013 with 300 data sets, of .90 .017, of .99 .006: with {sets} data sets some 2 to 3% of figures at the level fall 2.5 points short at .95 by chance, 7% at .90. Made by

```console
$ python -m rocbands_studies.coverage.designs
```

which goes on where it was stopped: what is measured is kept in `studies/stores/coverage-designs.store.gz`."""


def text(share: float) -> str:
    if math.isnan(share):
        return "-"
    return "1.00" if share > 0.9995 else f"{share:.3f}".lstrip("0")


def write_table(
    worlds: Sequence[World], found: dict[tuple[str, str], Entry], place: int
) -> Iterator[str]:
    level = LEVELS[place]
    yield "| cell | effect | " + " | ".join(STATEMENTS) + " |"
    yield "|---|--:|" + "--:|" * len(STATEMENTS)
    for world in worlds:
        entries = [found.get((world.name, what)) for what in STATEMENTS]
        if not any(entries):
            continue
        cells = [
            "" if one is None else text(one.shares[place]) + ("!" if falls_short(one, level, place) else "")
            for one in entries
        ]  # fmt: skip
        yield f"| {world.name} | {world.design_effect:.2g} | " + " | ".join(cells) + " |"


def falls_short(entry: Entry, level: float, place: int) -> bool:
    return bool(entry.shares[place] < level - SHORT)


def write_summary(found: dict[tuple[str, str], Entry]) -> Iterator[str]:
    yield "| statement | cells | .95: lowest, mean, short | .90 | .99 |"
    yield "|---|--:|---|---|---|"
    for what in STATEMENTS:
        mine = [one for (_, name), one in found.items() if name == what]
        if not mine:
            yield f"| {what} | 0 | | | |"
            continue
        cells = []
        for place, level in enumerate(LEVELS):
            shares = np.array([one.shares[place] for one in mine])
            short = sum(falls_short(one, level, place) for one in mine)
            cells.append(f"{text(np.nanmin(shares))}, {text(np.nanmean(shares))}, {short}")
        yield f"| {what} | {len(mine)} | " + " | ".join(cells) + " |"


def list_short(found: dict[tuple[str, str], Entry]) -> Iterator[str]:
    """Every figure more than 2.5 points below its level, with its number of data sets."""
    for (name, what), one in found.items():
        parts = [
            f"{text(one.shares[place])} at {level:g}"
            for place, level in enumerate(LEVELS)
            if falls_short(one, level, place)
        ]
        if parts:
            yield f"* {what}, {name}: {', '.join(parts)} ({one.n} data sets)"


def render(found: dict[tuple[str, str], Entry], refused: dict[tuple[str, str], str]) -> str:
    sets = max((one.n + one.unanswered for one in found.values()), default=0)
    parts = [HEAD.format(sets=sets)]
    if refused:
        whats = {what: sum(name == what for _, name in refused) for what in STATEMENTS}
        named = ", ".join(f"{what} in {n} cells" for what, n in whats.items() if n)
        parts.append(f"Refused, and so missing below: {named}.")
    lost = {key: one.unanswered for key, one in found.items() if one.unanswered}
    if lost:
        named = "; ".join(f"{what}, {name}: {n}" for (name, what), n in lost.items())
        parts.append(f"Data sets about which nothing was said: {named}.")
    parts.append("\n".join(write_summary(found)))
    short = list(list_short(found))
    parts.append("## What falls short\n\nMore than 2.5 points below the level:\n\n" + ("\n".join(short) or "none."))  # fmt: skip
    kinds = (
        ("Cells of the specification", SPECIFIED),
        ("Other cells", [world for world in WORLDS if world not in SPECIFIED]),
    )
    for place, level in enumerate(LEVELS):
        for title, worlds in kinds:
            lines = list(write_table(worlds, found, place))
            if len(lines) > 2:
                parts.append(f"## {title}, level {level:g}\n\n" + "\n".join(lines))
    return "\n\n".join(parts) + "\n"


def find_doubtful(found: dict[tuple[str, str], Entry]) -> set[tuple[str, str]]:
    """Statements that are a point or more below a level somewhere."""
    return {
        key
        for key, one in found.items()
        if any(one.shares[place] < level - 0.01 for place, level in enumerate(LEVELS))
    }


# ---------------------------------------------------------------------------------- bootstrap


def estimate(columns: Columns, weights: Array) -> dict[str, float]:
    """Weighted estimates of all statements but the band's, by their definitions."""
    each = [_estimate_one(columns.y, s, weights) for s in columns.scores]
    found = dict(each[0])
    for name in ("AUC", "pAUC", "TPR", "AP", "NB", "recall", "cost"):
        found[f"{name} diff"] = each[0][name] - each[1][name]
    return found


def _estimate_one(y: Array, s: Array, weights: Array) -> dict[str, float]:
    order = np.argsort(-s, kind="stable")
    s, pos = s[order], weights[order] * (y[order] == 1)
    neg = weights[order] - pos
    last = np.append(np.flatnonzero(s[1:] != s[:-1]), s.size - 1)
    tp, fp = (np.append(0.0, np.cumsum(side)[last]) for side in (pos, neg))
    x, height, p = fp / fp[-1], tp / tp[-1], tp[-1] / (tp[-1] + fp[-1])
    called, flat = tp + fp, np.append(True, np.diff(fp) > 0)
    inner = (x > PART[0]) & (x < PART[1])
    # At a vertical piece the curve counts with its top.
    tops = np.append(np.flatnonzero(np.diff(x) > 0), x.size - 1)
    up = np.interp((PART[0], PART[1], FPR), x[tops], height[tops]) if flat.any() else np.zeros(3)
    area = np.trapezoid(
        np.concatenate((up[:1], height[inner], up[1:2])),
        np.concatenate((PART[:1], x[inner], PART[1:])),
    )
    cut = int(np.searchsorted(-s[last], -THRESHOLD, side="right"))
    odds = THRESHOLD / (1 - THRESHOLD)
    precision = np.divide(tp, called, out=np.ones_like(tp), where=called > 0)
    return {
        "AUC": float(np.trapezoid(height, x)),
        "pAUC": float(area),
        "TPR": float(up[2]),
        "AP": float(np.diff(height) @ precision[1:]),
        "NB": p * float(height[cut]) - (1 - p) * odds * float(x[cut]),
        "PPV": float(precision[cut]),
        "recall": float(np.interp(RATE, called / called[-1], height)),
        "cost": COST * (1 - float(height[cut])) + (1 - COST) * float(x[cut]),
    }


def draw_weights(columns: Columns, rng: Any) -> Array:
    """Weights of a bootstrap of whole groups within strata (Rao and Wu 1988).

    Of G groups of a stratum G - 1 are drawn with replacement, and their weights multiplied by
    G / (G - 1) for each time.
    """
    n = columns.y.size
    unit = np.arange(n) if columns.groups is None else np.unique(columns.groups, return_inverse=True)[1]  # fmt: skip
    layer = np.zeros(n, int) if columns.strata is None else columns.strata
    of_unit = np.zeros(unit.max() + 1, int)
    of_unit[unit] = layer
    factor = np.ones(of_unit.size)
    for h in np.unique(of_unit):
        own = np.flatnonzero(of_unit == h)
        if own.size > 1:
            drawn = rng.multinomial(own.size - 1, np.full(own.size, 1 / own.size))
            factor[own] = drawn * own.size / (own.size - 1)
    return factor[unit] * (1.0 if columns.weights is None else columns.weights)


BOOTSTRAP = (
    World("60 groups of 2 to 13, icc .3; W 1.5; 6 strata", groups=60, sizes=(2, 13), icc=0.3, effect=1.5, n_strata=6),
    World("80 groups of 1 to 9, icc .5, one label; pi .4", (0.9, 0.8), 0.5, groups=80, sizes=(1, 9), one_label=True, prevalence=0.4),
    World("600 rows; W 2", (0.75, 0.7), 0.6, rows=600, effect=2.0),
    World("50 groups, informative sizes, icc .2, classes apart", (0.8, 0.75), 0.4, groups=50, informative=0.4, icc=0.2, apart=True, usual=9.0),
)  # fmt: skip


def compare_errors(
    world: World, seed: int, draws: int = 500
) -> dict[str, tuple[float, float, str]]:
    """Standard error of each statement, that of the bootstrap, and where the first comes from."""
    rng = np.random.default_rng([SEED, seed])
    columns = world.draw(rng)
    replicates = []
    while len(replicates) < draws:
        w = draw_weights(columns, rng)
        if all((w * (columns.y == k)).sum() > 0 for k in (0, 1)):
            replicates.append(estimate(columns, w))
    models = dict(zip(("one", "two"), columns.scores, strict=True))
    given = {"weights": columns.weights, "clusters": columns.groups, "strata": columns.strata}
    sample = rb.Sample(columns.y, models, **given)
    data, found = Drawn(sample, sample["one"]), {}
    for what, (ask, read) in QUESTIONS.items():
        spread = float(np.std([one[what] for one in replicates], ddof=1))
        try:
            result = ask(data, 0.95)
            error, kind = getattr(result, "standard_error", None), "standard error"
            if error is None:
                low, high = read(result)
                error, kind = (high - low) / 3.92, "width"
            found[what] = float(np.ravel(error)[0]), spread, kind
        except Exception as refusal:  # as above
            found[what] = math.nan, spread, type(refusal).__name__
    return found


def print_bootstrap(sets: int) -> None:
    print("Standard errors over those of 500 bootstraps of whole groups in strata, by data set.\n")
    print("| cell | " + " | ".join(QUESTIONS) + " |\n|---|" + "--:|" * len(QUESTIONS))
    kinds: dict[str, str] = {}
    for world in BOOTSTRAP:
        for seed in range(sets):
            found = compare_errors(world, seed)
            kinds |= {what: kind for what, (_, _, kind) in found.items()}
            ratios = [f"{error / spread:.2f}" for error, spread, _ in found.values()]
            print(f"| {world.name} | " + " | ".join(ratios) + " |", flush=True)
    print("\n" + "; ".join(f"{what}: {kind}" for what, kind in kinds.items()))


# ---------------------------------------------------------------------------------- command


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sets", nargs="?", type=int)
    parser.add_argument("--cells", default="", help="measure cells whose name contains this")
    parser.add_argument("--resume", type=Path, help="the store")
    parser.add_argument("--statements", default="", help="some of them, separated by commas")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--closer", type=int, default=0)
    parser.add_argument("--page", type=Path, default=DOCS / f"{PAGE}.md")
    parser.add_argument("--write", action="store_true", help="write the page only")
    parser.add_argument("--bootstrap", action="store_true")
    given = parser.parse_args(arguments)
    if given.bootstrap:
        print_bootstrap(given.sets or 3)
        return
    given.resume = given.resume or (find_store(PAGE) if given.write else unpack_store(PAGE))
    wanted = tuple(filter(None, given.statements.split(","))) or STATEMENTS
    asked = Plan.of([world for world in WORLDS if given.cells in world.name], wanted)
    sets, begun = given.sets or SETS, time.perf_counter()
    if not given.write and asked.cells:
        run(asked.study(sets), workers=given.workers, store=given.resume, progress=_tell)
        if given.closer:
            found = {key: Entry.of(one) for key, one in asked.load(given.resume).items()}
            doubtful = find_doubtful(found)
            if doubtful:
                study = asked.study(given.closer, doubtful)
                run(study, workers=given.workers, store=given.resume, progress=_tell)
    everything = asked if not given.cells and wanted == STATEMENTS else Plan.of(WORLDS)
    measured = everything.load(given.resume)
    pack_store(PAGE)
    found = {key: Entry.of(one) for key, one in measured.items()}
    given.page.write_text(render(found, everything.refused), encoding="utf-8")
    print("\n".join(write_summary(found)))
    print("\n".join(["", "More than 2.5 points short:", *list_short(found)]))
    seconds = sum(one.seconds for one in measured.values())
    print(f"\n{time.perf_counter() - begun:.0f} s; all that is in the store took {seconds:.0f} s.")
    for words in sorted(set(everything.refused.values())):
        count = sum(words == other for other in everything.refused.values())
        print(f"refused in {count}: {words}")


def _tell(done: int, total: int) -> None:
    print(f"\r{done} of {total} blocks", end="\n" if done == total else "", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
