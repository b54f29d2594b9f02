"""What the 2004 paper printed: shares of verification curves inside, with their spread."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["BANDS", "FIT_SIZES", "PAPER", "SIZES", "STAND_IN", "TABLE_2", "TABLE_3", "Printed"]


class Printed(NamedTuple):
    """Mean and standard deviation over ten bands."""

    mean: float
    sd: float


PAPER = "Macskassy and Provost 2004"
SIZES = (625, 1250, 6250, 12500, 25000)
FIT_SIZES = (10, 100, 500, 1000, 5000)
BANDS = 10

# Table 2: r = 12500, 1000 fitting curves, level 0.95.
TABLE_2 = {
    "fixed-width": Printed(0.956, 0.007),
    "joint-region": Printed(0.970, 0.043),
    "working-hotelling pointwise": Printed(0.076, 0.067),
    "working-hotelling": Printed(0.866, 0.131),
    "vertical empirical": Printed(0.285, 0.101),
    "vertical normal": Printed(0.345, 0.010),
    "vertical binomial": Printed(0.435, 0.011),
    "threshold empirical": Printed(0.002, 0.002),
    "threshold normal": Printed(0.002, 0.002),
    "threshold binomial": Printed(0.422, 0.010),
}

# Table 3, by r.
TABLE_3 = {
    name: dict(zip(SIZES, (Printed(*pair) for pair in pairs), strict=True))
    for name, pairs in {
        "fixed-width": (
            *((0.562, 0.012), (0.823, 0.288), (0.957, 0.009), (0.956, 0.007), (0.951, 0.009)),
        ),
        "joint-region": (
            *((0.624, 0.036), (0.918, 0.030), (0.962, 0.077), (0.970, 0.043), (0.965, 0.040)),
        ),
        "working-hotelling pointwise": (
            *((0.544, 0.030), (0.784, 0.280), (0.655, 0.156), (0.076, 0.067), (0.000, 0.000)),
        ),
        "working-hotelling": (
            *((0.562, 0.012), (0.730, 0.386), (0.996, 0.005), (0.866, 0.131), (0.359, 0.168)),
        ),
    }.items()
}

# A separate prototype on a stand-in population of 60 distinct scores with AUC .786
# (methods/bands-results.md, section 3), by hosts of fitting and verification sets, then by r.
# Vertical and threshold averages were tested at their knots.
STAND_IN: dict[tuple[str, str], dict[str, dict[int, float]]] = {
    ("R", "R"): {
        "fixed-width": dict(zip(SIZES, (0.957, 0.948, 0.943, 0.948, 0.952), strict=True)),
        "fixed-width x sqrt 2": {12500: 0.998},
        "joint-region": {12500: 1.0},
        "vertical empirical": {12500: 0.474},
        "vertical normal": {12500: 0.457},
        "vertical binomial": {12500: 0.670},
        "threshold empirical": {12500: 0.0},
        "threshold normal": {12500: 0.0},
        "threshold binomial": {12500: 0.082},
    },
    ("R", "RG"): {
        "fixed-width": dict(zip(SIZES, (0.829, 0.784, 0.838, 0.761, 0.631), strict=True)),
        "fixed-width x sqrt 2": {12500: 0.965},
        "joint-region": dict(zip(SIZES, (0.994, 0.981, 0.991, 0.975, 0.936), strict=True)),
        "vertical empirical": {12500: 0.101},
        "vertical normal": {12500: 0.098},
        "vertical binomial": {12500: 0.387},
        "threshold empirical": {12500: 0.0},
        "threshold normal": {12500: 0.0},
        "threshold binomial": {12500: 0.020},
    },
}
