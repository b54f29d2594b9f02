"""How close two computed numbers must be to count as equal; nowhere else is this decided.

Rates, counts and distances are often equal on paper and differ in their last digits after a few
operations. Algorithms that stop when a step is small enough have thresholds of their own.
"""

from __future__ import annotations

# Two rates or probabilities closer than this are one number: both are of order 1, and each carries
# the rounding errors of a few operations of 1e-16.
SAME = 1e-12

# What exceeds a bound by no more than this meets it. Ranks, counts and displacements take values on
# a lattice and often equal their bound exactly; products of up to 1e6 cases are off by about 1e-10.
SLACK = 1e-9
