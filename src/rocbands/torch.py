"""ROC curves in a training loop: a metric of torchmetrics that counts scores on their device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any

from rocbands.bands import roc_band
from rocbands.core.models import list_names, plural
from rocbands.core.tensors import refuse_short_floats
from rocbands.errors import InputError, arg
from rocbands.scale.bins import INFINITE
from rocbands.scale.counts import ScoreCounts
from rocbands.scale.devices import find_device
from rocbands.scale.tensors import (
    SHORT,
    Cells,
    LabelRule,
    Unbinned,
    add_rows,
    as_columns,
    read_bins,
    read_unbinned,
    refuse_unbinned,
)

try:
    import torch
    from torch import Tensor
    from torchmetrics import Metric
    from torchmetrics.utilities.distributed import gather_all_tensors
except ImportError as problem:
    raise ImportError(
        f"rocbands.torch needs torch and torchmetrics; {problem.name} is not installed. Install "
        "both: pip install 'rocbands[torch]'."
    ) from problem

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["RocCounts"]

_MOST_BYTES = 2 * 10**9  # of all counts


class RocCounts(Metric):
    """Counts of both classes in bins of scores: constant memory, whatever the number of rows.

    ``update`` adds a batch on the device of its scores and does not wait for the device.
    ``compute`` returns :class:`rocbands.ScoreCounts`, the input of ``rb.roc_band``,
    ``rb.auc_interval`` and most functions. Counts add up over batches and processes.

    Scores may be logits or probabilities; only their order counts. Logits are better: bins are
    narrow near 0, while many probabilities round to 1.

    Parameters
    ----------
    num_classes : int, optional
        Scores have shape (n, num_classes), and labels are numbers of classes: a curve for each
        class against the rest.
    num_labels : int, optional
        Scores and labels have shape (n, num_labels): a curve for each label.
    names : sequence of str, optional
        Names of the classes or labels, or of the only model; by default numbers from 0, or 'score'.
    positive : int, optional
        The positive label; the other one may be any. By default labels are 0 and 1, or booleans.
    ignore_index : int, optional
        Rows with this label are left out; `n_left_out` has their number.
    dtype : torch.dtype, default torch.float32
        Range of the scores: with torch.float32 they are below 2**128 in size, whatever their own
        type; torch.float64 has no such limit. The counts of a column take 33 or 151 MB.
    **kwargs
        As for torchmetrics.Metric.

    Attributes
    ----------
    counts : Tensor of int64
        Rows in each bin of each column and class, and rows without a bin.
    n_left_out : dict of str to int
        By name, the rows left out because of `ignore_index`, once ``compute`` was called.

    Examples
    --------
    >>> import rocbands as rb
    >>> metric = RocCounts()
    >>> for batch in range(2):
    ...     metric.update(torch.tensor([2.0, -1.0, 0.5]), torch.tensor([1, 0, batch]))
    >>> metric.compute()
    <ScoreCounts: 6 rows (3 of class 1, 3 of class 0) in bins, 1 model: score>
    >>> round(rb.auc_interval(metric.compute()).estimate, 4)
    0.9444
    """

    is_differentiable = False
    higher_is_better = None
    full_state_update = False

    counts: Tensor
    lowest: Tensor
    highest: Tensor

    def __init__(
        self,
        *,
        num_classes: int | None = None,
        num_labels: int | None = None,
        names: Sequence[str] | None = None,
        positive: int | None = None,
        ignore_index: int | None = None,
        dtype: torch.dtype = torch.float32,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.names = _check_names(num_classes, num_labels, names)
        if positive is not None and num_classes is not None:
            raise InputError(
                "Each class is positive in its own curve",
                f"{arg('positive', positive)} was given",
                f"Leave {arg('positive')} out.",
            )
        if dtype not in (torch.float32, torch.float64):
            raise InputError(
                "must be torch.float32 or torch.float64", f"got {dtype}", argument="dtype"
            )
        self.num_classes, self.num_labels = num_classes, num_labels
        self.positive, self.ignore_index = positive, ignore_index
        self.n_left_out: dict[str, int] = {}
        self._rule = LabelRule(
            positive=1 if positive is None else positive,
            negative=0 if positive is None else None,
            ignored=ignore_index,
            classes=num_classes,
        )
        self._cells = Cells(SHORT if dtype == torch.float32 else INFINITE)
        size = len(self.names) * self._cells.size
        if 8 * size > _MOST_BYTES:
            raise InputError(
                "The counts of all columns must take less than 2 GB",
                f"those of {len(self.names)} columns take {8 * size / 1e9:.1f} GB",
                "Use several metrics, or float32.",
            )
        self.add_state("counts", torch.zeros(size, dtype=torch.int64), dist_reduce_fx="sum")
        # The range of labels beside the positive one, which tells whether there are several.
        self.add_state("lowest", torch.tensor(torch.inf), dist_reduce_fx="min")
        self.add_state("highest", torch.tensor(-torch.inf), dist_reduce_fx="max")

    def update(self, preds: Tensor, target: Tensor) -> None:
        """Add a batch.

        Parameters
        ----------
        preds : Tensor
            Scores, of shape (n,) or any other; (n, k, ...) for k classes or labels.
        target : Tensor
            Labels: of the same shape, or without the second dimension for classes.
        """
        scores, labels = self._arrange(preds.detach(), target.detach())
        rule = self._rule
        if rule.ignored is not None and rule.ignored < 0 and _is_unsigned(labels):
            rule = replace(rule, ignored=None)  # which no label can equal
        add_rows(find_device(scores), self.counts, scores, labels, rule, self._cells)
        if self.positive is not None and labels.numel():
            self._note_others(labels)

    def _note_others(self, labels: Tensor) -> None:
        """Extend the range of the labels beside the positive one."""
        used = labels != self.positive
        if self.ignore_index is not None:
            used &= labels != self.ignore_index
        least, most = _range_of(labels)
        low, high = torch.where(used, labels, most).amin(), torch.where(used, labels, least).amax()
        self.lowest = torch.minimum(self.lowest, low.to(self.lowest.dtype))
        self.highest = torch.maximum(self.highest, high.to(self.highest.dtype))

    def _arrange(self, preds: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        """Return scores with a column for each curve, and labels with as many columns or one."""
        refuse_short_floats(preds)
        if preds.is_complex() or preds.is_quantized:
            raise InputError(f"{arg('preds')} must be real numbers", f"their type is {preds.dtype}")
        if not preds.device == target.device == self.counts.device:
            raise InputError(
                f"{arg('preds')}, {arg('target')} and the metric must be on one device",
                f"they are on {preds.device}, {target.device} and {self.counts.device}",
                "Move the metric by metric.to(device), before the loop.",
            )
        if self.num_classes is not None and target.is_floating_point():
            raise InputError(
                f"{arg('target')} must be numbers of classes",
                f"its type is {target.dtype}",
                "Convert it by long(); several labels in a row need num_labels.",
            )
        columns = self.num_classes or self.num_labels
        shape = tuple(preds.shape)
        if self.num_classes is not None:
            shape = shape[:1] + shape[2:]
        whole = columns is None or (preds.ndim > 1 and preds.shape[1] == columns)
        if not whole or tuple(target.shape) != shape:
            asked = "the same shape"
            if columns is not None:
                asked = f"{columns} columns" + ("" if whole else f" in {arg('preds')}")
                kind = "number of its class" if self.num_classes else "column for each label"
                asked += f", and {arg('target')} one {kind} for each row"
            raise InputError(
                f"{arg('preds')} and {arg('target')} must have {asked}",
                f"their shapes are {tuple(preds.shape)} and {tuple(target.shape)}",
                "Reshape one of them, for example by squeeze(1).",
            )
        if columns is None:
            return preds.reshape(-1, 1), target.reshape(-1, 1)
        if self.num_classes is not None:
            return preds.movedim(1, -1).reshape(-1, columns), target.reshape(-1, 1)
        return tuple(each.movedim(1, -1).reshape(-1, columns) for each in (preds, target))

    def compute(self) -> ScoreCounts:
        """Return the counts of all batches and processes.

        Returns
        -------
        ScoreCounts
            With a model for each class or label.
        """
        device, size = find_device(self.counts), self._cells.size
        found = {}
        for column, name in enumerate(self.names):
            own = self.counts[column * size : (column + 1) * size]
            unbinned = read_unbinned(own, self._cells)
            found[name] = read_bins(device, own, self._cells)
            rows = sum(unbinned.values()) + sum(int(part.sum()) for part in found[name][1:])
            self._refuse_labels(unbinned[Unbinned.LABEL], rows)
            refuse_unbinned(unbinned, f"The scores of {name!r}", rows)
            self.n_left_out[name] = unbinned[Unbinned.LEFT_OUT]
        return ScoreCounts.of(**as_columns(found, self._name_labels()))

    def _refuse_labels(self, wrong: int, rows: int) -> None:
        if wrong:
            must = "0 or 1"
            if self.num_classes is not None:
                must = f"whole numbers from 0 to {self.num_classes - 1}"
            raise InputError(
                f"{arg('target')} must be {must}",
                f"{plural(wrong, 'row')} of {rows:,} have other labels",
                f"Name the positive one by {arg('positive')}, and rows to leave out by "
                f"{arg('ignore_index')}.",
            )
        low, high = (float(end) for end in (self.lowest, self.highest))
        if low < high:
            raise InputError(
                f"{arg('target')} must have two labels",
                f"beside {self.positive} there are {low:g} and {high:g}",
                f"Rows to leave out are named by {arg('ignore_index')}.",
            )

    def _name_labels(self) -> tuple[str | None, str | None]:
        if self.num_classes is not None:
            return None, None
        if self.positive is None:
            return "1", "0"
        low, high = float(self.lowest), float(self.highest)
        return str(self.positive), f"{low:g}" if low == high else None

    def to_metrics(self, prefix: str = "") -> dict[str, float]:
        """Return the AUC and its limits for loggers, as :meth:`ScoreCounts.to_metrics`."""
        return self.compute().to_metrics(prefix)

    def plot(self, val: ScoreCounts | None = None, ax: Axes | None = None) -> tuple[Figure, Axes]:
        """Draw the ROC curves with their confidence bands.

        Parameters
        ----------
        val : ScoreCounts, optional
            What ``compute`` or ``forward`` returned; by default ``compute`` is called.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        Figure, Axes
        """
        counts = self.compute() if val is None else val
        axes = counts.each(roc_band).plot(ax=ax)
        figure: Any = axes.figure
        return figure, axes

    # torchmetrics looks for tensors in what was computed, but cannot look into frozen objects.

    def forward(self, *args: Any, **kwargs: Any) -> ScoreCounts:
        """Add a batch, and return the counts of this batch; slower than ``update``."""
        found: ScoreCounts = super().forward(*args, **kwargs)
        self._forward_cache = None
        return found

    def set_dtype(self, dst_type: Any) -> RocCounts:
        """Do nothing: counts stay whole numbers."""
        return self

    def _wrap_compute(self, compute: Callable[[], ScoreCounts]) -> Callable[[], ScoreCounts]:
        held = super()._wrap_compute(lambda: _Held(compute()))

        @wraps(compute)
        def computed() -> ScoreCounts:
            found: ScoreCounts = held().counts
            return found

        return computed

    def _sync_dist(
        self, dist_sync_fn: Callable[..., Any] = gather_all_tensors, process_group: Any = None
    ) -> None:
        """Add up the counts of all processes in place; gathering would copy those of each."""
        if dist_sync_fn is not gather_all_tensors:
            super()._sync_dist(dist_sync_fn, process_group)
            return
        from torch.distributed import ReduceOp, all_reduce

        steps = {"counts": ReduceOp.SUM, "lowest": ReduceOp.MIN, "highest": ReduceOp.MAX}
        for name, step in steps.items():
            all_reduce(getattr(self, name), op=step, group=process_group or self.process_group)


class _Held:
    """Counts, in an object without fields to look into."""

    def __init__(self, counts: ScoreCounts) -> None:
        self.counts = counts


def _check_names(
    num_classes: int | None, num_labels: int | None, names: Sequence[str] | None
) -> tuple[str, ...]:
    """Return the name of each column."""
    asked = {"num_classes": num_classes, "num_labels": num_labels}
    given = {name: value for name, value in asked.items() if value is not None}
    if len(given) > 1:
        raise InputError(
            f"{arg('num_classes')} or {arg('num_labels')} may be given", "both were", "Choose one."
        )
    for name, value in given.items():
        if not isinstance(value, int) or value < 1:
            raise InputError("must be a number of columns", f"got {value!r}", argument=name)
    columns = next(iter(given.values()), 1)
    if names is None:
        return tuple(map(str, range(columns))) if given else ("score",)
    found = (names,) if isinstance(names, str) else tuple(names)
    if len(set(found)) != columns or not all(isinstance(name, str) for name in found):
        raise InputError(
            f"must be {plural(columns, 'different name')}",
            f"got {list_names(found)}",
            argument="names",
        )
    return found


def _is_unsigned(labels: Tensor) -> bool:
    return str(labels.dtype).startswith(("torch.uint", "torch.bool"))


def _range_of(labels: Tensor) -> tuple[float, float]:
    """Return the smallest and the largest value of a type."""
    if labels.dtype == torch.bool:
        return False, True
    kind = torch.finfo if labels.is_floating_point() else torch.iinfo
    return kind(labels.dtype).min, kind(labels.dtype).max
