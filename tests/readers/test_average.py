"""The average curve of readers, and its band for these readers."""

import numpy as np
import pytest

import rocbands as rb
from rocbands.readers.average import ReaderAverage, average_curve, pool_readers
from rocbands.resample.crossings import reweigh_crossings
from tests.oracles import reader_average as oracle


def make(x, y, clusters=None, case=None, reader=None):
    """Readings of one test; x: (readers, cases), NaN where not read."""
    who, what = np.nonzero(~np.isnan(x))
    case = np.arange(y.size) if case is None else case
    reader = np.arange(len(x)) if reader is None else reader
    more = {} if clusters is None else {"clusters": clusters[what]}
    return rb.Readings(
        y[what].astype(int), x[who, what], reader=reader[who], case=case[what], **more
    )


def draw(seed=1, readers=4, n=(12, 18), ties=True, shared=1.0, missing=0.0):
    rng = np.random.default_rng(seed)
    y = np.arange(sum(n)) < n[0]
    x = shared * rng.normal(size=y.size) + rng.normal(size=(readers, y.size)) + 1.5 * y
    x = x.round() if ties else x
    x[rng.random(x.shape) < missing] = np.nan
    return x, y


def study(x, y, **more):
    return rb.compare_readers(make(x, y), **more)


def test_the_average_is_that_of_the_separate_program():
    x, y = draw()
    band, labels = average_curve(make(x, y)), y.astype(int).tolist()
    for c in (0.07, 0.4, 0.93, 1.0, 1.31, 1.9):
        at, height = oracle.average(labels, x.tolist(), c)
        found = np.interp(c, band.centre.level(1.0), band.centre.x)
        assert found == pytest.approx(at, abs=1e-12)
        assert np.interp(c, band.centre.level(1.0), band.centre.y) == pytest.approx(height)
    areas = [oracle.area(labels, one) for one in x.tolist()]
    assert band.auc == pytest.approx(np.mean(areas), abs=1e-12)


def test_deviations_are_those_of_cases_drawn_with_all_their_readings():
    """The separate program draws cases; the library gives them random weights."""
    x, y = draw(n=(30, 30), readers=3)
    roc, c = pool_readers(make(x, y), "test"), np.array([0.5, 1.0, 1.5])
    found = reweigh_crossings(roc.folds, c, 1.0, 4000, np.random.default_rng(1)).std(axis=0)
    rng = np.random.default_rng(2)
    for line, own in zip(c.tolist(), found, strict=True):
        expected = oracle.deviation(y.astype(int).tolist(), x.tolist(), line, 800, rng)
        assert own == pytest.approx(expected, rel=0.12)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_area_is_the_mean_of_the_study(missing):
    for seed in range(5):
        found = study(*draw(seed, missing=missing))
        assert found.average_curve().auc == pytest.approx(found.means[0].estimate, abs=1e-12)


def test_order_names_and_monotone_transforms_change_nothing():
    x, y = draw(ties=False)
    first, rng = average_curve(make(x, y)), np.random.default_rng(3)
    cases, readers = rng.permutation(y.size), rng.permutation(len(x))
    other = np.exp(x[readers][:, cases] * np.array([[1.0], [2.0], [3.0], [0.5]]))
    names = np.array([f"patient {k}" for k in rng.permutation(y.size)])
    again = average_curve(make(other, y[cases], case=names, reader=np.array(list("WXYZ"))))
    at = np.linspace(0, 1, 21)
    assert first.simulation == again.simulation
    np.testing.assert_allclose(first.lower_at(at), again.lower_at(at), atol=1e-12)
    np.testing.assert_allclose(first.upper_at(at), again.upper_at(at), atol=1e-12)


def test_a_copied_reader_is_one_reader():
    """Copies share every case: nothing is learnt from them."""
    x, y = draw(readers=1, n=(40, 40))
    one, four = (average_curve(make(np.repeat(x, k, axis=0), y), rng=1) for k in (1, 4))
    assert four.auc == pytest.approx(one.auc)
    assert one.target == "true curve of one reader"
    assert four.area == pytest.approx(one.area, rel=0.06)


