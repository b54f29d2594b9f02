"""The same curve and band in other coordinates: precision-recall, gains, lift, DET and more."""
