"""Expected cost of a decision: cost curves, intervals for chosen thresholds, and two classifiers."""
