"""The true law of the cost over all resamples, one classifier: no resample is drawn."""

from __future__ import annotations

from rocbands._math.lattice import LatticeSum, binomial_lattice

__all__ = ["full_law", "stratified_law"]


def stratified_law(
    fn: int, n_pos: int, fp: int, n_neg: int, c_fn: float, c_fp: float
) -> LatticeSum:
    """Law of c_fn FN + c_fp FP over resamples that keep the class sizes.

    Examples
    --------
    >>> law = stratified_law(14, 40, 6, 25, c_fn=0.3 / 40, c_fp=0.7 / 25)
    >>> print("{:.4f} {:.4f}".format(*law.limits(0.9)))
    0.1720 0.3815
    """
    return LatticeSum.independent(
        binomial_lattice(fn, n_pos), binomial_lattice(fp, n_neg), c_fn, c_fp
    )


def full_law(fn: int, fp: int, size: int, c_fn: float, c_fp: float) -> LatticeSum:
    """Law of c_fn FN + c_fp FP over resamples of all rows together.

    Examples
    --------
    >>> law = full_law(14, 6, 65, c_fn=1 / 65, c_fp=1 / 3 / 65)
    >>> print("{:.4f} {:.4f}".format(*law.limits(0.9)))
    0.1641 0.3333
    """
    return LatticeSum.trinomial(fn, fp, size, c_fn, c_fp)
