"""Statistical functions that do not depend on ROC curves."""
