"""Scores that are probabilities: how far they are from what happens."""
