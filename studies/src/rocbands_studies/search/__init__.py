"""A search for populations in which a statement of the package holds too seldom."""
