"""Section 6: asymmetric Laplace and Gaussian models of scores beside normal ones.

The paper names Bennett (2003), who found that learned models do not give normal scores, and that
asymmetric Laplace or Gaussian distributions are closer. Bands based on such models are its wish.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtr

import rocbands as rb
from rocbands.core.checks import FloatArray
from rocbands.core.curve import Curve, displacement
from rocbands.errors import InputError, RocBandsWarning
from rocbands_studies.measurements import Measured
from rocbands_studies.papers.macskassy_2005.models import Cases, Learned, OfModel, Scored
from rocbands_studies.papers.macskassy_2005.simulated import LEARNERS, PAPER
from rocbands_studies.papers.paper import (
    Claim,
    DataSource,
    PaperStudy,
    Picture,
    Row,
    Scale,
    judge_claim,
    judge_own,
)
from rocbands_studies.results import Figure, StudyResult
from rocbands_studies.spec import Study
from rocbands_studies.streams import Streams

_WISH = "the paper names the models and measures none"
_RAW = ("normal", "asymmetric-laplace", "asymmetric-gaussian")  # models of the scores themselves
_MODELS = ("binormal", "kernel", *_RAW)
_BANDS = tuple(name for name in _MODELS if name != "normal")
_TREE = "tree-pruned"
_MANY_SCORES = tuple(learner for learner in LEARNERS if learner != _TREE)
_DRAWS = 199
_CORNER = 0.01  # curves are judged without the corners, too, which steps reach too early


@dataclass(frozen=True)
class ScoreModels(OfModel):
    """How near models of the scores, and their ROC curves, are to those of a large test set.

    Parameters
    ----------
    model : Learned
        Gives the scores, which are log-odds; infinite ones are put next to the others.
    size : int, default 500
        Rows of a small test set.
    sets : int, default 4
        Small sets that are drawn from the scores of a model.

    Notes
    -----
    `off -`, `off +`: Kolmogorov's distance of a class from its model, fitted to all scores.
    `curve off`: distance of the smooth curve, fitted to all scores, from their empirical curve;
    `curve off, few rows`: the same, fitted to a small set. `holds`: share of 95% bands from small
    sets that contain the whole curve of all scores; `holds inside` judges it from the false
    positive rate .01 to the true positive rate .99. A model that cannot be fitted has distance 1
    and no band that holds.
    """

    axis: ClassVar[str] = "model"

    model: Learned
    size: int = 500
    sets: int = 4
    level: float = 0.95

    def measure(self, streams: Streams) -> Measured:
        found = self.model.scored(streams)
        scored = Scored(_finite(found.scores), found.positive, found.tie)
        rng, roc = streams.own_rng("sets"), scored.roc(np.arange(len(found)))
        truth: Curve = roc.curve
        out: dict[str, list[float]] = {}
        with warnings.catch_warnings():  # that models do not fit is what is being measured
            warnings.simplefilter("ignore", RocBandsWarning)
            for name in _MODELS:
                made = _fit(name, roc, self.level, rng)
                out[f"curve off {name}"] = [_distance(made, truth)]
                if name in _RAW:
                    for sign, side in zip("-+", _classes(roc), strict=True):
                        out[f"off {sign} {name}"] = [_class_distance(name, made, sign, *side)]
            for _ in range(self.sets):
                few = scored.roc(scored.draw(rng, self.size))
                for name in _MODELS:
                    made = _fit(name, few, self.level, rng)
                    out.setdefault(f"curve off, few rows {name}", []).append(_distance(made, truth))
                    if name == "normal":
                        continue
                    held = _holds(made, truth)
                    for word, one in zip(("holds", "holds inside"), held, strict=True):
                        out.setdefault(f"{word} {name}", []).append(float(one))
        return {name: float(np.mean(values)) for name, values in out.items()}


def _finite(scores: FloatArray) -> FloatArray:
    finite = scores[np.isfinite(scores)]
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
    return np.clip(scores, low - 1.0, high + 1.0)


def _classes(roc: rb.RocCurve) -> list[tuple[FloatArray, FloatArray]]:
    """Scores of negatives and of positives, ascending, and how many have each."""
    value = np.asarray(roc.thresholds[::-1], dtype=np.float64)
    sides = (np.diff(side, prepend=0)[::-1].astype(np.float64) for side in (roc.fp, roc.tp))
    return [(value[side > 0], side[side > 0]) for side in sides]


def _moments(value: FloatArray, weight: FloatArray) -> tuple[float, float]:
    mean = float(np.average(value, weights=weight))
    return mean, float(np.sqrt(np.average((value - mean) ** 2, weights=weight))) or 1.0


def _fit(name: str, roc: rb.RocCurve, level: float, rng: np.random.Generator) -> Any:
    """Return the smooth curve with its band; a bare curve for normal scores, None if none fits."""
    if name == "normal":
        (mean_neg, sd_neg), (mean_pos, sd_pos) = (_moments(*side) for side in _classes(roc))
        z = np.linspace(8.0, -8.0, 801)  # thresholds, in standard deviations of the negatives
        y = ndtr((mean_pos - mean_neg - sd_neg * z) / sd_pos)
        return Curve(*(np.concatenate([[0.0], side, [1.0]]) for side in (ndtr(-z), y)))
    draws: dict[str, Any] = {} if name == "binormal" else {"n_resamples": _DRAWS}
    try:
        return rb.smooth_curve(roc, method=name, level=level, rng=rng, **draws)
    except InputError:  # separated classes, or too few different scores
        return None


def _distance(made: Any, truth: Curve) -> float:
    """Largest move of both rates between a smooth curve and the true one."""
    if made is None:
        return 1.0
    curve = made.curve if isinstance(made, rb.results.SmoothCurve) else made
    return float(displacement(curve, truth, 1.0).largest / np.sqrt(2.0))


def _holds(made: Any, truth: Curve) -> tuple[bool, bool]:
    """Tell whether a band contains the whole true curve, and whether without the corners."""
    if made is None:
        return False, False
    fpr = np.linspace(_CORNER, 1.0 - _CORNER, 197)
    tpr = truth.high(fpr)
    inside = tpr <= 1.0 - _CORNER
    low, high = made.lower_at(fpr) <= tpr, tpr <= made.upper_at(fpr)
    return made.contains(truth), bool((low & high)[inside].all())


def _class_distance(
    name: str, made: Any, sign: str, value: FloatArray, weight: FloatArray
) -> float:
    """Kolmogorov's distance of a class from its model of the scores."""
    if made is None:
        return 1.0
    if name == "normal":
        mean, sd = _moments(value, weight)
        model = ndtr((value - mean) / sd)
    else:
        side = "neg" if sign == "-" else "pos"
        mode, below, above = (made.fitted[f"{part}_{side}"] for part in ("mode", "below", "above"))
        low, high = (
            np.maximum(far, 0.0) / max(scale, 1e-300)
            for far, scale in ((mode - value, below), (value - mode, above))
        )
        tails = [np.exp(-u) if name == _RAW[1] else 2.0 * ndtr(-u) for u in (low, high)]
        under = below / (below + above)
        model = np.where(value < mode, under * tails[0], 1.0 - (1.0 - under) * tails[1])
    after = np.cumsum(weight) / weight.sum()
    before = after - weight / weight.sum()
    return float(max(np.max(np.abs(after - model)), np.max(np.abs(before - model))))


