"""Reports: all numbers as one payload, and the HTML page that shows them."""
