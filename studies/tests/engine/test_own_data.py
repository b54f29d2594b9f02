"""Which band can be trusted on data like mine?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import rocbands as rb
from rocbands.core.region import DisplacedRegion
from rocbands_studies import run
from rocbands_studies.own_data import OwnDataResult, fit_binormal_population, plan_own_data


@dataclass(frozen=True)
class Half(rb.bands.FixedWidth):
    """A band half as wide as it should be: it must be found out."""

    def __call__(self, roc, **asked):
        band = super().__call__(roc, **asked)
        region = band.region
        return replace(band, region=DisplacedRegion(region.curve, region.dx / 2, region.slope))


@pytest.fixture(scope="module")
def roc() -> rb.RocCurve:
    sample = rb.load_example()
    return rb.roc_curve(sample["logistic"])


@pytest.mark.simulation
def test_a_band_that_is_too_narrow_is_found_out(roc: rb.RocCurve) -> None:
    methods = [Half(n_resamples=99), rb.bands.Likelihood(), rb.bands.JointRegion()]
    trust = OwnDataResult(run(plan_own_data(roc, methods, replicates=80), workers=1))
    verdicts = trust.to_frame("pandas").set_index("method")["verdict"]
    assert verdicts.iloc[0] == "too narrow"
    assert verdicts["likelihood"] == "holds"
    assert trust.best == "likelihood"
    assert "narrowest band that attains its level is likelihood" in str(trust)
    assert "not a proof" in str(trust)


def test_nothing_is_recommended_when_nothing_holds(roc: rb.RocCurve) -> None:
    trust = OwnDataResult(run(plan_own_data(roc, [Half(n_resamples=99)], replicates=80), workers=1))
    assert trust.best is None
    assert "no band attains its level" in str(trust)


def test_curves_of_later_test_sets(roc: rb.RocCurve) -> None:
    plan = plan_own_data(roc, [rb.bands.FixedWidth(n_resamples=99)], future=True, replicates=20)
    trust = OwnDataResult(run(plan, workers=1))
    assert trust.to_dict()["columns"]["holds"][0] > 0.8
    assert "future curve" in " ".join(str(trust).split())


def test_clusters_and_folds_are_refused() -> None:
    y, score = np.tile([1, 0], 10), np.arange(20.0)
    clustered = rb.Sample(y, score, clusters=np.repeat(np.arange(10), 2)).roc
    with pytest.raises(rb.InputError, match="independent rows"):
        plan_own_data(clustered, [rb.bands.Likelihood()])


def test_separated_classes_on_levels_do_not_recommend_a_band_without_width() -> None:
    roc = rb.roc_curve(np.repeat([1, 0], 10), np.repeat([1.0, 0.0], 10))
    plan = plan_own_data(roc, [rb.bands.Likelihood(), rb.bands.VerticalAverage()], replicates=40)
    trust = OwnDataResult(run(plan, workers=1))
    assert trust.best == "likelihood"
    assert "half a row more on each level" in str(trust)


def test_equal_scores_are_refused() -> None:
    with pytest.raises(rb.InputError, match="All scores are equal"):
        plan_own_data(rb.roc_curve([1, 0, 1, 0], [3, 3, 3, 3]), [rb.bands.Likelihood()])


@pytest.mark.simulation
def test_working_hotelling_is_judged_on_binormal_scores() -> None:
    rng, y = np.random.default_rng(1), np.repeat([1, 0], 60)
    roc = rb.roc_curve(y, np.exp(rng.normal(size=120) + 1.2 * y))  # normal after a transform
    population = fit_binormal_population(roc)
    assert population.truth.area == pytest.approx(roc.auc, abs=0.02)
    plan = plan_own_data(roc, [rb.bands.Likelihood(), rb.bands.WorkingHotelling()], replicates=40)
    trust = OwnDataResult(run(plan, workers=1))
    columns = trust.to_dict()["columns"]
    assert columns["verdict"] == ["holds", "holds"]
    assert columns["area"][1] < columns["area"][0]
    assert trust.best == "likelihood"
    assert "evaluated on binormal scores fitted to yours" in str(trust)


def test_working_hotelling_is_refused_where_scores_are_not_binormal() -> None:
    rng, y = np.random.default_rng(1), np.repeat([1, 0], 200)
    two_kinds = rb.roc_curve(y, rng.normal(size=400) + 4 * y * rng.integers(0, 2, 400))
    separated = rb.roc_curve(np.repeat([1, 0], 4), np.arange(8.0)[::-1])
    for roc, why in ((two_kinds, "do not look binormal"), (separated, "no binormal curve fits")):
        with pytest.raises(rb.InputError, match=why):
            plan_own_data(roc, [rb.bands.WorkingHotelling()])


def test_one_sure_share_of_later_curves_is_not_certainty() -> None:
    roc = rb.roc_curve(np.repeat([1, 0], 10), np.arange(20.0)[::-1])
    trust = OwnDataResult(
        run(plan_own_data(roc, [rb.bands.Likelihood()], future=True, replicates=20), workers=1)
    )
    row = {name: column[0] for name, column in trust.to_dict()["columns"].items()}
    assert row["holds"] == 1.0
    assert row["low"] < 0.95
    assert row["verdict"] == "holds"
