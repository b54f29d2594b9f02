"""The kernel of the likelihood method: distance, supremum, critical values. No band in it."""
