"""How rows were drawn: effective sample sizes of designs, and weights for censored times."""
