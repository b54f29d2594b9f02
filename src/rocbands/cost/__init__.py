"""What decisions cost: cost curves, intervals for chosen thresholds, two classifiers compared."""
