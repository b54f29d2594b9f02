"""Decisions at threshold probabilities: net benefit."""
