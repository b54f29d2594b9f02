"""Measured coverage: populations, statements, and the pages that are written of them."""
