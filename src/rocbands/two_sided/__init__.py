"""Markers whose low and high values both point to positives: the two-sided ROC curve."""
