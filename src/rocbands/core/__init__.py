"""The vocabulary of the package: samples, curves, bands, results, and the contract of methods."""
