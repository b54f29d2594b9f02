"""Do statements about reader studies hold: ``python -m rocbands_studies.coverage.readers``.

``python -m rocbands_studies.coverage.readers [sets] [--cells TEXT] [--section TEXT]`` measures what is not yet
in its store (1,000 data sets a cell by default) and writes
docs/coverage-readers.md; ``--write`` only writes it. ``--closer N``: cells that seem to fall short
are measured on N data sets. Data sets follow Roe and Metz' model, see
:mod:`rocbands_studies.coverage.reader_worlds`. All methods and levels are asked about the same data sets.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rocbands_studies import CellResult, Coverage, FixedClasses, Store, Study, run
from rocbands_studies.checkout import DOCS, find_store, pack_store, unpack_store
from rocbands_studies.coverage.reader_questions import (
    METHODS,
    AlgorithmLimits,
    DifferenceLimits,
    EqualTests,
    GivenReaders,
)
from rocbands_studies.coverage.reader_worlds import CUTS, ReaderWorld
from rocbands_studies.spec import Block

PAGE, SEED, BLOCK, SETS = "coverage-readers", 37, 1000, 1000
LEVELS = (0.95, 0.9, 0.99)
SHORT = 0.025  # below the level, or above the error rate: what the page lists
LOW, MIDDLE, HIGH = 0.75, 1.5, 2.5  # mu of AUC .70, .85 and .96
BETTER = {LOW: 0.95, MIDDLE: 1.9, HIGH: 3.3}  # of the other test: AUC .75, .91 and .99
ALL = ("HH", "LL")


@dataclass(frozen=True)
class Section:
    """A table: cells, and what is said about it."""

    title: str
    words: str
    cells: tuple[Coverage, ...]


def ask(
    worlds: Sequence[ReaderWorld], sizes: Sequence[tuple[int, int]], statement: Any
) -> tuple[Coverage, ...]:
    """Ask a statement about each world at each size."""
    return tuple(
        Coverage(world, FixedClasses(*size), statement, LEVELS)
        for world, size in product(worlds, sizes)
    )


def with_sensitivity(
    shares: tuple[float, float], structure: str, readers: int, metric: str = "sensitivity"
) -> tuple[ReaderWorld, DifferenceLimits]:
    """A world and a threshold with these true rates of both tests."""
    from scipy.special import ndtri

    world = ReaderWorld((HIGH, HIGH), structure, readers)
    spread = np.sqrt(1.0 + 2.0 * world.reader_variance)
    if metric == "specificity":  # that of negatives, whose mean is 0 under every test
        return world, DifferenceLimits(metric, float(ndtri(shares[0]) * spread))
    cut = HIGH - float(ndtri(shares[0])) * spread
    mu = (HIGH, float(cut + ndtri(shares[1]) * spread))
    return ReaderWorld(mu, structure, readers, anchor=HIGH), DifferenceLimits(metric, float(cut))


def list_sections() -> tuple[Section, ...]:
    auc = DifferenceLimits()
    near, some, rare = (25, 25), (50, 50), (10, 90)
    sizes = (near, some, rare)
    equal = [
        ReaderWorld((mu, mu), structure, readers)
        for mu, structure, readers in product((LOW, MIDDLE, HIGH), ALL, (3, 5, 10))
    ]
    differ = [
        ReaderWorld((mu, BETTER[mu]), structure, readers)
        for mu, structure, readers in product((LOW, MIDDLE, HIGH), ALL, (3, 5, 10))
    ]
    own = ask(
        [ReaderWorld((MIDDLE,) * 2, s, r) for s, r in product(ALL, (2, 4, 6, 8, 15, 25))],
        [(40, 40)],
        auc,
    )
    own += ask(
        [ReaderWorld((MIDDLE, BETTER[MIDDLE]), s, r) for s, r in product(ALL, (2, 4, 8, 25))],
        [(40, 40)],
        auc,
    )
    own += ask(
        [
            ReaderWorld((mu, mu), "HH", r, skew=k)
            for mu, r, k in product((MIDDLE, HIGH), (4, 8), (1, -1))
        ],
        [(30, 60)],
        auc,
    )
    own += ask(
        [ReaderWorld((MIDDLE, BETTER[MIDDLE]), "HH", r, skew=-1) for r in (4, 8)], [(30, 60)], auc
    )
    own += ask(
        [
            ReaderWorld((mu * k, mu * k), "HH", 5, b=b)
            for mu, (b, k) in product((MIDDLE, HIGH), ((1.5, 1.27), (0.7, 0.86)))
        ],
        [(40, 40)],
        auc,
    )
    own += ask([ReaderWorld((MIDDLE * 1.27, 2.4), "LL", 5, b=1.5)], [(40, 40)], auc)
    own += ask(
        [
            ReaderWorld((mu, mu), s, r, cuts=CUTS)
            for (mu, s), r in product(((MIDDLE, "HH"), (MIDDLE, "LL"), (HIGH, "HH")), (3, 5, 10))
        ],
        [(40, 40)],
        auc,
    )
    own += ask([ReaderWorld((MIDDLE, BETTER[MIDDLE]), "HH", 5, cuts=CUTS)], [(40, 40)], auc)
    own += ask(
        [
            ReaderWorld((MIDDLE, MIDDLE), s, r, missing=share)
            for (s, r), share in product(product(ALL, (4, 8)), (0.2, 0.4))
        ],
        [(30, 30)],
        auc,
    )
    own += ask(
        [ReaderWorld((mu, mu), "HH", 5) for mu in (MIDDLE, HIGH)], [(20, 20), (10, 500)], auc
    )
    own += ask(
        [ReaderWorld((BETTER[HIGH],) * 2, s, r) for s, r in product(ALL, (3, 10))], [some], auc
    )
    designs = ("cases in readers", "cases in tests", "split-plot", "readers in tests")
    nested = ask(
        [
            ReaderWorld((MIDDLE, MIDDLE), s, r, design=d)
            for d, s, r in product(designs, ALL, (4, 8))
        ],
        [(30, 30)],
        auc,
    )
    nested += ask(
        [ReaderWorld((HIGH, BETTER[HIGH]), "HH", 6, design=d) for d in designs], [(30, 30)], auc
    )
    alone = AlgorithmLimits()
    machine = ask(
        [
            ReaderWorld((mu,), s, r, algorithm=a)
            for (mu, a), s, r in product(
                ((MIDDLE, MIDDLE), (MIDDLE, 1.9), (HIGH, 3.3)), ALL, (4, 8)
            )
        ],
        [(40, 40)],
        alone,
    )
    many = ask(
        [
            ReaderWorld((mu,) * t, s, r)
            for (mu, t), s, r in product(((MIDDLE, 3), (MIDDLE, 4), (HIGH, 3)), ALL, (3, 5, 10))
        ],
        [(40, 40)],
        EqualTests(),
    )
    many += ask([ReaderWorld((MIDDLE, MIDDLE, 1.8), s, 5) for s in ALL], [(40, 40)], EqualTests())
    rates: tuple[Coverage, ...] = ()
    for shares, s, r in product(
        ((0.9, 0.9), (0.95, 0.95), (0.99, 0.99), (0.95, 0.99)), ALL, (3, 5, 10)
    ):
        world, statement = with_sensitivity(shares, s, r)
        rates += ask([world], [(25, 25)] if r != 5 else [(25, 25), (60, 25)], statement)
    for share, r in product((0.95, 0.99), (3, 10)):
        world, statement = with_sensitivity((share, share), "HH", r, "specificity")
        rates += ask([world], [(25, 40)], statement)
    part = DifferenceLimits("partial_auc")
    areas = ask(
        [
            ReaderWorld(mus, s, r)
            for mus, s, r in product(
                ((LOW, LOW), (MIDDLE, MIDDLE), (HIGH, HIGH), (HIGH, BETTER[HIGH])), ALL, (3, 8)
            )
        ],
        [(40, 40)],
        part,
    )
    areas += ask([ReaderWorld((MIDDLE, BETTER[MIDDLE]), "HH", 5)], [near, rare], part)
    patients = ask(
        [
            ReaderWorld((mu, m2), "HH", 5, patient=4, icc=icc, mixed=mixed)
            for (mu, m2), icc, mixed in product(
                ((MIDDLE, MIDDLE), (MIDDLE, BETTER[MIDDLE])), (0.5, 0.9), (False, True)
            )
        ],
        [(80, 80)],
        auc,
    )
    patients += ask(
        [
            ReaderWorld((mu, mu), s, r, patient=4, icc=0.9)
            for (mu, s), r in product(((MIDDLE, "LL"), (HIGH, "HH")), (3, 10))
        ],
        [(40, 40)],
        auc,
    )
    given = ask(
        [
            ReaderWorld((mu, m2), s, r)
            for (mu, m2), s, r in product(
                ((MIDDLE, MIDDLE), (HIGH, HIGH), (MIDDLE, BETTER[MIDDLE])), ALL, (3, 10)
            )
        ],
        [(25, 25)],
        GivenReaders(),
    )
    return (
        Section("Two equal tests", "Cells of Roe and Metz.", ask(equal, sizes, auc)),
        Section("Two tests that differ", "The first is the worse one. The margin is the true difference, so that non-inferiority is declared wrongly.", ask(differ, [some], auc) + ask(differ[6:12:2] + differ[12::2], [near], auc)),
        Section("Other readers, laws and readings", "Other numbers of readers, exponential reader effects, positives with another standard deviation, five ratings, readings missing at random, few cases.", own),
        Section("Other designs", "Sizes are those of a block: each reader's own cases, each test's own, or those of half of the readers. With readers in tests, each test has so many.", nested),
        Section("A stand-alone algorithm", "Algorithm minus readers; one test.", machine),
        Section("Three and four tests", "The global F test, and the smallest of Holm's p-values of all pairs.", many),
        Section("Sensitivity and specificity near 1", "At a threshold that is the same for all readers, of both tests.", rates),
        Section("Partial AUC, fpr 0 to .2", "", areas),
        Section("Several cases of a patient", "Patients have four cases, of one class, or two of each (*mixed*); icc is the share of the variance of case effects that they have in common. Last columns: the same limits without `groups`.", patients),
        Section("For these readers, for these cases", "", given),
    )  # fmt: skip


# ---------------------------------------------------------------------------------- figures


class Row(NamedTuple):
    """A cell that was measured."""

    cell: Coverage
    found: CellResult

    @property
    def label(self) -> str:
        world, asked = self.cell.world, self.cell.statement
        if isinstance(asked, DifferenceLimits):
            return str(world.describe(asked.metric, asked.threshold or np.nan))
        return str(world.name)

    def get(self, name: str) -> np.ndarray | None:
        """Values of a figure at the levels, or None if the cell does not have it."""
        figures: Any = self.found.figures.get(name)
        if figures is None:
            return None
        return np.array([one.value for one in figures] if isinstance(figures, list) else [figures.value])  # fmt: skip

    @property
    def is_equal(self) -> bool:
        """Whether there is no true difference."""
        return len(set(self.cell.world.mu)) == 1 and not self.cell.world.algorithm

    def is_short(self, name: str) -> np.ndarray:
        """Whether a share is below its level, or a false claim more frequent than it may be."""
        values, levels = self.get(name), np.array(LEVELS)
        if values is None or values.size != levels.size:
            return np.zeros(len(LEVELS), dtype=bool)
        if name.startswith("holds"):
            return values < levels - SHORT
        if name.startswith("rejects inferior"):
            allowed = (1.0 - levels) / 2.0
            error = np.sqrt(allowed * (1.0 - allowed) / self.found.n)
            return values > allowed + np.maximum(allowed / 2.0, 2.0 * error)
        return (values > 1.0 - levels + SHORT) & self.is_equal


def load(cells: Sequence[Coverage], store: Path) -> dict[int, Row]:
    """All cells that are measured, by identity."""
    kept, found = Store(store, SEED), {}
    blocks: dict[str, list[Block]] = {}
    for block in kept.records:
        blocks.setdefault(block.cell, []).append(block)
    for cell in cells:
        records = [kept.records[block] for block in blocks.get(cell.key, ())]
        if records:
            seconds = sum(record.seconds for record in records)
            sums = [record.sums for record in records]
            found[id(cell)] = Row(cell, CellResult.of(cell, sums, seconds))
    return found


def collect(store: Path) -> list[tuple[Section, list[Row]]]:
    """All sections with their cells that are measured."""
    sections = list_sections()
    found = load([cell for section in sections for cell in section.cells], store)
    known = [
        (section, [found[id(cell)] for cell in section.cells if id(cell) in found])
        for section in sections
    ]
    return [(section, rows) for section, rows in known if rows]


# ---------------------------------------------------------------------------------- the page

Columns = tuple[tuple[str, str], ...]
DIFFERENCE = tuple((name, f"holds difference {name}") for name in METHODS)
MEAN = tuple((f"mean, {name}", f"holds mean {name}") for name in ("bounded", "OR"))
REJECTS = tuple((f"rejects, {name}", f"rejects difference {name}") for name in METHODS)
INFERIOR = tuple((f"non-inferior, {name}", f"rejects inferior {name}") for name in ("bounded", "OR"))  # fmt: skip
ROWS = (("without groups", "holds difference rows"), ("mean", "holds mean rows"))
JOINT = tuple((f"{kind}, {name}", f"rejects {kind} {name}") for kind, name in product(("F", "pairs"), ("bounded", "OR")))  # fmt: skip
GIVEN: Columns = (
    *((f"these {who}, {name}", f"holds {random} {name}") for (who, random), name in product((("readers", "cases"), ("cases", "readers")), ("bounded", "OR"))),
    *((f"mean, these {who}, {name}", f"holds mean {random} {name}") for (who, random), name in product((("readers", "cases"), ("cases", "readers")), ("bounded", "OR"))),
    ("these readers' limits for all readers", "holds all readers"),
)  # fmt: skip
OTHER = (
    ("no interval, one-shot", "none difference one-shot"),
    ("width 0, bounded", "point difference bounded"),
)
EVERY: Columns = (*DIFFERENCE, *MEAN, *REJECTS, *INFERIOR, *ROWS, *JOINT, *GIVEN)


def text(share: float) -> str:
    return "1.00" if share >= 0.9995 else f"{share:.3f}".lstrip("0")


def write_table(rows: Sequence[Row]) -> Iterator[str]:
    """One row for each cell; columns that no cell has are left out."""
    columns = [(head, name) for head, name in EVERY if any(row.get(name) is not None for row in rows)]  # fmt: skip
    wide = any(row.get("width difference bounded") is not None for row in rows)
    heads = [head for head, _ in columns] + ["width"] * wide
    yield "| cell | size | " + " | ".join(heads) + " |"
    yield "|---|---|" + "--:|" * len(heads)
    for row in rows:
        shown = []
        for _, name in columns:
            values = row.get(name)
            marks = row.is_short(name)
            shown.append("" if values is None else " ".join(text(v) + "!" * bool(m) for v, m in zip(values, marks, strict=True)))  # fmt: skip
        if wide:
            mine, other = (row.get(f"width difference {name}") for name in ("bounded", "OR"))
            shown.append("" if mine is None or other is None else f"{mine[0] / other[0]:.2f}")
        yield f"| {row.label} | {row.cell.classes.name} | " + " | ".join(shown) + " |"


def write_summary(sections: Sequence[tuple[Section, list[Row]]]) -> Iterator[str]:
    yield "| | figure | cells | .95: lowest to highest; short | .90 | .99 |"
    yield "|---|---|--:|---|---|---|"
    for section, rows in sections:
        for head, name in (*EVERY, *OTHER):
            mine = [row for row in rows if row.get(name) is not None]
            if not mine or (name.startswith("rejects diff") and section.title != "Two equal tests"):
                continue
            if (head, name) in OTHER:
                share = max(row.get(name)[0] for row in mine)  # type: ignore[index]
                if share:
                    yield f"| {section.title} | {head} | {len(mine)} | up to {text(share)} | | |"
                continue
            cells = []
            for place in range(len(LEVELS)):
                values = [row.get(name)[place] for row in mine]  # type: ignore[index]
                short = sum(bool(row.is_short(name)[place]) for row in mine)
                cells.append(f"{text(min(values))} to {text(max(values))}; {short}")
            yield f"| {section.title} | {head} | {len(mine)} | " + " | ".join(cells) + " |"


def write_agreement(rows: Sequence[Row]) -> Iterator[str]:
    """Coverage where OR's standard error is below half of that of the same readers."""
    yield "| readers | data sets | of them with agreeing readers | OR | bounded |"
    yield "|---|--:|--:|--:|--:|"
    two = [row for row in rows if row.get("agree") is not None and row.cell.statement.name == "auc"]  # fmt: skip
    for few, some in (((2, 2), "2"), ((3, 3), "3"), ((4, 4), "4"), ((5, 5), "5"), ((6, 9), "6 to 9"), ((10, 99), "10 and more")):  # fmt: skip
        mine = [row for row in two if few[0] <= row.cell.world.readers <= few[1]]
        sets = sum(row.found.n for row in mine)
        agree = sum(row.get("agree")[0] * row.found.n for row in mine)  # type: ignore[index]
        if not mine:
            continue
        shares = []
        for name in ("OR", "bounded"):
            held = sum(row.get(f"agreeing {name}") * row.found.n for row in mine)  # type: ignore[operator]
            shares.append(" ".join(text(v) for v in held / agree) if agree >= 20 else "")
        yield f"| {some} | {sets:,} | {round(agree):,} ({agree / sets:.2%}) | " + " | ".join(shares) + " |"  # fmt: skip


