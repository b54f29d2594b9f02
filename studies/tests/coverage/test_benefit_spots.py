"""Quick looks: a model is seldom called better than treating all and none, or than its equal."""

from __future__ import annotations

import pytest

from rocbands_studies.coverage import benefit_claims as claims
from rocbands_studies.coverage.benefit import FIVE, WORLDS, measure
from rocbands_studies.coverage.judge import may_lie_in

SETS = 400
PAIRS = 200


@pytest.mark.simulation
@pytest.mark.parametrize("name", ["d 1, too high", "d 1, too extreme"])
def test_claims_of_net_benefit(name: str) -> None:
    found = (SETS * measure(WORLDS[name], 100, SETS)).round().astype(int)
    leads, (whole, one, any_, together, naive) = found[: len(FIVE)], found[len(FIVE) :]
    assert all(may_lie_in(held, SETS, 0.93, 1.0, 0.999) for held in leads)
    assert may_lie_in(whole, SETS, 0.93, 1.0, 0.999)
    assert may_lie_in(one, SETS, 0.0, 0.035, 0.999)
    assert may_lie_in(any_, SETS, 0.0, 0.05, 0.999)
    assert may_lie_in(together, SETS, 0.0, 0.025, 0.999)
    # Negative control: the estimate alone claims it in half of the data sets.
    assert not may_lie_in(naive, SETS, 0.0, 0.035, 0.999)


@pytest.mark.simulation
@pytest.mark.parametrize("name", ["review 1", "groups of 10", "two sets"])
def test_equal_models_are_seldom_called_different(name: str) -> None:
    """At most .05 and two standard errors; pointwise limits, the negative control, fail."""
    most = 0.05 + 2.0 * (0.05 * 0.95 / PAIRS) ** 0.5
    found = claims.measure(claims.WORLDS[name], PAIRS, seed=2)
    pointwise, simultaneous = found["claims"]
    assert simultaneous <= most < pointwise
    assert found["worse"][1] <= most
    assert found["lead"][0] < 0.95 - (most - 0.05) <= found["lead"][1]
