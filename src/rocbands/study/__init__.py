"""Does a band hold as often as it says? Populations, cells, runs that survive, and the papers' own studies."""
