"""Tensors are counted on their device, with the keys and counts of NumPy's arrays, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb
from rocbands.errors import InputError
from rocbands.scale.bins import INFINITE, bin_keys
from rocbands.scale.devices import find_device
from rocbands.scale.tensors import Cells, LabelRule, add_rows, read_bins
from tests.scale.nasty import assert_same, labels_for, nasty_scores

torch = pytest.importorskip("torch", reason='needs PyTorch: pip install ".[torch]"')
PLACES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=["plain", *(["kernel"] if torch.cuda.is_available() else [])])
def way(request: pytest.FixtureRequest, place: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to count on a GPU; elsewhere there is one."""
    if request.param == "kernel" and place == "cpu":
        pytest.skip("the kernel is for GPUs")
    if request.param == "plain":
        monkeypatch.setattr("rocbands.scale.tensors.find_kernel", lambda *_: None)
    return request.param


def every_short_float(kind: torch.dtype) -> torch.Tensor:
    """All 2**16 floats of 16 bits but NaN."""
    bits = torch.from_numpy(np.arange(2**16, dtype=np.uint16).view(np.int16))
    found = bits.view(kind)
    return found[~found.isnan()]


def some_floats() -> torch.Tensor:
    """32-bit floats with every sign, exponent and first bit, around both ends of each bin's bits."""
    top = np.arange(2**16, dtype=np.uint32) << 16
    low = np.array([0, 1, 0x7FF, 0x800, 0x801, 0x7FFF, 0xF800, 0xFFFF], dtype=np.uint32)
    found = (top[:, None] | low).ravel().view(np.float32)
    return torch.from_numpy(found[~np.isnan(found)])


def count(scores: torch.Tensor, place: str) -> rb.ScoreCounts:
    labels = torch.arange(scores.numel()) % 3 == 0
    return rb.ScoreCounts.from_arrays(labels.to(place), scores.to(place))


def count_here(scores: np.ndarray) -> rb.ScoreCounts:
    return rb.ScoreCounts.from_arrays(np.arange(scores.size) % 3 == 0, scores)


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
def test_all_short_floats(kind: torch.dtype, place: str, way: str) -> None:
    scores = every_short_float(kind)
    assert scores.numel() > 63_000
    assert_same(count(scores, place), count_here(scores.float().numpy()))


def test_floats_of_all_exponents(place: str, way: str) -> None:
    scores = some_floats()
    assert scores.numel() > 500_000
    assert_same(count(scores, place), count_here(scores.numpy()))


def test_long_floats(place: str, way: str) -> None:
    scores = nasty_scores()
    y = labels_for(scores)
    found = rb.ScoreCounts.from_arrays(
        torch.from_numpy(y).to(place), torch.from_numpy(scores).to(place)
    )
    assert_same(found, rb.ScoreCounts.from_arrays(y, scores))


@pytest.mark.parametrize(
    "kind", [torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
)
def test_whole_numbers(kind: torch.dtype, place: str) -> None:
    ends = (False, True) if kind == torch.bool else (torch.iinfo(kind).min, torch.iinfo(kind).max)
    most = 2**53
    scores = [max(ends[0], -most), 0, 1, min(ends[1], most), ends[0] < 0 and -1, 1]
    column = torch.tensor(scores, dtype=kind)
    assert_same(count(column, place), count_here(column.numpy()))


def test_keys_themselves(place: str, way: str) -> None:
    """Without the rest of the package: dense counts are those of NumPy's keys."""
    scores = some_floats()
    device, cells = find_device(scores), Cells()
    counts = add_rows(
        device,
        torch.zeros(cells.size, dtype=torch.int64, device=place),
        scores[:, None].to(place),
        torch.ones((scores.numel(), 1), dtype=torch.int64, device=place),
        LabelRule(),
        cells,
    )
    found = read_bins(device, counts, cells)
    keys, sizes = np.unique(bin_keys(scores.numpy()), return_counts=True)
    assert np.array_equal(found.keys, keys)
    assert np.array_equal(found.positives, sizes)
    assert not found.negatives.any()
    assert keys[-1] == INFINITE


def test_several_models_and_several_labels(place: str) -> None:
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, (2, 400))
    scores = {"a": rng.normal(size=400), "b": rng.normal(size=400).astype(np.float32)}
    there = {name: torch.from_numpy(column).to(place) for name, column in scores.items()}
    keep = rng.uniform(size=400) < 0.7
    first, mask = torch.from_numpy(y[0]).to(place), torch.from_numpy(keep).to(place)
    assert_same(rb.ScoreCounts.from_arrays(first, there), rb.ScoreCounts.from_arrays(y[0], scores))
    assert_same(
        rb.ScoreCounts.from_arrays(first, there, mask=mask),
        rb.ScoreCounts.from_arrays(y[0], scores, mask=keep),
    )
    kept = {name: column[keep] for name, column in scores.items()}
    assert_same(
        rb.ScoreCounts.from_arrays(y[0], scores, mask=keep),
        rb.ScoreCounts.from_arrays(y[0][keep], kept),
    )
    labels = dict(zip("ab", torch.from_numpy(y).to(place), strict=True))
    own = rb.ScoreCounts.from_arrays(labels, there, mask={"a": mask, "b": ~mask})
    assert own.models == ("a", "b")
    for name, rows, part in (("a", y[0], keep), ("b", y[1], ~keep)):
        alone = rb.ScoreCounts.from_arrays(rows[part], {name: scores[name][part]})
        assert_same(own[name], alone)


