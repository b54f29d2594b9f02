"""Operating points: what single thresholds achieve, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import FloatArray
from rocbands.core.result import Level, Number, Rate, document_plot, list_columns, percent
from rocbands.core.roc import CurveFacts, RocCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OperatingPoints(CurveFacts):
    """Points on an ROC curve with their thresholds and confidence limits, one for each row.

    Attributes
    ----------
    threshold : ndarray of shape (k,)
        A row is called positive when its score >= threshold; inf calls none positive.
    fpr, tpr : ndarray of shape (k,)
        The rates.
    fpr_low, fpr_high, tpr_low, tpr_high : ndarray of shape (k,)
        Their confidence limits. A rate that was asked for is fixed: its limits are itself.
    roc : RocCurve
        The curve that the rates are read from.
    asked : str
        What was asked for, such as 'fpr' or 'best youden'.
    level : float
        Nominal confidence level: of each interval, or of each rectangle where `joint`.
    method : str
        How the limits were computed.
    parameters : dict
        The method's parameters, such as the number of resamples.
    joint : bool
        True: both rates of a point are inside their limits together as often as the level says.
    n_pos, n_neg : int
        Class sizes of `roc`.
    auc : float
        Area under `roc`.
    notes : tuple of str
        What the reader should know about these very points.

    See Also
    --------
    rocbands.operating_points : compute them.
    """

    schema: ClassVar[str] = "rocbands.operating-points/2"
    FACTS: ClassVar[str] = "asked level method parameters joint n_pos n_neg auc notes"
    COLUMNS: ClassVar[Mapping[str, Any]] = list_columns(
        (Number, "threshold"),
        (Rate, "fpr fpr_low fpr_high tpr tpr_low tpr_high"),
    )

    threshold: npt.NDArray[Any]
    fpr: FloatArray
    fpr_low: FloatArray
    fpr_high: FloatArray
    tpr: FloatArray
    tpr_low: FloatArray
    tpr_high: FloatArray
    roc: RocCurve
    asked: str
    level: Level
    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    joint: bool = False
    notes: tuple[str, ...] = ()

    def _check(self) -> None:
        for rate in ("fpr", "tpr"):
            ends = [getattr(self, name) for name in (f"{rate}_low", rate, f"{rate}_high")]
            inside = np.stack([np.zeros_like(ends[0]), *ends, np.ones_like(ends[0])])
            assert (np.diff(inside, axis=0) >= 0).all(), "limits contain the rate, inside [0, 1]"

    @property
    def auc(self) -> Rate:
        """Area under the curve."""
        return self.roc.auc

    def __len__(self) -> int:
        return int(self.threshold.size)

    def summary(self) -> tuple[str, Mapping[str, Any]]:
        each = "rectangles" if self.joint else "limits"
        sentence = (
            f"Operating points ({self.asked}) with {percent(self.level)} confidence {each} "
            f"({self.method})."
        )
        sizes = f"{self.n_pos} positives, {self.n_neg} negatives, AUC {self.auc:.4f}."
        return "\n".join([sentence, sizes, *self.notes]), self.columns()

    @document_plot
    def plot(
        self,
        ax: Axes | None = None,
        *,
        label: str | None = None,
        color: Any = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        point_kwargs: Mapping[str, Any] | None = None,
    ) -> Axes:
        """Draw the points on their curve, with whiskers, or rectangles where limits are joint."""
        return self._draw(locals())
