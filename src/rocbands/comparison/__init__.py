"""Whether one classifier is better than another, where, and by how much."""
