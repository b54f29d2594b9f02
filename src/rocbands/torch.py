"""ROC curves in a training loop: a metric of torchmetrics that counts scores on their device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn

from rocbands.bands import roc_band
from rocbands.core.models import list_names, plural
from rocbands.core.tensors import name_type, refuse_odd
from rocbands.errors import InputError, Message, arg, say_install
from rocbands.scale.accumulator import label_text
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
    refuse_complex,
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
        f"both: {say_install('torch')}"
    ) from problem

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["RocCounts"]

_MOST_BYTES = 2 * 10**9  # of all counts
_LEAST, _MOST = -(2**63), 2**63 - 1  # whole numbers of 64 bits


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
        The models of the counts are in alphabetical order.
    positive : int, optional
        The positive label, if labels are not 0 and 1; the other one may be any whole number.
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
        self.num_classes, self.num_labels = num_classes, num_labels
        self.positive, self.ignore_index = _check_labels(positive, ignore_index, num_classes)
        self._rule = LabelRule(
            positive=1 if self.positive is None else self.positive,
            negative=0 if self.positive is None else None,
            ignored=self.ignore_index,
            classes=num_classes,
        )
        if dtype not in (torch.float32, torch.float64):
            raise InputError(
                "must be torch.float32 or torch.float64", f"got {dtype}", argument="dtype"
            )
        self._cells = Cells(SHORT if dtype == torch.float32 else INFINITE)
        size = len(self.names) * self._cells.size
        if 8 * size > _MOST_BYTES:
            raise InputError(
                "The counts of all columns must take less than 2 GB",
                f"those of {len(self.names)} columns take {8 * size / 1e9:.1f} GB",
                "Use several metrics, each for some of the columns.",
            )
        # torchmetrics keeps the state to begin with: a single 0, which `_clear` extends.
        self.add_state("counts", torch.zeros((), dtype=torch.int64), dist_reduce_fx="sum")
        # The range of labels beside the positive one, which tells whether there are several.
        self.add_state("lowest", torch.tensor(_MOST), dist_reduce_fx="min")
        self.add_state("highest", torch.tensor(_LEAST), dist_reduce_fx="max")
        # Metrics of a collection share counts if their states agree, so settings are one of them.
        given = [self.positive, self.ignore_index]
        settings = [value is None for value in given] + [value or 0 for value in given]
        self.add_state("settings", torch.tensor(settings), dist_reduce_fx="max")
        self._clear()

    def _clear(self) -> None:
        self.counts = self.counts.new_zeros(len(self.names) * self._cells.size)
        self.n_left_out: dict[str, int] = {}

    def reset(self) -> None:
        """Forget all batches."""
        super().reset()
        self._clear()

    # ------------------------------------------------------------------------------ batches

    def update(self, preds: Tensor, target: Tensor) -> None:
        """Add a batch.

        Parameters
        ----------
        preds : Tensor
            Scores, of shape (n,) or any other; (n, k, ...) for k classes or labels.
        target : Tensor
            Labels: of the same shape, or without the second dimension for classes.
        """
        scores, labels = self._arrange(preds, target)
        plain = not (torch.compiler.is_compiling() or torch.is_inference_mode_enabled())
        if plain and self.counts.is_inference():  # made in inference mode, not to be changed here
            self.counts = self.counts.clone()
        rule = _fit_rule(self._rule, labels)
        add_rows(find_device(scores), self.counts, scores, labels, rule, self._cells)
        if self.positive is not None and labels.numel():
            used, whole = labels != rule.positive, labels.long()
            if rule.ignored is not None:
                used &= labels != rule.ignored
            low = torch.where(used, whole, _MOST).amin()
            high = torch.where(used, whole, _LEAST).amax()
            self.lowest = torch.minimum(self.lowest, low)
            self.highest = torch.maximum(self.highest, high)

    def forward(self, preds: Tensor, target: Tensor) -> ScoreCounts:
        """Add a batch, and return the counts of this batch; slower than ``update``.

        A batch that ``compute`` refuses is not added.
        """
        batch = self.clone()
        batch.reset()
        batch._to_sync = self.dist_sync_on_step
        batch.update(preds, target)
        found: ScoreCounts = batch.compute()
        self.update(preds, target)
        return found

    def _arrange(self, preds: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        """Return scores with a column for each curve, and labels with as many columns or one."""
        for name, given in {"preds": preds, "target": target}.items():
            if not isinstance(given, Tensor):
                raise InputError("must be a tensor", f"it is {type(given).__name__}", argument=name)
            refuse_complex(given, arg(name))
        if not preds.device == target.device == self.counts.device:
            raise InputError(
                Message("{}, {} and the metric must be on one device", arg("preds"), arg("target")),
                f"they are on {preds.device}, {target.device} and {self.counts.device}",
                "Move the metric by metric.to(device), before the loop.",
            )
        refuse_odd(preds)
        refuse_odd(target)
        named = self.num_classes is not None or self.positive is not None
        if named and target.is_floating_point():
            raise InputError(
                Message("{} must be whole numbers", arg("target")),
                f"its type is {name_type(target)}",
                Message(
                    "Convert it by long(); several labels in a row need {}.", arg("num_labels")
                ),
            )
        if name_type(target) in ("uint16", "uint32", "uint64"):  # which have few operations
            target = target.long()
        preds, target = preds.detach(), target.detach()
        columns = self.num_classes or self.num_labels
        shape = preds.shape
        if self.num_classes is not None:
            shape = shape[:1] + shape[2:]
        fits = columns is None or (preds.ndim > 1 and preds.shape[1] == columns)
        if not fits or target.shape != shape:
            self._refuse_shapes(tuple(preds.shape), tuple(target.shape))
        if columns is None:
            return preds.reshape(-1, 1), target.reshape(-1, 1)
        scores = preds.movedim(1, -1).reshape(-1, columns)
        if self.num_classes is not None:
            return scores, target.reshape(-1, 1)
        return scores, target.movedim(1, -1).reshape(-1, columns)

    def _refuse_shapes(self, *shapes: tuple[int, ...]) -> NoReturn:
        must, remedy = "the same shape", "Reshape one of them, for example by squeeze(1)."
        if self.num_classes is not None:
            must = f"shapes such as (n, {self.num_classes}) and (n,)"
            remedy = "Labels are numbers of classes; of one-hot labels they are target.argmax(1)."
        elif self.num_labels is not None:
            must = f"the same shape, with {self.num_labels} columns"
            remedy = "Numbers of classes need num_classes."
        raise InputError(
            Message("{} and {} must have {}", arg("preds"), arg("target"), must),
            f"their shapes are {shapes[0]} and {shapes[1]}",
            remedy,
        )

    # ------------------------------------------------------------------------------ results

    def compute(self) -> ScoreCounts:
        """Return the counts of all batches and processes.

        Returns
        -------
        ScoreCounts
            With a model for each class or label.
        """
        device, size = find_device(self.counts), self._cells.size
        found, left_out = {}, {}
        for column, name in enumerate(self.names):
            own = self.counts[column * size : (column + 1) * size]
            unbinned = read_unbinned(own, self._cells)
            found[name] = read_bins(device, own, self._cells)
            rows = sum(unbinned.values()) + sum(int(part.sum()) for part in found[name][1:])
            self._refuse_labels(unbinned[Unbinned.LABEL], rows)
            refuse_unbinned(unbinned, f"The scores of {name!r}", rows)
            left_out[name] = unbinned[Unbinned.LEFT_OUT]
        self.n_left_out = left_out
        return ScoreCounts.of(**as_columns(found, self._name_labels()))

    def _refuse_labels(self, wrong: int, rows: int) -> None:
        if wrong:
            must, others = f"whole numbers from 0 to {(self.num_classes or 2) - 1}", "Name rows"
            if self.num_classes is None:
                must = "0 or 1"
                others = Message("Name the positive one by {}, and rows", arg("positive"))
            raise InputError(
                Message("{} must be {}", arg("target"), must),
                f"other labels in {plural(wrong, 'row')} of {rows:,}",
                Message("{} to leave out by {}.", others, arg("ignore_index")),
            )
        low, high = int(self.lowest), int(self.highest)
        if low < high:
            raise InputError(
                Message("{} must have two labels", arg("target")),
                f"beside {self.positive} there are {low} and {high}",
                Message("Name rows to leave out by {}.", arg("ignore_index")),
            )

    def _name_labels(self) -> tuple[str | None, str | None]:
        if self.num_classes is not None:
            return None, None
        if self.positive is None:
            return "1", "0"
        low, high = int(self.lowest), int(self.highest)
        return label_text(self.positive), label_text(low) if low == high else None

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

    # ------------------------------------------------------------------------ torchmetrics

    def set_dtype(self, dst_type: Any) -> RocCounts:
        """Do nothing: counts stay whole numbers."""
        return self

    def _wrap_compute(self, compute: Callable[[], ScoreCounts]) -> Callable[[], ScoreCounts]:
        # torchmetrics looks for tensors in what was computed, but cannot look into frozen objects.
        held = super()._wrap_compute(lambda: _Held(compute()))

        @wraps(compute)
        def computed() -> ScoreCounts:
            found: ScoreCounts = held().counts
            return found

        return computed

    def _sync_dist(
        self, dist_sync_fn: Callable[..., Any] = gather_all_tensors, process_group: Any = None
    ) -> None:
        """Add up the counts of all processes; gathering would copy those of each to each."""
        if dist_sync_fn is not gather_all_tensors:
            super()._sync_dist(dist_sync_fn, process_group)
            return
        from torch.distributed import ReduceOp, all_reduce

        steps = {"counts": ReduceOp.SUM, "lowest": ReduceOp.MIN, "highest": ReduceOp.MAX}
        for name, step in steps.items():
            total = getattr(self, name).clone()  # other metrics of a collection may share it
            all_reduce(total, op=step, group=process_group or self.process_group)
            setattr(self, name, total)

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        size, found = self.counts.shape, state_dict.get(f"{prefix}counts", self.counts).shape
        if size != found:
            raise InputError(
                "Saved counts must be of a metric with the same columns and dtype",
                f"they have {found.numel():,} cells instead of {size.numel():,}",
            )
        super()._load_from_state_dict(state_dict, prefix, *rest)
        self.counts, self._computed = self.counts.clone(), None  # not shared with the dictionary


class _Held:
    """Counts, in an object without fields to look into."""

    def __init__(self, counts: ScoreCounts) -> None:
        self.counts = counts


def _check_names(num_classes: Any, num_labels: Any, names: Any) -> tuple[str, ...]:
    """Return the name of each column."""
    asked = {"num_classes": num_classes, "num_labels": num_labels}
    given = {name: value for name, value in asked.items() if value is not None}
    if len(given) > 1:
        raise InputError(
            Message("{} or {} may be given", arg("num_classes"), arg("num_labels")),
            "both were",
            "Choose one.",
        )
    for name, value in given.items():
        least = 2 if name == "num_classes" else 1
        if not _is_whole(value) or value < least:
            raise InputError(
                f"must be a whole number from {least} on", f"got {value!r}", argument=name
            )
    columns = next(iter(given.values()), 1)
    if names is None:
        return tuple(map(str, range(columns))) if given else ("score",)
    found = (names,) if isinstance(names, str) else names
    whole = isinstance(found, Sequence) and all(isinstance(one, str) and one for one in found)
    if not whole or not len(found) == len(set(found)) == columns:
        many = "one name" if columns == 1 else f"{columns} different names"
        shown = list_names(found) if whole else repr(names)
        raise InputError(f"must be {many}", f"got {shown}", argument="names")
    return tuple(found)


def _check_labels(
    positive: Any, ignored: Any, num_classes: int | None
) -> tuple[int | None, int | None]:
    """Return the labels that are given, as whole numbers."""
    for name, value in {"positive": positive, "ignore_index": ignored}.items():
        if value is not None and not isinstance(value, bool) and not _is_whole(value):
            raise InputError("must be a whole number", f"got {value!r}", argument=name)
    if positive is not None and num_classes is not None:
        raise InputError(
            "Each class is positive in its own curve",
            Message("{} was given", arg("positive", positive)),
            Message("Leave {} out.", arg("positive")),
        )
    known = [0, 1] if positive is None else [positive]
    if ignored is not None and num_classes is None and ignored in known:
        raise InputError(
            "must be another label than those that are counted",
            f"got {ignored}",
            argument="ignore_index",
        )
    return tuple(None if value is None else int(value) for value in (positive, ignored))  # type: ignore[return-value]


def _is_whole(value: Any) -> bool:
    """Tell whether a value is a whole number, also one of NumPy."""
    return hasattr(value, "__index__") and not isinstance(value, bool) and _LEAST <= value <= _MOST


def _fit_rule(rule: LabelRule, labels: Tensor) -> LabelRule:
    """Compare labels only with values that their type can hold: others would wrap around."""
    if not _holds(labels, rule.positive):
        raise InputError(
            Message("{} must be able to hold the positive label, {}", arg("target"), rule.positive),
            f"its type is {name_type(labels)}",
            "Convert it by long(), before it is shortened.",
        )
    if rule.ignored is not None and not _holds(labels, rule.ignored):
        return replace(rule, ignored=None)
    return rule


def _holds(labels: Tensor, value: float) -> bool:
    """Tell whether a value is one of the labels' type."""
    if labels.dtype == torch.bool:
        return value in (0, 1)
    if labels.is_floating_point():
        return float(torch.tensor(value, dtype=labels.dtype)) == value
    ends = torch.iinfo(labels.dtype)
    return bool(ends.min <= value <= ends.max)