def write_power(rows: Sequence[Row]) -> Iterator[str]:
    yield "| readers | cells | " + " | ".join(METHODS) + " |"
    yield "|---|--:|" + "--:|" * len(METHODS)
    for readers in (3, 5, 10):
        mine = [row for row in rows if row.cell.world.readers == readers]
        if mine:
            means = [np.mean([row.get(f"rejects difference {name}") for row in mine], 0) for name in METHODS]  # type: ignore[misc]  # fmt: skip
            yield f"| {readers} | {len(mine)} | " + " | ".join(" ".join(map(text, one)) for one in means) + " |"  # fmt: skip


def list_short(sections: Sequence[tuple[Section, list[Row]]]) -> Iterator[str]:
    """What the default method does not hold."""
    for section, rows in sections:
        for row, (head, name) in product(rows, EVERY):
            # Where tests are equal, what rejects is what does not hold.
            if "bounded" not in name or name.startswith("rejects diff"):
                continue
            parts = [f"{text(v)} at {level:g}" for v, level, short in zip(row.get(name) if row.get(name) is not None else (), LEVELS, row.is_short(name), strict=False) if short]  # type: ignore[arg-type]  # fmt: skip
            if parts:
                yield f"* {section.title}, {row.label}, {row.cell.classes.name}, {head}: {', '.join(parts)}"  # fmt: skip


