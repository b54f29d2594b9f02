"""Reports: all numbers as one payload, and the HTML page that shows them."""

from rocbands.core.method import Handling

# Each section uses the design of the rows if its function does; else it is left out, with a reason.
HANDLING = Handling(
    "report",
    "reporting",
    "all results on one page; what a section cannot use leaves it out, with a reason",
    ("clusters", "weights", "class weights", "strata", "folds", "repeats", "bins"),
)
