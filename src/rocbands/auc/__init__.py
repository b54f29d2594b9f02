"""The area under the curve, parts of it, and single points: estimates with intervals."""
