"""Confidence bands around ROC curves: one module for each method, all of them listed here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any, ClassVar

from rocbands.bands.fixed_width import FixedWidth
from rocbands.bands.fold_average import FoldAverage
from rocbands.bands.joint_region import JointRegion
from rocbands.bands.likelihood import Likelihood
from rocbands.bands.sup_t import SupT
from rocbands.bands.threshold import Threshold
from rocbands.bands.vertical import Vertical
from rocbands.bands.working_hotelling import WorkingHotelling
from rocbands.core.band import Band, BandMethod
from rocbands.core.checks import check_future, check_level, check_rng
from rocbands.core.result import Result
from rocbands.core.roc import RocCurve, as_roc_curve
from rocbands.errors import InputError

__all__ = ["DEFAULT", "METHODS", "Methods", "method_named", "methods", "roc_band"]

METHODS: dict[str, type[Any]] = {
    "likelihood": Likelihood,
    "fixed-width": FixedWidth,
    "joint-region": JointRegion,
    "sup-t": SupT,
    "working-hotelling": WorkingHotelling,
    "vertical": Vertical,
    "threshold": Threshold,
    "fold-average": FoldAverage,
}
DEFAULT = "likelihood"
FOLDS_DEFAULT = "fold-average"


def method_named(name: str) -> BandMethod:
    """Return the method called `name` with its default parameters."""
    if name not in METHODS:
        close = get_close_matches(str(name), METHODS, n=1)
        hint = f"Did you mean {close[0]!r}? " if close else ""
        raise InputError(f"There is no band method {name!r}. {hint}Methods: {', '.join(METHODS)}.")
    method: BandMethod = METHODS[name]()
    return method


def roc_band(
    y_true: Any,
    y_score: Any = None,
    method: str | BandMethod | None = None,
    *,
    level: float = 0.95,
    future: tuple[int, int] | None = None,
    groups: Any = None,
    folds: Any = None,
    positive: object = None,
    rng: Any = None,
) -> Band:
    """Confidence band for the ROC curve of a scored test set.

    Parameters
    ----------
    y_true : array-like of shape (n,), or RocCurve
        Two labels of any kind; or, alone, a curve that is already counted.
    y_score : array-like of shape (n,)
        Scores; a larger one means more positive. Infinite scores are legal, NaN is not.
    method : str or BandMethod, default 'likelihood'
        A name from :func:`methods`, or an instance with its parameters. With `folds` the default
        is 'fold-average'.
    level : float, default 0.95
        Confidence level, strictly between 0 and 1.
    future : (int, int), optional
        Class sizes (n_pos, n_neg) of a future test set: ask for the band of its empirical curve
        instead of the true curve.
    groups : array-like of shape (n,), optional
        Which rows belong together, for example the patient of each lesion. Methods that handle
        groups resample them whole; the others refuse.
    folds : array-like of shape (n,), optional
        The fold of each row, where different models have scored them. Methods that handle folds
        average over the folds' curves; the others refuse.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    rng : None, int, SeedSequence or Generator, optional
        Source of randomness for methods that resample.

    Returns
    -------
    Band
        The band; it says itself whether it is simultaneous or pointwise, and what it is for.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> band = rb.roc_band(y, models["logistic"], positive="malignant")
    >>> band.coverage
    'simultaneous'
    """
    level, future = check_level(level), check_future(future)
    if method is None:
        counted_folds = isinstance(y_true, RocCurve) and bool(y_true.folds)
        in_folds = folds is not None or counted_folds
        method = FOLDS_DEFAULT if in_folds else DEFAULT
    maker = method_named(method) if isinstance(method, str) else method
    if not callable(maker) or isinstance(maker, type):
        raise InputError(
            f"`method` must be a name or an instance of a band method; got {maker!r}. "
            "Write, for example, method='likelihood' or method=rb.Likelihood()."
        )
    roc = as_roc_curve(
        y_true, y_score, positive=positive, groups=groups, folds=folds, uses=("groups", "folds")
    )
    return maker(roc, level=level, future=future, rng=check_rng(rng))


@dataclass(frozen=True, repr=False)
class Methods(Result):
    """The table of all band methods and what each promises."""

    schema: ClassVar[str] = "rocbands.methods/1"

    def facts(self) -> Mapping[str, object]:
        return {"default": DEFAULT}

    def columns(self) -> Mapping[str, Any]:
        # With their default parameters, as some facts depend on them.
        kinds = [kind() for kind in METHODS.values()]
        return {
            "method": list(METHODS),
            "coverage": [kind.coverage for kind in kinds],
            "handles": [", ".join(kind.handles) or "-" for kind in kinds],
            "guarantee": [kind.guarantee for kind in kinds],
            "idea": [kind.idea for kind in kinds],
            "parameters": [_parameters(kind) for kind in kinds],
        }

    def summary(self) -> tuple[str, Mapping[str, Any]]:
        return f"Band methods; the default is {DEFAULT!r}.", self.columns()


def _parameters(method: Any) -> str:
    """Return the parameters of a method with their usual values, as they are written."""
    given = ((field.name, getattr(method, field.name)) for field in fields(method))
    return ", ".join(f"{name}={value}" for name, value in given) or "-"


def methods() -> Methods:
    """All band methods with their facts.

    Examples
    --------
    >>> import rocbands as rb
    >>> "joint-region" in rb.methods().to_dict()["columns"]["method"]
    True
    """
    return Methods()
