"""Basic classes of the package: samples, curves, bands, results, and methods."""
