"""Expected cost of decisions: cost curves, intervals for chosen thresholds, two classifiers."""