@pytest.mark.parametrize("mask_on_host", [True, False])
def test_labels_in_masked_rows_do_not_matter(place: str, mask_on_host: bool) -> None:
    y = torch.tensor([0, 1, -100, 1, 0, -100])
    mask = y != -100
    scores = torch.arange(6.0)
    found = rb.ScoreCounts.from_arrays(
        y.to(place), scores.to(place), mask=mask.numpy() if mask_on_host else mask.to(place)
    )
    assert (found.n_pos, found.n_neg) == (2, 2)
    assert (found.positive, found.negative) == ("1", "0")


def test_labels_of_any_kind(place: str) -> None:
    scores = np.array([0.1, 0.7, 0.3, 0.9])
    there = torch.from_numpy(scores).to(place)
    for y, how in (
        (np.array([0.0, 1.0, 0.0, 1.0]), {}),
        (np.array([-1, 1, -1, 1]), {}),
        (np.array([3, 7, 3, 7]), {"positive": 7}),
        (np.array([3, 7, 4, 7]), {"positive": 7, "rest": True}),
        (np.array([False, True, False, True]), {}),
        (np.array([1, 1, 1, 1]), {}),
        (np.array([0, 0, 0, 0]), {}),
        (np.array([3, 7, 3, 7], dtype=np.uint16), {"positive": 7}),
        (np.full(4, 1e17), {"positive": 5.0}),  # to which adding 1 changes nothing
        (np.array([0.1, 0.7, 0.1, 0.7]), {"positive": 0.7}),
    ):
        here = rb.ScoreCounts.from_arrays(y, scores, **how)
        assert_same(rb.ScoreCounts.from_arrays(torch.from_numpy(y).to(place), there, **how), here)
        assert_same(rb.ScoreCounts.from_arrays(y, there, **how), here)  # labels on the host
    words = ["ill", "well", "ill", "ill"]
    assert_same(
        rb.ScoreCounts.from_arrays(words, there, positive="ill"),
        rb.ScoreCounts.from_arrays(words, scores, positive="ill"),
    )


def test_weights_parts_and_exact_scores_come_to_the_host(place: str) -> None:
    y, x = np.array([0, 1, 0, 1, 1]), np.array([0.1, 0.7, 0.3, 0.9, 0.2], dtype=np.float32)
    w, by = np.array([1.0, 2, 3, 1, 1]), np.array([1, 1, 2, 2, 2])
    for how in ({"weights": w}, {"by": by}, {"exact": True}):
        there = {
            name: torch.from_numpy(value).to(place) if isinstance(value, np.ndarray) else value
            for name, value in how.items()
        }
        here = rb.ScoreCounts.from_arrays(y, x, **how)
        found = rb.ScoreCounts.from_arrays(
            torch.from_numpy(y).to(place), torch.from_numpy(x).to(place), **there
        )
        assert_same(found, here)
        if here.weights is not None:
            assert np.array_equal(found.weights, here.weights)


def test_a_sample_takes_tensors_with_gradients(place: str) -> None:
    y = torch.tensor([0, 1, 1, 0], device=place)
    x = torch.tensor([0.1, 0.5, 0.3, 0.4], device=place, dtype=torch.bfloat16, requires_grad=True)
    sample = rb.Sample(
        y, {"net": x, "other": -x}, clusters=torch.tensor([1, 1, 2, 2], device=place)
    )
    assert sample.models == ("net", "other")
    host = x.detach().float().cpu().numpy()
    assert np.array_equal(sample["net"].values, host)
    assert rb.auc_interval(y, x).estimate == rb.auc_interval([0, 1, 1, 0], host).estimate


