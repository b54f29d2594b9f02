"""Numbers of a separate prototype (methods/rate-results.md sections 2 and 3).

The paper's own figures are drawings: of their numbers only the prose can be read. Measured again,
the prototype's parametric limits turn out to have the moments of the exact law, where the paper has
99 quadrature nodes: the same in the paper's own design, but not where few errors are possible.
"""

from __future__ import annotations

from typing import NamedTuple

from rocbands_papers.millard_2014.designs import BASE, NARROW, OTHERS, UNBALANCED

__all__ = ["ENDS", "FITTED", "MIDDLE", "RATES", "TRUE", "VARIANCE", "True3"]

RATES = (0.02, 0.04, 0.06, 0.1, 0.2, 0.5, 0.8, 0.9, 0.94, 0.96, 0.98)

_Key = tuple[str, str]  # design and method


def _row(*values: float) -> dict[float, float]:
    return dict(zip(RATES, values, strict=True))


# Share of new tables of the fitted curve inside: 300 tests, 150 for (f) and 10 + 40.
FITTED: dict[_Key, dict[float, float]] = {
    (BASE.name, "baseline-normal"): _row(
        *(0.808, 0.849, 0.886, 0.905, 0.903, 0.912, 0.917, 0.911, 0.883, 0.840, 0.815)
    ),
    (BASE.name, "baseline-beta"): _row(
        *(0.687, 0.780, 0.868, 0.898, 0.903, 0.911, 0.916, 0.906, 0.869, 0.782, 0.688)
    ),
    (BASE.name, "parametric"): _row(
        *(0.601, 0.798, 0.901, 0.939, 0.948, 0.950, 0.948, 0.939, 0.904, 0.796, 0.625)
    ),
    (BASE.name, "discard"): _row(
        *(0.990, 0.985, 0.979, 0.971, 0.965, 0.960, 0.964, 0.970, 0.978, 0.986, 0.990)
    ),
    (BASE.name, "adjust"): _row(
        *(0.970, 0.970, 0.958, 0.950, 0.951, 0.951, 0.951, 0.948, 0.956, 0.967, 0.970)
    ),
    (BASE.name, "exact"): _row(
        *(0.990, 0.985, 0.979, 0.971, 0.964, 0.960, 0.964, 0.970, 0.978, 0.986, 0.990)
    ),
    (NARROW.name, "discard"): _row(
        *(1.000, 0.998, 0.997, 0.993, 0.985, 0.958, 0.961, 0.965, 0.968, 0.971, 0.978)
    ),
    (NARROW.name, "parametric, exact law"): _row(
        *(0.999, 0.988, 0.975, 0.903, 0.694, 0.948, 0.948, 0.948, 0.948, 0.947, 0.939)
    ),
    (UNBALANCED.name, "parametric, exact law"): {0.5: 0.948, 0.8: 0.916, 0.9: 0.739, 0.94: 0.676},
}
MIDDLE: dict[_Key, float] = {
    (BASE.name, "baseline-normal"): 0.9120,
    (BASE.name, "baseline-beta"): 0.9112,
    (BASE.name, "parametric"): 0.9481,
    (BASE.name, "discard"): 0.9630,
    (BASE.name, "adjust"): 0.9507,
    (BASE.name, "exact"): 0.9629,
    (BASE.name, "parametric, corrected"): 0.9488,
    (NARROW.name, "parametric, corrected"): 0.9523,
    (UNBALANCED.name, "parametric, corrected"): 0.9476,
    (UNBALANCED.name, "baseline-normal"): 0.907,
    (UNBALANCED.name, "baseline-beta"): 0.897,
}
# Between tests, with that of 1000 drawn tables; mean over rates from 0.1 to 0.9.
VARIANCE: dict[str, float] = {
    "baseline-normal": 0.006087,
    "baseline-beta": 0.005718,
    "parametric": 0.000108,
    "discard": 0.000075,
    "adjust": 0.000113,
    "exact": 0.000059,
}


class True3(NamedTuple):
    """Shares of the population's curve, of tables' mean and of new tables; the width at rate .5."""

    T1: float | None = None
    T2: float | None = None
    T3: float | None = None
    width: float | None = None


_ORDER = (
    *("baseline-normal", "baseline-beta", "parametric, exact law", "parametric, corrected"),
    *("exact", "discard", "adjust"),
)


def _pairs(name: str, both: tuple[tuple[float, float], ...], forecast: float) -> dict[_Key, True3]:
    methods = _ORDER[-len(both) :] if name.startswith("one set") else _ORDER[: len(both)]
    rows = {
        (name, method): True3(T1=t1, T3=t3) for method, (t1, t3) in zip(methods, both, strict=True)
    }
    return rows | {(name, "corrected, prediction"): True3(T3=forecast)}