class Span:
    """Lowest and highest value of a figure at .95 in some sections, for sentences."""

    def __init__(self, sections: Sequence[tuple[Section, list[Row]]], *titles: str) -> None:
        self.rows = [row for one, part in sections for row in part if not titles or one.title in titles]  # fmt: skip

    def of(self, name: str, keep: Callable[[Row], bool] = lambda row: True) -> str:
        shares = [row.get(name)[0] for row in self.rows if row.get(name) is not None and keep(row)]  # type: ignore[index]  # fmt: skip
        return f"{text(min(shares))} to {text(max(shares))}" if shares else "-"

    def count(self, name: str) -> str:
        rows = [row for row in self.rows if row.get(name) is not None]
        return f"{sum(bool(row.is_short(name)[0]) for row in rows)} of {len(rows)}"


def write_words(sections: Sequence[tuple[Section, list[Row]]]) -> Iterator[str]:
    """What the tables show, with their numbers at .95."""
    every = Span(sections)
    near = ("Two tests that differ", "Other designs")

    def is_equal(row: Row) -> bool:
        return row.is_equal

    def has_few(row: Row) -> bool:
        return min(row.cell.classes.sizes(None)) <= 10 and row.cell.statement.name == "auc"

    def is_near(row: Row) -> bool:
        world = row.cell.world
        return max(world.mu) > 3.0 and not row.is_equal and world.structure == "HH"

    tests, rates = Span(sections, "Three and four tests"), Span(sections, "Sensitivity and specificity near 1")  # fmt: skip
    area, patients = Span(sections, "Partial AUC, fpr 0 to .2"), Span(sections, "Several cases of a patient")  # fmt: skip
    given = Span(sections, "For these readers, for these cases")
    name = "holds difference {}".format
    yield f"* **Differences** by `bounded` hold {every.of(name('bounded'))} at .95, short in {every.count(name('bounded'))} cells (lowest with 10 positives and 10 readers); OR {every.of(name('OR'))}, short in {every.count(name('OR'))}; one-shot {every.of(name('one-shot'))}, short in {every.count(name('one-shot'))}: with missing readings or 2 to 3 readers its variance is often negative."  # fmt: skip
    yield f"* Where **tests are equal**, `bounded` errs on the safe side with 2 to 5 readers who vary little, and near AUC 1: it rejects in {every.of('rejects difference bounded', is_equal)} of data sets at .05, OR in {every.of('rejects difference OR', is_equal)}. Power is a little lower with 3 readers (see Power)."  # fmt: skip
    yield f"* **The mean of one test** holds {every.of('holds mean bounded')} by `bounded`, short in {every.count('holds mean bounded')} cells; OR {every.of('holds mean OR')}, short in {every.count('holds mean OR')}. It falls short with 10 positives, where their variance is not known well ({every.of('holds mean bounded', has_few)}), near AUC 1 with readers who vary much, and with few patients (10 of a class)."  # fmt: skip
    yield f"* **Non-inferiority** of a test that is worse by the margin is declared in {every.of('rejects inferior bounded')} of data sets instead of .025, OR {every.of('rejects inferior OR')}. Too often by `bounded` for AUC .95 against .99 with readers who vary much, in every design ({Span(sections, *near).of('rejects inferior bounded', is_near)})."  # fmt: skip
    yield f"* **Three and four tests**: the global F test of equal tests rejects in {tests.of('rejects F bounded', is_equal)} at .05 by `bounded`, {tests.of('rejects F OR', is_equal)} by OR; the smallest of Holm's p-values in {tests.of('rejects pairs bounded', is_equal)} and {tests.of('rejects pairs OR', is_equal)}."  # fmt: skip
    yield f"* **Sensitivity and specificity near 1**: differences {rates.of(name('bounded'))} (OR {rates.of(name('OR'))}), means {rates.of('holds mean bounded')} (OR {rates.of('holds mean OR')}). Logit limits suffice. With 10 readers and 25 positives, .95 and more, means hold a little less than the level, and at .99 their coverage at .90 depends on single misses."  # fmt: skip
    yield f"* **Partial AUC**: differences {area.of(name('bounded'))} (OR {area.of(name('OR'))}), means {area.of('holds mean bounded')} (OR {area.of('holds mean OR')})."  # fmt: skip
    yield f"* **Several cases of a patient**, with `groups`: differences {patients.of(name('bounded'))}, means {patients.of('holds mean bounded')}; without: {patients.of('holds difference rows')} and {patients.of('holds mean rows')}."  # fmt: skip
    yield f"* **These readers**: {given.of('holds cases bounded')} of the mean difference of the readers who were drawn; **these cases**: {given.of('holds readers bounded')}. Limits for these readers, taken for all readers, hold {given.of('holds all readers')}: with 3 readers who vary much they must not be."  # fmt: skip


