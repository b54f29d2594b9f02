"""RocCounts in a training loop: counts of batches are those of all rows at once."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import rocbands as rb
from rocbands.errors import InputError, RocBandsWarning
from tests.scale.nasty import assert_same

torch = pytest.importorskip("torch", reason='needs PyTorch: pip install ".[torch]"')
torchmetrics = pytest.importorskip("torchmetrics", reason="needs torchmetrics")

from torch._subclasses.fake_tensor import (  # noqa: E402
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensorMode,
)

from rocbands.torch import RocCounts  # noqa: E402

HERE = Path(__file__).parent


def draw(size: int, seed: int = 1) -> tuple[torch.Tensor, torch.Tensor]:
    stream = torch.Generator().manual_seed(seed)
    scores = torch.randn(size, generator=stream)
    labels = (torch.rand(size, generator=stream) < torch.sigmoid(2 * scores)).long()
    return scores, labels


def count(scores: torch.Tensor, labels: torch.Tensor) -> rb.ScoreCounts:
    return rb.ScoreCounts.from_arrays(labels.numpy(), scores.detach().float().numpy())


def feed(metric: RocCounts, scores: torch.Tensor, labels: torch.Tensor, size: int) -> RocCounts:
    for batch in zip(scores.split(size), labels.split(size), strict=True):
        metric.update(*batch)
    return metric


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_batches_add_up(size: int) -> None:
    scores, labels = draw(500)
    assert_same(feed(RocCounts(), scores, labels, size).compute(), count(scores, labels))


def test_batches_of_different_types_and_shapes() -> None:
    scores, labels = draw(64)
    metric = RocCounts()
    metric.update(scores.to(torch.float16).reshape(8, 8), labels.bool().reshape(8, 8))
    metric.update(scores.to(torch.bfloat16).requires_grad_(), labels.float())
    metric.update(scores.double(), labels.to(torch.uint8))
    metric.update(torch.arange(64), labels)
    parts = [
        count(scores.half(), labels),
        count(scores.bfloat16(), labels),
        rb.ScoreCounts.from_arrays(labels.numpy(), scores.double().numpy()),
        rb.ScoreCounts.from_arrays(labels.numpy(), np.arange(64)),
    ]
    assert_same(metric.compute(), rb.ScoreCounts.merge(parts))
    assert metric.counts.grad_fn is None


def test_an_empty_batch_adds_nothing() -> None:
    metric = RocCounts(positive=1)
    metric.update(torch.zeros(0), torch.zeros(0).long())
    assert not metric.counts.any()


def test_a_curve_for_each_class() -> None:
    stream = torch.Generator().manual_seed(2)
    scores = torch.randn(90, 3, 2, generator=stream)
    labels = torch.randint(0, 3, (90, 2), generator=stream)
    metric = RocCounts(num_classes=3, names=["cat", "dog", "eel"])
    found = feed(metric, scores, labels, 20).compute()
    assert found.models == ("cat", "dog", "eel")
    for k, name in enumerate(found.models):
        own = (labels == k).numpy().ravel()
        alone = rb.ScoreCounts.from_arrays(own, {name: scores[:, k].numpy().ravel()})
        assert np.array_equal(found[name].value, alone.value)
        assert np.array_equal(found[name].positives, alone.positives)
        assert np.array_equal(found[name].negatives, alone.negatives)


def test_a_curve_for_each_label_with_labels_left_out() -> None:
    stream = torch.Generator().manual_seed(3)
    scores = torch.randn(200, 4, generator=stream)
    labels = torch.randint(-1, 2, (200, 4), generator=stream)
    metric = RocCounts(num_labels=4, ignore_index=-1)
    found = feed(metric, scores, labels, 33).compute()
    for k, name in enumerate("0123"):
        keep = (labels[:, k] != -1).numpy()
        alone = rb.ScoreCounts.from_arrays(
            labels[:, k].numpy(), {name: scores[:, k].numpy()}, mask=keep
        )
        assert_same(found[name], alone)
        assert metric.n_left_out[name] == int((~keep).sum()) > 0


def test_two_labels_of_any_value() -> None:
    metric = RocCounts(positive=7, ignore_index=9)
    metric.update(torch.tensor([0.1, 0.4, 0.3]), torch.tensor([3, 7, 9]))
    metric.update(torch.tensor([0.2]), torch.tensor([7]))
    found = metric.compute()
    assert (found.n_pos, found.n_neg, found.positive, found.negative) == (2, 1, "7", "3")
    metric.update(torch.tensor([0.2]), torch.tensor([4]))
    with pytest.raises(InputError, match="two labels; beside 7 there are 3 and 4"):
        metric.compute()


@pytest.mark.parametrize(
    ("ignored", "kind"), [(-255, torch.uint8), (257, torch.int8), (2**16, torch.int16)]
)
def test_a_label_that_a_type_cannot_hold_is_not_left_out(ignored: int, kind: torch.dtype) -> None:
    """Cut to the bits of the type, it would be 0 or 1."""
    metric = RocCounts(ignore_index=ignored)
    metric.update(torch.tensor([0.1, 0.4]), torch.tensor([0, 1], dtype=kind))
    metric.update(torch.tensor([0.1]), torch.tensor([1], dtype=torch.float16))
    assert metric.compute().n == 3


def test_labels_of_all_sizes_are_told_apart() -> None:
    metric = torch.nn.ModuleDict({"roc": RocCounts(positive=1)}).to(torch.bfloat16)["roc"]
    metric.update(torch.zeros(1), torch.tensor([True]))
    metric.update(torch.zeros(2), torch.tensor([1, 2**24]))
    assert metric.compute().negative == str(2**24)
    metric.update(torch.zeros(2), torch.tensor([1, 2**24 + 1]))
    with pytest.raises(InputError, match="there are 16777216 and 16777217"):
        metric.compute()
    long = RocCounts(positive=5)
    long.update(torch.zeros(2), torch.tensor([5, 2**40], dtype=torch.uint64))
    assert long.compute().negative == str(2**40)


def test_loggers_get_the_area_and_its_limits() -> None:
    scores, labels = draw(300)
    metric = feed(RocCounts(), scores, labels, 100)
    area = rb.auc_interval(labels.numpy(), scores.numpy())
    found = metric.to_metrics("val/")
    assert list(found) == ["val/auc", "val/auc_low", "val/auc_high"]
    assert found == metric.compute().to_metrics("val/")
    assert all(type(value) is float for value in found.values())
    assert found["val/auc"] == pytest.approx(area.estimate, abs=1e-4)
    assert found["val/auc_low"] <= area.low + 1e-4
    assert found["val/auc_high"] >= area.high - 1e-4
    several = RocCounts(num_classes=2, names=["no", "yes"])
    several.update(torch.stack([-scores, scores], dim=1), labels)
    assert set(several.to_metrics()) >= {"no/auc", "yes/auc_high"}


def test_one_class_has_no_area_but_does_not_end_the_training() -> None:
    metric = RocCounts()
    metric.update(torch.tensor([0.1, 0.2]), torch.tensor([1, 1]))
    with pytest.warns(RocBandsWarning, match="must have rows of both classes"):
        assert metric.to_metrics() == {}


def test_what_torchmetrics_does_with_metrics(tmp_path: Path) -> None:
    scores, labels = draw(200)
    whole = count(scores, labels)
    metric = RocCounts()
    assert_same(metric(scores[:80], labels[:80]), count(scores[:80], labels[:80]))  # forward
    metric.update(scores[80:], labels[80:])
    assert_same(metric.compute(), whole)
    assert metric.compute() is metric.compute()
    for twin in (metric.clone(), copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
        assert_same(twin.compute(), whole)
    assert metric.state_dict() == {}  # as of all metrics, unless they are persistent
    metric.persistent(True)
    torch.save(metric.state_dict(), tmp_path / "metric.pt")
    other = RocCounts()
    other.persistent(True)
    other.load_state_dict(torch.load(tmp_path / "metric.pt"))
    other._update_count = 1  # which state_dict leaves out
    assert_same(other.compute(), whole)
    for name in ("half", "double", "bfloat16"):
        getattr(metric, name)()
    metric.set_dtype(torch.float16)
    assert metric.counts.dtype == torch.int64
    metric.reset()
    assert not metric.counts.any()
    metric.update(scores, labels)
    assert_same(metric.compute(), whole)


def test_a_collection() -> None:
    scores, labels = draw(400)
    metrics = torchmetrics.MetricCollection(
        {"roc": RocCounts(), "area": torchmetrics.classification.BinaryAUROC()}
    )
    feed(metrics, scores, labels, 150)
    found = metrics.compute()
    assert_same(found["roc"], count(scores, labels))
    assert float(found["area"]) == pytest.approx(found["roc"].roc.auc, abs=1e-4)
    copied = metrics.clone(prefix="val_")
    assert_same(copied.compute()["val_roc"], found["roc"])


def test_a_collection_does_not_join_metrics_of_other_settings() -> None:
    """torchmetrics lets metrics share a state if their states agree after the first batch."""
    metrics = torchmetrics.MetricCollection(
        {
            "one": RocCounts(positive=1, ignore_index=2),
            "two": RocCounts(positive=2, ignore_index=1),
            "same": RocCounts(positive=1, ignore_index=2, names=["again"]),
        }
    )
    for labels in ([0, 0], [0, 1, 2, 2]):
        metrics.update(torch.arange(float(len(labels))), torch.tensor(labels))
    found = metrics.compute()
    sizes = {name: (counts.n_pos, counts.n_neg) for name, counts in found.items()}
    assert sizes == {"one": (1, 3), "two": (2, 3), "same": (1, 3)}
    assert len(metrics.compute_groups) == 2


def test_loaded_counts_are_a_copy_and_must_fit() -> None:
    scores, labels = draw(50)
    saved = feed(RocCounts(), scores, labels, 50)
    saved.persistent(True)
    state = saved.state_dict()
    metric = RocCounts()
    metric.persistent(True)
    metric.update(scores[:10], labels[:10])
    metric.compute()
    metric.load_state_dict(state)
    assert_same(metric.compute(), count(scores, labels))  # not what was computed before
    metric.update(scores, labels)
    assert int(state["counts"].sum()) == 50
    for how in ({"dtype": torch.float64}, {"num_labels": 3}):
        with pytest.raises(InputError, match="the same columns and dtype"):
            RocCounts(**how).load_state_dict(state)


def test_inference_mode_and_what_follows_it() -> None:
    scores, labels = draw(40)
    with torch.inference_mode():
        metric = RocCounts()
        metric.update(scores, labels)
        metric.reset()
        metric.update(scores[:20], labels[:20])
    metric.update(scores[20:], labels[20:])
    assert_same(metric.compute(), count(scores, labels))


def test_a_refused_batch_does_not_change_the_counts() -> None:
    scores, labels = draw(30)
    metric = feed(RocCounts(), scores, labels, 30)
    with pytest.raises(InputError, match="NaN"):
        metric(torch.tensor([torch.nan, 1.0]), torch.tensor([0, 1]))
    assert_same(metric.compute(), count(scores, labels))


def test_reset_forgets_rows_left_out_and_memory_is_kept_once() -> None:
    metric = RocCounts(ignore_index=5)
    metric.update(torch.zeros(3), torch.tensor([0, 1, 5]))
    metric.compute()
    assert metric.n_left_out == {"score": 1}
    metric.reset()
    assert metric.n_left_out == {}
    assert metric.counts.nbytes < 34e6
    assert len(pickle.dumps(metric)) < 34e6


def test_a_plot_has_the_band() -> None:
    scores, labels = draw(300)
    figure, axes = feed(RocCounts(), scores, labels, 300).plot()
    assert axes.figure is figure
    words = [text.get_text() for text in axes.get_legend().get_texts()]
    assert any("95% band for the whole curve" in word for word in words)
    again, same = RocCounts().plot(count(scores, labels), ax=axes)
    assert (again, same) == (figure, axes)


@pytest.mark.parametrize("how", [{}, {"positive": 1, "ignore_index": 5}, {"num_classes": 3}])
def test_an_update_reads_nothing_back_from_the_device(how: dict) -> None:
    """Tensors without values refuse every operation that would need one on the host."""
    shape = (8, how["num_classes"]) if "num_classes" in how else (8,)
    metric = RocCounts(**how)
    with FakeTensorMode():
        for state in ("counts", "lowest", "highest"):
            own = getattr(metric, state)
            setattr(metric, state, torch.empty(own.shape, dtype=own.dtype))
        labels = torch.zeros(8, dtype=torch.int64)
        metric.update(torch.zeros(shape), labels)
        with pytest.raises(DataDependentOutputException):
            bool((labels == 1).any())
        with pytest.raises(DynamicOutputShapeException):
            torch.bincount(labels, minlength=3)


def test_compiled_updates_count_the_same() -> None:
    scores, labels = draw(256)
    metric = RocCounts()
    step = torch.compile(metric.update, backend="aot_eager")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the compiler
        for batch in zip(scores.split(64), labels.split(64), strict=True):
            step(*batch)
    assert_same(metric.compute(), count(scores, labels))


BAD = [
    ({}, (torch.zeros(3), torch.zeros(2)), r"the same shape; their shapes are \(3,\) and \(2,\)"),
    ({}, (torch.zeros(3, 1), torch.zeros(3)), r"squeeze\(1\)"),
    (
        {"num_classes": 3},
        (torch.zeros(4, 2), torch.zeros(4).long()),
        r"such as \(n, 3\) and \(n,\)",
    ),
    (
        {"num_classes": 3},
        (torch.zeros(4, 3), torch.zeros(4)),
        "must be whole numbers; its type is float32",
    ),
    ({"num_labels": 3}, (torch.zeros(4, 3), torch.zeros(4)), "the same shape, with 3 columns"),
    ({}, (torch.zeros(2).to(torch.float8_e5m2), torch.zeros(2)), "type is float8_e5m2"),
    ({}, (torch.zeros(2, dtype=torch.complex64), torch.zeros(2)), "`preds` must be real numbers"),
    ({}, (torch.zeros(2), torch.zeros(2, dtype=torch.complex64)), "`target` must be real numbers"),
    ({}, ([0.1, 0.2], torch.zeros(2)), "`preds` must be a tensor; it is list"),
    ({}, (torch.zeros(2).to_sparse(), torch.zeros(2)), "one is sparse"),
    ({}, (torch.zeros(2), torch.zeros(2).to_sparse()), "one is sparse"),
    ({"positive": 7}, (torch.zeros(2), torch.tensor([7.0, 1.0])), "whole numbers; its type is fl"),
    ({"positive": 257}, (torch.zeros(2), torch.tensor([1, 0]).byte()), "hold the positive label"),
    ({"num_classes": 2}, (torch.zeros(3, 2), torch.zeros(3, 2).long()), r"target.argmax\(1\)"),
    ({}, (torch.zeros(2, device="meta"), torch.zeros(2)), "must be on one device"),
]


@pytest.mark.parametrize(("how", "batch", "words"), BAD)
def test_bad_batches(how: dict, batch: tuple, words: str) -> None:
    with pytest.raises(InputError, match=words):
        RocCounts(**how).update(*batch)


LATE = [
    (
        {},
        (torch.tensor([1.0, torch.nan]), torch.tensor([0, 1])),
        "must not be NaN; NaN in 1 row of 2",
    ),
    ({}, (torch.zeros(3), torch.tensor([0, 1, 2])), "0 or 1; other labels in 1 row of 3"),
    ({}, (torch.zeros(2), torch.tensor([0.0, 0.5])), "0 or 1; other labels in 1 row of 2"),
    (
        {"num_classes": 2},
        (torch.zeros(2, 2), torch.tensor([0, 2])),
        "from 0 to 1; other labels in 1 row of 2. Name rows",
    ),
    ({}, (torch.tensor([1e300, 1.0], dtype=torch.float64), torch.tensor([0, 1])), r"2\*\*128"),
    ({}, (torch.tensor([2**60, 1]), torch.tensor([0, 1])), r"at most 2\*\*53"),
]


@pytest.mark.parametrize(("how", "batch", "words"), LATE)
def test_bad_rows_are_found_in_the_end(how: dict, batch: tuple, words: str) -> None:
    """The device is not asked during the loop, so nothing is refused there."""
    metric = RocCounts(**how)
    metric.update(*batch)
    with pytest.raises(InputError, match=words):
        metric.compute()


def test_long_floats_have_room_if_asked_for() -> None:
    scores = torch.tensor([1e300, -1e300, torch.inf, 0.5], dtype=torch.float64)
    labels = torch.tensor([1, 0, 1, 0])
    metric = RocCounts(dtype=torch.float64)
    metric.update(scores, labels)
    metric.update(scores.float().clamp(-1, 1), labels)
    expected = rb.ScoreCounts.from_arrays(labels.numpy(), scores.numpy()) + count(
        scores.clamp(-1, 1), labels
    )
    assert_same(metric.compute(), expected)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"num_classes": 2, "num_labels": 2}, "both were"),
        ({"num_classes": 1}, "must be a whole number from 2 on"),
        ({"num_labels": True}, "must be a whole number from 1 on"),
        ({"num_labels": 2, "names": ["a"]}, "must be 2 different names"),
        ({"num_labels": 2, "names": ["a", "b", "b"]}, "must be 2 different names"),
        ({"names": 3}, "must be one name; got 3"),
        ({"names": [""]}, "must be one name"),
        ({"positive": "a"}, "`positive` must be a whole number"),
        ({"ignore_index": 0.5}, "`ignore_index` must be a whole number"),
        ({"ignore_index": 1}, "another label than those that are counted"),
        ({"positive": 3, "ignore_index": 3}, "another label than those that are counted"),
        ({"num_classes": 3, "positive": 1}, "Each class is positive in its own curve"),
        ({"num_classes": 100}, r"less than 2 GB; those of 100 columns take 3\.3 GB"),
        ({"dtype": torch.float16}, "must be torch.float32 or torch.float64"),
    ],
)
def test_bad_settings(how: dict, words: str) -> None:
    with pytest.raises(InputError, match=words):
        RocCounts(**how)


def run(script: str, *args: str, **env: str) -> str:
    done = subprocess.run(
        [sys.executable, str(HERE / script), *args],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_two_processes_with_uneven_batches(tmp_path: Path) -> None:
    """By torch.distributed (gloo); the second process has fewer batches, and one of another size."""
    run("two_processes.py", str(tmp_path))
    scores, labels = draw(1000, seed=9)
    whole = count(scores, labels)
    for rank in (0, 1):
        assert_same(rb.ScoreCounts.load(tmp_path / f"{rank}.parquet"), whole)
        said, sizes = (tmp_path / f"{rank}.txt").read_text(encoding="utf-8").splitlines()
        assert "two labels; beside 1 there are 3 and 4" in said  # each process saw one of them
        assert sizes == "1000 1000"  # of metrics that share their counts


def test_the_kernel_counts_the_same_when_it_is_interpreted() -> None:
    pytest.importorskip("triton", reason="needs Triton, which comes with PyTorch for GPUs")
    assert run("interpreted_kernel.py", TRITON_INTERPRET="1").split() == ["10", "cases", "agree"]


def test_lightning_logs_the_area_with_limits_in_each_epoch(tmp_path: Path) -> None:
    pytest.importorskip("lightning", reason="needs Lightning: pip install lightning")
    lines = run("lightning_loop.py", str(tmp_path)).splitlines()
    assert len(lines) == 3
    for line in lines:
        low, area, high = map(float, line.split())
        assert 0 < low < area < high < 1