class Models:
    """The figures by data set, learner, model and name."""

    def __init__(self, result: StudyResult) -> None:
        self.cells = {
            (one.cell.model.cases.name, one.cell.model.learner): one.figures
            for one in result.cells
            if isinstance(one.cell, ScoreModels)
        }

    def __call__(self, key: tuple[str, str], name: str) -> Figure:
        figure = self.cells[key][name]
        assert isinstance(figure, Figure)
        return figure

    def mean(self, name: str, learners: tuple[str, ...]) -> float:
        """Mean over data sets and some learners."""
        return float(np.mean([self(key, name).value for key in self.cells if key[1] in learners]))

    def list_means(self, name: str, models: tuple[str, ...]) -> str:
        """Write the means of several models; trees, whose scores have few levels, apart."""
        said = []
        for word, learners in (("", _MANY_SCORES), ("J48: ", (_TREE,))):
            means = (f"{one} {self.mean(f'{name} {one}', learners):.3f}" for one in models)
            said.append(word + ", ".join(means))
        return f"{said[0]} ({said[1]})"

    def largest(self, key: tuple[str, str]) -> dict[str, float]:
        """Kolmogorov distance of the class that is farther from its model, by model."""
        return {one: max(self(key, f"off {sign} {one}").value for sign in "-+") for one in _RAW}

    def count_nearest(self, name: str) -> dict[str, int]:
        """Count, by model, the scores to which it is the nearest of all."""
        nearest = []
        for key in self.cells:
            off = {model: self(key, f"{name} {model}").value for model in _MODELS}
            nearest.append(min(off, key=off.__getitem__))
        return {model: nearest.count(model) for model in _MODELS if model in nearest}


