"""Settings that hold for every test."""

from __future__ import annotations

import pytest
from hypothesis import settings

# The same few examples in every run; `pytest --hypothesis-profile=thorough` looks for others.
settings.register_profile("rocbands", deadline=None, derandomize=True, max_examples=40)
settings.register_profile("thorough", deadline=None, max_examples=500)
settings.load_profile("rocbands")

# Tests that `make check` leaves out: by folder or file, and single ones that take a second or more.
# A test may also be marked where it stands, by pytest.mark.slow.
SLOW = (
    "papers/tests/",
    "tests/coverage/",
    "tests/engines/",
    "tests/fuzz/",
    "tests/repo/test_benchmarks.py",
    "tests/repo/test_consoles.py",
    "tests/repo/test_site.py",
    "tests/reporting/test_browser.py",
    "tests/scale/test_clusters.py",
    "tests/scale/test_postgres.py",
    "tests/study/test_engine.py",
    "tests/bands/test_at_levels.py::test_as_if_asked_one_by_one",
    "tests/bands/test_at_levels.py::test_bands_at_several_levels_are_those_of_single_calls",
    "tests/bands/test_bins.py::test_band_of_bins_holds_the_exact_one",
    "tests/bands/test_resampled_bands.py::TestFoldAverage::test_large_samples",
    "tests/bands/test_resampled_bands.py::TestFoldAverage::test_the_curve_itself_is_inside",
    "tests/bands/test_vertical.py::test_the_law_is_that_of_200_000_real_resamples",
    "tests/bands/test_working_hotelling.py::test_a_binormal_curve_is_judged",
    "tests/bands/test_working_hotelling.py::test_fifty_random_sets",
    "tests/bands/test_working_hotelling.py::test_polylines_point_by_point",
    "tests/bands/test_working_hotelling.py::test_the_check_is_seldom_wrong",
    "tests/cli/test_counts.py::test_a_report_of_counts",
    "tests/cli/test_examples.py",
    "tests/cli/test_process.py",
    "tests/cli/test_rate.py::test_every_option_reaches_the_library",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith(SLOW):
            item.add_marker(pytest.mark.slow)
