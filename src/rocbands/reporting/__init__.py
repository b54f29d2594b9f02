"""A report on classifiers as one HTML page: its numbers, and the page that shows them."""
