"""Resampled test sets: drawn once here, used by every method that resamples."""
