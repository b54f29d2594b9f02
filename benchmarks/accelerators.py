"""What each accelerator buys: the same call with it switched off and on.

``python -m benchmarks.accelerators`` prints the table of docs/benchmarks.md; with ``-o`` it is
written there. Off means that the plain way computes the same result, which tests compare.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
from scipy.special import logit

import rocbands as rb
from benchmarks.clock import seconds, warm_up
from rocbands.comparison import bootstrap
from rocbands.core import counting
from rocbands.io.tables import markdown_table
from rocbands.likelihood import edges
from rocbands.resample import areas, distance
from rocbands.resample.curves import Rates
from rocbands.resample.distance import CurveDistance, find_largest_displacements

__all__ = ["ACCELERATORS", "TITLE", "keep_section", "rows"]

TITLE = "Accelerators"
WORDS = """\
Code that is there for speed only, each with the call that needs it, switched off and on in one run
(`python -m benchmarks.accelerators`), one thread. What does not pay is removed.
Not in the table: quantiles of Kolmogorov's statistic by a series (`bands/joint_region`), because
`scipy.stats` takes half a second to import.
"""

Off = Callable[[], AbstractContextManager[object]]


class Accelerator(NamedTuple):
    """One of them, how it is switched off, and a call that uses it."""

    name: str
    module: str
    call: str  # what the reader calls; whether by default
    sizes: tuple[int, ...]
    off: Off
    make: Callable[[int], Callable[[], object]]  # the call with so many rows


@contextmanager
def everywhere(module: Any, name: str, new: object) -> Iterator[None]:
    """Replace a function in its module and in all modules that imported it."""
    old = getattr(module, name)
    with ExitStack() as stack:
        for other in list(sys.modules.values()):
            ours = getattr(other, "__name__", "").startswith("rocbands")
            if ours and vars(other).get(name) is old:
                stack.enter_context(mock.patch.object(other, name, new))
        yield


def _draw_whole_curves(
    population: Any, metric: CurveDistance, neg: Any, pos: Any, rng: np.random.Generator
) -> Any:
    """Draw all counts of every resample, and look at all vertices."""
    drawn = []
    for size, mass in ((neg, population.neg), (pos, population.pos)):
        counts = rng.multinomial(size, np.diff(mass) / mass[-1])
        drawn.append(np.pad(np.cumsum(counts, axis=1) / size[:, None], ((0, 0), (1, 0))))
    same = (np.repeat(side[None], len(neg), 0) for side in (metric.curve.x, metric.curve.y))
    found = find_largest_displacements(Rates(*drawn), Rates(*same), metric.slope)
    return found / np.hypot(1.0, metric.slope)


@contextmanager
def _whole_curves() -> Iterator[None]:
    with mock.patch.object(distance, "find_largest_distances", _draw_whole_curves):
        yield


def _count_by_argsort(is_positive: Any, values: Any) -> Any:
    """Count both classes with NumPy alone."""
    order = np.argsort(values)[::-1]
    ordered, positive = values[order], is_positive[order]
    last = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), ordered.size - 1)
    tp = np.cumsum(positive)[last]
    both = (np.append(0, last + 1 - tp), np.append(0, tp))
    for side in (ordered, *both):
        side.flags.writeable = False
    thresholds = ordered[last]
    thresholds.flags.writeable = False
    return thresholds, *both


def _sort_by_argsort(values: Any) -> Any:
    """Sort rows with NumPy alone."""
    order = np.argsort(values)
    ordered = values[order]
    return order, np.concatenate(([True], ordered[1:] != ordered[:-1], [True]))


@contextmanager
def _search_every_edge() -> Iterator[None]:
    """Search for all edges with the distance, from the diagonal on."""

    def start(*arguments: Any) -> Any:
        fpr = arguments[-2]
        return np.clip(logit(fpr), -20.0, 20.0), np.zeros(fpr.size, dtype=np.bool_)

    with mock.patch.object(edges, "_highest_of_candidates", start):
        yield


def _draw(size: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(size)
    labels = rng.random(size) < 0.5
    scores = rng.normal(size=(2, size)) + labels
    return labels, scores[0], scores[1]


def _one(function: Callable[..., object], size: int, **how: Any) -> Callable[[], object]:
    labels, scores, _ = _draw(size)
    return partial(function, rb.roc_curve(labels, scores), **how)


def _find_edges(roc: rb.RocCurve) -> object:
    return rb.roc_band(roc).upper_at(np.linspace(0.0, 1.0, 101))


def _clustered(size: int) -> Callable[[], object]:
    labels, scores, _ = _draw(size)
    sample = rb.Sample(labels, scores, clusters=np.arange(size) // 3)
    return partial(rb.auc_interval, sample, method="bootstrap", n_resamples=200, rng=1)


def _paired(size: int) -> Callable[[], object]:
    labels, one, two = _draw(size)
    sample = rb.Sample(labels, {"one": one, "two": two})
    return partial(rb.compare, sample, method="bootstrap", n_resamples=200, rng=1)


def _compared(size: int) -> Callable[[], object]:
    return partial(rb.compare, *_draw(size))


def _curve(size: int) -> Callable[[], object]:
    labels, scores, _ = _draw(size)
    return partial(rb.roc_curve, labels, scores)


_BOOTSTRAP = {"method": "bootstrap", "n_resamples": 200, "rng": 1}
_FIXED = {"method": "fixed-width", "rng": 1}
_FEW_ROWS = partial(mock.patch.object, areas, "MANY_ROWS", 10**12)
ACCELERATORS: tuple[Accelerator, ...] = (
    Accelerator(
        "class in the last bit of the sort key",
        "core/counting",
        "roc_curve, all defaults",
        (10**4, 10**6),
        partial(everywhere, counting, "count_rows", _count_by_argsort),
        _curve,
    ),
    Accelerator(
        "row in the last bits of the sort key",
        "core/counting",
        "compare, the default test",
        (10**4, 10**5, 10**6),
        partial(everywhere, counting, "sort_rows", _sort_by_argsort),
        _compared,
    ),
    Accelerator(
        "edges from candidate pieces",
        "likelihood/edges",
        "roc_band, the default band",
        (300, 10**3, 10**5),
        _search_every_edge,
        lambda size: _one(_find_edges, size),
    ),
    Accelerator(
        "areas of merged steps",
        "resample/areas",
        "auc_interval(method='bootstrap')",
        (10**5, 10**6),
        _FEW_ROWS,
        lambda size: _one(rb.auc_interval, size, **_BOOTSTRAP),
    ),
    Accelerator(
        "partial areas of merged steps",
        "resample/areas",
        "partial_auc_interval(method='bootstrap')",
        (10**5, 10**6),
        _FEW_ROWS,
        lambda size: _one(rb.partial_auc_interval, size, fpr=(0.0, 0.1), **_BOOTSTRAP),
    ),
    Accelerator(
        "sums over clusters",
        "resample/areas",
        "auc_interval(method='bootstrap') with clusters",
        (10**6,),
        _FEW_ROWS,
        _clustered,
    ),
    Accelerator(
        "merged rows",
        "resample/weights",
        "compare(method='bootstrap')",
        (10**5,),
        partial(mock.patch.object, bootstrap, "_MANY_ROWS", 10**12),
        _paired,
    ),
    Accelerator(
        "blocks split only where the farthest point may be",
        "resample/population",
        "roc_band(method='fixed-width')",
        (10**4,),
        _whole_curves,
        lambda size: _one(rb.roc_band, size, **_FIXED),
    ),
)


def rows(most: float = 1e6, repeats: int = 3) -> Iterator[dict[str, object]]:
    """One row for each accelerator and size."""
    for each in ACCELERATORS:
        for size in (size for size in each.sizes if size <= most):
            call = each.make(size)

            def switched_off(call: Callable[[], object] = call, off: Off = each.off) -> object:
                with off():
                    return call()

            slow, quick = seconds(switched_off, call, repeats=repeats)
            yield {
                "accelerator": each.name,
                "in": each.module,
                "call": each.call,
                "rows": f"{size:,}",
                "times faster": f"{slow / quick:.2g}",
            }


def keep_section(page: Path) -> str:
    """Return the section of a page that other benchmarks do not write."""
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    found = text.find(f"\n## {TITLE}\n")
    return text[found:] if found >= 0 else ""


def main() -> None:
    """Measure all, and print the table or write it into a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, help="put the section into this page")
    parser.add_argument("--most", type=float, default=1e6, help="most rows")
    asked = parser.parse_args()
    for name in ("ROCBANDS_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"
    warm_up()
    table = list(rows(asked.most))
    columns = {title: [row[title] for row in table] for title in table[0]}
    section = f"\n## {TITLE}\n\n{WORDS}\n{markdown_table(columns)}\n"
    print(section)
    if asked.output is not None:
        page = asked.output.read_text(encoding="utf-8")
        page = page.removesuffix(keep_section(asked.output)).rstrip()
        asked.output.write_text(f"{page}\n{section}", encoding="utf-8")


if __name__ == "__main__":
    main()
