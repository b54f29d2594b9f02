"""Tolerances for the comparison of computed numbers, used everywhere.

Rates, counts and distances are often equal in theory but differ in their last digits. Iterative
algorithms have their own tolerances for convergence.
"""

from __future__ import annotations

# Rates or probabilities that differ by less than this are equal: both are of order 1, with rounding
# errors of a few operations of 1e-16.
SAME = 1e-12

# Values that exceed a bound by at most this satisfy it. Ranks, counts and displacements often equal
# their bound exactly; products of up to 1e6 cases have errors of about 1e-10.
SLACK = 1e-9
