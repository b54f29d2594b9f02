"""What the package talks about: scores, curves, bands. No algorithm worth a paper lives here."""
