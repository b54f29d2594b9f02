"""One page that says all: the numbers of a report, and the file that shows them."""
