"""Random samples of every kind that a first sentence can be about, each known by its seed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import rocbands as rb

RATES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3)
COSTS = ((1, 1), (5, 1), (20, 1), (1, 4), (100, 1))
NAMES = ("logistic", "random forest", "CA-125 (U/ml)", "2", "score")


@dataclass(frozen=True)
class Case:
    """Rows, what is asked of them, and what kind they are, in words."""

    seed: int
    sample: rb.Sample
    rule: dict[str, Any] = field(default_factory=dict)  # arguments of summary
    groups: Any = None  # of people, for one model
    words: str = ""

    def __str__(self) -> str:
        sizes = f"{self.sample.n_pos}+{self.sample.n_neg}"
        return f"seed {self.seed} ({sizes}, {len(self.sample.models)} models, {self.words})"


def draw_case(seed: int) -> Case:
    """Draw a sample and a rule."""
    rng = np.random.default_rng([20, 26, seed])
    kind = str(rng.choice(["normal", "probability", "crossing"], p=[0.35, 0.5, 0.15]))
    rows = round(float(np.exp(rng.uniform(np.log(25), np.log(800)))))
    count = int(rng.choice([1, 2, 3, 5, 8, 12], p=[0.2, 0.36, 0.2, 0.12, 0.06, 0.06]))
    if kind == "crossing":
        rows, count = max(rows, 500), 2
    share = rng.uniform(0.35, 0.5) if kind == "crossing" else rng.uniform(0.05, 0.5)
    is_positive = rng.permutation(np.arange(rows) < max(1, round(share * rows)))
    words, design = [kind], {}
    noise = rng.normal(size=rows)
    if rng.random() < 0.15:
        words.append("clusters")
        clusters = np.arange(rows) // 3 if rng.random() < 0.8 else np.arange(rows) % 7
        noise = rng.normal(size=rows)[clusters]
        if min(np.unique(clusters[part]).size for part in (is_positive, ~is_positive)) > 1:
            design["clusters"] = clusters
    if rng.random() < 0.13:
        words.append("weights")
        design["weights"] = rng.gamma(2.0, 0.5, rows) + 0.01
    scores = _draw_scores(rng, kind, count, is_positive, noise)
    scores = {name: _change(rng, values, words) for name, values in scores.items()}
    last = list(scores)[-1]
    if rng.random() < (0.1 if count > 1 else 0.04):
        words.append("one reversed")
        scores[last] = 1.0 - scores[last]
    if rng.random() < 0.07:
        words.append("hard predictions")
        scores[last] = (scores[last] > np.median(scores[last])).astype(int)
    labels = np.where(is_positive, "ill", "healthy") if rng.random() < 0.2 else is_positive
    positive = {"positive": "ill"} if labels.dtype.kind == "U" else {}
    sample = rb.Sample(labels, scores, **positive, **design)
    groups = None
    if rng.random() < 0.25:
        words.append("groups")
        parts = ["f", "m", "k", "x"][: int(rng.integers(2, 5))]
        weights = np.array([1.0, 1.0, 0.5, 0.1][: len(parts)])
        groups = rng.choice(parts, rows, p=weights / weights.sum())
    return Case(seed, sample, _draw_rule(rng), groups, ", ".join(dict.fromkeys(words)))


def cross(rows: int = 3000, seed: int = 0) -> rb.Sample:
    """A finds more at few false alarms, B ranks better over all thresholds."""
    rng = np.random.default_rng(seed)
    ill = rng.random(rows) < 0.4
    shared = 0.5 * rng.normal(size=rows)
    high = np.where(ill & (rng.random(rows) < 0.6), 2.6, 0.0)
    a = shared + 0.87 * rng.normal(size=rows) + high
    return rb.Sample(ill, {"A": a, "B": shared + 0.87 * rng.normal(size=rows) + 1.35 * ill})


def _draw_scores(
    rng: np.random.Generator, kind: str, count: int, ill: np.ndarray, noise: np.ndarray
) -> dict[str, np.ndarray]:
    if kind == "crossing":
        shape = rng.uniform(0.4, 0.6), rng.uniform(2.5, 4.0)
        high = np.where(ill & (rng.random(ill.size) < shape[0]), shape[1], 0.0)
        apart = 0.5 * noise + 0.87 * rng.normal(size=(2, ill.size))
        return {"A": apart[0] + high, "B": apart[1] + rng.uniform(1.2, 1.7) * ill}
    names = [f"m{k:02d}" for k in range(1, count + 1)]
    if count <= len(NAMES) and rng.random() < 0.3:
        names = [str(name) for name in rng.permutation(NAMES)[:count]]
    best, spread = rng.choice([0.2, 0.8, 1.6, 2.4, 3.5]), rng.choice([0.0, 0.5, 2.0])
    common = np.sqrt(rng.uniform(0.2, 0.8))
    scores = {}
    for name in names:
        own = common * noise + np.sqrt(1.0 - common**2) * rng.normal(size=ill.size)
        scores[name] = own + max(best - spread * rng.random(), 0.0) * ill
    if rng.random() < 0.05 and count > 1:
        scores[names[-1]] = 2.0 * scores[names[0]] + 1.0  # ranks alike
    if kind == "probability":
        scores = {name: 1.0 / (1.0 + np.exp(1.0 - own)) for name, own in scores.items()}
    return scores


def _change(rng: np.random.Generator, values: np.ndarray, words: list[str]) -> np.ndarray:
    """Round the scores of a model, or keep them in single precision, now and then."""
    how = str(rng.choice(["", "ties", "votes", "float32", "integers"], p=[0.6, 0.1, 0.1, 0.1, 0.1]))
    if how:
        words.append(how)
    if how == "ties":
        return np.round(values, 1)
    if how == "votes":
        span = np.ptp(values) or 1.0
        return np.round((values - values.min()) / span * 7) / 7
    if how == "float32":
        return values.astype(np.float32)
    if how == "integers":
        return np.round(1000.0 * values).astype(np.int64)
    return values


def _draw_rule(rng: np.random.Generator) -> dict[str, Any]:
    every = {
        "fpr": float(rng.choice(RATES)),
        "rate": float(rng.choice(RATES[1:])),
        "costs": COSTS[int(rng.integers(len(COSTS)))],
    }
    count = int(rng.choice([0, 1, 2], p=[0.4, 0.42, 0.18]))
    return {name: every[name] for name in map(str, rng.permutation(list(every))[:count])}
