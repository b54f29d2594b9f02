"""Campaigns of random calls, broken files and signals against the package.

They run in a checkout, from its root: reader studies are drawn by `tests.readers.designs`.
"""
