"""The analysis as a page in the browser, served on this computer only.

The server imports neither NumPy nor the library: each computation runs in a process of its own.
"""
