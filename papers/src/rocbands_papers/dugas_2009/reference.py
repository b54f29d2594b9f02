"""Numbers of a separate prototype (methods/cost-results.md, sections 3 to 6); the paper draws."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = [
    "DIFFERENCE",
    "DIFFERENCE_EXACT",
    "DIFFERENCE_LEAST",
    "ENVELOPE",
    "FULL_FIXED",
    "FULL_RANDOM",
    "FULL_RANDOM_MOVER",
    "REGIONS",
    "SINGLE_EXACT",
    "SINGLE_GAUSSIAN",
    "SINGLE_MOVER",
    "VALIDATION",
    "Span",
    "named",
]


def named(
    at: Mapping[float, float],
    good: tuple[float, float] | None = None,
    least: float | None = None,
) -> dict[str, float]:
    """Key numbers as rows are keyed."""
    found = {f"coverage at w = {w:g}": value for w, value in at.items()}
    if good:
        found |= {"good from w": good[0], "good to w": good[1]}
    return found if least is None else {**found, "least coverage": least}


def _single(at: tuple[float, ...], good: tuple[float, float], least: float) -> dict[str, float]:
    return named(dict(zip((0.01, 0.05, 0.1, 0.5), at, strict=True)), good, least)


# By theta and class size; section 3, enumerated.
SINGLE_GAUSSIAN: dict[tuple[float, int], dict[str, float]] = {
    (0.75, 1000): _single((0.000, 0.000, 0.019, 0.899), (0.22, 0.78), 0.000),
    (1.5, 1000): _single((0.021, 0.449, 0.863, 0.900), (0.09, 0.91), 0.021),
    (3.0, 1000): _single((0.384, 0.877, 0.893, 0.901), (0.04, 0.96), 0.384),
    (5.0, 1000): _single((0.682, 0.872, 0.888, 0.892), (0.04, 0.96), 0.682),
    (3.0, 25): _single((0.835, 0.658, 0.676, 0.882), (0.29, 0.71), 0.651),
    (3.0, 250): _single((0.249, 0.804, 0.873, 0.901), (0.06, 0.94), 0.249),
    (3.0, 2500): _single((0.698, 0.891, 0.897, 0.900), (0.02, 0.98), 0.698),
    (3.0, 10000): _single((0.851, 0.898, 0.899, 0.900), (0.01, 0.99), 0.851),
}
SINGLE_MOVER: dict[tuple[float, int], float] = {
    (0.75, 1000): 0.898,
    (1.5, 1000): 0.900,
    (3.0, 1000): 0.895,
    (5.0, 1000): 0.896,
    (3.0, 25): 0.878,
    (3.0, 250): 0.888,
    (3.0, 2500): 0.899,
    (3.0, 10000): 0.898,
}
# Least coverage of percentiles of the exact law, n = 1000; it lies at w = .01.
SINGLE_EXACT = {0.75: 0.000, 1.5: 0.021, 3.0: 0.373, 5.0: 0.678}

# By theta; section 4, enumerated.
FULL_RANDOM = {
    0.75: named({}, least=0.897),
    1.5: named({}, least=0.896),
    3.0: named({0.01: 0.570, 0.02: 0.795}, least=0.570),
    5.0: named({0.01: 0.682}, least=0.682),
}
FULL_FIXED = {
    0.75: named({}, least=0.899),
    1.5: named({}, least=0.900),
    3.0: named({0.01: 0.448}, least=0.448),
    5.0: named({0.01: 0.682}, least=0.682),
}
FULL_RANDOM_MOVER = {0.75: 0.899, 1.5: 0.899, 3.0: 0.899, 5.0: 0.896}

# By theta and shift; section 5: lowest and highest over rho, from 1000 test sets each. Where models
# are equal these are its figures with an interval of no width as a miss.
Span = tuple[float, float]
DIFFERENCE: dict[tuple[float, float], dict[float, Span]] = {
    (1.0, 0.0): {0.01: (0.00, 0.00), 0.05: (0.04, 0.05), 0.1: (0.81, 0.89)},
    (1.0, 2.0): {0.01: (0.78, 0.82), 0.05: (0.83, 0.85)},
    (1.0, 4.0): {0.01: (0.36, 0.39), 0.05: (0.85, 0.88)},
    (3.0, 0.0): {0.01: (0.94, 0.95), 0.05: (0.88, 0.89)},
    (3.0, 2.0): {0.01: (0.59, 0.69), 0.05: (0.87, 0.90)},
    (3.0, 4.0): {0.01: (0.59, 0.70), 0.05: (0.89, 0.91)},
}
DIFFERENCE_LEAST = {  # of MOVER, over rho and w: with the noise of 1000 test sets
    (1.0, 0.0): 0.882,
    (1.0, 2.0): 0.871,
    (1.0, 4.0): 0.870,
    (3.0, 0.0): 0.865,
    (3.0, 2.0): 0.876,
    (3.0, 4.0): 0.878,
}
DIFFERENCE_EXACT: dict[tuple[float, float], dict[float, Span]] = {  # percentiles of the exact law
    (1.0, 2.0): {0.01: (0.41, 0.45), 0.02: (0.22, 0.23)},
    (1.0, 4.0): {0.01: (0.34, 0.38), 0.02: (0.77, 0.79)},
    (3.0, 0.0): {0.01: (0.87, 0.91), 0.02: (0.83, 0.85)},
    (3.0, 2.0): {0.01: (0.52, 0.62), 0.02: (0.77, 0.85)},
    (3.0, 4.0): {0.01: (0.55, 0.63), 0.02: (0.76, 0.84)},
}

# Section 6. Thresholds of a validation set, theta 3, n = 1000: coverage by w, 500 test sets.
VALIDATION = {
    "gaussian": {0.01: 0.64, 0.02: 0.78, 0.05: 0.88, 0.1: 0.91, 0.5: 0.90},
    "mover": {0.01: 0.94, 0.02: 0.93, 0.05: 0.92, 0.1: 0.94, 0.5: 0.91},
}
# Thresholds of the test set itself: by class size, at w = .05 and .5: mean envelope, and how often
# gaussian limits around it contain the least true cost.
ENVELOPE: dict[int, dict[float, tuple[float, float | None]]] = {
    25: {0.05: (0.0245, 0.19), 0.5: (0.126, 0.79)},
    250: {0.05: (0.0361, 0.57), 0.5: (0.151, 0.87)},
    1000: {0.05: (0.0388, 0.76), 0.5: (0.1555, 0.85)},
}
# Equal models flagged somewhere: lowest and highest over designs.
REGIONS = {
    ("gaussian", False): (0.84, 0.995),
    ("mover", False): (0.82, 0.97),
    ("gaussian", True): (0.080, 0.110),
}