TRUE: dict[_Key, True3] = {
    **{(design.name, "parametric"): True3() for design in (BASE, NARROW, UNBALANCED)},
    (BASE.name, "baseline-normal"): True3(0.9115, 0.9115, 0.7953, 0.0798),
    (BASE.name, "baseline-beta"): True3(0.9168, 0.9147, 0.7985, 0.0797),
    (BASE.name, "baseline-t"): True3(0.9432, 0.9442, 0.8531, 0.0921),
    (BASE.name, "parametric, exact law"): True3(0.9642, 0.9650, 0.8438, 0.0822),
    (BASE.name, "parametric, corrected"): True3(0.9645, 0.9653, 0.8450, 0.0824),
    (BASE.name, "exact"): True3(0.9616, 0.9622, 0.8671, 0.0821),
    (BASE.name, "discard"): True3(0.9618, 0.9623, 0.8683, 0.0827),
    (BASE.name, "adjust"): True3(0.9625, 0.9628, 0.8455, 0.0830),
    (BASE.name, "corrected, prediction"): True3(0.9963, 0.9964, 0.9575, 0.1163),
    **_pairs(
        NARROW.name,
        (
            *((0.817, 0.788), (0.810, 0.771), (0.950, 0.804), (0.961, 0.857)),
            *((0.948, 0.883), (0.949, 0.884), (0.955, 0.865)),
        ),
        0.959,
    ),
    **_pairs(
        UNBALANCED.name,
        (
            *((0.903, 0.799), (0.912, 0.795), (0.962, 0.844), (0.963, 0.849)),
            *((0.959, 0.883), (0.959, 0.883), (0.966, 0.864)),
        ),
        0.956,
    ),
    **_pairs(
        OTHERS[0].name,
        ((0.942, 0.836), (0.942, 0.835), (0.959, 0.860), (0.959, 0.860), (0.959, 0.868)),
        0.964,
    ),
    **_pairs(
        OTHERS[1].name,
        ((0.914, 0.800), (0.915, 0.799), (0.956, 0.849), (0.956, 0.850), (0.956, 0.858)),
        0.955,
    ),
    **_pairs(
        OTHERS[2].name,
        ((0.968, 0.839), (0.969, 0.857), (0.964, 0.903), (0.964, 0.904), (0.967, 0.869)),
        0.961,
    ),
    **_pairs(
        OTHERS[3].name,
        ((0.971, 0.865), (0.971, 0.865), (0.970, 0.886), (0.965, 0.881), (0.968, 0.863)),
        0.967,
    ),
}

# How often the true curve is held at the first and last rates.
_FIRST_AND_LAST = (0.02, 0.04, 0.96, 0.98)
ENDS: dict[_Key, dict[float, float]] = {
    (BASE.name, "baseline-normal"): dict(
        zip(_FIRST_AND_LAST, (0.520, 0.832, 0.872, 0.564), strict=True)
    ),
    (BASE.name, "baseline-beta"): dict(
        zip(_FIRST_AND_LAST, (0.520, 0.808, 0.842, 0.564), strict=True)
    ),
    (BASE.name, "baseline-t"): dict(
        zip(_FIRST_AND_LAST, (0.527, 0.832, 0.872, 0.570), strict=True)
    ),
    (BASE.name, "parametric, exact law"): dict(
        zip(_FIRST_AND_LAST, (0.983, 0.986, 0.984, 0.987), strict=True)
    ),
    (BASE.name, "parametric, corrected"): dict(
        zip(_FIRST_AND_LAST, (1.000, 0.988, 0.986, 0.996), strict=True)
    ),
    (BASE.name, "exact"): dict(zip(_FIRST_AND_LAST, (0.994, 0.987, 0.983, 0.992), strict=True)),
    (BASE.name, "discard"): dict(zip(_FIRST_AND_LAST, (0.992, 0.985, 0.977, 0.994), strict=True)),
    (BASE.name, "adjust"): dict(zip(_FIRST_AND_LAST, (0.995, 0.986, 0.986, 0.992), strict=True)),
    (NARROW.name, "exact"): {0.02: 0.003, 0.04: 0.055, 0.1: 0.552},
    (NARROW.name, "discard"): {0.02: 0.003, 0.04: 0.050, 0.1: 0.555},
    (NARROW.name, "adjust"): {0.02: 0.015, 0.04: 0.095, 0.1: 0.728},
    (NARROW.name, "parametric, exact law"): {0.02: 0.083, 0.04: 0.172, 0.1: 0.835},
    (NARROW.name, "parametric, corrected"): {0.02: 1.000, 0.04: 1.000, 0.1: 1.000},
    (OTHERS[2].name, "exact"): {0.01: 0.335},
    (OTHERS[2].name, "discard"): {0.01: 0.315},
    (OTHERS[2].name, "parametric, corrected"): {0.01: 1.000},
}
