"""Two learners on the same folds: how often they are called different, and limits hold.

python -m rocbands_studies.coverage.folds [sets] [words of a pair]        prints a table

A cell draws data sets, cross-validates both learners on the same stratified folds, and compares
them by `score-delong` and `nadeau-bengio` of the folds, by the plain paired t over folds and by
DeLong's test of the pooled scores, which both ignore that folds share training rows. Learners that
are equal get features of equal distribution, so that their expected difference is 0. That of others
is the mean of all estimates, which are unbiased for training sets of this size. The difference of
the models at hand is that on 2,000 further rows. With repetitions folds are drawn anew; the plain t
takes all folds of all repetitions as independent.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import t as student
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import rocbands as rb

Array = np.ndarray
FIRST, SECOND, ALL = [0, 1, 2, 3], [0, 4, 5, 6], [0, 1, 2, 3, 4, 5, 6]  # columns
NEW = 2000  # further rows on which the models at hand are judged


class BestFeature:
    """The one feature with the largest area, in its direction: a learner that is not stable."""

    def fit(self, x: Array, y: Array) -> BestFeature:
        areas = np.array([rb.roc_curve(y, column).auc for column in x.T])
        self.place = int(np.abs(areas - 0.5).argmax())
        self.sign = 1.0 if areas[self.place] > 0.5 else -1.0
        return self

    def score(self, x: Array) -> Array:
        return np.asarray(self.sign * x[:, self.place])


@dataclass
class Learner:
    """A classifier of scikit-learn; its score is the probability."""

    classifier: Any

    def fit(self, x: Array, y: Array) -> Learner:
        self.classifier.fit(x, y)
        return self

    def score(self, x: Array) -> Array:
        return np.asarray(self.classifier.predict_proba(x)[:, 1])


def logistic(_: int, strength: float = 1.0) -> Learner:
    return Learner(LogisticRegression(C=strength, solver="newton-cholesky"))


def tree(seed: int, **options: Any) -> Learner:
    return Learner(DecisionTreeClassifier(min_samples_leaf=5, random_state=seed, **options))


def neighbours(_: int) -> Learner:
    return Learner(KNeighborsClassifier(15, algorithm="kd_tree"))


@dataclass(frozen=True)
class Contest:
    """Two learners and a population: features of positives are shifted."""

    name: str
    learners: tuple[Callable[[int], Any], Callable[[int], Any]]
    columns: tuple[list[int], list[int]] = (FIRST, SECOND)
    shift: tuple[float, ...] = (0.6, 0.6, 0.0, 0.0, 0.6, 0.0, 0.0)
    equal: bool = True  # whether the expected difference is 0

    def draw(self, rows: int, rng: np.random.Generator, cluster: int = 1) -> tuple[Array, Array]:
        """Draw labels and features; rows of a cluster share their label and half their variance."""
        units = rows // cluster
        y = np.repeat(rng.permutation(np.arange(units) % 2 == 0), cluster)
        x = rng.standard_normal((rows, len(self.shift)))
        if cluster > 1:
            common = np.repeat(rng.standard_normal((units, len(self.shift))), cluster, axis=0)
            x = (x + common) / np.sqrt(2.0)
        return y, x + y[:, None] * np.array(self.shift)


WEAK = (0.25,) * 40
CONTESTS = (
    Contest("logistic, other features", (logistic, logistic)),
    Contest("tree, other features", (tree, tree)),
    Contest("15 neighbours, other features", (neighbours, neighbours)),
    Contest("logistic, AUC .97", (logistic, logistic), shift=(1.7, 1.7, 0, 0, 1.7, 0, 0)),
    Contest("logistic, nothing to learn", (logistic, logistic), shift=(0.0,) * 7),
    Contest(
        "tree, other random splits",
        (lambda k: tree(2 * k, max_features=1), lambda k: tree(2 * k + 1, max_features=1)),
        (ALL, ALL),
    ),
    Contest(
        "best of 20 weak features, other features",
        (lambda _: BestFeature(), lambda _: BestFeature()),
        ([*range(20)], [*range(20, 40)]),
        WEAK,
    ),
    Contest("logistic against tree", (logistic, tree), (ALL, ALL), equal=False),
    Contest("logistic against 15 neighbours", (logistic, neighbours), (ALL, ALL), equal=False),
    Contest(
        "logistic, weak and strong ridge",
        (logistic, lambda k: logistic(k, 0.003)),
        (ALL, ALL),
        equal=False,
    ),
)


@dataclass(frozen=True)
class Cell:
    contest: Contest
    rows: int
    folds: int
    sets: int
    repeats: int = 1
    cluster: int = 1


def cross_validate(cell: Cell, number: int) -> tuple[rb.Sample, float]:
    """Scores of one data set by both learners, and their difference on further rows."""
    contest, rng = (
        cell.contest,
        np.random.default_rng([number, cell.rows, cell.folds, cell.repeats]),
    )
    y, x = contest.draw(cell.rows, rng, cell.cluster)
    group = np.arange(cell.rows) // cell.cluster
    judge, new = contest.draw(NEW, rng)
    clustered = cell.cluster > 1
    kind, given = (StratifiedGroupKFold, group) if clustered else (StratifiedKFold, None)
    scores: list[list[Array]] = [[], []]
    folds, tested, gaps = [], [], []
    for time in range(cell.repeats):
        splits = kind(cell.folds, shuffle=True, random_state=number + 10_000 * time)
        for fold, (train, test) in enumerate(splits.split(x, y, given)):
            seed = (number * cell.repeats + time) * cell.folds + fold
            models = [
                make(seed).fit(x[train][:, own], y[train])
                for make, own in zip(contest.learners, contest.columns, strict=True)
            ]
            pairs = list(zip(models, contest.columns, strict=True))
            for found, (model, own) in zip(scores, pairs, strict=True):
                found.append(model.score(x[test][:, own]))
            if cell.rows <= NEW // 10 and cell.repeats == 1:
                one, two = (rb.roc_curve(judge, m.score(new[:, own])).auc for m, own in pairs)
                gaps.append(one - two)
            folds.append(np.full(test.size, time * cell.folds + fold))
            tested.append(test)
    places = np.concatenate(tested)
    sample = rb.Sample(
        y[places],
        {name: np.concatenate(each) for name, each in zip("ab", scores, strict=True)},
        folds=np.concatenate(folds),
        clusters=group[places] if clustered else None,
        repeats=cell.repeats,
    )
    return sample, float(np.mean(gaps)) if gaps else np.nan


def plain_t(sample: rb.Sample) -> tuple[float, float]:
    """Mean and half the width of the plain paired t over folds at .95."""
    one, two = (sample[name].roc.folds for name in sample)
    gaps = np.array([a.auc - b.auc for a, b in zip(one, two, strict=True)])
    half = student.ppf(0.975, gaps.size - 1) * gaps.std(ddof=1) / np.sqrt(gaps.size)
    return float(gaps.mean()), float(half)


def compare_all(sample: rb.Sample) -> list[tuple[float, float]]:
    """Limits at .95 by the two methods for folds, the plain t, and DeLong of the pooled scores."""
    found = [rb.compare(sample, method=name) for name in ("score-delong", "nadeau-bengio")]
    mean, half = plain_t(sample)
    pooled = rb.compare(sample.replace(folds=None), method="delong")
    return [
        *((f.low, f.high) for f in found),
        (mean - half, mean + half),
        (pooled.low, pooled.high),
    ]


def measure(cell: Cell) -> tuple[Array, Array, float, float]:
    """Shares of sets in which 0 is excluded, and the truth held; for these models; width."""
    limits, gaps, estimates = [], [], []
    for number in range(cell.sets):
        sample, gap = cross_validate(cell, number)
        limits.append(compare_all(sample))
        gaps.append(gap)
        estimates.append(plain_t(sample)[0])
    low, high = np.moveaxis(np.array(limits), 2, 0)
    truth = 0.0 if cell.contest.equal else float(np.mean(estimates))
    rejected = ((low > 0.0) | (high < 0.0)).mean(axis=0)
    held = ((low <= truth) & (truth <= high)).mean(axis=0)
    own = np.array(gaps)
    mine = np.nan
    if np.isfinite(own).all():
        mine = float(((low[:, 0] <= own) & (own <= high[:, 0])).mean())
    width = (high - low).mean(axis=0)
    return rejected, held, mine, float(width[1] / width[0])


def list_cells(sets: int) -> Iterator[Cell]:
    for contest in CONTESTS:
        for rows in (60, 200):
            yield from (Cell(contest, rows, folds, sets) for folds in (5, 10))
    for contest in CONTESTS:
        if contest.name in ("15 neighbours, other features", "logistic, weak and strong ridge"):
            continue
        yield Cell(contest, 2000, 5, sets // 2)
    yield Cell(CONTESTS[0], 2000, 10, sets // 2)
    for contest in (CONTESTS[0], CONTESTS[1]):
        yield Cell(contest, 200, 5, sets // 2, repeats=10)
        yield Cell(contest, 400, 5, sets, cluster=4)


def main(sets: int = 400, only: str = "") -> None:
    print(
        "| learners | rows | folds | sets | score-delong | nadeau-bengio | plain t | pooled DeLong "
        "| held | nadeau-bengio | these models | width |\n|---|" + "--:|" * 11
    )
    for cell in list_cells(sets):
        if only not in cell.contest.name:
            continue
        rejected, held, mine, width = measure(cell)
        shares = (f"{x:.3f}".removeprefix("0") for x in (*rejected, *held[:2], mine))
        folds = f"{cell.folds}" + f" x {cell.repeats}" * (cell.repeats > 1)
        rows = f"{cell.rows}" + f" in {cell.rows // cell.cluster}" * (cell.cluster > 1)
        row = [cell.contest.name, rows, folds, str(cell.sets), *shares, f"{width:.2f}"]
        print(f"| {' | '.join(row)} |".replace("nan", "-"), flush=True)


if __name__ == "__main__":
    main(*(kind(text) for kind, text in zip((int, str), sys.argv[1:], strict=False)))
