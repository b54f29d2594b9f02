"""Which band can be trusted on data like mine?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import rocbands as rb
from rocbands.core.region import DisplacedRegion
from rocbands.study import run
from rocbands.study.mine import Trust, my_study


@dataclass(frozen=True)
class Half(rb.FixedWidth):
    """A band half as wide as it should be: it must be found out."""

    def __call__(self, roc, **asked):
        band = super().__call__(roc, **asked)
        region = band.region
        return replace(band, region=DisplacedRegion(region.curve, region.dx / 2, region.slope))


@pytest.fixture(scope="module")
def roc() -> rb.RocCurve:
    y, models = rb.load_example()
    return rb.roc_curve(y, models["logistic"], positive="malignant")


def test_a_band_that_is_too_narrow_is_found_out(roc: rb.RocCurve) -> None:
    methods = [Half(n_resamples=99), rb.Likelihood(), rb.JointRegion()]
    trust = Trust(run(my_study(roc, methods, replicates=80), workers=1))
    verdicts = trust.to_frame("pandas").set_index("method")["verdict"]
    assert verdicts.iloc[0] == "too narrow"
    assert verdicts["likelihood"] == "holds"
    assert trust.best == "likelihood"
    assert "narrowest that holds is likelihood" in repr(trust)
    assert "not a proof" in repr(trust)


def test_nothing_is_recommended_when_nothing_holds(roc: rb.RocCurve) -> None:
    trust = Trust(run(my_study(roc, [Half(n_resamples=99)], replicates=80), workers=1))
    assert trust.best is None
    assert "None of them holds" in repr(trust)


def test_curves_of_later_test_sets(roc: rb.RocCurve) -> None:
    plan = my_study(roc, [rb.FixedWidth(n_resamples=99)], future=True, replicates=20)
    trust = Trust(run(plan, workers=1))
    assert trust.to_dict()["columns"]["holds"][0] > 0.8
    assert "future curve" in repr(trust)


def test_groups_and_folds_are_refused() -> None:
    y, score = np.tile([1, 0], 10), np.arange(20.0)
    grouped = rb.roc_curve(y, score, groups=np.repeat(np.arange(10), 2))
    with pytest.raises(rb.InputError, match="independent rows"):
        my_study(grouped, [rb.Likelihood()])
