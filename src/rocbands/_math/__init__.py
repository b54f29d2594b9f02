"""Statistics that know nothing of ROC curves."""