HEAD = """# Measured coverage of reader studies

Do limits of `rb.compare_readers` contain the truth: the share of fresh data sets, at the levels .95, .90 and .99 (in this order, on the same data sets). Data follow the model of Roe and Metz (1997): effects of readers, cases and all their interactions with the test;
the truth is integrated numerically. *HH*: high correlation of the data and high variance of readers; *LL*: both low. Cells are named by the true reader averages of the tests.

*bounded*, *OR*, *one-shot*: limits of the difference of the first two tests by each method, for all readers and cases; no interval (a negative variance of one-shot) counts as a miss. *mean*: limits of the reader average of the first test. *rejects*: how often the test of equality rejects at .05, .10 and .01,
which is an error where tests are equal and power where they differ. *non-inferior*: how often a first test that is worse by exactly the margin is declared non-inferior; .025, .05 and .005 are allowed. *width*: mean width of bounded limits of the difference, over that of OR's, at .95.
A figure with ! is more than 2.5 points below its level; a false non-inferiority with ! is more frequent than 1.5 times what is allowed, and by two standard errors; a false rejection with ! by 2.5 points. The standard error of a share of .95 is .007 with 1,000 data sets, of .90 .009, of .025 .005. Made by

```console
$ python -m rocbands_studies.coverage.readers --closer 2000
```

which goes on where it was stopped: what is measured is kept in `studies/stores/coverage-readers.store.gz`. Cells in which `bounded` seems to fall short on 1,000 data sets are measured on 2,000, which include these."""


