"""The shipped table of Berk and Jones' statistic is what its maker makes."""

from __future__ import annotations

from math import log

import pytest

from rocbands.bands.joint_region import berk_jones_quantile, load_table
from rocbands_studies.tables.berk_jones_table import drift, probability

LEVELS = (0.3, 0.5, 0.8, 0.9**0.5, 0.95**0.5, 0.999)


@pytest.mark.parametrize("size", [13, 29, 300, 2500, 20_000])
def test_the_exact_recursion_between_and_beyond_the_tables_sizes(size: int) -> None:
    assert size not in load_table().sizes
    for level in LEVELS if size < 1000 else (0.9**0.5,):
        found = berk_jones_quantile(level, size)
        assert probability(found, size) >= level > probability(0.999 * found, size)


def test_the_table_is_what_the_tool_makes() -> None:
    table = load_table()
    for i, j in [(0, 5), (1, 30), (14, 40), (25, 20), (30, 59)]:
        made = -log(probability(table.values[j], int(table.sizes[i])))
        assert table.strain[i, j] == pytest.approx(made, rel=1e-5)
    assert table.drift[25] == pytest.approx(drift(table.values[25]), rel=1e-9)
