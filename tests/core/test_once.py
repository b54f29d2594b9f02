"""What is computed once for each curve lives as long as the curve."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import rocbands as rb
from rocbands.core.checks import once_for_each
from rocbands.design.effective_sizes import summarize_sizes
from rocbands.design.row_design import RowDesign
from rocbands.design.running_sums import UnitChanges


def clustered() -> rb.RocCurve:
    rng = np.random.default_rng(1)
    return rb.Sample(np.arange(90) % 3 == 0, rng.normal(size=90), clusters=np.arange(90) // 2).roc


def test_it_is_computed_once_for_each_object() -> None:
    class Owner:
        pass

    calls: list[Owner] = []
    find = once_for_each(lambda owner: calls.append(owner) or len(calls))  # type: ignore[func-returns-value]
    one, two = Owner(), Owner()
    assert [find(one), find(one), find(two), find(one)] == [1, 1, 2, 1]


@pytest.mark.parametrize("find", [RowDesign.of_curve, summarize_sizes])
def test_a_curve_is_not_kept_by_what_is_known_of_it(find) -> None:
    roc = clustered()
    assert find(roc) is find(roc)
    UnitChanges.of_rows(RowDesign.of_curve(roc))
    alive = weakref.ref(roc)
    del roc
    gc.collect()
    assert alive() is None