def render(sections: Sequence[tuple[Section, list[Row]]]) -> str:
    rows = [row for _, part in sections for row in part]
    sets = {row.found.n for row in rows}
    parts = [HEAD, f"{len(rows)} cells; {min(sets):,} to {max(sets):,} data sets a cell." if len(sets) > 1 else f"{len(rows)} cells of {min(sets):,} data sets."]  # fmt: skip
    parts += ["## In words\n\n" + "\n".join(write_words(sections))]
    parts += ["## Ranges\n\n" + "\n".join(write_summary(sections))]
    parts += ["## What falls short\n\nOf the default method, `bounded`:\n\n" + ("\n".join(list_short(sections)) or "nothing.")]  # fmt: skip
    parts += ["## Readers who agree by chance\n\nCoverage of the difference in data sets in which OR's standard error is below half of that of the same readers. All cells with two tests and AUC; most with 6 to 9 readers have cases nested in readers, half of them near AUC 1.\n\n" + "\n".join(write_agreement(rows))]  # fmt: skip
    differ = [row for section, part in sections if section.title == "Two tests that differ" for row in part if row.cell.classes.name == "50+50"]  # fmt: skip
    parts += ["## Power\n\nMean share of data sets with 50 + 50 cases in which the test at .05, .10 and .01 shows the difference.\n\n" + "\n".join(write_power(differ))]  # fmt: skip
    for section, part in sections:
        words = f"{section.words}\n\n" if section.words else ""
        parts.append(f"## {section.title}\n\n{words}" + "\n".join(write_table(part)))
    return "\n\n".join(parts) + "\n"


