"""Operating points: thresholds, and limits for what they achieve."""