BAD = [
    ((torch.tensor([0, 1]), torch.zeros(3)), r"has shape \(2,\), scores \(3,\)"),
    ((torch.tensor([0, 1]), torch.tensor([1.0, torch.nan])), "must not be NaN; NaN in 1 row of 2"),
    ((torch.tensor([0, 1, 2]), torch.zeros(3)), "must contain two labels; it has 3: 0, 1, 2"),
    ((torch.tensor([0.0, torch.nan]), torch.zeros(2)), "some are NaN. Leave such rows out"),
    ((torch.tensor([1, 2]), torch.zeros(2)), "Pass positive=1 or positive=2"),
    (
        (torch.tensor([0, 1]), torch.tensor([0, 2**53 + 1])),
        r"at most 2\*\*53; larger in 1 row of 2",
    ),
    ((torch.tensor([0, 1]), torch.zeros(2).to(torch.float8_e4m3fn)), "type is float8_e4m3fn"),
    ((torch.tensor([0, 1]), torch.zeros(2, dtype=torch.complex64)), "the type is complex64"),
    ((torch.tensor([0, 1]), torch.tensor([2**64 - 1, 5], dtype=torch.uint64)), "larger in 1 row"),
    ((torch.tensor([0, 1]), torch.zeros(2).to_sparse()), "one is sparse"),
    ((torch.zeros(2, dtype=torch.complex64), torch.zeros(2)), "`y_true` must be real numbers"),
    ((torch.tensor([0, 1]), torch.zeros(2, 2)), r"one-dimensional; it has shape \(2, 2\)"),
    ((torch.tensor([]), torch.tensor([])), "must not be empty"),
    ((torch.tensor([0, 1]), {"a": torch.zeros(2), "b": torch.zeros(3)}), r"has shape \(3,\)"),
]


@pytest.mark.parametrize(("given", "words"), BAD)
def test_bad_tensors(given: tuple, words: str, place: str) -> None:
    y, scores = given
    there = (
        {name: column.to(place) for name, column in scores.items()}
        if isinstance(scores, dict)
        else scores.to(place)
    )
    with pytest.raises(InputError, match=words):
        rb.ScoreCounts.from_arrays(y.to(place), there)


def test_masks_that_do_not_fit() -> None:
    y, x = torch.tensor([0, 1, 1]), torch.zeros(3)
    for mask in (torch.ones(3), np.ones(3)):
        with pytest.raises(InputError, match="`mask` must be true for the rows"):
            rb.ScoreCounts.from_arrays(y, x, mask=mask)
    for mask in (torch.ones(2, dtype=torch.bool), np.ones(2, dtype=bool)):
        with pytest.raises(InputError, match="one value for each row"):
            rb.ScoreCounts.from_arrays(y, x, mask=mask)
        with pytest.raises(InputError, match="one value for each row"):
            rb.ScoreCounts.from_arrays(y.numpy(), x.numpy(), mask=mask)
    with pytest.raises(InputError, match="it has 3, and `y_true` has 2 rows"):
        rb.ScoreCounts.from_arrays([0, 1], x, mask=torch.ones(3, dtype=torch.bool))
    with pytest.raises(InputError, match="must be true for the rows"):
        rb.ScoreCounts.from_arrays(y, x, mask=[True, None, True])
    with pytest.raises(InputError, match="must not be empty"):
        rb.ScoreCounts.from_arrays(y, x, mask=torch.zeros(3, dtype=torch.bool))
    with pytest.raises(InputError, match="must have the names of `y_score`"):
        rb.ScoreCounts.from_arrays({"a": y}, {"b": x})


def test_tensors_of_different_devices() -> None:
    """The device without memory serves where there is no second one."""
    other = torch.zeros(2, device="meta")
    with pytest.raises(InputError, match="on one device; `y_true` is on meta, scores are on cpu"):
        rb.ScoreCounts.from_arrays(other, torch.tensor([0.1, 0.2]))


def test_rows_in_several_passes(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rocbands.scale.tensors.ROWS", 64)
    monkeypatch.setattr("rocbands.scale.tensors.find_kernel", lambda *_: None)
    scores = torch.randn(1000)
    assert_same(count(scores, place), count_here(scores.numpy()))


def test_odd_tensors_in_a_sample() -> None:
    y = torch.tensor([0, 1])
    for scores, words in (
        (torch.zeros(2, device="meta"), "has no values"),
        (torch.zeros(2).to_sparse(), "is sparse"),
        (torch.zeros(2).to(torch.float8_e5m2), "the type is float8_e5m2"),
    ):
        with pytest.raises(InputError, match=words):
            rb.Sample(y, scores)
    flipped = torch.complex(torch.zeros(2), torch.tensor([1.0, 2.0])).conj().imag  # negative bit
    assert rb.Sample(y, flipped).values.tolist() == [-1.0, -2.0]
    assert rb.ScoreCounts.from_arrays(y, flipped).roc.auc == 0.0


def test_strided_tensors(place: str) -> None:
    table = torch.randn(60, 4).to(place)
    y = (torch.arange(60) % 2).to(place)
    here = rb.ScoreCounts.from_arrays(y.cpu().numpy(), table.cpu().numpy()[:, 2])
    assert_same(rb.ScoreCounts.from_arrays(y, table[:, 2]), here)
    assert_same(
        rb.ScoreCounts.from_arrays(y[::3], table[::3, 1]),
        rb.ScoreCounts.from_arrays(y[::3].cpu().numpy(), table[::3, 1].cpu().numpy()),
    )
