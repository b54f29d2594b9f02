"""What the tests of designs share."""

import numpy as np
import pytest

from rocbands.comparison import joint_limits


@pytest.fixture
def no_bumps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take curves to have no bumps: limits there are those of tests/comparison/test_bumps."""
    monkeypatch.setattr(joint_limits, "find_bumps", lambda *asked: np.empty((0, 2)))
