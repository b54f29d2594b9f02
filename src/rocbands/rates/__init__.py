"""What is found when a fixed share of cases is acted on: recall at a rate, with bounds."""
