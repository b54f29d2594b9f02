"""Roots of covariances: of any rank, and the same on every processor."""

from __future__ import annotations

import numpy as np
import pytest

from rocbands._math.products import find_root
from rocbands.resample.sign_flips import _find_largest


def test_a_root_has_the_covariance_of_any_rank() -> None:
    rng = np.random.default_rng(2)
    for rank in (1, 3, 6):
        rows = rng.normal(size=(6, rank))
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        root = find_root(rows @ rows.T)
        assert root @ root == pytest.approx(rows @ rows.T, abs=1e-8)
    # Rounding can make a matrix of rank one indefinite.
    near = np.ones((3, 3)) - 1e-6 * (1 - np.eye(3)) * np.array([0, 1, -1])
    near = (near + near.T) / 2
    assert np.linalg.eigvalsh(near)[0] < -1e-9
    root = find_root(near)
    assert root @ root == pytest.approx(near, abs=1e-5)


def test_rounding_errors_of_a_singular_matrix_stay_small() -> None:
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(60, 4))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    exact, noise = rows @ rows.T, rng.normal(size=(60, 60))
    root = find_root(exact)
    moved = find_root(exact + 1e-15 * (noise + noise.T))
    np.testing.assert_allclose(moved, root, atol=1e-9)
    turned = find_root(exact[::-1, ::-1])[::-1, ::-1]
    np.testing.assert_allclose(turned, root, atol=1e-9)


def test_the_largest_of_equal_values_do_not_depend_on_rounding() -> None:
    values = np.array([3.0, 1.0, 2.0, 1.0, 1.0, 5.0])
    for noise in (0.0, 1e-15, -1e-15):
        moved = values * (1.0 + noise * np.arange(6))
        assert _find_largest(moved, 4).tolist() == [0, 1, 2, 5]
    assert _find_largest(np.zeros(3), 2).tolist() == [0, 1]
