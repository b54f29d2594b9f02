"""Random reader studies of every design, with ties, infinite scores and perfect readers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import rocbands as rb

KINDS = (
    "factorial",
    "cases in readers",
    "cases in tests",
    "split-plot",
    "readers in tests",
    "missing",
    "one test",
    "algorithm",
    "three tests",
    "some readers",
)


@dataclass(frozen=True)
class Study:
    """Scores (tests, readers, cases), NaN where not read, and the classes of cases."""

    kind: str
    x: np.ndarray
    y: np.ndarray
    clusters: np.ndarray | None = None

    @property
    def machine(self) -> str | None:
        """The algorithm is the first reader."""
        return "r0" if self.kind == "algorithm" else None

    def readings(
        self,
        order: np.ndarray | None = None,
        x: np.ndarray | None = None,
        names: tuple[str, str, str] = ("t", "r", "c"),
    ) -> rb.Readings:
        x = self.x if x is None else x
        test, reader, case = np.nonzero(~np.isnan(x))
        rows = np.arange(test.size) if order is None else order
        columns = {
            kind: np.char.add(name, one[rows].astype(str))
            for kind, name, one in zip(
                ("test", "reader", "case"), names, (test, reader, case), strict=True
            )
        }
        clusters = None if self.clusters is None else self.clusters[case[rows]]
        return rb.Readings(
            self.y[case[rows]], x[test, reader, case][rows], clusters=clusters, **columns
        )


def draw_study(
    rng: np.random.Generator, kind: str, scores: str = "", clusters: bool = False
) -> Study:
    """Draw a small study. `scores`: 'plain', 'ratings', 'infinite', 'perfect', or any of them."""
    t = {"one test": 1, "algorithm": 1, "three tests": 3}.get(kind, 2)
    more = {"readers in tests": 2, "algorithm": 1, "some readers": 1}.get(kind, 0)
    r = int(rng.integers(2, 5)) + more
    m, n = rng.integers(3, 7, size=2)
    blocks = {"cases in readers": r, "cases in tests": t, "split-plot": 2}.get(kind, 1)
    y = np.tile(np.repeat([True, False], [m, n]), blocks)
    block = np.repeat(np.arange(blocks), m + n)
    size = (t, r, y.size)
    case, reader = rng.normal(size=y.size), rng.normal(0.0, 0.3, size=(t, r, 1))
    x = rng.normal(size=size) + case + y * (1.0 + reader)
    scores = scores or str(rng.choice(["plain", "ratings", "infinite", "perfect"]))
    if scores == "ratings":
        x = np.clip(np.round(x), -1.0, 2.0)
    elif scores == "infinite":
        x = np.where(x > 1.5, np.inf, np.where(x < -1.0, -np.inf, x))
    elif scores == "perfect":
        x[:, 0] = x[:, 0] + 20.0 * y
    own = np.ones(size, dtype=bool)
    if kind == "cases in readers":
        own &= block == np.arange(r)[:, None]
    elif kind == "cases in tests":
        own &= block == np.arange(t)[:, None, None]
    elif kind == "split-plot":
        own &= block == (np.arange(r) % 2)[:, None]
    elif kind == "readers in tests":
        own &= (np.arange(t)[:, None] == np.arange(r) % 2)[:, :, None]
    elif kind == "some readers":
        own[1, -1] = False
    elif kind == "missing":
        # The first two cases of each class are read by all.
        first = np.flatnonzero(y)[:2], np.flatnonzero(~y)[:2]
        own = rng.random(size) < 0.8
        own[:, :, np.concatenate(first)] = True
    x = np.where(own, x, np.nan)
    patient = None
    if clusters:
        # The first two cases of each class are of four patients, and are read by all.
        patient = rng.integers(0, max(4, y.size // 2), size=y.size)
        for number in range(blocks):
            for own in (False, True):
                patient[np.flatnonzero((y == own) & (block == number))[:2]] = 2 * own + np.arange(2)
        patient = np.unique(patient, return_inverse=True)[1]
    return Study(kind, x, y, patient)


def draw_example(tests: tuple[str, ...] = ("CT", "MR")) -> rb.Readings:
    """Draw a factorial study of five readers, for tests of what all results have in common."""
    test, reader, case = (one.ravel() for one in np.indices((len(tests), 5, 70)))
    rng = np.random.default_rng(37)
    y = case < 30
    score = rng.normal(size=y.size) + rng.normal(size=70)[case] + y * (1.5 + 0.3 * test)
    names = np.array(["Ann", "Ben", "Cas", "Dee", "Eve"])
    return rb.Readings(y, score, reader=names[reader], case=case, test=np.array(tests)[test])
