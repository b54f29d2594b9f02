"""Sums of two lattices: against complete enumeration, and as mirror images of themselves."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from rocbands.cost.exact import Lattice, LatticeSum, binomial_lattice

masses = st.lists(st.integers(0, 6), min_size=1, max_size=6).filter(any)
steps = st.sampled_from([Fraction(x) for x in ("0", "1/3", "1/2", "1/7", "3/10", "1", "1000003")])


def listed(table: np.ndarray, first: tuple[int, int], a: Fraction, b: Fraction) -> dict:
    law: dict[Fraction, Fraction] = {}
    total = int(table.sum())
    for (i, j), mass in np.ndenumerate(table):
        c = a * (first[0] + i) + b * (first[1] + j)
        law[c] = law.get(c, Fraction(0)) + Fraction(int(mass), total)
    return {c: p for c, p in law.items() if p}


def check(law: LatticeSum, exact: dict[Fraction, Fraction], level: Fraction) -> None:
    tail, total, low, high = (1 - level) / 2, Fraction(0), None, None
    for c in sorted(exact):
        total += exact[c]
        assert law.cdf(float(c)) == pytest.approx(float(total), abs=1e-14)
        low = c if low is None and total > tail else low
        high = c if high is None and total >= 1 - tail else high
    assert law.limits(float(level)) == pytest.approx((float(low), float(high)), rel=1e-12, abs=1e-9)


@given(masses, masses, st.integers(-4, 4), st.integers(-4, 4), steps, steps, st.integers(1, 19))
def test_independent_and_joint_laws_by_listing_all_sums(one, two, u, v, a, b, twentieths) -> None:
    if a == b == 0:
        return
    level = Fraction(twentieths, 20)
    first, second = (np.array(m, float) / sum(m) for m in (one, two))
    table = np.outer(one, two)
    exact = listed(table, (u, v), a, b)
    check(
        LatticeSum.independent(Lattice(u, first), Lattice(v, second), float(a), float(b)),
        exact,
        level,
    )
    check(LatticeSum.joint(table / table.sum(), (u, v), float(a), float(b)), exact, level)


@given(
    st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=1, max_size=5),
    steps,
    steps,
)
def test_joint_laws_of_dependent_numbers(rows, a, b) -> None:
    table = np.array(rows)
    if table.sum() == 0 or a == b == 0:
        return
    law = LatticeSum.joint(table / table.sum(), (-2, 3), float(a), float(b))
    check(law, listed(table, (-2, 3), a, b), Fraction(9, 10))


@given(st.integers(0, 12), st.integers(0, 12), st.integers(1, 9), steps, steps, st.integers(1, 19))
def test_trinomial_law_is_its_table(u, v, right, a, b, twentieths) -> None:
    if a == b == 0:
        return
    n = u + v + right
    table = np.zeros((n + 1, n + 1))
    for i in range(n + 1):
        rest = binom.pmf(np.arange(n - i + 1), n - i, v / (n - u))
        table[i, : n - i + 1] = binom.pmf(i, n, u / n) * rest
    level = twentieths / 20 + 0.0123  # no probability is exactly there
    one = LatticeSum.trinomial(u, v, n, float(a), float(b))
    other = LatticeSum.joint(table, (0, 0), float(a), float(b))
    for c in np.linspace(0, float(a) * n + float(b) * n, 17):
        assert one.cdf(c) == pytest.approx(other.cdf(c), abs=1e-12)
    assert one.limits(level) == pytest.approx(other.limits(level), rel=1e-12, abs=1e-9)


@pytest.mark.parametrize(
    ("count", "size"),
    [(1, 3), (7, 1000), (500, 1000), (3, 10**6), (10**6 - 3, 10**6), (412_345, 10**6)],
)
def test_binomial_masses(count: int, size: int) -> None:
    found = binomial_lattice(count, size)
    assert found.mass.sum() == pytest.approx(1.0, abs=1e-15)
    assert found.mass == pytest.approx(
        binom.pmf(found.values, size, count / size), rel=2e-8, abs=1e-17
    )
    inside = binom.cdf(found.values[-1], size, count / size)
    assert inside - binom.cdf(found.values[0] - 1, size, count / size) == pytest.approx(
        1.0, abs=1e-15
    )


@given(st.integers(0, 9), st.integers(1, 9), st.integers(0, 9), st.integers(1, 9), steps, steps)
def test_a_mirrored_law_has_mirrored_limits(u, m, v, k, a, b) -> None:
    u, v, a, b = min(u, m), min(v, k), float(a), float(b)
    if a == b == 0:
        return
    whole = a * m + b * k
    law = LatticeSum.independent(binomial_lattice(u, m), binomial_lattice(v, k), a, b)
    back = LatticeSum.independent(binomial_lattice(m - u, m), binomial_lattice(k - v, k), a, b)
    for level in (0.5, 0.9, 0.99):
        low, high = law.limits(level)
        assert (whole - high, whole - low) == pytest.approx(
            back.limits(level), abs=1e-9 * (1 + whole)
        )
