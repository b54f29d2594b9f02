"""Do planned reader studies have their power: ``python -m rocbands_studies.coverage.reader_power [sets]``.

Scores follow Roe and Metz' model (1997). Components of variance are means over many studies, so
that only the formula is judged, not a pilot. For each number of readers the planned number of cases
is simulated (1,000 studies by default), and tested by Obuchowski and Rockette's method and by
'bounded', both computed here from wins of positives over negatives. The table is in
studies/docs/measured-readers.md.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy import stats

import rocbands as rb

SHARE = 0.4  # of positives
# Distance of the classes under both tests; variances of cases, test x case, reader x case, error;
# of readers, and of test x reader.
WORLDS = {
    "much": ((2.0, 1.15), (0.3, 0.3, 0.2, 0.2), (0.03, 0.03)),
    "little": ((1.5, 1.15), (0.1, 0.1, 0.2, 0.6), (0.0055, 0.0055)),
}
READERS = (3, 4, 5, 6, 10)


def draw_study(
    rng: np.random.Generator, world: str, readers: int, m: int, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Areas (2, r) of a simulated study, and DeLong's covariance (2, r, 2, r)."""
    mu, cases, persons = WORLDS[world]
    parts = []
    for size, shift in ((m, mu), (n, (0.0, 0.0))):
        shapes = ((1, 1, size), (2, 1, size), (1, readers, size), (2, readers, size))
        pieces = [np.sqrt(v) * rng.normal(size=s) for v, s in zip(cases, shapes, strict=True)]
        own = zip(persons, ((1, readers, 1), (2, readers, 1)), strict=True)
        pieces += [np.sqrt(v) * rng.normal(size=s) for v, s in own]
        score = np.asarray(shift)[:, None, None] + sum(pieces)
        parts.append(score.reshape(2 * readers, size))
    wins = parts[0][:, :, None] > parts[1][:, None, :]
    cov = np.cov(wins.mean(axis=2)) / m + np.cov(wins.mean(axis=1)) / n
    return wins.mean(axis=(1, 2)).reshape(2, readers), cov.reshape(2, readers, 2, readers)


def find_components(
    rng: np.random.Generator, world: str, sets: int
) -> tuple[dict[str, float], float]:
    """Mean components of studies of 5 readers and 100 cases, and the mean difference."""
    found, gaps = [], []
    for _ in range(sets):
        area, cov = draw_study(rng, world, 5, round(100 * SHARE), round(100 * (1 - SHARE)))
        same = np.eye(5, dtype=bool)
        within = (cov[0, :, 0] + cov[1, :, 1]) / 2
        across = (cov[0, :, 1] + cov[1, :, 0]) / 2
        error = [part[rows].mean() for rows in (same, ~same) for part in (within, across)]
        var, cov1, cov2, cov3 = error
        d = area[0] - area[1]
        found.append([d.var(ddof=1) / 2 - var + cov1 + cov2 - cov3, var, cov1, cov2, cov3])
        gaps.append(d.mean())
    names = ("var_tr", "var", "cov1", "cov2", "cov3")
    mean = np.mean(found, axis=0).tolist()
    return dict(zip(names, mean, strict=True)) | {"n_pos": 40, "n_neg": 60}, float(np.mean(gaps))


def judge(area: np.ndarray, cov: np.ndarray) -> tuple[bool, bool]:
    """Whether Obuchowski and Rockette's test, and 'bounded', reject at .05."""
    d, r = area[0] - area[1], area.shape[1]
    own = cov[0, :, 0] + cov[1, :, 1] - cov[0, :, 1] - cov[1, :, 0]
    s, shared = d.var(ddof=1) / r, (own.sum() - np.trace(own)) / (r * (r - 1))
    usual = s + max(shared, 0.0)
    said = []
    for total in (usual, max(usual, own.sum() / r**2)):
        df = (r - 1) * total**2 / s**2
        said.append(bool(2 * stats.t.sf(abs(d.mean()) / np.sqrt(total), df) < 0.05))
    return said[0], said[1]


def main() -> None:
    """Print the table."""
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print("| readers differ | difference | readers, cases | planned | OR | `bounded` |")
    print("|---|---|---|---|---|---|")
    for world in WORLDS:
        rng = np.random.default_rng(37)
        part, gap = find_components(rng, world, 4 * sets)
        plan = rb.reader_study_size(part, difference=gap, readers=READERS)
        for readers, cases, power in zip(READERS, plan.cases, plan.power, strict=True):
            if cases is None:
                print(f"| {world} | {gap:.4f} | {readers}, - | at most {power:.3f} | | |")
                continue
            m = round(SHARE * cases)
            found = [judge(*draw_study(rng, world, readers, m, cases - m)) for _ in range(sets)]
            usual, bounded = np.mean(found, axis=0)
            shown = f"{power:.3f} | {usual:.3f} | {bounded:.3f}".replace("0.", ".")
            print(f"| {world} | {gap:.4f} | {readers}, {cases} | {shown} |")


if __name__ == "__main__":
    main()