# ---------------------------------------------------------------------------------- command


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sets", nargs="?", type=int, default=SETS)
    parser.add_argument("--cells", default="", help="measure cells whose name contains this")
    parser.add_argument("--section", default="", help="measure sections whose title contains this")
    parser.add_argument("--store", type=Path)
    parser.add_argument("--page", type=Path, default=DOCS / f"{PAGE}.md")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--closer", type=int, default=0, help="data sets where cells fall short")
    parser.add_argument("--write", action="store_true", help="write the page only")
    given = parser.parse_args(arguments)
    given.store = given.store or (find_store(PAGE) if given.write else unpack_store(PAGE))
    sections = list_sections()
    for section in () if given.write else sections:
        cells = [cell for cell in section.cells if given.cells in cell.world.name]
        if given.section not in section.title or not cells:
            continue
        begun = time.perf_counter()
        measure(section.title, cells, given.sets, given)
        if given.closer:
            rows = load(cells, given.store).values()
            doubtful = [row.cell for row in rows if any(list_short([(section, [row])]))]
            measure(section.title, doubtful, given.closer, given)
        spent = time.perf_counter() - begun
        print(f"{section.title}: {len(cells)} cells, {spent:.0f} s", flush=True)
    known = collect(given.store)
    pack_store(PAGE)
    given.page.write_text(render(known), encoding="utf-8")
    print("\n".join(write_summary(known)), *list_short(known), sep="\n")
    spent = sum(row.found.seconds for _, rows in known for row in rows)
    print(f"{spent:.0f} s for all that is in the store")


def measure(title: str, cells: Sequence[Coverage], sets: int, given: argparse.Namespace) -> None:
    if cells:
        study = Study(title, tuple(cells), sets, BLOCK, SEED)
        run(study, workers=given.workers, store=given.store)


if __name__ == "__main__":
    main(sys.argv[1:])
