"""Average precision: its interval, and the difference of two models."""