def test_copied_cases_of_one_patient_are_one_case():
    x, y = draw(n=(40, 40))
    one = average_curve(make(x, y), rng=1)
    twice = make(np.tile(x, 2), np.tile(y, 2), clusters=np.tile(np.arange(80), 2))
    clustered = average_curve(twice, rng=1)
    assert clustered.area == pytest.approx(one.area, rel=0.06)
    alone = average_curve(make(np.tile(x, 2), np.tile(y, 2)), rng=1)
    assert alone.area < 0.85 * one.area
    assert "patients are resampled" in clustered.notes[0]


def test_levels_are_nested_and_share_their_draws():
    roc = pool_readers(make(*draw(n=(40, 40))), "test")
    low, high = ReaderAverage().at_levels(roc, (0.8, 0.99))
    assert low.simulation.seed == high.simulation.seed
    at = np.linspace(0, 1, 51)
    assert (low.lower_at(at) >= high.lower_at(at) - 1e-12).all()
    assert (low.upper_at(at) <= high.upper_at(at) + 1e-12).all()
    assert low.contains((low.centre.x, low.centre.y))


def test_what_it_says():
    band = study(*draw(readers=3, n=(20, 30)), level=0.9).average_curve()
    assert band.level == 0.9  # that of the study
    assert band.coverage == "simultaneous"
    assert band.target == "average of 3 readers' true curves, for these readers"
    assert "20 positive and 30 negative cases" in band.notes[0]
    assert band.to_dict()["method"] == {"name": "reader-average", "n_resamples": 1000}
    with pytest.raises(rb.InputError, match="prevalence"):
        band.view("pr")  # readings are not cases: their number says nothing about the prevalence
    assert band.view("pr", prevalence=0.1).lower_at(0.5) >= 0.0


def test_perfect_readers_have_a_band_with_width():
    y = np.arange(40) < 20
    band = average_curve(make(np.tile(y.astype(float), (3, 1)), y))
    assert band.auc == 1.0
    assert 0.05 < band.area < 0.4
    assert band.contains(([0, 0, 1], [0, 1, 1]))


def test_readers_with_few_cases_of_their_own():
    """25 readers, each with two positives and two negatives: every draw has both classes."""
    x = np.full((25, 100), np.nan)
    y = np.arange(100) % 2 == 0
    own = np.arange(100) // 4 == np.arange(25)[:, None]
    x[own] = (np.random.default_rng(1).normal(size=(25, 100)) + y)[own]
    band = average_curve(make(x, y))
    assert not np.isnan(band.lower_at(np.linspace(0, 1, 11))).any()
    assert band.area < 0.6


def test_a_reader_without_a_class_is_left_out_with_a_note():
    x, y = draw()
    x[2, y] = np.nan
    band = average_curve(make(x, y))
    assert len(band.roc.folds) == 3
    assert "1 of 4 readers" in band.notes[-1]


def test_the_algorithm_is_no_reader():
    x, y = draw()
    found = rb.compare_readers(make(x, y), algorithm="1")
    assert len(found.average_curve().roc.folds) == 3


def test_errors_say_what_must_hold():
    x, y = draw()
    test, reader, case = (part.ravel() for part in np.indices((2, 4, 30)))
    names = np.array(["CT", "MR"])[test]
    two = rb.compare_readers(
        rb.Readings(y[case], np.tile(x, (2, 1)).ravel(), reader=reader, case=case, test=names)
    )
    assert two.average_curve("MR").target.endswith("these readers, under 'MR'")
    with pytest.raises(rb.InputError, match="`test` must be given; the tests are 'CT', 'MR'"):
        two.average_curve()
    with pytest.raises(rb.InputError, match="`test` must be"):
        two.average_curve("PET")
    with pytest.raises(rb.InputError, match="level"):
        two.average_curve("CT", level=95)
    with pytest.raises(rb.InputError, match="n_resamples"):
        two.average_curve("CT", n_resamples=3)
    split = np.array([np.where(y, x[0], np.nan), np.where(y, np.nan, x[1])])
    with pytest.raises(rb.InputError, match="a reader with cases of both classes"):
        average_curve(make(split, y))
