"""Entries of the shipped tables of the likelihood band are made again."""

from __future__ import annotations

import numpy as np
import pytest

from rocbands.likelihood import chance
from rocbands_studies.tables import chance_table, excess_surface
from tests.oracles.excess import excess_at


@pytest.mark.parametrize(("small", "large"), [(1, 7), (4, 5), (3, 12)])
def test_entries_of_the_table_of_chance_are_made_again(small: int, large: int) -> None:
    made = chance_table.rounded_up(np.array(chance_table.measure(small, large)["c"]))
    entry = chance.load_table().both_small[small - 1, large - 1]
    np.testing.assert_allclose(made * chance.UNIT, entry, atol=1e-12)


def test_the_surface_fits_what_is_made_again() -> None:
    """Quantiles of 10,000 test sets, within the misfit of the polynomial and their own error."""
    made = excess_surface.measure(25, 50, 2.0)
    for level, quantile in zip(made["levels"], made["q"], strict=True):  # type: ignore[call-overload]
        fitted = chance.critical_value(25, 50, level) + excess_at(2.0, 25, 50, level)
        error = np.sqrt(level / (1 - level) / 10_000)
        assert quantile == pytest.approx(fitted, abs=0.1 + 4 * error)
