"""Makers of the tables that the package ships."""
