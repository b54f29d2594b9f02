"""What is found when a fixed share of cases is acted on: recall at a rate, with bounds."""

from rocbands.rates.baselines import BaselineBeta, BaselineNormal, BaselineT
from rocbands.rates.bootstraps import Adjust, Conditional, Discard
from rocbands.rates.bounds import METHODS, bounds_of_table, rate_bounds
from rocbands.rates.methods import Exact, Parametric, RateMethod
from rocbands.rates.results import RateBounds
from rocbands.rates.table import RateTable

__all__ = [
    "METHODS",
    "Adjust",
    "BaselineBeta",
    "BaselineNormal",
    "BaselineT",
    "Conditional",
    "Discard",
    "Exact",
    "Parametric",
    "RateBounds",
    "RateMethod",
    "RateTable",
    "bounds_of_table",
    "rate_bounds",
]