class ScoreModelStudy(PaperStudy[Models]):
    """Models of scores: asymmetric Laplace and Gaussian beside normal, binormal and kernel."""

    name = "macskassy-2005-score-models"
    paper = f"{PAPER}, section 6"
    title = "Asymmetric models of scores"
    needs = ("covertype", "adult", "letter-v")
    picture = Picture("learner", ("model",), ("figure", "data"))

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        cells = tuple(
            ScoreModels(Learned(Cases.of(name, data), learner, 2500, 10_000))
            for name in self.needs
            for learner in LEARNERS
        )
        return Study(self.name, cells, 2 if scale == "quick" else 10, block=1, seed=seed)

    def read(self, found: StudyResult, scale: Scale) -> Models:
        return Models(found)

    def rows(self, figures: Models) -> Iterator[Row]:
        for key, cell in figures.cells.items():
            for text in cell:
                model = max((one for one in _MODELS if text.endswith(f" {one}")), key=len)
                where = {"data": key[0], "learner": key[1], "model": model}
                where["figure"] = text.removesuffix(f" {model}")
                yield Row(where=where, ours=figures(key, text), digits=3, why_not=_WISH)

    def claims(self, figures: Models) -> Iterator[Claim]:
        closer = {}
        for learner, theirs in LEARNERS.items():
            found = [figures.largest(key) for key in figures.cells if key[1] == learner]
            pairs = [min(off[_RAW[1]], off[_RAW[2]]) < off["normal"] for off in found]
            closer[theirs] = sum(pairs), len(pairs)
        share = sum(one for one, _ in closer.values()) / len(figures.cells)
        yield judge_claim(
            "Scores are not normal; asymmetric Laplace or Gaussian distributions are closer "
            "(Bennett).",
            f"one of the two is closer than the normal distribution in {share:.2f} of the pairs of "
            "data set and learner: "
            + ", ".join(f"{name} {one} of {all_}" for name, (one, all_) in closer.items())
            + ". The learners are substitutes.",
            share > 0.9,
            cause="our substitute",
        )
        curve, few = (
            {model: figures.mean(f"{name} {model}", _MANY_SCORES) for model in _MODELS}
            for name in ("curve off", "curve off, few rows")
        )
        counts = figures.count_nearest("curve off, few rows")
        yield judge_own(
            "a curve of an asymmetric model is nearer to the true one than the binormal curve on "
            "ranks.",
            "mean distance from the curve of 10,000 rows, fitted to all of them: "
            f"{figures.list_means('curve off', _MODELS)}; fitted to 500: "
            f"{figures.list_means('curve off, few rows', _MODELS)}. Nearest with 500 rows, of "
            f"{len(figures.cells)} pairs of data set and learner: "
            f"{', '.join(f'{model} {count}' for model, count in counts.items())}.",
            min(curve[_RAW[1]], curve[_RAW[2]]) < curve["binormal"]
            and min(few[_RAW[1]], few[_RAW[2]]) < few["binormal"],
        )
        held = {model: figures.mean(f"holds inside {model}", _MANY_SCORES) for model in _BANDS}
        yield judge_own(
            "95% bands of these models, from 500 rows, contain the true curve.",
            f"whole curve: {figures.list_means('holds', _BANDS)}; from fpr .01 to tpr .99: "
            f"{figures.list_means('holds inside', _BANDS)}.",
            min(held[_RAW[1]], held[_RAW[2]]) > 0.9,
        )

    def notes(self, figures: Models) -> tuple[str, ...]:
        return (
            "Scores are log-odds of models learned from 2,500 rows; infinite ones of trees are put "
            "next to the largest finite ones. The curve of 10,000 other rows is the true one, and "
            "500 of these make a band.",
            "A tree gives few different scores, of which no density is a model; means are over "
            "the other four learners, and the tree's stand in brackets.",
            "'normal' is fitted by means and standard deviations of the scores, 'binormal' by "
            "maximum likelihood to their order, 'kernel' on normal scores: rb.smooth_curve.",
            "A model that cannot be fitted counts as distance 1 and as a band that misses. The "
            "curve of 10,000 rows has steps, and leaves every binormal band in the corners: "
            "'holds inside' leaves these out.",
        )
